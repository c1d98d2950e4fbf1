/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by addiu; see targets/operand.h
 *
 * An addiu has a field of 16 bits as a load has, for the same relocations.
 */
#include "targets/mips/mips.h"

#include "targets/access.h"

enum {
	ADDIU = MIPS_WORD == 8 ? 0x64000000 : 0x24000000,
	ADDU = MIPS_WORD == 8 ? 0x2d : 0x21,
	ANDI = 0x30000000,
	DSLL32 = 0x3c,
	DSRL32 = 0x3e,
	OR = 0x25,
	SLT = 0x2a,
	SLTIU = 0x2c000000,
	SLTU = 0x2b,
	SUBU = MIPS_WORD == 8 ? 0x2f : 0x23,
	XORI = 0x38000000,
	SLL = MIPS_WORD == 8 ? 0x38 : 0x00,
	SRA = MIPS_WORD == 8 ? 0x3b : 0x03,
};
enum { RS = 21, RT = 16, RD = 11, SA = 6 };

const char *mips_operand_reloc(struct address *o)
{
	return mips_is_low(o->type) ? NULL : "the linker may address it in another way";
}

void mips_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare)
{
	unsigned base = o->base < 0 ? MIPS_ZERO : (unsigned)o->base;
	int64_t n = o->n;

	(void)spare;
	if (o->index >= 0) {
		mips_code(c, ADDU | base << RS | (unsigned)o->index << RT | reg << RD);
		base = reg;
	}
	if (o->type) {
		code_reloc(c, (struct reloc){.addend = n, .type = o->type, .sym = o->sym});
		mips_code(c, ADDIU | base << RS | reg << RT);
		base = reg;
		n = 0;
		/* In o32 the LO16 that follows has a part of the addend. */
		if (MIPS_WORD == 4 && o->local && o->type == R_MIPS_GOT16) {
			code_reloc(c,
				(struct reloc){.addend = o->n, .type = R_MIPS_LO16, .sym = o->sym});
			mips_code(c, ADDIU);
		}
	}
	for (; n != (int16_t)n; base = reg) {
		int64_t part = n < 0 ? INT16_MIN : INT16_MAX;
		mips_code(c, ADDIU | base << RS | reg << RT | (uint16_t)part);
		n -= part;
	}
	if (n || base != reg)
		mips_code(c, ADDIU | base << RS | reg << RT | (uint16_t)n);
	if (o->round) {
		mips_code(c, SRA | reg << RT | reg << RD | (uint32_t)o->round << SA);
		mips_code(c, SLL | reg << RT | reg << RD | (uint32_t)o->round << SA);
	}
}

static void put_two(struct code *c, uint32_t op, unsigned to, unsigned a, unsigned b)
{
	mips_code(c, op | a << RS | b << RT | to << RD);
}

void mips_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size)
{
	if (size < 4) {
		mips_code(c, ANDI | from << RS | reg << RT | (size == 1 ? 0xff : 0xffff));
	} else if (size == MIPS_WORD) {
		put_two(c, OR, reg, from, MIPS_ZERO);
	} else {
		put_two(c, DSLL32, reg, MIPS_ZERO, from);
		put_two(c, DSRL32, reg, MIPS_ZERO, reg);
	}
}

bool mips_condition(struct code *c, unsigned reg, const struct condition *condition)
{
	unsigned a = condition->a < 0 ? MIPS_ZERO : (unsigned)condition->a;
	unsigned b = condition->b < 0 ? MIPS_ZERO : (unsigned)condition->b;
	bool inverts = false;

	switch (condition->relation) {
	case RELATION_EQ:
		put_two(c, SUBU, reg, a, b);
		mips_code(c, SLTIU | reg << RS | reg << RT | 1);
		break;
	case RELATION_NE:
		put_two(c, SUBU, reg, a, b);
		put_two(c, SLTU, reg, MIPS_ZERO, reg);
		break;
	case RELATION_GE: inverts = true; /* fall through */
	case RELATION_LT: put_two(c, SLT, reg, a, b); break;
	case RELATION_LE: inverts = true; /* fall through */
	case RELATION_GT: put_two(c, SLT, reg, b, a); break;
	default: return false;
	}
	if (inverts)
		mips_code(c, XORI | reg << RS | reg << RT | 1);
	return true;
}
