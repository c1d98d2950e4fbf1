/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effect.c - which registers and flags an instruction reads and writes
 *
 * One row for each instruction or group, from the Intel SDM, volume 2.  A flag
 * the SDM calls undefined counts as written.  Mask and x87 registers are not tracked; a vector
 * operand counts as read and partly written, see vectors(); so instructions with such operands
 * only need no row.  An opcode without a row is vague: it may read and change everything.
 *
 * Operands are words of `where size access'.  Where: E (ModRM.rm, if it is a
 * register), G (ModRM.reg), B (VEX.vvvv), Z (low bits of the opcode), A (rax).
 * Sizes: b w d q; v: by prefixes; x: b or v by bit 0 of the opcode; y: d or q;
 * p: q or w, of push and pop.  Access: r(ead), w(rite), m: both, c: written at times.
 */
#include "targets/x86_64/x86_64.h"

#define CF REG_BIT(X86_CF)
#define PF REG_BIT(X86_PF)
#define AF REG_BIT(X86_AF)
#define ZF REG_BIT(X86_ZF)
#define SF REG_BIT(X86_SF)
#define OF REG_BIT(X86_OF)
#define DF REG_BIT(X86_DF)
#define ALL6 X86_STATUS
#define R(n) REG_BIT(n)

enum { L = 1 << X86_LEGACY, V = 1 << X86_VEX, E = 1 << X86_EVEX, XOP = 1 << X86_XOP };
enum { VE = V | E, LV = L | V, ANY = L | V | E };
enum { NP = 1 << X86_NP, P6 = 1 << X86_66, F3 = 1 << X86_F3, F2 = 1 << X86_F2 };
enum { MEM = 1, REG = 2 };
enum row_flags {
	NOMEM = 1, /* its memory operand is not accessed */
	FAULTS = 2,
	COND = 4,   /* reads the flags of the condition in the opcode's low bits */
	STRING = 8, /* takes a repeat prefix */
	SHIFTS = 16,
	VAGUE = 32,
	SHORT = 64,
	STATE = 128, /* of all vector registers, which it saves or restores */
};

struct opcode_row {
	uint8_t enc, map, lo, hi;
	uint8_t pp;  /* mandatory prefixes, 0: any */
	uint8_t ext; /* values of ModRM.reg, a bit each; 0: any */
	uint8_t mod; /* MEM, REG, 0: any */
	uint8_t kind, fl;
	const char *ops;
	regset r, w, c; /* implicit ones */
};
#define X(n) (uint8_t)(1u << (n))

/* clang-format off */
/* The six encodings of an arithmetic instruction. */
#define ALU(base, acc, reads)                                                                      \
	{L, X86_1B, base, base + 1, .ops = "Ex" acc " Gxr", .r = reads, .w = ALL6},                \
	{L, X86_1B, base + 2, base + 3, .ops = "Gx" acc " Exr", .r = reads, .w = ALL6},            \
	{L, X86_1B, base + 4, base + 5, .ops = "Ax" acc, .r = reads, .w = ALL6}

static const struct opcode_row rows_1b[] = {
	ALU(0x00, "m", 0),	/* add */
	ALU(0x08, "m", 0),	/* or */
	ALU(0x10, "m", CF),	/* adc */
	ALU(0x18, "m", CF),	/* sbb */
	ALU(0x20, "m", 0),	/* and */
	ALU(0x28, "m", 0),	/* sub */
	ALU(0x30, "m", 0),	/* xor */
	ALU(0x38, "r", 0),	/* cmp */
	{L, X86_1B, 0x50, 0x57, .ops = "Zpr", .r = R(RSP), .c = R(RSP)},
	{L, X86_1B, 0x58, 0x5f, .ops = "Zpw", .r = R(RSP), .c = R(RSP)},
	{L, X86_1B, 0x63, 0x63, .ops = "Gvw Edr"},
	{L, X86_1B, 0x68, 0x68, .ops = "", .r = R(RSP), .c = R(RSP)},
	{L, X86_1B, 0x69, 0x69, .ops = "Gvw Evr", .w = ALL6},
	{L, X86_1B, 0x6a, 0x6a, .ops = "", .r = R(RSP), .c = R(RSP)},
	{L, X86_1B, 0x6b, 0x6b, .ops = "Gvw Evr", .w = ALL6},
	{L, X86_1B, 0x70, 0x7f, .kind = INSN_BRANCH, .fl = COND, .ops = ""},
	{L, X86_1B, 0x80, 0x83, .ext = X(2) | X(3), .ops = "Exm", .r = CF, .w = ALL6},
	{L, X86_1B, 0x80, 0x83, .ext = X(7), .ops = "Exr", .w = ALL6},
	{L, X86_1B, 0x80, 0x83, .ops = "Exm", .w = ALL6},
	{L, X86_1B, 0x84, 0x85, .ops = "Exr Gxr", .w = ALL6},
	{L, X86_1B, 0x86, 0x87, .ops = "Exm Gxm"},
	{L, X86_1B, 0x88, 0x89, .ops = "Exw Gxr"},
	{L, X86_1B, 0x8a, 0x8b, .ops = "Gxw Exr"},
	{L, X86_1B, 0x8c, 0x8c, .ops = "Evw"},
	{L, X86_1B, 0x8d, 0x8d, .mod = MEM, .fl = NOMEM, .ops = "Gvw"},
	{L, X86_1B, 0x8e, 0x8e, .fl = FAULTS, .ops = "Ewr"},
	{L, X86_1B, 0x8f, 0x8f, .ops = "Epw", .r = R(RSP), .c = R(RSP)},
	{L, X86_1B, 0x90, 0x90, .pp = F3, .ops = ""},			/* pause */
	{L, X86_1B, 0x90, 0x97, .ops = "Zvm Avm"},
	{L, X86_1B, 0x98, 0x98, .ops = "Avm"},
	{L, X86_1B, 0x99, 0x99, .ops = "Avr", .w = R(RDX)},
	{L, X86_1B, 0x9b, 0x9b, .ops = ""},
	{L, X86_1B, 0x9c, 0x9c, .ops = "", .r = R(RSP) | ALL6 | DF, .c = R(RSP)},
	{L, X86_1B, 0x9d, 0x9d, .ops = "", .r = R(RSP), .w = ALL6 | DF, .c = R(RSP)},
	{L, X86_1B, 0x9e, 0x9e, .ops = "", .r = R(RAX), .w = SF | ZF | AF | PF | CF},
	{L, X86_1B, 0x9f, 0x9f, .ops = "Abw", .r = SF | ZF | AF | PF | CF},
	{L, X86_1B, 0xa0, 0xa1, .fl = FAULTS, .ops = "Axw"},
	{L, X86_1B, 0xa2, 0xa3, .fl = FAULTS, .ops = "Axr"},
	{L, X86_1B, 0xa4, 0xa5, .fl = STRING, .ops = "", .r = R(RSI) | R(RDI) | DF,
		.c = R(RSI) | R(RDI)},
	{L, X86_1B, 0xa6, 0xa7, .fl = STRING, .ops = "", .r = R(RSI) | R(RDI) | DF, .w = ALL6,
		.c = R(RSI) | R(RDI)},
	{L, X86_1B, 0xa8, 0xa9, .ops = "Axr", .w = ALL6},
	{L, X86_1B, 0xaa, 0xab, .fl = STRING, .ops = "Axr", .r = R(RDI) | DF, .c = R(RDI)},
	{L, X86_1B, 0xac, 0xad, .fl = STRING, .ops = "Axw", .r = R(RSI) | DF, .c = R(RSI)},
	{L, X86_1B, 0xae, 0xaf, .fl = STRING, .ops = "Axr", .r = R(RDI) | DF, .w = ALL6,
		.c = R(RDI)},
	{L, X86_1B, 0xb0, 0xb7, .ops = "Zbw"},
	{L, X86_1B, 0xb8, 0xbf, .ops = "Zvw"},
	{L, X86_1B, 0xc0, 0xc1, .fl = SHIFTS, .ops = "Exm"},
	{L, X86_1B, 0xc2, 0xc3, .kind = INSN_RET, .ops = "", .r = R(RSP), .c = R(RSP)},
	/* xabort: restores the state at xbegin, and continues at its handler */
	{L, X86_1B, 0xc6, 0xc6, .ext = X(7), .mod = REG, .fl = FAULTS, .ops = ""},
	{L, X86_1B, 0xc7, 0xc7, .ext = X(7), .mod = REG, .kind = INSN_XBEGIN, .ops = "",
		.c = R(RAX)},
	{L, X86_1B, 0xc6, 0xc7, .ext = X(0), .ops = "Exw"},
	{L, X86_1B, 0xc8, 0xc8, .ops = "", .r = R(RSP) | R(RBP), .c = R(RSP) | R(RBP)},
	{L, X86_1B, 0xc9, 0xc9, .ops = "", .r = R(RBP), .w = R(RSP) | R(RBP)},
	{L, X86_1B, 0xca, 0xcb, .kind = INSN_RET, .fl = VAGUE},
	{L, X86_1B, 0xcc, 0xcc, .kind = INSN_TRAP, .fl = VAGUE},
	{L, X86_1B, 0xcd, 0xcd, .fl = VAGUE},
	{L, X86_1B, 0xcf, 0xcf, .kind = INSN_RET, .fl = VAGUE},
	{L, X86_1B, 0xd0, 0xd1, .fl = SHIFTS, .ops = "Exm"},
	{L, X86_1B, 0xd2, 0xd3, .fl = SHIFTS, .ops = "Exm", .r = R(RCX)},
	{L, X86_1B, 0xd7, 0xd7, .fl = FAULTS, .ops = "", .r = R(RAX) | R(RBX), .c = R(RAX)},
	{L, X86_1B, 0xda, 0xda, .ext = X(0) | X(1) | X(2) | X(3), .mod = REG, .ops = "",
		.r = CF | ZF | PF},					/* fcmovcc */
	{L, X86_1B, 0xdb, 0xdb, .ext = X(0) | X(1) | X(2) | X(3), .mod = REG, .ops = "",
		.r = CF | ZF | PF},
	{L, X86_1B, 0xdb, 0xdb, .ext = X(5) | X(6), .mod = REG, .ops = "", .w = CF | ZF | PF,
		.c = ALL6},						/* fcomi */
	{L, X86_1B, 0xdf, 0xdf, .ext = X(5) | X(6), .mod = REG, .ops = "", .w = CF | ZF | PF,
		.c = ALL6},
	{L, X86_1B, 0xdf, 0xdf, .ext = X(4), .mod = REG, .ops = "Aww"},	/* fnstsw %ax */
	{L, X86_1B, 0xd8, 0xdf, .ops = ""},
	{L, X86_1B, 0xe0, 0xe1, .kind = INSN_BRANCH, .fl = SHORT, .ops = "", .r = R(RCX) | ZF,
		.c = R(RCX)},
	{L, X86_1B, 0xe2, 0xe2, .kind = INSN_BRANCH, .fl = SHORT, .ops = "", .r = R(RCX),
		.c = R(RCX)},
	{L, X86_1B, 0xe3, 0xe3, .kind = INSN_BRANCH, .fl = SHORT, .ops = "", .r = R(RCX)},
	{L, X86_1B, 0xe8, 0xe8, .kind = INSN_CALL, .ops = "", .r = R(RSP), .c = R(RSP)},
	{L, X86_1B, 0xe9, 0xe9, .kind = INSN_JUMP, .ops = ""},
	{L, X86_1B, 0xeb, 0xeb, .kind = INSN_JUMP, .ops = ""},
	{L, X86_1B, 0xf1, 0xf1, .fl = VAGUE},
	{L, X86_1B, 0xf4, 0xf4, .kind = INSN_TRAP, .fl = FAULTS, .ops = ""},
	{L, X86_1B, 0xf5, 0xf5, .ops = "", .r = CF, .w = CF},
	{L, X86_1B, 0xf6, 0xf7, .ext = X(0) | X(1), .ops = "Exr", .w = ALL6},	/* test */
	{L, X86_1B, 0xf6, 0xf7, .ext = X(2), .ops = "Exm"},			/* not */
	{L, X86_1B, 0xf6, 0xf7, .ext = X(3), .ops = "Exm", .w = ALL6},		/* neg */
	{L, X86_1B, 0xf6, 0xf6, .ext = X(4) | X(5), .ops = "Ebr", .r = R(RAX), .w = ALL6,
		.c = R(RAX)},
	{L, X86_1B, 0xf7, 0xf7, .ext = X(4) | X(5), .ops = "Evr Avm", .w = R(RDX) | ALL6},
	{L, X86_1B, 0xf6, 0xf6, .fl = FAULTS, .ops = "Ebr", .r = R(RAX), .w = ALL6,
		.c = R(RAX)},
	{L, X86_1B, 0xf7, 0xf7, .fl = FAULTS, .ops = "Evr Avm", .r = R(RDX),
		.w = R(RDX) | ALL6},
	{L, X86_1B, 0xf8, 0xf9, .ops = "", .w = CF},
	{L, X86_1B, 0xfc, 0xfd, .ops = "", .w = DF},
	{L, X86_1B, 0xfe, 0xff, .ext = X(0) | X(1), .ops = "Exm", .w = ALL6 & ~CF},
	{L, X86_1B, 0xff, 0xff, .ext = X(2), .kind = INSN_CALL_IND, .ops = "Eqr", .r = R(RSP),
		.c = R(RSP)},
	{L, X86_1B, 0xff, 0xff, .ext = X(3), .kind = INSN_CALL_IND, .fl = VAGUE},
	{L, X86_1B, 0xff, 0xff, .ext = X(4), .kind = INSN_JUMP_IND, .ops = "Eqr"},
	{L, X86_1B, 0xff, 0xff, .ext = X(5), .kind = INSN_JUMP_IND, .fl = VAGUE},
	{L, X86_1B, 0xff, 0xff, .ext = X(6), .ops = "Epr", .r = R(RSP), .c = R(RSP)},
};

static const struct opcode_row rows_0f[] = {
	{L, X86_0F, 0x02, 0x03, .ops = "Gvc Ewr", .w = ZF},		/* lar, lsl */
	{L, X86_0F, 0x05, 0x05, .kind = INSN_SYSCALL, .ops = "",
		.r = R(RAX) | R(RDI) | R(RSI) | R(RDX) | R(R10) | R(R8) | R(R9) | R(RSP),
		.w = R(RAX), .c = R(RCX) | R(R11)},
	{L, X86_0F, 0x07, 0x07, .kind = INSN_RET, .fl = VAGUE},
	{L, X86_0F, 0x0b, 0x0b, .kind = INSN_TRAP, .fl = FAULTS, .ops = ""},
	{L, X86_0F, 0x0d, 0x0d, .mod = MEM, .fl = NOMEM, .ops = ""},
	{L, X86_0F, 0x18, 0x18, .ext = X(0) | X(1) | X(2) | X(3), .mod = MEM, .fl = NOMEM,
		.ops = ""},
	{L, X86_0F, 0x1c, 0x1c, .ext = X(0), .mod = MEM, .fl = NOMEM, .ops = ""},
	{L, X86_0F, 0x1e, 0x1e, .pp = F3, .ext = X(1), .mod = REG, .ops = "Eyc"}, /* rdssp */
	{L, X86_0F, 0x1f, 0x1f, .kind = INSN_NOP, .fl = NOMEM, .ops = ""},
	{L, X86_0F, 0x31, 0x31, .ops = "", .w = R(RAX) | R(RDX)},
	{L, X86_0F, 0x33, 0x33, .fl = FAULTS, .ops = "", .r = R(RCX), .w = R(RAX) | R(RDX)},
	{L, X86_0F, 0x34, 0x34, .kind = INSN_SYSCALL, .fl = VAGUE},
	{L, X86_0F, 0x35, 0x35, .kind = INSN_RET, .fl = VAGUE},
	{L, X86_0F, 0x40, 0x4f, .fl = COND, .ops = "Gvc Evr"},
	{L, X86_0F, 0x80, 0x8f, .kind = INSN_BRANCH, .fl = COND, .ops = ""},
	{L, X86_0F, 0x90, 0x9f, .fl = COND, .ops = "Ebw"},
	{L, X86_0F, 0xa0, 0xa0, .ops = "", .r = R(RSP), .c = R(RSP)},
	{L, X86_0F, 0xa1, 0xa1, .fl = FAULTS, .ops = "", .r = R(RSP), .c = R(RSP)},
	{L, X86_0F, 0xa8, 0xa8, .ops = "", .r = R(RSP), .c = R(RSP)},
	{L, X86_0F, 0xa9, 0xa9, .fl = FAULTS, .ops = "", .r = R(RSP), .c = R(RSP)},
	{L, X86_0F, 0xa2, 0xa2, .ops = "", .r = R(RAX) | R(RCX),
		.w = R(RAX) | R(RBX) | R(RCX) | R(RDX)},
	{L, X86_0F, 0xa3, 0xa3, .ops = "Evr Gvr", .w = ALL6 & ~ZF},		/* bt */
	{L, X86_0F, 0xa4, 0xa4, .fl = SHIFTS, .ops = "Evm Gvr"},
	{L, X86_0F, 0xa5, 0xa5, .fl = SHIFTS, .ops = "Evm Gvr", .r = R(RCX)},
	{L, X86_0F, 0xab, 0xab, .ops = "Evm Gvr", .w = ALL6 & ~ZF},		/* bts */
	{L, X86_0F, 0xac, 0xac, .fl = SHIFTS, .ops = "Evm Gvr"},
	{L, X86_0F, 0xad, 0xad, .fl = SHIFTS, .ops = "Evm Gvr", .r = R(RCX)},
	{L, X86_0F, 0xae, 0xae, .pp = NP, .ext = X(4) | X(5) | X(6), .mod = MEM, .fl = FAULTS | STATE,
		.ops = "", .r = R(RAX) | R(RDX)},				/* xsave ... */
	{L, X86_0F, 0xae, 0xae, .pp = P6, .ext = X(6) | X(7), .mod = MEM, .fl = FAULTS, .ops = ""},
	{L, X86_0F, 0xae, 0xae, .pp = NP, .mod = MEM, .fl = STATE, .ops = ""},
	{L, X86_0F, 0xae, 0xae, .pp = NP, .ext = X(5) | X(6) | X(7), .mod = REG, .ops = ""},
	{L, X86_0F, 0xae, 0xae, .pp = F3, .ext = X(0) | X(1), .mod = REG, .fl = FAULTS,
		.ops = "Eyw"},							/* rdfsbase */
	{L, X86_0F, 0xae, 0xae, .pp = F3, .ext = X(2) | X(3), .mod = REG, .fl = FAULTS,
		.ops = "Eyr"},
	{L, X86_0F, 0xae, 0xae, .pp = F3, .ext = X(5), .mod = REG, .fl = FAULTS,
		.ops = "Eyr"},							/* incssp */
	{L, X86_0F, 0xaf, 0xaf, .ops = "Gvm Evr", .w = ALL6},
	{L, X86_0F, 0xb0, 0xb1, .ops = "Exm Gxr", .r = R(RAX), .w = ALL6, .c = R(RAX)},
	{L, X86_0F, 0xb3, 0xb3, .ops = "Evm Gvr", .w = ALL6 & ~ZF},		/* btr */
	{L, X86_0F, 0xb6, 0xb6, .ops = "Gvw Ebr"},
	{L, X86_0F, 0xb7, 0xb7, .ops = "Gvw Ewr"},
	{L, X86_0F, 0xb8, 0xb8, .pp = F3, .ops = "Gvw Evr", .w = ALL6},		/* popcnt */
	{L, X86_0F, 0xb9, 0xb9, .kind = INSN_TRAP, .fl = FAULTS, .ops = "Gvr Evr"},
	{L, X86_0F, 0xba, 0xba, .ext = X(4), .ops = "Evr", .w = ALL6 & ~ZF},
	{L, X86_0F, 0xba, 0xba, .ext = X(5) | X(6) | X(7), .ops = "Evm", .w = ALL6 & ~ZF},
	{L, X86_0F, 0xbb, 0xbb, .ops = "Evm Gvr", .w = ALL6 & ~ZF},		/* btc */
	/*
	 * By the SDM the result of bsf and bsr of zero is undefined; CPUs keep the old value, and
	 * programs rely on that.  CPUs without BMI execute tzcnt as bsf.
	 */
	{L, X86_0F, 0xbc, 0xbd, .ops = "Gvc Evr", .w = ALL6},
	{L, X86_0F, 0xbe, 0xbe, .ops = "Gvw Ebr"},
	{L, X86_0F, 0xbf, 0xbf, .ops = "Gvw Ewr"},
	{L, X86_0F, 0xc0, 0xc1, .ops = "Exm Gxm", .w = ALL6},			/* xadd */
	{L, X86_0F, 0xc3, 0xc3, .pp = NP, .mod = MEM, .ops = "Gyr"},		/* movnti */
	{L, X86_0F, 0xc7, 0xc7, .ext = X(1), .mod = MEM, .ops = "",
		.r = R(RAX) | R(RDX) | R(RBX) | R(RCX), .w = ZF, .c = R(RAX) | R(RDX)},
	{L, X86_0F, 0xc7, 0xc7, .ext = X(4), .mod = MEM, .fl = FAULTS | STATE, .ops = "",
		.r = R(RAX) | R(RDX)},						/* xsavec */
	{L, X86_0F, 0xc7, 0xc7, .pp = F3, .ext = X(7), .mod = REG, .ops = "Eqw"}, /* rdpid */
	{L, X86_0F, 0xc7, 0xc7, .pp = NP | P6, .ext = X(6) | X(7), .mod = REG, .ops = "Evw",
		.w = ALL6},							/* rdrand */
	{L, X86_0F, 0xc8, 0xcf, .ops = "Zym"},
	{L, X86_0F, 0xff, 0xff, .kind = INSN_TRAP, .fl = FAULTS, .ops = "Gvr Evr"},
};

/* 0F 01 is a map of its own: by ModRM when that names a register. */
static const struct opcode_row rows_0f01[] = {
	{L, X86_0F, 0xca, 0xcb, .pp = NP, .fl = FAULTS, .ops = ""},		/* clac, stac */
	{L, X86_0F, 0xd0, 0xd0, .pp = NP, .ops = "", .r = R(RCX), .w = R(RAX) | R(RDX)},	/* xgetbv */
	{L, X86_0F, 0xd5, 0xd5, .pp = NP, .fl = FAULTS, .ops = ""},			/* xend */
	{L, X86_0F, 0xd6, 0xd6, .pp = NP, .ops = "", .w = ALL6},				/* xtest */
	{L, X86_0F, 0xe8, 0xe8, .pp = NP, .ops = ""},				/* serialize */
	{L, X86_0F, 0xee, 0xee, .pp = NP, .fl = FAULTS, .ops = "", .r = R(RCX),
		.w = R(RAX) | R(RDX)},						/* rdpkru */
	{L, X86_0F, 0xef, 0xef, .pp = NP, .fl = FAULTS, .ops = "",
		.r = R(RCX) | R(RAX) | R(RDX)},					/* wrpkru */
	{L, X86_0F, 0xf9, 0xf9, .pp = NP, .ops = "", .w = R(RAX) | R(RDX) | R(RCX)},	/* rdtscp */
};

/* Vector instructions that name general registers or flags; map by map. */
static const struct opcode_row rows_vector[] = {
	{LV, X86_0F, 0x0f, 0x0f, .fl = VAGUE},				/* 3DNow! */
	{L, X86_0F, 0x2a, 0x2a, .pp = F2 | F3, .ops = "Eyr"},
	{L, X86_0F, 0x2c, 0x2d, .pp = F2 | F3, .ops = "Gyw"},
	{VE, X86_0F, 0x2a, 0x2a, .ops = "Eyr"},
	{VE, X86_0F, 0x2c, 0x2d, .ops = "Gyw"},
	{ANY, X86_0F, 0x2e, 0x2f, .pp = NP | P6, .ops = "", .w = ALL6},
	{ANY, X86_0F, 0x2e, 0x2f, .fl = VAGUE},
	{LV, X86_0F, 0x50, 0x50, .ops = "Gyw"},
	{ANY, X86_0F, 0x6e, 0x6e, .ops = "Eyr"},
	{ANY, X86_0F, 0x7e, 0x7e, .pp = NP | P6, .ops = "Eyw"},
	{L, X86_0F, 0x78, 0x79, .pp = NP, .fl = VAGUE},			/* vmread */
	{L, X86_0F, 0x78, 0x79, .mod = MEM, .fl = VAGUE},
	{E, X86_0F, 0x78, 0x79, .pp = F2 | F3, .ops = "Gyw"},
	{E, X86_0F, 0x7b, 0x7b, .pp = F2 | F3, .ops = "Eyr"},
	{V, X86_0F, 0x92, 0x92, .mod = REG, .ops = "Eyr"},		/* kmov */
	{V, X86_0F, 0x93, 0x93, .mod = REG, .ops = "Gyw"},
	{V, X86_0F, 0x98, 0x99, .ops = "", .w = ALL6},			/* kortest, ktest */
	{E, X86_0F, 0x90, 0x99, .fl = VAGUE},				/* APX's kmov */
	{ANY, X86_0F, 0xc4, 0xc4, .ops = "Edr"},
	{ANY, X86_0F, 0xc5, 0xc5, .ops = "Gyw"},
	{LV, X86_0F, 0xd7, 0xd7, .ops = "Gyw"},
	{LV, X86_0F, 0xf7, 0xf7, .fl = FAULTS, .ops = "", .r = R(RDI)},
	{V, X86_0F, 0xae, 0xae, .mod = MEM, .ext = X(2) | X(3), .ops = ""},
	{V, X86_0F, 0xae, 0xae, .fl = VAGUE},

	{V, X86_0F38, 0x0e, 0x0f, .ops = "", .w = ALL6},		/* vtestps */
	{LV, X86_0F38, 0x17, 0x17, .ops = "", .w = ALL6},		/* ptest */
	{E, X86_0F38, 0x7a, 0x7b, .ops = "Edr"},			/* vpbroadcast */
	{E, X86_0F38, 0x7c, 0x7c, .ops = "Eyr"},
	{L, X86_0F38, 0x80, 0x8f, .fl = VAGUE},
	{L, X86_0F38, 0xd0, 0xdf, .pp = F3, .fl = VAGUE},		/* key locker */
	{VE, X86_0F38, 0xe0, 0xef, .fl = VAGUE},			/* cmpccxadd */
	{L, X86_0F38, 0xf0, 0xf0, .pp = F2, .ops = "Gym Ebr"},		/* crc32 */
	{L, X86_0F38, 0xf1, 0xf1, .pp = F2, .ops = "Gym Evr"},
	{L, X86_0F38, 0xf0, 0xf0, .pp = NP | P6, .mod = MEM, .ops = "Gvw"},	/* movbe */
	{L, X86_0F38, 0xf1, 0xf1, .pp = NP | P6, .mod = MEM, .ops = "Gvr"},
	{L, X86_0F38, 0xf6, 0xf6, .pp = P6, .ops = "Gym Eyr", .r = CF, .w = CF},	/* adcx */
	{L, X86_0F38, 0xf6, 0xf6, .pp = F3, .ops = "Gym Eyr", .r = OF, .w = OF},	/* adox */
	{L, X86_0F38, 0xf6, 0xf6, .pp = NP, .mod = MEM, .ops = "Gyr"},		/* wrss */
	{L, X86_0F38, 0xf8, 0xf8, .pp = P6, .mod = MEM, .ops = "Gqr"},		/* movdir64b */
	{L, X86_0F38, 0xf9, 0xf9, .pp = NP, .mod = MEM, .ops = "Gyr"},		/* movdiri */
	{L, X86_0F38, 0xf0, 0xff, .fl = VAGUE},
	{V, X86_0F38, 0xf2, 0xf2, .pp = NP, .ops = "Gyw Byr Eyr", .w = ALL6},	/* andn */
	{V, X86_0F38, 0xf3, 0xf3, .pp = NP, .ext = X(1) | X(2) | X(3), .ops = "Byw Eyr",
		.w = ALL6},							/* blsr ... */
	{V, X86_0F38, 0xf5, 0xf5, .pp = NP, .ops = "Gyw Eyr Byr", .w = ALL6},	/* bzhi */
	{V, X86_0F38, 0xf5, 0xf5, .pp = F2 | F3, .ops = "Gyw Byr Eyr"},		/* pdep, pext */
	{V, X86_0F38, 0xf6, 0xf6, .pp = F2, .ops = "Gyw Byw Eyr", .r = R(RDX)},	/* mulx */
	{V, X86_0F38, 0xf7, 0xf7, .pp = NP, .ops = "Gyw Eyr Byr", .w = ALL6},	/* bextr */
	{V, X86_0F38, 0xf7, 0xf7, .pp = P6 | F2 | F3, .ops = "Gyw Eyr Byr"},	/* shlx ... */
	{VE, X86_0F38, 0xf0, 0xff, .fl = VAGUE},

	{ANY, X86_0F3A, 0x14, 0x15, .ops = "Edw"},			/* pextrb, pextrw */
	{ANY, X86_0F3A, 0x16, 0x16, .ops = "Eyw"},
	{ANY, X86_0F3A, 0x17, 0x17, .ops = "Edw"},
	{ANY, X86_0F3A, 0x20, 0x20, .ops = "Edr"},
	{ANY, X86_0F3A, 0x22, 0x22, .ops = "Eyr"},
	{LV, X86_0F3A, 0x60, 0x60, .ops = "", .r = R(RAX) | R(RDX), .w = ALL6},
	{LV, X86_0F3A, 0x61, 0x61, .ops = "", .r = R(RAX) | R(RDX), .w = ALL6 | R(RCX)},
	{LV, X86_0F3A, 0x62, 0x62, .ops = "", .w = ALL6},
	{LV, X86_0F3A, 0x63, 0x63, .ops = "", .w = ALL6 | R(RCX)},
	{V, X86_0F3A, 0xf0, 0xf0, .pp = F2, .ops = "Gyw Eyr"},		/* rorx */
	{ANY, X86_0F3A, 0xf0, 0xff, .fl = VAGUE},

	{E, X86_M5, 0x2a, 0x2a, .pp = F3, .ops = "Eyr"},		/* vcvtsi2sh ... */
	{E, X86_M5, 0x2c, 0x2d, .pp = F3, .ops = "Gyw"},
	{E, X86_M5, 0x2e, 0x2f, .pp = NP, .ops = "", .w = ALL6},
	{E, X86_M5, 0x2e, 0x2f, .fl = VAGUE},
	{E, X86_M5, 0x6e, 0x6e, .pp = P6, .ops = "Edr"},
	{E, X86_M5, 0x78, 0x79, .pp = F3, .ops = "Gyw"},
	{E, X86_M5, 0x7b, 0x7b, .pp = F3, .ops = "Eyr"},
	{E, X86_M5, 0x7e, 0x7e, .pp = P6, .ops = "Edw"},
};

/* Opcodes that have only vector registers unless a row above says otherwise. */
static const struct opcode_row rows_default[] = {
	{L, X86_0F, 0x10, 0x17, .ops = ""},
	{L, X86_0F, 0x28, 0x2f, .ops = ""},
	{L, X86_0F, 0x50, 0x7f, .ops = ""},
	{L, X86_0F, 0xc2, 0xc2, .ops = ""},
	{L, X86_0F, 0xc6, 0xc6, .ops = ""},
	{L, X86_0F, 0xd0, 0xfe, .ops = ""},
	{V, X86_0F, 0x10, 0xfe, .ops = ""},
	{E, X86_0F, 0x10, 0xfe, .ops = ""},
	{LV | E, X86_0F38, 0x00, 0xef, .ops = ""},
	{LV | E, X86_0F3A, 0x00, 0xef, .ops = ""},
	{E, X86_M5, 0x00, 0xff, .ops = ""},
	{E, X86_M6, 0x00, 0xff, .ops = ""},
	{XOP, X86_XOP8, 0x00, 0xff, .ops = ""},
	{XOP, X86_XOP9, 0x80, 0xff, .ops = ""},
};
/* clang-format on */

static bool row_fits(const struct opcode_row *r, const struct x86_form *f, uint8_t op)
{
	if (op < r->lo || op > r->hi || r->map != f->map || !(r->enc >> f->enc & 1))
		return false;
	if (r->pp && !(r->pp >> f->pp & 1))
		return false;
	if (r->ext && !(r->ext >> form_ext(f) & 1))
		return false;
	return !r->mod || r->mod == (form_is_mem(f) ? MEM : REG);
}

static const struct opcode_row *find(const struct opcode_row *r, size_t n, const struct x86_form *f,
	uint8_t op)
{
	for (; n; r++, n--)
		if (row_fits(r, f, op))
			return r;
	return NULL;
}
#define FIND(rows, f, op) find(rows, sizeof rows / sizeof rows[0], f, op)

static const struct opcode_row *find_row(const struct x86_form *f)
{
	const struct opcode_row *r = NULL;

	if (f->enc == X86_LEGACY && f->map == X86_1B)
		return FIND(rows_1b, f, f->op);
	if (f->enc == X86_LEGACY && f->map == X86_0F && f->op == 0x01)
		return form_is_mem(f) ? NULL : FIND(rows_0f01, f, f->modrm);
	if (f->enc == X86_LEGACY && f->map == X86_0F)
		r = FIND(rows_0f, f, f->op);
	if (!r)
		r = FIND(rows_vector, f, f->op);
	if (!r)
		r = FIND(rows_default, f, f->op);
	return r;
}

#define IS_OF(rows, r) ((r) >= (rows) && (r) < (rows) + sizeof(rows) / sizeof(rows)[0])

/* Is xmm0 an operand that is not encoded?  (pblendvb ..., sha256rnds2, pcmpestrm, pcmpistrm) */
static bool names_first(const struct x86_form *f)
{
	return f->map == X86_0F38 ? f->op == 0x10 || f->op == 0x14 || f->op == 0x15 || f->op == 0xcb
				  : f->map == X86_0F3A && (f->op == 0x60 || f->op == 0x62);
}

/*
 * Vector registers that may be operands; those of MMX have the same numbers.  VEX and EVEX
 * instructions have more than two, and depend on the others (clean upper halves): all.  Opcodes of
 * map 0F38 from F0 on, and rorx, have general registers (Intel SDM volume 2, appendix A).
 */
static regset vectors(const struct x86_form *f, const struct opcode_row *r)
{
	regset set = 0;

	if (r->fl & STATE)
		return X86_VECTORS;
	if (!IS_OF(rows_vector, r) && !IS_OF(rows_default, r))
		return 0;
	if ((f->map == X86_0F38 || f->map == X86_0F3A) && f->op >= 0xf0)
		return 0;
	if (f->enc != X86_LEGACY)
		return X86_VECTORS;
	if (!f->has_modrm)
		return 0;
	bool extends = f->map == X86_0F && f->op >= 0x71 && f->op <= 0x73; /* the opcode */
	if (!strchr(r->ops, 'G') && !extends)
		set |= R(XMM0 + form_reg(f));
	if (!form_is_mem(f) && !strchr(r->ops, 'E'))
		set |= R(XMM0 + form_rm(f));
	return names_first(f) ? set | R(XMM0) : set;
}

/*
 * The vector register, among these, that an SSE instruction overwrites completely: moves,
 * shuffles of another register, and idioms that zero it.
 */
static regset vector_set(const struct x86_form *f, const struct opcode_row *r)
{
	bool mem = form_is_mem(f), same = !mem && form_reg(f) == form_rm(f), sets = false;
	bool packed = f->pp == X86_NP || f->pp == X86_66;

	if (!IS_OF(rows_vector, r) && !IS_OF(rows_default, r))
		return 0;
	if (f->enc != X86_LEGACY || f->map != X86_0F)
		return 0;
	switch (f->op) {
	case 0x10: sets = !same && (packed || mem); break;
	case 0x12: sets = !same && (f->pp == X86_F3 || f->pp == X86_F2); break;
	case 0x16: sets = !same && f->pp == X86_F3; break;
	case 0x28:
	case 0x51: sets = !same && packed; break; /* square roots */
	case 0x5a:
	case 0x5b: sets = !same && (packed || f->op == 0x5b); break; /* conversions */
	case 0x57: sets = same && packed; break;
	case 0x6e: sets = f->pp == X86_66; break;
	case 0x6f: sets = !same && (f->pp == X86_66 || f->pp == X86_F3); break;
	case 0x70: sets = !same && f->pp != X86_NP; break;
	case 0x7e: sets = !same && f->pp == X86_F3; break;
	case 0xe6: sets = !same && f->pp != X86_NP; break;
	case 0x74:
	case 0x75:
	case 0x76:
	case 0xef: sets = same && f->pp == X86_66; break;
	}
	return sets ? R(XMM0 + form_reg(f)) : 0;
}

static unsigned operand_size(const struct x86_form *f, char c)
{
	switch (c) {
	case 'b': return 1;
	case 'w': return 2;
	case 'd': return 4;
	case 'q': return 8;
	case 'y': return f->rex & REX_W ? 8 : 4;
	case 'p': return form_opsize(f) == 2 ? 2 : 8;
	case 'x': return f->op & 1 ? form_opsize(f) : 1;
	default: return form_opsize(f);
	}
}

/* The register of an operand; -1: it is a memory operand. */
static int operand_reg(const struct x86_form *f, char place, unsigned size)
{
	int reg;

	switch (place) {
	case 'A': return RAX;
	case 'B': return f->vvvv;
	case 'Z': reg = (f->op & 7) | (f->rex & REX_B ? 8 : 0); break;
	case 'G': reg = form_reg(f); break;
	default:
		if (form_is_mem(f))
			return -1;
		reg = form_rm(f);
	}
	/* ah, ch, dh, bh */
	if (size == 1 && !f->rex && reg >= 4)
		reg -= 4;
	return reg;
}

static void apply_operand(const struct x86_form *f, const char *word, struct effects *e,
	regset *named)
{
	unsigned size = operand_size(f, word[1]);
	int reg = operand_reg(f, word[0], size);

	if (reg < 0)
		return;
	if (word[0] != 'A')
		*named |= R(reg);
	if (word[2] == 'r' || word[2] == 'm' || word[2] == 'c')
		e->reads |= R(reg);
	if (word[2] != 'r')
		e->clobbers |= R(reg);
	if ((word[2] == 'w' || word[2] == 'm') && size >= 4)
		e->writes |= R(reg);
}

static regset cond_flags(unsigned cc)
{
	static const regset flags[8] = {OF, CF, ZF, CF | ZF, SF, PF, SF | OF, ZF | SF | OF};

	return flags[cc >> 1 & 7];
}

/* A count of zero changes no flag; the count in %cl is not known. */
static void apply_shift(const struct x86_form *f, struct effects *e)
{
	bool by_cl = f->map == X86_1B ? f->op == 0xd2 || f->op == 0xd3 : (f->op & 7) == 5;
	regset flags = ALL6;

	if (f->variant == SHIFT_NONE)
		return;
	if (f->map == X86_1B && form_ext(f) < 4)
		flags = CF | OF;
	if (f->map == X86_1B && (form_ext(f) == 2 || form_ext(f) == 3))
		e->reads |= CF;
	e->clobbers |= flags;
	if (!by_cl && f->variant != SHIFT_PERHAPS)
		e->writes |= flags;
}

/* xor, sub and sbb of a register with itself do not depend on it. */
static void apply_idiom(const struct x86_form *f, struct effects *e)
{
	unsigned op = f->op & 0xfcu;

	if (f->enc != X86_LEGACY || f->map != X86_1B || (op != 0x30 && op != 0x28 && op != 0x18))
		return;
	if (!f->has_modrm || form_is_mem(f) || form_reg(f) != form_rm(f))
		return;
	e->reads &= ~e->clobbers | REGSET_FLAGS;
}

static bool is_nop(const struct x86_form *f)
{
	return f->enc == X86_LEGACY && f->map == X86_1B && f->op == 0x90 && !(f->rex & REX_B) &&
		f->pp != X86_F3;
}

/*
 * hazard: endbr first.  endbr64 must stay the first instruction at an indirect branch's
 * target: inserted code follows it.
 */
static bool is_endbr(const struct x86_form *f)
{
	return f->enc == X86_LEGACY && f->map == X86_0F && f->op == 0x1e && f->pp == X86_F3 &&
		(f->modrm == 0xfa || f->modrm == 0xfb);
}

void x86_vague(struct insn *in, struct effects *e)
{
	in->flags |= INSN_VAGUE | INSN_MEM;
	e->reads = X86_ALL;
	e->writes = 0;
	e->clobbers = X86_ALL;
}

/* Set the pc-relative field, which is relative to the end of the instruction. */
static void apply_pc(const struct x86_form *f, struct insn *in)
{
	if (in->kind == INSN_JUMP || in->kind == INSN_BRANCH || in->kind == INSN_CALL ||
		in->kind == INSN_XBEGIN) {
		in->pc_off = f->imm_off & 15;
		in->pc_size = f->imm_size & 7;
	} else if (form_is_rip(f)) {
		in->pc_off = f->disp_off & 15;
		in->pc_size = 4;
		in->flags |= INSN_OPERAND_PC;
	}
}

static void apply_row(const struct opcode_row *r, const struct x86_form *f, struct insn *in,
	struct effects *e, regset *named)
{
	regset named_vectors = vectors(f, r), set = vector_set(f, r);

	e->reads |= r->r | (named_vectors & ~set);
	e->writes |= r->w | set;
	e->clobbers |= r->w | r->c | named_vectors | set;
	for (const char *word = r->ops; *word; word += word[3] ? 4 : 3)
		apply_operand(f, word, e, named);
	if (r->fl & COND)
		e->reads |= cond_flags(f->op);
	if (r->fl & SHIFTS)
		apply_shift(f, e);
	if (r->fl & STRING) {
		in->flags |= INSN_MEM;
		if (f->prefixes & (X86_PF2 | X86_PF3)) {
			e->reads |= R(RCX);
			e->clobbers |= R(RCX);
			e->writes = 0;
		}
	}
	if (r->fl & FAULTS || (form_is_mem(f) && !(r->fl & NOMEM)))
		in->flags |= INSN_MEM;
	if (r->fl & SHORT)
		in->flags |= INSN_SHORT_ONLY;
	apply_idiom(f, e);
	/* With a 16-bit operand size %rdx is only written in part. */
	if (f->map == X86_1B && f->enc == X86_LEGACY && form_opsize(f) == 2 &&
		(f->op == 0x99 || f->op == 0xf7))
		e->writes &= ~R(RDX);
}

static void apply_address(const struct x86_form *f, struct effects *e, regset *named)
{
	int base = form_base(f), index = form_index(f);

	if (base >= 0)
		*named |= R(base);
	if (index >= 0)
		*named |= R(index);
	e->reads |= *named;
}

void x86_effects(const struct x86_form *f, struct insn *in, struct effects *e, regset *named)
{
	const struct opcode_row *r = find_row(f);

	memset(in, 0, sizeof *in);
	memset(e, 0, sizeof *e);
	*named = 0;
	in->len = f->len;
	in->kind = r ? r->kind : INSN_OTHER;
	apply_pc(f, in);
	if (f->enc == X86_LEGACY && f->map == X86_1B && f->op == 0xcd && f->variant == 0x80)
		in->kind = INSN_SYSCALL;
	if (is_nop(f) || in->kind == INSN_NOP) {
		/* a no-op with a pc-relative operand is no padding */
		in->kind = in->pc_size ? INSN_OTHER : INSN_NOP;
		return;
	}
	if (is_endbr(f)) {
		in->flags |= f->modrm == 0xfa ? INSN_LANDING : 0;
		return;
	}
	/* APX has general registers with the numbers 16 to 31. */
	if (!r || r->fl & VAGUE || (f->reg_high && strchr(r->ops, 'G'))) {
		x86_vague(in, e);
		return;
	}
	apply_address(f, e, named);
	apply_row(r, f, in, e, named);
}

bool x86_general_memory(const struct x86_form *f, unsigned *size, bool *reads, bool *writes)
{
	const struct opcode_row *r = find_row(f);

	*size = 0;
	if (!r || r->fl & VAGUE)
		return false;
	if (r->fl & NOMEM)
		return true;
	for (const char *word = r->ops; *word; word += word[3] ? 4 : 3) {
		if (*word != 'E')
			continue;
		*size = operand_size(f, word[1]);
		*reads = word[2] != 'w';
		*writes = word[2] != 'r';
		return true;
	}
	return false;
}

/* Intel SDM volume 2, appendix A: without a prefix, opcodes of the SSE instructions' that are
 * MMX's. */
static bool is_mmx(const struct x86_form *f)
{
	uint8_t op = f->op;

	if (f->map == X86_0F38 || f->map == X86_0F3A)
		return f->pp == X86_NP && (f->map == X86_0F38 ? op < 0x20 : op == 0x0f);
	if (f->map != X86_0F)
		return false;
	if (op == 0x2a || op == 0x2c || op == 0x2d)
		return f->pp == X86_NP || f->pp == X86_66;
	if (op == 0xd6)
		return f->pp != X86_66;
	return f->pp == X86_NP &&
		((op >= 0x60 && op <= 0x7f) || op == 0x0f || op == 0xc4 || op == 0xc5 ||
			op >= 0xd0);
}

/* Intel SDM volume 2: MOV, POP, LFS, LGS, LSS, WRFSBASE, WRGSBASE. */
static bool sets_segment(const struct x86_form *f)
{
	if (f->enc != X86_LEGACY)
		return false;
	if (f->map == X86_1B)
		return f->op == 0x8e;
	if (f->map != X86_0F)
		return false;
	return f->op == 0xa1 || f->op == 0xa9 || f->op == 0xb2 || f->op == 0xb4 || f->op == 0xb5 ||
		(f->op == 0xae && f->pp == X86_F3 && form_mod(f) == 3 &&
			(form_ext(f) == 2 || form_ext(f) == 3));
}

/* STD, POPF. */
static bool sets_direction(const struct x86_form *f)
{
	return f->enc == X86_LEGACY && f->map == X86_1B && (f->op == 0xfd || f->op == 0x9d);
}

const char *x86_unfit(const uint8_t *p, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	struct x86_form f;

	if (!x86_parse(p, in->len, &f))
		return "an instruction that is not known";
	if (f.enc == X86_LEGACY && f.map == X86_1B &&
		((f.op >= 0xd8 && f.op <= 0xdf) || f.op == 0x9b))
		return "an x87 instruction";
	if (sets_segment(&f))
		return "an instruction that changes a segment";
	if (sets_direction(&f))
		return "an instruction that sets the direction flag";
	if (!((e->reads | e->clobbers) & X86_VECTORS) || in->flags & INSN_VAGUE)
		return NULL;
	if (f.enc != X86_LEGACY)
		return "a VEX or EVEX instruction, which changes upper halves of vector registers";
	if (f.map == X86_0F && (f.op == 0xae || f.op == 0xc7) &&
		(f.op == 0xc7 || (form_ext(&f) != 2 && form_ext(&f) != 3)))
		return "an instruction for the state of all vector registers";
	return is_mmx(&f) ? "an MMX instruction" : NULL;
}
