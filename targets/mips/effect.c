/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effect.c - what instructions do to registers
 *
 * Tables in the order of MD00086's and MD00087's appendix A (encodings): the first row that matches
 * says what operands an instruction has.  Of what is vague it is known only that control goes on
 * behind it; what has no row is no instruction to us.  The disassembler knows which instructions
 * only CPUs of 64 bits have.
 */
#include "targets/mips/mips.h"

/*
 * Operands, a letter each, by the field's name:
 *	d t	rd, rt are written
 *	D X	rd, rt are read and written
 *	s T	rs, rt are read
 *	r	$ra is written
 *	k	reads and changes what a system call does
 */
struct row {
	uint32_t mask, bits;
	const char *ops;
	uint8_t kind, flags;
	uint8_t how;
};

enum { PLAIN, VAGUE = 1, BAD = 2, SLOT = 4, LIKELY = 8, FIELD = 16, OTHER_REGS = 32 };
enum { MEM = INSN_MEM };
/* lui of _gp_disp stays first; of n64's %gp_rel it may be anywhere: that names the function */
enum { LUI = MIPS_WORD == 4 ? INSN_LANDING : 0 };
#define OTHER(mask, bits, ops)                                                                     \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_OTHER, 0, PLAIN                                      \
	}
#define MEMORY(mask, bits, ops)                                                                    \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_OTHER, MEM, PLAIN                                    \
	}
#define COP(mask, bits, ops)                                                                       \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_OTHER, 0, OTHER_REGS                                 \
	}
#define BRANCH(mask, bits, ops, kind, how)                                                         \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_##kind, 0, SLOT | (how)                              \
	}
#define VAGUELY(mask, bits)                                                                        \
	{                                                                                          \
		0x##mask, 0x##bits, "", INSN_OTHER, 0, VAGUE                                       \
	}
#define UNKNOWN(mask, bits)                                                                        \
	{                                                                                          \
		0x##mask, 0x##bits, "", INSN_OTHER, 0, BAD                                         \
	}

static const struct row special[] = {
	{0xffffffff, 0x00000000, "", INSN_NOP, 0, PLAIN},
	OTHER(fc00003f, 00000000, "dT"), /* sll, srl, sra */
	OTHER(fc00003f, 00000002, "dT"), OTHER(fc00003f, 00000003, "dT"),
	OTHER(fc00003f, 00000001, "Ds"), /* movf, movt */
	OTHER(fc00003f, 00000004, "dTs"), OTHER(fc00003f, 00000006, "dTs"),
	OTHER(fc00003f, 00000007, "dTs"), OTHER(fc00003f, 00000014, "dTs"), /* dsllv... */
	OTHER(fc00003e, 00000016, "dTs"), BRANCH(fffff83f, 03e00008, "s", RET, 0),
	BRANCH(fc1ff83f, 00000008, "s", JUMP_IND, 0), BRANCH(fc1f003f, 00000009, "sd", CALL_IND, 0),
	UNKNOWN(fc00003e, 00000008), OTHER(fc00003e, 0000000a, "DTs"), /* movz, movn */
	{0xfc00003f, 0x0000000c, "k", INSN_SYSCALL, 0, PLAIN},
	{0xfc00003f, 0x0000000d, "", INSN_TRAP, 0, PLAIN}, OTHER(fc00003f, 0000000f, ""), /* sync */
	{0xffff003f, 0x00000034, "", INSN_TRAP, 0, PLAIN}, /* teq $zero,$zero */
	OTHER(fc00003d, 00000010, "d"),			   /* mfhi, mflo */
	OTHER(fc00003d, 00000011, "s"),			   /* mthi, mtlo */
	OTHER(fc000038, 00000018, "sT"),		   /* mult, div, dmult... */
	OTHER(fc000038, 00000020, "dsT"),		   /* add, and... */
	OTHER(fc00003e, 0000002a, "dsT"),		   /* slt */
	OTHER(fc00003c, 0000002c, "dsT"),		   /* dadd, dsub... */
	OTHER(fc00003b, 00000038, "dT"),		   /* dsll, dsll32, dsrl... */
	OTHER(fc00003a, 0000003a, "dT"), MEMORY(fc00003c, 00000030, "sT"), /* tge... */
	MEMORY(fc00003d, 00000034, "sT"),				   /* teq, tne */
	VAGUELY(fc00003f, 00000005), VAGUELY(fc00003f, 00000015),	   /* lsa, dlsa of MSA */
};

static const struct row regimm[] = {
	BRANCH(fc1e0000, 04000000, "s", BRANCH, FIELD),		 /* bltz, bgez */
	BRANCH(fc1e0000, 04020000, "s", BRANCH, FIELD | LIKELY), /* bltzl */
	MEMORY(fc1c0000, 04080000, "s"),			 /* tgei... */
	MEMORY(fc1d0000, 040c0000, "s"),			 /* teqi, tnei */
	BRANCH(ffff0000, 04110000, "r", CALL, FIELD),		 /* bal */
	OTHER(fc1f0000, 041f0000, "s"),				 /* synci */
	UNKNOWN(00000000, 00000000),
};

static const struct row cop0[] = {
	COP(ffc00000, 40000000, "t"), /* mfc0, dmfc0 */
	COP(ffc00000, 40800000, "T"),
};

static const struct row cop1[] = {
	COP(ff800000, 44000000, "t"), /* mfc1, dmfc1, cfc1, mfhc1 */
	COP(ff800000, 44800000, "T"),
	BRANCH(ffe20000, 45000000, "", BRANCH, FIELD), /* bc1f, bc1t */
	BRANCH(ffe20000, 45020000, "", BRANCH, FIELD | LIKELY),
	COP(ff00003e, 46000012, "T"), /* movz.fmt, movn.fmt */
	COP(ff000000, 46000000, ""),
	UNKNOWN(00000000, 00000000),
};

static const struct row cop2[] = {
	VAGUELY(ff000000, 48000000), /* mfc2... */
};

static const struct row cop1x[] = {
	{0xfc000038, 0x4c000000, "sT", INSN_OTHER, MEM, OTHER_REGS}, /* lwxc1 */
	{0xfc00003f, 0x4c00000f, "sT", INSN_OTHER, MEM, OTHER_REGS}, /* prefx */
	{0xfc000038, 0x4c000008, "sT", INSN_OTHER, MEM, OTHER_REGS},
	COP(fc00003f, 4c00001e, "s"), /* alnv.ps */
	COP(fc000020, 4c000020, ""),  /* madd.fmt */
};

static const struct row special2[] = {
	OTHER(fc00003a, 70000000, "sT"),  /* madd, msub */
	OTHER(fc00003f, 70000002, "dsT"), /* mul */
	OTHER(fc00003a, 70000020, "ds"),  /* clz, clo, dclz, dclo */
};

static const struct row special3[] = {
	OTHER(fc00003c, 7c000000, "ts"),   /* ext, dext... */
	OTHER(fc00003c, 7c000004, "Xs"),   /* ins, dins... */
	OTHER(fc0007ff, 7c0000a0, "dT"),   /* wsbh */
	OTHER(fc0007ff, 7c000420, "dT"),   /* seb */
	OTHER(fc0007ff, 7c000620, "dT"),   /* seh */
	OTHER(fc0007bf, 7c0000a4, "dT"),   /* dsbh */
	OTHER(fc0007ff, 7c000164, "dT"),   /* dshd */
	COP(ffe007ff, 7c00003b, "t"),	   /* rdhwr */
	MEMORY(fc0007ff, 7c00000a, "dsT"), /* lwx */
	MEMORY(fc0007ff, 7c00010a, "dsT"), /* lhx */
	MEMORY(fc0007ff, 7c00018a, "dsT"), /* lbux */
	MEMORY(fc0007ff, 7c00020a, "dsT"), /* ldx */
	/* MD00374, the DSP ASE: insv, and all others */
	VAGUELY(fc00003f, 7c00000a),
	VAGUELY(fc00003f, 7c00000c),
	VAGUELY(fc00003c, 7c000010),
	VAGUELY(fc00003f, 7c000018),
	VAGUELY(fc00003e, 7c000030),
	VAGUELY(fc00003f, 7c000038),
};

static const struct row others[] = {
	BRANCH(fc000000, 08000000, "", JUMP, FIELD), BRANCH(fc000000, 0c000000, "r", CALL, FIELD),
	BRANCH(ffff0000, 10000000, "", JUMP, FIELD),	 /* b */
	BRANCH(f8000000, 10000000, "sT", BRANCH, FIELD), /* beq, bne */
	BRANCH(f81f0000, 18000000, "s", BRANCH, FIELD),	 /* blez, bgtz */
	OTHER(f8000000, 20000000, "ts"),		 /* addi... */
	OTHER(f8000000, 28000000, "ts"), OTHER(fc000000, 30000000, "ts"),
	OTHER(fc000000, 34000000, "ts"), OTHER(fc000000, 38000000, "ts"),
	OTHER(f8000000, 60000000, "ts"), /* daddi, daddiu */
	{0xffe00000, 0x3c000000, "t", INSN_OTHER, LUI, PLAIN},
	BRANCH(f8000000, 50000000, "sT", BRANCH, FIELD | LIKELY), /* beql, bnel */
	BRANCH(f81f0000, 58000000, "s", BRANCH, FIELD | LIKELY), UNKNOWN(f0000000, 50000000),
	UNKNOWN(f8000000, 18000000), UNKNOWN(fc000000, 74000000), /* jalx */
	VAGUELY(fc000000, 78000000),				  /* MSA */
	MEMORY(f8000000, 68000000, "Xs"),			  /* ldl, ldr */
	MEMORY(fc000000, 88000000, "Xs"),			  /* lwl, lwr */
	MEMORY(fc000000, 98000000, "Xs"), MEMORY(f8000000, 80000000, "ts"),
	MEMORY(fc000000, 8c000000, "ts"), MEMORY(f8000000, 90000000, "ts"),
	MEMORY(fc000000, 9c000000, "ts"),				    /* lwu */
	MEMORY(f8000000, a0000000, "sT"),				    /* sb, sh */
	MEMORY(fc000000, a8000000, "sT"),				    /* swl, sw, swr */
	MEMORY(fc000000, ac000000, "sT"), MEMORY(f8000000, b0000000, "sT"), /* sdl, sdr */
	MEMORY(fc000000, b8000000, "sT"), MEMORY(fc000000, bc000000, "s"),  /* cache */
	MEMORY(fc000000, c0000000, "ts"),				    /* ll */
	OTHER(fc000000, cc000000, "s"),					    /* pref */
	MEMORY(fc000000, c4000000, "s"),				    /* lwc1, ldc1 */
	MEMORY(fc000000, d0000000, "ts"),				    /* lld */
	MEMORY(fc000000, d4000000, "s"), MEMORY(fc000000, dc000000, "ts"),  /* ld */
	MEMORY(fc000000, e0000000, "Xs"),				    /* sc */
	MEMORY(fc000000, e4000000, "s"), MEMORY(fc000000, f0000000, "Xs"),  /* scd */
	MEMORY(fc000000, f4000000, "s"), MEMORY(fc000000, fc000000, "sT"),  /* sd */
};

#define FIND(rows, w) find_in(rows, sizeof(rows) / sizeof(rows)[0], w)

static const struct row *find_in(const struct row *r, size_t n, uint32_t w)
{
	for (; n; n--, r++)
		if ((w & r->mask) == r->bits)
			return r;
	return NULL;
}

static const struct row *find_row(uint32_t w)
{
	switch (w >> 26) {
	case 0: return FIND(special, w);
	case 1: return FIND(regimm, w);
	case 16: return FIND(cop0, w);
	case 17: return FIND(cop1, w);
	case 18: return FIND(cop2, w);
	case 19: return FIND(cop1x, w);
	case 28: return FIND(special2, w);
	case 31: return FIND(special3, w);
	default: return FIND(others, w);
	}
}

/*
 * Linux changes the results $v0, $v1 and $a3, and what a function may change but $a0 to $a2; the
 * number is in $v0, and arguments behind the fourth are on the stack, or in n64 in the registers
 * behind that.
 */
static void apply_syscall(struct effects *e)
{
	e->reads |= MIPS_REGS(MIPS_V0, MIPS_LAST_ARG) | REG_BIT(MIPS_SP);
	e->clobbers |= MIPS_REGS(MIPS_AT, 3) | MIPS_REGS(MIPS_A3, 15) | MIPS_REGS(MIPS_T8, MIPS_T9);
}

static void apply(uint32_t w, char letter, struct effects *e)
{
	unsigned at = letter == 'd' || letter == 'D' ? 11 : letter == 's' ? 21 : 16;
	regset reg = REG_BIT(mips_bits(w, at, 5)) & ~REG_BIT(MIPS_ZERO);

	switch (letter) {
	case 'd':
	case 't': e->writes |= reg; break;
	case 'D':
	case 'X':
		e->writes |= reg;
		e->reads |= reg;
		break;
	case 's':
	case 'T': e->reads |= reg; break;
	case 'r': e->writes |= REG_BIT(MIPS_RA); break;
	case 'k': apply_syscall(e); break;
	default: bug("an operand that no instruction has");
	}
}

/* The bits with the floating-point register that an instruction overwrites; 0: it does not. */
static unsigned float_result(uint32_t w)
{
	unsigned op = w >> 26, how = mips_bits(w, 21, 5), function = mips_bits(w, 0, 6);

	if (op == 49 || op == 53) /* lwc1, ldc1 */
		return 16;
	if (op == 17 && how < 16) /* mtc1, dmtc1 */
		return how == 4 || how == 5 ? 11 : 0;
	if (op == 17) /* all but movf, movz, movn and comparisons */
		return function < 0x30 && (function < 0x11 || function > 0x13) ? 6 : 0;
	/* lwxc1, ldxc1, luxc1; madd.fmt... */
	return op == 19 && (function < 8 || function >= 0x20) ? 6 : 0;
}

bool mips_changes_odd(uint32_t w)
{
	unsigned at = float_result(w), op = w >> 26, how = mips_bits(w, 21, 5);
	unsigned function = mips_bits(w, 0, 6);

	if (!at && op == 17 && (how == 7 || (how >= 16 && function >= 0x11 && function <= 0x13)))
		at = how == 7 ? 11 : 6; /* mthc1; movf, movz, movn */
	return at && mips_bits(w, at, 5) & 1;
}

/* Is it read only? */
static bool stores_float(uint32_t w)
{
	unsigned op = w >> 26, how = mips_bits(w, 21, 5), function = mips_bits(w, 0, 6);

	if (op == 17)
		return how < 4 || (how >= 16 && function >= 0x30);
	return op == 57 || op == 61 || (op == 19 && function >= 8 && function < 16);
}

/* In o32 a number of 64 bits may be in two registers, of which it names the even one. */
static regset with_pairs(regset set)
{
	const regset even = (regset)0x55555555 << REG_VECTOR;
	return MIPS_WORD == 8 ? set : set | (set & even) << 1 | (set >> 1 & even);
}

void mips_floats(uint32_t w, regset named, struct effects *e)
{
	unsigned at = float_result(w);
	regset result = at ? REG_BIT(REG_VECTOR + mips_bits(w, at, 5)) & named : 0, from = named;

	if (result) {
		from = 0;
		for (unsigned field = 11; at == 6 && w >> 26 == 17 && field <= 16; field += 5)
			from |= REG_BIT(REG_VECTOR + mips_bits(w, field, 5)) & named;
		for (unsigned field = 11;
			at == 6 && w >> 26 == 19 && mips_bits(w, 5, 1) && field <= 21; field += 5)
			from |= REG_BIT(REG_VECTOR + mips_bits(w, field, 5)) & named;
	}
	e->reads |= with_pairs(from);
	e->writes |= result;
	e->clobbers |= with_pairs(result ? result : stores_float(w) ? 0 : named);
}

void mips_effects(uint32_t w, struct mips_op *op)
{
	const struct row *r = find_row(w);

	*op = (struct mips_op){.kind = r ? (enum insn_kind)r->kind : INSN_OTHER};
	op->bad = !r || r->how & BAD;
	if (op->bad)
		return;
	if (r->how & VAGUE) {
		op->e = (struct effects){.reads = MIPS_ALL, .clobbers = MIPS_ALL};
		op->flags = INSN_VAGUE | INSN_MEM;
		op->other_regs = true;
		return;
	}
	op->flags = r->flags;
	op->slot = r->how & SLOT;
	op->likely = r->how & LIKELY;
	op->field = r->how & FIELD;
	op->other_regs = r->how & OTHER_REGS;
	for (const char *p = r->ops; *p; p++)
		apply(w, *p, &op->e);
	op->e.clobbers |= op->e.writes;
}
