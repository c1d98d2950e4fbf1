/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - the code ldx puts in, and the code it leaves alone
 */
#include "targets/x86_64/x86_64.h"

enum { RED_ZONE = 128 };

/* What combines a register with another operand, in the form that changes the latter. */
enum { ADD = 0x01, SUB = 0x29, MOV = 0x89 };

#define INC_FLAGS (X86_STATUS & ~REG_BIT(X86_CF))

/* Intel SDM volume 2, NOP: recommended multi-byte sequences. */
static const uint8_t nop[9][9] = {
	{0x90},
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
};

void x86_nops(uint8_t *out, size_t n)
{
	while (n) {
		size_t k = n < 9 ? n : 9;

		memcpy(out, nop[k - 1], k);
		out += k;
		n -= k;
	}
}

/* A relocated field of 32 bits behind these bytes. */
static void put_field(struct code *c, const void *bytes, uint32_t n, struct reloc r)
{
	static const uint8_t zero[4];

	code_put(c, bytes, n);
	code_reloc(c, r);
	code_put(c, zero, sizeof zero);
}

static void put_call(struct code *c, const void *bytes, uint32_t n, uint32_t sym)
{
	put_field(c, bytes, n, (struct reloc){.addend = -4, .type = R_X86_64_PLT32, .sym = sym});
}

static bool by_address(const struct reach *to)
{
	return to->fixed && !(to->near && to->repeat != REPEAT_SOON);
}

static void put_segment(struct code *c, const struct reach *to)
{
	static const uint8_t gs = 0x65;

	if (to->access == ACCESS_THREAD || (to->moved && by_address(to)))
		code_put(c, &gs, 1);
}

/*
 * An instruction on a counter: prefix, REX, opcode, reg as its other operand, and last bytes behind
 * the address, which the caller puts (from there a distance counts).
 * By an absolute address the processor forwards what was stored last to the next
 * load without delay, which it does not relative to %rip (measured: eight times
 * as fast in a row); the encoding without %rip is a byte longer (Intel SDM volume 2, 2.2.1.6).
 */
static void put_on_counter(struct code *c, const struct reach *to, uint8_t rex, uint8_t opcode,
	unsigned reg, int64_t off, int last)
{
	static const uint8_t lock = 0xf0;
	uint8_t field = (uint8_t)((reg & 7) << 3);
	uint8_t near[] = {rex, opcode, (uint8_t)(0x05 | field)};
	uint8_t fixed[] = {rex, opcode, (uint8_t)(0x04 | field), 0x25};

	if (to->access == ACCESS_ATOMIC)
		code_put(c, &lock, 1);
	put_segment(c, to);
	if (by_address(to))
		put_field(c, fixed, sizeof fixed,
			(struct reloc){.addend = off, .type = R_X86_64_32S, .sym = to->sym_fixed});
	else
		put_field(c, near, sizeof near,
			(struct reloc){.addend = off - 4 - last, .type = R_X86_64_PC32, .sym = to->sym});
}

/*
 * [gs|lock] incq leaves CF.  addq $1 does not; by an address it is faster in a short
 * loop (measured: 1.5 times the loop's time where incq makes it 2.8), and takes a third of
 * incq's time in long straight code (relative to %rip as much), for a byte more.
 */
static void put_inc(struct code *c, const struct reach *to, int64_t off, bool cf_dead)
{
	static const uint8_t one = 1;

	if (!cf_dead || !to->fixed || to->repeat == REPEAT_RARELY) {
		put_on_counter(c, to, 0x48, 0xff, 0, off, 0);
		return;
	}
	put_on_counter(c, to, 0x48, 0x83, 0, off, 1);
	code_put(c, &one, 1);
}

/*
 * lea -128(%rsp),%rsp: beyond what a leaf function may use (psABI, 3.2.2).
 *
 * hazard: red zone.  A leaf function has 128 bytes of data below its stack pointer:
 * whatever pushes steps over them first.
 */
static void leave_red_zone(struct code *c)
{
	static const uint8_t lea[] = {0x48, 0x8d, 0x64, 0x24, (uint8_t)-RED_ZONE};

	code_put(c, lea, sizeof lea);
	code_lower_stack(c, RED_ZONE);
}

static void return_to_red_zone(struct code *c)
{
	static const uint8_t lea[] = {0x48, 0x8d, 0xa4, 0x24, RED_ZONE, 0, 0, 0};

	code_put(c, lea, sizeof lea);
	code_lower_stack(c, -RED_ZONE);
}

/*
 * lahf; seto %al; inc; add $127,%al; sahf: 1 + 127 overflows, 0 + 127 does not, and
 * sahf sets the other flags (Intel SDM volume 2).
 *
 * hazard: live flags.  Flags are live into some blocks (cmp; ja; je, adc loops): counting
 * code there keeps them.
 */
static void put_flags_inc(struct code *c, const struct reach *to, int64_t off, bool of_dead)
{
	static const uint8_t save[] = {0x9f, 0x0f, 0x90, 0xc0}, restore[] = {0x04, 0x7f, 0x9e};

	code_put(c, save, of_dead ? 1 : sizeof save);
	put_inc(c, to, off, false);
	code_put(c, restore + (of_dead ? 2 : 0), of_dead ? 1 : sizeof restore);
}

/* An operation of two whole registers, the second of which it may change. */
static void put_op(struct code *c, uint8_t opcode, unsigned from, unsigned to)
{
	uint8_t op[] = {(uint8_t)(0x48 | from >> 3 << 2 | to >> 3), opcode,
		(uint8_t)(0xc0 | (from & 7) << 3 | (to & 7))};

	code_put(c, op, sizeof op);
}

enum count_kind x86_emit_count(struct code *c, const struct reach *to, int64_t off, regset dead)
{
	static const uint8_t push_rax = 0x50, pop_rax = 0x58;
	bool of_dead = dead & REG_BIT(X86_OF);
	regset regs = dead & X86_GPRS & ~(REG_BIT(RSP) | REG_BIT(RBP) | REG_BIT(RAX));

	if (!(INC_FLAGS & ~dead)) {
		put_inc(c, to, off, dead & REG_BIT(X86_CF));
		return COUNT_DIRECT;
	}
	if (dead & REG_BIT(RAX)) {
		put_flags_inc(c, to, off, of_dead);
		return COUNT_FLAGS;
	}
	if (regs) {
		unsigned reg = (unsigned)__builtin_ctzll(regs);

		put_op(c, MOV, RAX, reg);
		put_flags_inc(c, to, off, of_dead);
		put_op(c, MOV, reg, RAX);
		return COUNT_FLAGS;
	}
	leave_red_zone(c);
	code_put(c, &push_rax, 1);
	code_lower_stack(c, 8);
	put_flags_inc(c, to, off, of_dead);
	code_put(c, &pop_rax, 1);
	code_lower_stack(c, -8);
	return_to_red_zone(c);
	return COUNT_SAVE;
}

/* 66 REX.W 0F 6E/7E: movq between a vector and a general register (Intel SDM volume 2). */
static void put_movq(struct code *c, bool to_vector, unsigned xmm, unsigned reg)
{
	uint8_t rex = (uint8_t)(0x48 | xmm >> 3 << 2 | reg >> 3);
	uint8_t movq[] = {0x66, rex, 0x0f, to_vector ? 0x6e : 0x7e,
		(uint8_t)(0xc0 | (xmm & 7) << 3 | (reg & 7))};

	code_put(c, movq, sizeof movq);
}

/* An operation of two vector registers from %xmm8 on, the first of which it changes. */
static void put_vectors(struct code *c, uint8_t opcode, unsigned to, unsigned by)
{
	uint8_t op[] = {0x66, 0x45, 0x0f, opcode, (uint8_t)(0xc0 | (to & 7) << 3 | (by & 7))};

	code_put(c, op, sizeof op);
}

/* xor %reg,%reg, of 32 bits: it changes the flags. */
static void put_zero(struct code *c, unsigned reg)
{
	uint8_t low = reg & 7, high = (uint8_t)(reg >> 3);
	uint8_t zero[] = {(uint8_t)(0x40 | high << 2 | high), 0x31, (uint8_t)(0xc0 | low << 3 | low)};

	code_put(c, high ? zero : zero + 1, high ? sizeof zero : sizeof zero - 1);
}

static unsigned xmm_of(unsigned reg)
{
	return reg - XMM8 + 8;
}

/* As from an integer register, through a free one or %rax, which the unit's register keeps. */
static void put_vector_end(
	struct code *c, const struct reach *to, int64_t off, unsigned xmm, regset dead)
{
	regset regs = dead & X86_GPRS & ~(REG_BIT(RSP) | REG_BIT(RBP));
	unsigned reg = regs ? (unsigned)__builtin_ctzll(regs) : RAX;

	if (!regs)
		put_movq(c, true, xmm_of(XMM15), RAX);
	put_movq(c, false, xmm, reg);
	put_on_counter(c, to, (uint8_t)(0x48 | reg >> 3 << 2), ADD, reg, off, 0);
	if (!regs)
		put_movq(c, false, xmm_of(XMM15), RAX);
}

/* pcmpeqd makes the unit -1, pxor the counter 0, psubq the one of the other. */
static void hold_vector(struct code *c, enum hold what, const struct reach *to, int64_t off,
	unsigned reg, regset dead)
{
	enum { PCMPEQD = 0x76, PXOR = 0xef, PSUBQ = 0xfb };
	unsigned xmm = xmm_of(reg), unit = xmm_of(XMM15);

	if (what == HOLD_END) {
		put_vector_end(c, to, off, xmm, dead);
		return;
	}
	code_reloc(c, (struct reloc){.addend = off, .type = R_X86_64_NONE, .sym = to->sym});
	if (what == HOLD_COUNT) {
		put_vectors(c, PSUBQ, xmm, unit);
		return;
	}
	put_vectors(c, PCMPEQD, unit, unit);
	put_vectors(c, PXOR, xmm, xmm);
}

/* Set to 0, or add 1. */
static void put_held(struct code *c, enum hold what, unsigned reg, bool flags_dead)
{
	uint8_t low = reg & 7, high = (uint8_t)(reg >> 3);
	uint8_t mov[] = {0x41, (uint8_t)(0xb8 | low), 0, 0, 0, 0};
	/* a base of %r12 needs a SIB byte (Intel SDM volume 2, table 2-5) */
	uint8_t lea[] = {(uint8_t)(0x48 | high << 2 | high), 0x8d, (uint8_t)(0x40 | low << 3 | low), 1};
	uint8_t lea_sib[] = {lea[0], lea[1], lea[2], 0x24, 1};
	uint8_t inc[] = {(uint8_t)(0x48 | high), 0xff, (uint8_t)(0xc0 | low)};

	if (what == HOLD_COUNT && flags_dead)
		code_put(c, inc, sizeof inc);
	else if (what == HOLD_COUNT && low == RSP)
		code_put(c, lea_sib, sizeof lea_sib);
	else if (what == HOLD_COUNT)
		code_put(c, lea, sizeof lea);
	else if (!flags_dead)
		code_put(c, high ? mov : mov + 1, high ? sizeof mov : sizeof mov - 1);
	else
		put_zero(c, reg);
}

void x86_emit_hold(struct code *c, enum hold what, const struct reach *to, int64_t off,
	unsigned reg, unsigned by, regset dead)
{
	uint8_t high = (uint8_t)(reg >> 3);
	uint8_t sar[] = {(uint8_t)(0x48 | high), 0xc1, (uint8_t)(0xf8 | (reg & 7)), (uint8_t)by};

	if (reg >= XMM8 && what < HOLD_FOLLOW) {
		hold_vector(c, what, to, off, reg, dead);
		return;
	}
	if (what != HOLD_END && what != HOLD_END_LESS)
		code_reloc(c, (struct reloc){.addend = off + (what == HOLD_STEP),
			.type = R_X86_64_NONE, .sym = to->sym});
	switch (what) {
	case HOLD_BEGIN:
	case HOLD_COUNT: put_held(c, what, reg, !(X86_STATUS & ~dead)); break;
	case HOLD_END: put_on_counter(c, to, (uint8_t)(0x48 | high << 2), ADD, reg, off, 0); break;
	case HOLD_FOLLOW:
		if (reg >= XMM8)
			put_movq(c, true, xmm_of(reg), by);
		else
			put_op(c, MOV, by, reg);
		break;
	case HOLD_STEP: break;
	case HOLD_FETCH: put_movq(c, false, xmm_of(by), reg); break;
	case HOLD_DISTANCE: put_op(c, SUB, by, reg); break;
	case HOLD_DIVIDE: code_put(c, sar, sizeof sar); break;
	case HOLD_END_LESS: put_on_counter(c, to, (uint8_t)(0x48 | high << 2), SUB, reg, off, 0); break;
	}
}

/* [gs] movb $1,mark: relative to %rip it takes more time in straight code (measured). */
void x86_emit_mark(struct code *c, const struct reach *to, int64_t off)
{
	static const uint8_t near[] = {0xc6, 0x05}, fixed[] = {0xc6, 0x04, 0x25}, one = 1;

	put_segment(c, to);
	if (by_address(to))
		put_field(c, fixed, sizeof fixed,
			(struct reloc){.addend = off, .type = R_X86_64_32S, .sym = to->sym_fixed});
	else
		put_field(c, near, sizeof near,
			(struct reloc){.addend = off - 5, .type = R_X86_64_PC32, .sym = to->sym});
	code_put(c, &one, 1);
}

static void call_hook(struct code *c, uint32_t hook)
{
	static const uint8_t call = 0xe8;

	leave_red_zone(c);
	put_call(c, &call, 1, hook);
	return_to_red_zone(c);
}

/*
 * The psABI's thread pointer is at %fs:0 (ELF Handling for Thread-Local Storage,
 * 3.4.2).  At a function's entry nobody's red zone is below the stack pointer.  Where the flags
 * are not dead, or it may be no function's entry, the hook is to find out.
 */
void x86_emit_thread_check(struct code *c, const struct reach *to, uint32_t hook, regset dead)
{
	/* je 1f; call hook; 1: */
	static const uint8_t je[] = {0x74, 0x05, 0xe8}, push[] = {0x41, 0x53}, pop[] = {0x41, 0x5b};
	/* the encoding of a base of %rsp, %rbp, %r12 or %r13 takes more (Intel SDM volume 2, 2.1.5) */
	regset regs = dead & X86_GPRS & ~(REG_BIT(RSP) | REG_BIT(RBP) | REG_BIT(R12) | REG_BIT(R13));
	unsigned reg = regs ? (unsigned)__builtin_ctzll(regs) : R11, high = reg >> 3, low = reg & 7;
	uint8_t rex = (uint8_t)(0x48 | high << 2);
	/* xor %reg,%reg; mov %fs:(%reg),%reg; cmp %gs:counter,%reg */
	uint8_t self[] = {0x64, (uint8_t)(rex | high), 0x8b, (uint8_t)(low << 3 | low)};

	if (X86_STATUS & ~dead) {
		call_hook(c, hook);
		return;
	}
	if (!regs) {
		code_put(c, push, sizeof push);
		code_lower_stack(c, 8);
	}
	put_zero(c, reg);
	code_put(c, self, sizeof self);
	put_on_counter(c, to, rex, 0x3b, reg, 0, 0);
	put_call(c, je, sizeof je, hook);
	if (!regs) {
		code_put(c, pop, sizeof pop);
		code_lower_stack(c, -8);
	}
}

/* push %rbp; mov %rsp,%rbp in either encoding, behind endbr64: gdb's amd64 prologue. */
uint32_t x86_frame_setup(const uint8_t *text, const struct insn *in, uint32_t n)
{
	uint32_t k = n && (in[0].flags & INSN_LANDING) ? 1 : 0;

	if (n < k + 2 || in[k].len != 1 || text[in[k].off] != 0x55 || in[k + 1].len != 3)
		return 0;
	const uint8_t *p = text + in[k + 1].off;
	bool store = p[1] == 0x89 && p[2] == 0xe5, load = p[1] == 0x8b && p[2] == 0xec;
	return p[0] == 0x48 && (store || load) ? k + 2 : 0;
}

void x86_emit_landing(struct code *c)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

	code_put(c, endbr64, sizeof endbr64);
}

void x86_emit_skip(struct code *c, uint32_t n)
{
	uint8_t near[5] = {0xe9}, brief[2] = {0xeb, (uint8_t)n};

	put_u32(near + 1, n);
	if (n <= INT8_MAX)
		code_put(c, brief, sizeof brief);
	else
		code_put(c, near, sizeof near);
}

/*
 * A child's system call returns 0, but so do others: the hook finds out.  The
 * call's return address goes below the red zone.
 */
void x86_emit_fork_check(struct code *c, uint32_t hook, regset dead)
{
	/* test %rax,%rax; jne 1f */
	static const uint8_t by_flags[] = {0x48, 0x85, 0xc0, 0x75, 0x12};
	/* mov %rax,%rcx; jrcxz 2f; jmp 1f; 2: */
	static const uint8_t by_rcx[] = {0x48, 0x89, 0xc1, 0xe3, 0x02, 0xeb, 0x12};
	/* xchg %rax,%rcx; jrcxz 2f; xchg %rax,%rcx; jmp 1f; 2: xchg %rax,%rcx */
	static const uint8_t by_xchg[] = {
		0x48, 0x91, 0xe3, 0x04, 0x48, 0x91, 0xeb, 0x14, 0x48, 0x91};

	if (!(X86_STATUS & ~dead))
		code_put(c, by_flags, sizeof by_flags);
	else if (dead & REG_BIT(RCX))
		code_put(c, by_rcx, sizeof by_rcx);
	else
		code_put(c, by_xchg, sizeof by_xchg);
	/* ... call hook ...; 1: */
	call_hook(c, hook);
}

/* Another number that looks random (Knuth's multiplier of 64-bit MMIX). */
static uint32_t next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 32);
}

/* mov $n,%reg: sign-extended to 64 bits. */
static void put_number(struct code *c, unsigned reg, uint32_t n)
{
	uint8_t mov[7] = {(uint8_t)(0x48 | reg >> 3), 0xc7, (uint8_t)(0xc0 | (reg & 7))};

	put_u32(mov + 3, n);
	code_put(c, mov, sizeof mov);
}

/* pcmpeqd %xmm,%xmm; psrlq $n,%xmm: ones below zeros. */
static void put_ones(struct code *c, unsigned xmm, uint32_t n)
{
	enum { PCMPEQD = 0x76 };
	uint8_t shift[] = {0x66, 0x41, 0x0f, 0x73, (uint8_t)(0xd0 | (xmm & 7)), (uint8_t)(n % 64)};

	put_vectors(c, PCMPEQD, xmm, xmm);
	code_put(c, shift, sizeof shift);
}

/* cmp $n,%reg or, one time in four, cmp %reg,%reg, by which ZF and PF are set. */
static void put_comparison(struct code *c, unsigned reg, uint32_t n, bool same)
{
	uint8_t high = (uint8_t)(reg >> 3), low = reg & 7;
	uint8_t number[7] = {(uint8_t)(0x40 | high), 0x81, (uint8_t)(0xf8 | low)};
	uint8_t itself[] = {(uint8_t)(0x40 | high << 2 | high), 0x39, (uint8_t)(0xc0 | low << 3 | low)};

	put_u32(number + 3, n);
	if (same)
		code_put(c, itself, sizeof itself);
	else
		code_put(c, number, sizeof number);
}

/*
 * Flags by one instruction: all; or, of a register that is dead, all but CF; or CF alone.
 * 0x7fffffff and -1 are where inc makes OF and ZF 1.
 */
static void put_flags(struct code *c, uint32_t n, regset dead)
{
	regset regs = dead & X86_GPRS & ~(REG_BIT(RSP) | REG_BIT(RBP));
	unsigned reg = regs ? (unsigned)__builtin_ctzll(regs) : RSP;
	uint8_t inc[] = {(uint8_t)(0x40 | reg >> 3), 0xff, (uint8_t)(0xc0 | (reg & 7))};
	uint8_t carry = n & 1 ? 0xf9 : 0xf8; /* stc, clc */

	if (!(X86_STATUS & ~dead)) {
		put_comparison(c, reg, n, n % 4 == 0);
	} else if (!(INC_FLAGS & ~dead) && regs) {
		if (n % 4 < 2)
			put_number(c, reg, n & 1 ? 0x7fffffff : UINT32_MAX);
		code_put(c, inc, sizeof inc);
	} else if (dead & REG_BIT(X86_CF)) {
		code_put(c, &carry, 1);
	}
}

void x86_emit_poison(struct code *c, uint32_t mark, uint32_t random, regset dead)
{
	uint32_t start = c->bytes.n, rel = c->rel.n;
	uint64_t state = random;

	code_reloc(c, (struct reloc){.type = R_X86_64_NONE, .sym = mark});

	for (regset regs = dead & ~REGSET_FLAGS; regs; regs &= regs - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(regs);

		if (reg >= XMM8)
			put_ones(c, xmm_of(reg), next_number(&state));
		else
			put_number(c, reg, next_number(&state));
	}
	put_flags(c, next_number(&state), dead);
	if (c->bytes.n == start)
		c->rel.n = rel;
	else
		small_v(&c->rel)[rel].addend = c->bytes.n - start;
}

static bool has_prefix(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/*
 * hazard: retpoline thunk.  A thunk overwrites its return address with the target: known by
 * its name, and left whole.
 *
 * hazard: signal return code.  Unwinders and debuggers know __restore_rt by its bytes.
 */
bool x86_keep_whole(const char *name, const uint8_t *p, size_t n, const char **why)
{
	/* mov $__NR_rt_sigreturn,%rax; syscall: unwinders and debuggers compare bytes. */
	static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t sigreturn32[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};

	*why = "signal return trampoline";
	if (n >= sizeof sigreturn && !memcmp(p, sigreturn, sizeof sigreturn))
		return true;
	if (n >= sizeof sigreturn32 && !memcmp(p, sigreturn32, sizeof sigreturn32))
		return true;
	if (!name)
		return false;
	if (!strcmp(name, "__restore_rt") || !strcmp(name, "__restore"))
		return true;
	*why = "retpoline thunk";
	if (has_prefix(name, "__llvm_retpoline_") || has_prefix(name, "__x86_indirect_thunk") ||
		has_prefix(name, "__x86_return_thunk") ||
		has_prefix(name, "__x86_indirect_call_thunk"))
		return true;
	*why = "type hash in front of a function";
	return has_prefix(name, "__cfi_");
}
