/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effect.c - what instructions do to registers
 *
 * In the order of the manual's table of opcodes: the first row that matches says what operands an
 * instruction has.  Of what is vague it is known only that control goes on behind it; what has no
 * row is no instruction to us.
 */
#include "targets/riscv64/riscv64.h"

/*
 * Operands, a letter each:
 *	d	rd is written
 *	s t	rs1, rs2 are read
 *	D S T U	the same of frd, frs1, frs2, and of frs3
 *	a	if rd is the alternate link register, all are read
 *	k	reads and changes what a system call does
 */
struct row {
	uint32_t mask, bits;
	const char *ops;
	uint8_t kind, flags;
	uint8_t how;
};

enum { PLAIN, VAGUE, BAD };
#define ALL (RV_ALL | REGSET_VECTORS)

enum { MEM = INSN_MEM };
#define OTHER(mask, bits, ops)                                                                     \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_OTHER, 0, PLAIN                                      \
	}
#define MEMORY(mask, bits, ops)                                                                    \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_OTHER, MEM, PLAIN                                    \
	}
#define CONTROL(mask, bits, ops, kind)                                                             \
	{                                                                                          \
		0x##mask, 0x##bits, ops, INSN_##kind, 0, PLAIN                                     \
	}
#define VAGUELY(mask, bits)                                                                        \
	{                                                                                          \
		0x##mask, 0x##bits, "", INSN_OTHER, 0, VAGUE                                       \
	}
#define UNKNOWN(mask, bits)                                                                        \
	{                                                                                          \
		0x##mask, 0x##bits, "", INSN_OTHER, 0, BAD                                         \
	}

/*
 * What is called with t0 as its return address may keep registers that other functions change:
 * psABI, "TLS Descriptors"; the save and restore routines of libgcc.
 */
static const struct row rows[] = {
	UNKNOWN(0000707f, 00007003),
	MEMORY(0000007f, 00000003, "ds"), /* lb, lh, lw, ld, lbu, lhu, lwu */
	MEMORY(0000407f, 00000023, "st"), /* sb, sh, sw, sd */
	MEMORY(0000707f, 00001007, "sD"), /* flh, flw, fld, flq */
	MEMORY(0000707f, 00002007, "sD"),
	MEMORY(0000707f, 00003007, "sD"),
	MEMORY(0000707f, 00004007, "sD"),
	MEMORY(0000707f, 00001027, "sT"), /* fsh, fsw, fsd, fsq */
	MEMORY(0000707f, 00002027, "sT"),
	MEMORY(0000707f, 00003027, "sT"),
	MEMORY(0000707f, 00004027, "sT"),
	VAGUELY(0000007f, 00000007), /* vectors: loads, stores, and all others */
	VAGUELY(0000007f, 00000027),
	VAGUELY(0000007f, 00000057),
	OTHER(0000607f, 0000000f, ""),	       /* fence, fence.i */
	MEMORY(0000707f, 0000200f, "s"),       /* cbo */
	CONTROL(00007fff, 00000013, "s", NOP), /* addi of the zero register: hints too */
	OTHER(0000007f, 00000013, "ds"),       /* addi, slti, andi, slli... */
	{0xfff, 0x17, "", INSN_OTHER, INSN_LANDING, PLAIN}, /* lpad */
	{0x7f, 0x17, "d", INSN_OTHER, INSN_OPERAND_PC, PLAIN},
	OTHER(0000007f, 0000001b, "ds"),  /* addiw, slliw... */
	MEMORY(f9f0607f, 1000202f, "ds"), /* lr */
	MEMORY(0000607f, 0000202f, "dst"),
	OTHER(0000007f, 00000033, "dst"), /* add, mul... */
	OTHER(0000007f, 00000037, "d"),	  /* lui */
	OTHER(0000007f, 0000003b, "dst"),
	OTHER(00000073, 00000043, "DSTU"), /* fmadd, fmsub, fnmsub, fnmadd */
	OTHER(f000007f, c0000053, "dS"),   /* fcvt to integers, moved and classified ones */
	OTHER(f000007f, e0000053, "dS"),
	OTHER(f800007f, a0000053, "dST"), /* feq, flt, fle */
	OTHER(f800007f, d0000053, "sD"),  /* fcvt from integers */
	OTHER(f800007f, f0000053, "sD"),
	OTHER(f800007f, 40000053, "DS"), /* fcvt, fsqrt */
	OTHER(f800007f, 58000053, "DS"),
	OTHER(0000007f, 00000053, "DST"),
	UNKNOWN(0000607f, 00002063),
	CONTROL(0000007f, 00000063, "st", BRANCH),
	CONTROL(ffffffff, 00008067, "s", RET),
	CONTROL(00007fff, 00000067, "s", JUMP_IND),
	CONTROL(00007fff, 000000e7, "sd", CALL_IND),
	CONTROL(00007fff, 000002e7, "sda", CALL_IND),
	UNKNOWN(0000007f, 00000067),
	CONTROL(00000fff, 0000006f, "", JUMP),
	CONTROL(00000fff, 000000ef, "d", CALL),
	CONTROL(00000fff, 000002ef, "da", CALL),
	UNKNOWN(0000007f, 0000006f),
	CONTROL(ffffffff, 00000073, "k", SYSCALL),
	CONTROL(ffffffff, 00100073, "", TRAP), /* ebreak */
	CONTROL(ffffffff, c0001073, "", TRAP), /* unimp */
	UNKNOWN(0000707f, 00000073),	       /* mret... */
	UNKNOWN(0000707f, 00004073),	       /* hypervisor */
	MEMORY(0000407f, 00000073, "ds"),      /* csrrw... */
	MEMORY(0000407f, 00004073, "d"),
};

static const struct row *find_row(uint32_t w)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if ((w & rows[i].mask) == rows[i].bits)
			return &rows[i];
	return NULL;
}

static void apply(uint32_t w, char letter, struct effects *e)
{
	switch (letter) {
	case 'd': e->writes |= REG_BIT(rv_rd(w)); break;
	case 's': e->reads |= REG_BIT(rv_rs1(w)); break;
	case 't': e->reads |= REG_BIT(rv_rs2(w)); break;
	case 'D': e->writes |= REG_BIT(REG_VECTOR + rv_rd(w)); break;
	case 'S': e->reads |= REG_BIT(REG_VECTOR + rv_rs1(w)); break;
	case 'T': e->reads |= REG_BIT(REG_VECTOR + rv_rs2(w)); break;
	case 'U': e->reads |= REG_BIT(REG_VECTOR + rv_bits(w, 27, 5)); break;
	case 'a': e->reads |= ALL; break;
	case 'k': /* Linux changes the result only; the number is in a7 */
		e->reads |= RV_REGS(RV_A0, RV_A7) | REG_BIT(RV_SP) | REG_BIT(RV_TP);
		e->clobbers |= REG_BIT(RV_A0);
		break;
	default: bug("an operand that no instruction has");
	}
}

void rv_vague(struct insn *in, struct effects *e)
{
	*e = (struct effects){.reads = ALL, .clobbers = ALL};
	in->flags = (uint8_t)((in->flags & INSN_OPERAND_PC) | INSN_VAGUE | INSN_MEM);
}

bool rv_effects(uint32_t w, struct insn *in, struct effects *e)
{
	const struct row *r = find_row(w);

	memset(in, 0, sizeof *in);
	memset(e, 0, sizeof *e);
	if (!r || r->how == BAD)
		return false;
	in->kind = r->kind;
	if (r->how == VAGUE) {
		rv_vague(in, e);
		return true;
	}
	in->flags = r->flags;
	if (r->flags & INSN_OPERAND_PC || r->kind == INSN_BRANCH || r->kind == INSN_JUMP ||
		r->kind == INSN_CALL)
		in->pc_size = 4;
	for (const char *op = r->ops; *op; op++)
		apply(w, *op, e);
	e->clobbers |= e->writes;
	e->reads &= ALL;
	e->writes &= ALL;
	e->clobbers &= ALL;
	return true;
}
