/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effect.c - what instructions do to registers and flags
 *
 * One table in the order of the Arm ARM's C4.1: the first row that matches says what operands an
 * instruction has.  Of what is vague it is known only that control goes on behind it, and that it
 * has no pc-relative field.  What has no row is no instruction to us.
 */
#include "targets/aarch64/aarch64.h"

/*
 * Operands, a letter each.  Registers by the field's name; 31 is the zero register, but SP for
 * capital letters:
 *	d D t u W	Rd, Rd, Rt, Rt2 and the status in Rs are written
 *	n N m M a s v	Rn, Rn, Rm (Rs), Rm, Ra, Rt, Rt2 are read
 *	x X		Rd, Rs: both
 *	b		Rn is SP or a register, and written back
 *	p		the pairs of registers that begin with Rs (both) and Rt (read)
 *	l r 1		x30 is written; is read and written; x17 is, by x16
 *	k		reads and changes what a system call does
 *	c f F C		the flags that condition 15:12 asks for are read; all are written; some
 *			are, and they are read; the carry is read
 *	y		the condition is in 3:0
 * Vector registers; if none is given, all that the assembly text names are read and changed,
 *perhaps in part: h H g		Vd is written; is changed in part; Vt2 is written i j q e
 *Vn, Vm, Va (Vt2), Vd (Vt) are read
 */
struct row {
	uint32_t mask, bits;
	const char *ops;
	uint8_t kind, flags;
	uint8_t vague;
};

enum { MEM = INSN_MEM, PC = INSN_OPERAND_PC, LAND = INSN_LANDING };
#define OTHER(mask, bits, ops)                                                                     \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_OTHER, 0, 0                                          \
	}
#define MEMORY(mask, bits, ops)                                                                    \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_OTHER, MEM, 0                                        \
	}
#define CONTROL(mask, bits, ops, kind)                                                             \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_##kind, 0, 0                                         \
	}
#define HINT(number, ops, flags)                                                                   \
	{                                                                                          \
		0xffffffff, 0xd503201f | (number) << 5, ops, INSN_OTHER, flags, 0                  \
	}
#define VAGUE(mask, bits, kind)                                                                    \
	{                                                                                          \
		0x##mask, 0x##bits, "", INSN_##kind, 0, 1                                          \
	}

/* Branches, exception generating and system instructions */
static const struct row control[] = {
	CONTROL(fc000000, 14000000, "", JUMP),
	CONTROL(fc000000, 94000000, "l", CALL),
	CONTROL(ff00000e, 5400000e, "", JUMP), /* b.al */
	CONTROL(ff000000, 54000000, "y", BRANCH),
	CONTROL(7e000000, 34000000, "s", BRANCH),
	{0x7e000000, 0x36000000, "s", INSN_BRANCH, INSN_SHORT_ONLY, 0}, /* tbz */
	CONTROL(fffffc1f, d61f0000, "n", JUMP_IND),
	CONTROL(fffffc1f, d63f0000, "nl", CALL_IND),
	CONTROL(ffffffff, d65f03c0, "n", RET),
	CONTROL(fffffc1f, d65f0000, "n", JUMP_IND), /* ret x9 */
	CONTROL(fffff81f, d61f081f, "n", JUMP_IND), /* braaz */
	CONTROL(fffff81f, d63f081f, "nl", CALL_IND),
	CONTROL(fffffbff, d65f0bff, "r", RET),	     /* retaa */
	CONTROL(fffff800, d71f0800, "nT", JUMP_IND), /* braa */
	CONTROL(fffff800, d73f0800, "nTl", CALL_IND),
	VAGUE(ff000000, d6000000, JUMP_IND),
	VAGUE(ff000000, d7000000, JUMP_IND),
	CONTROL(ffe0001f, d4000001, "k", SYSCALL),
	CONTROL(ffffffff, d4200020, "", TRAP), /* brk: of __builtin_trap() and sanitizers */
	CONTROL(ffffffff, d4207d00, "", TRAP),
	CONTROL(ffffe01f, d42aa000, "", TRAP),
	VAGUE(ffe0001f, d4200000, TRAP), /* brk, hlt: of debuggers */
	VAGUE(ffe0001f, d4400000, TRAP),
	CONTROL(ffffffff, d503201f, "", NOP),
	HINT(7u, "r", 0), /* xpaclri */
	HINT(8u, "1", 0), /* pacia1716 and so on */
	HINT(10u, "1", 0),
	HINT(12u, "1", 0),
	HINT(14u, "1", 0),
	HINT(24u, "r", 0), /* paciaz, paciasp and so on */
	HINT(25u, "r", LAND),
	HINT(26u, "r", 0),
	HINT(27u, "r", LAND),
	HINT(28u, "r", 0),
	HINT(29u, "r", 0),
	HINT(30u, "r", 0),
	HINT(31u, "r", 0),
	HINT(32u, "", LAND), /* bti */
	HINT(34u, "", LAND),
	HINT(36u, "", LAND),
	HINT(38u, "", LAND),
	VAGUE(fffffeff, d503261f, OTHER), /* chkfeat, and what may come */
	OTHER(fffffc1f, d503201f, ""),	  /* yield, wfe, esb, csdb... */
	VAGUE(fffff01f, d503201f, OTHER),
	OTHER(ffffffe0, d5031000, "s"), /* wfet, wfit */
	OTHER(ffffffe0, d5031020, "s"),
	OTHER(fffff000, d5033000, ""),	  /* barriers */
	OTHER(fffff09f, d500401f, "F"),	  /* cfinv, xaflag, axflag */
	VAGUE(fffff01f, d503401f, OTHER), /* smstart, smstop */
	MEMORY(fff80000, d5080000, "s"),  /* sys: dc, ic, at */
	MEMORY(fff80000, d5280000, "d"),
	OTHER(ffffffe0, d51b4200, "sf"), /* nzcv */
	OTHER(ffffffe0, d53b4200, "dF"),
	OTHER(ffffffc0, d53b2400, "df"), /* rndr */
	OTHER(fff00000, d5100000, "s"),
	OTHER(fff00000, d5300000, "d"),
};

/* Data processing, immediate */
static const struct row immediate[] = {
	{0x1f000000, 0x10000000, "d", INSN_OTHER, PC, 0},		  /* adr, adrp */
	OTHER(ffc0c000, 91800000, "DN"),				  /* addg, subg */
	OTHER(ffc0c000, d1800000, "DN"), OTHER(7fc00000, 11c00000, "dn"), /* smax... */
	OTHER(3f800000, 11000000, "DN"), OTHER(3f800000, 31000000, "dNf"),
	OTHER(7f800000, 72000000, "dnf"), OTHER(1f800000, 12000000, "Dn"),
	OTHER(7f800000, 72800000, "x"),					   /* movk */
	OTHER(1f800000, 12800000, "d"), OTHER(7f800000, 33000000, "xn"),   /* bfm */
	OTHER(1f800000, 13000000, "dn"), OTHER(7fa00000, 13800000, "dnm"), /* extr */
};

/* Data processing, register */
static const struct row registers[] = {
	OTHER(7f000000, 6a000000, "dnmf"),
	OTHER(1f000000, 0a000000, "dnm"),
	OTHER(3f200000, 2b000000, "dnmf"),
	OTHER(1f200000, 0b000000, "dnm"),
	OTHER(3fe00000, 2b200000, "dNmf"),
	OTHER(3fe00000, 0b200000, "DNm"),
	OTHER(3fe0fc00, 3a000000, "dnmCf"), /* adcs */
	OTHER(3fe0fc00, 1a000000, "dnmC"),
	OTHER(ffe07c10, ba000400, "nF"),   /* rmif */
	OTHER(ffffbc1f, 3a00080d, "nF"),   /* setf */
	OTHER(3fe00c10, 3a400000, "nmcf"), /* ccmp */
	OTHER(3fe00c10, 3a400800, "ncf"),
	OTHER(3fe00800, 1a800000, "dnmc"), /* csel */
	OTHER(7f000000, 1b000000, "dnma"),
	OTHER(ffe0fc00, 9ac00000, "dNM"), /* subp */
	OTHER(ffe0fc00, bac00000, "dNMf"),
	OTHER(ffe0fc00, 9ac01000, "DNm"), /* irg */
	OTHER(ffe0fc00, 9ac01400, "dNm"), /* gmi */
	OTHER(ffe0fc00, 9ac03000, "dnM"), /* pacga */
	OTHER(7fe00000, 1ac00000, "dnm"),
	OTHER(ffffe000, dac10000, "xN"), /* pacia */
	OTHER(ffff0000, dac10000, "x"),
	OTHER(7fff0000, 5ac00000, "dn"),
};

/* Loads and stores */
static const struct row memory[] = {
	{0xff000000, 0xd8000000, "", INSN_OTHER, PC, 0}, /* prfm */
	{0x3f000000, 0x18000000, "t", INSN_OTHER, MEM | PC, 0},
	{0x3f000000, 0x1c000000, "h", INSN_OTHER, MEM | PC, 0},
	MEMORY(3fe00000, 08000000, "WsN"), /* stxr */
	MEMORY(3fe00000, 08400000, "tN"),
	MEMORY(bfe00000, 88200000, "WsvN"), /* stxp */
	MEMORY(bfe00000, 88600000, "tuN"),
	MEMORY(bfa07c00, 08207c00, "pN"), /* casp */
	MEMORY(3fe00000, 08800000, "sN"), /* stlr */
	MEMORY(3fe00000, 08c00000, "tN"),
	MEMORY(3fa07c00, 08a07c00, "XsN"), /* cas */
	VAGUE(3b200c00, 19000400, OTHER),  /* memory copy and set */
	VAGUE(3f200c00, 19000800, OTHER),  /* ldiapp, stilp */
	VAGUE(ff200c00, 19200000, OTHER),  /* ldclrp, swpp... */
	VAGUE(ff200000, d9200000, OTHER),  /* memory tags */
	MEMORY(3fe00c00, 19000000, "sN"),  /* stlur */
	MEMORY(3f200c00, 19000000, "tN"),
	MEMORY(3f200c00, 1d000800, "N"),
	MEMORY(3ec00000, 28000000, "svN"), /* stp: no write-back by bit 23 */
	MEMORY(3ec00000, 28400000, "tuN"),
	MEMORY(3ec00000, 28800000, "svb"),
	MEMORY(3ec00000, 28c00000, "tub"),
	MEMORY(3ec00000, 2c000000, "Neq"),
	MEMORY(3ec00000, 2c400000, "Nhg"),
	MEMORY(3ec00000, 2c800000, "beq"),
	MEMORY(3ec00000, 2cc00000, "bhg"),
	OTHER(ffe00c00, f8800000, "N"), /* prfum */
	OTHER(ffe00c00, f8a00800, "Nm"),
	OTHER(ffc00000, f9800000, "N"),
	MEMORY(3fe00400, 38000000, "sN"), /* unscaled, unprivileged; then written back */
	MEMORY(3fe00400, 38000400, "sb"),
	MEMORY(3f200400, 38000000, "tN"),
	MEMORY(3f200400, 38000400, "tb"),
	MEMORY(3fe00c00, 38200800, "sNm"), /* by a register */
	MEMORY(3f200c00, 38200800, "tNm"),
	MEMORY(3ffffc00, 38bfc000, "tN"),  /* ldapr */
	MEMORY(3f208c00, 38200000, "tmN"), /* ldadd... */
	MEMORY(3f20fc00, 38208000, "tmN"), /* swp */
	MEMORY(ff200c00, f8200400, "tN"),  /* ldraa */
	MEMORY(ff200c00, f8200c00, "tb"),
	MEMORY(3fc00000, 39000000, "sN"), /* by a constant */
	MEMORY(3f000000, 39000000, "tN"),
	MEMORY(3f600400, 3c000000, "Ne"), /* the same of vector registers */
	MEMORY(3f600400, 3c400000, "Nh"),
	MEMORY(3f600400, 3c000400, "be"),
	MEMORY(3f600400, 3c400400, "bh"),
	MEMORY(3f600c00, 3c200800, "Nme"),
	MEMORY(3f600c00, 3c600800, "Nmh"),
	MEMORY(3f400000, 3d000000, "Ne"),
	MEMORY(3f400000, 3d400000, "Nh"),
	MEMORY(bfbf0000, 0c000000, "N"), /* structures */
	MEMORY(bfa00000, 0c800000, "bm"),
	MEMORY(bf9f0000, 0d000000, "N"),
	MEMORY(bf800000, 0d800000, "bm"),
};

/* Floating point and vectors */
static const struct row vector[] = {
	OTHER(5f260000, 1e020000, "nh"), /* scvtf, ucvtf, of fixed point */
	OTHER(5f260000, 1e000000, "di"),
	OTHER(fffffc00, 1e7e0000, "dfi"), /* fjcvtzs */
	OTHER(5f26fc00, 1e220000, "nh"),
	OTHER(fffffc00, 9eaf0000, "nH"), /* fmov to the high half */
	OTHER(5f27fc00, 1e270000, "nh"), /* fmov */
	OTHER(5f20fc00, 1e200000, "di"),
	OTHER(ff20fc07, 1e202000, "fij"), /* fcmp */
	OTHER(ff200c00, 1e200400, "cfij"),
	OTHER(ff200c00, 1e200c00, "chij"),
	OTHER(ff201fe0, 1e201000, "h"),	  /* fmov of a constant */
	OTHER(ff207c00, 1e204000, "hi"),  /* fmov, fabs, fsqrt, fcvt... */
	OTHER(ff200c00, 1e200800, "hij"), /* fmul, fadd... */
	OTHER(ff000000, 1f000000, "hijq"),
	OTHER(bfe0fc00, 0e000c00, "nh"),  /* dup */
	OTHER(ffe0fc00, 4e001c00, "nH"),  /* ins */
	OTHER(bfe0fc00, 0e002c00, "di"),  /* smov */
	OTHER(bfe0fc00, 0e003c00, "di"),  /* umov */
	OTHER(bfe0fc00, 0e000400, "hi"),  /* dup of an element */
	OTHER(bf208c00, 0e000800, "hij"), /* zip, uzp, trn */
	OTHER(bfe08400, 2e000000, "hij"), /* ext */
	OTHER(9ff81c00, 0f000400, "h"),	  /* movi, mvni */
	OTHER(9ff8fc00, 0f00e400, "h"),
	OTHER(9f20fc00, 0e207c00, ""), /* saba, mla, fmla, fmlal, bsl: they accumulate */
	OTHER(9f20fc00, 0e209400, ""),
	OTHER(9f20fc00, 0e20cc00, ""),
	OTHER(9f20fc00, 0e20ec00, ""),
	OTHER(bf20fc00, 2e201c00, ""),
	OTHER(9f200400, 0e200400, "hij"), /* three the same: add, cmeq, fadd... */
	OTHER(0e000000, 0e000000, ""),
};

/* SME and SVE */
static const struct row scalable[] = {
	CONTROL(ffff0000, 00000000, "", TRAP), /* udf */
	VAGUE(9e000000, 80000000, OTHER),
	VAGUE(1e000000, 04000000, OTHER),
};

#define FIND(rows, w) find_in(rows, sizeof(rows) / sizeof(rows)[0], w)

static const struct row *find_in(const struct row *r, size_t n, uint32_t w)
{
	for (; n; n--, r++)
		if ((w & r->mask) == r->bits)
			return r;
	return NULL;
}

/* Arm ARM, C4.1: by bits 28 to 25. */
static const struct row *find_row(uint32_t w)
{
	switch (a64_bits(w, 25, 4)) {
	case 8:
	case 9: return FIND(immediate, w);
	case 10:
	case 11: return FIND(control, w);
	case 5:
	case 13: return FIND(registers, w);
	case 7:
	case 15: return FIND(vector, w);
	case 4:
	case 6:
	case 12:
	case 14: return FIND(memory, w);
	default: return FIND(scalable, w);
	}
}

/* The flags that a condition asks for. */
static regset condition(unsigned cond)
{
	static const regset flags[8] = {REG_BIT(A64_Z), REG_BIT(A64_C), REG_BIT(A64_N),
		REG_BIT(A64_V), REG_BIT(A64_C) | REG_BIT(A64_Z), REG_BIT(A64_N) | REG_BIT(A64_V),
		REG_BIT(A64_N) | REG_BIT(A64_V) | REG_BIT(A64_Z), 0};

	return flags[cond >> 1];
}

#define VECTORS "hHgijqe" /* the letters of vector registers */

/* Where the register of an operand is named, and what is done with it. */
static const struct operand {
	char letter;
	uint8_t at;
	bool reads, writes, sp;
} operands[] = {
	{'d', 0, false, true, false},
	{'D', 0, false, true, true},
	{'t', 0, false, true, false},
	{'u', 10, false, true, false},
	{'W', 16, false, true, false},
	{'n', 5, true, false, false},
	{'N', 5, true, false, true},
	{'m', 16, true, false, false},
	{'M', 16, true, false, true},
	{'a', 10, true, false, false},
	{'s', 0, true, false, false},
	{'T', 0, true, false, true},
	{'v', 10, true, false, false},
	{'x', 0, true, true, false},
	{'X', 16, true, true, false},
	{'b', 5, true, true, true},
	{'h', 0, false, true, false},
	{'H', 0, true, false, false},
	{'g', 10, false, true, false},
	{'i', 5, true, false, false},
	{'j', 16, true, false, false},
	{'q', 10, true, false, false},
	{'e', 0, true, false, false},
};

static void apply_register(uint32_t w, char letter, struct effects *e, regset *named)
{
	const struct operand *o = operands;

	while (o->letter != letter)
		if (++o == operands + sizeof operands / sizeof operands[0])
			bug("an operand that no instruction has");
	bool of_vector = strchr(VECTORS, letter);
	unsigned reg = a64_bits(w, o->at, 5);
	if (reg == A64_SP && !o->sp && !of_vector)
		return;
	regset set = REG_BIT(of_vector ? REG_VECTOR + reg : reg);
	*named |= of_vector ? 0 : set;
	e->reads |= o->reads ? set : 0;
	e->writes |= o->writes ? set : 0;
	e->clobbers |= letter == 'H' ? set : 0;
}

void a64_vectors(struct effects *e, regset seen)
{
	regset set = seen & REGSET_VECTORS;
	bool told = (e->reads | e->writes) & REGSET_VECTORS;

	e->writes &= set | ~REGSET_VECTORS;
	if (told && !(set & ~(e->reads | e->writes)))
		return;
	e->reads |= set;
	e->clobbers |= set;
	e->writes &= ~REGSET_VECTORS;
}

static void apply_pairs(uint32_t w, struct effects *e, regset *named)
{
	regset both = (regset)3 << a64_bits(w, 16, 5), reads = (regset)3 << a64_bits(w, 0, 5);

	both &= A64_REGS(0, 30);
	e->reads |= both | (reads & A64_REGS(0, 30));
	e->writes |= both;
	*named |= e->reads;
}

/* A system call keeps all registers but x0 (Linux); the number is in x8. */
static void apply_fixed(uint32_t w, char letter, struct effects *e)
{
	switch (letter) {
	case 'l': e->writes |= REG_BIT(A64_LR); break;
	case 'r':
		e->reads |= REG_BIT(A64_LR) | REG_BIT(A64_SP);
		e->writes |= REG_BIT(A64_LR);
		break;
	case '1':
		e->reads |= REG_BIT(A64_IP0) | REG_BIT(A64_IP1);
		e->writes |= REG_BIT(A64_IP1);
		break;
	case 'k':
		e->reads |= A64_REGS(A64_X0, A64_X8) | REG_BIT(A64_SP);
		e->clobbers |= REG_BIT(A64_X0);
		break;
	case 'c': e->reads |= condition(a64_bits(w, 12, 4)); break;
	case 'y': e->reads |= condition(a64_bits(w, 0, 4)); break;
	case 'C': e->reads |= REG_BIT(A64_C); break;
	case 'f': e->writes |= A64_FLAGS; break;
	case 'F':
		e->reads |= A64_FLAGS;
		e->clobbers |= A64_FLAGS;
		break;
	default: break;
	}
}

void a64_vague(struct insn *in, struct effects *e)
{
	*e = (struct effects){.reads = A64_REGS(0, A64_SP) | A64_FLAGS | REGSET_VECTORS,
		.clobbers = A64_REGS(0, 30) | A64_FLAGS | REGSET_VECTORS};
	in->flags = (uint8_t)((in->flags & INSN_OPERAND_PC) | INSN_VAGUE | INSN_MEM);
}

static void apply_pc(const struct row *r, struct insn *in)
{
	bool branch = r->kind == INSN_JUMP || r->kind == INSN_BRANCH || r->kind == INSN_CALL;

	if (branch || r->flags & INSN_OPERAND_PC)
		in->pc_size = 4;
}

bool a64_effects(uint32_t w, struct insn *in, struct effects *e, regset *named)
{
	const struct row *r = find_row(w);

	if (!r)
		return false;
	memset(in, 0, sizeof *in);
	memset(e, 0, sizeof *e);
	*named = 0;
	in->len = 4;
	in->kind = r->kind;
	if (r->vague) {
		a64_vague(in, e);
		return true;
	}
	in->flags = r->flags;
	apply_pc(r, in);
	for (const char *op = r->ops; *op; op++)
		if (*op == 'p')
			apply_pairs(w, e, named);
		else if (strchr("lr1kcyCfF", *op))
			apply_fixed(w, *op, e);
		else
			apply_register(w, *op, e, named);
	e->clobbers |= e->writes;
	return true;
}
