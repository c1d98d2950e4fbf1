/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by addi; see targets/operand.h
 *
 * The last link changes a relocated addi as it changes the load or store, if it may: its high half
 * is missing then.
 */
#include "targets/access.h"
#include "targets/riscv64/riscv64.h"

#include <elf.h>

const char *rv_operand_reloc(struct address *o)
{
	switch (o->type) {
	case R_RISCV_LO12_I:
	case R_RISCV_LO12_S: o->type = R_RISCV_LO12_I; return NULL;
	case R_RISCV_PCREL_LO12_I:
	case R_RISCV_PCREL_LO12_S: o->type = R_RISCV_PCREL_LO12_I; return NULL;
	case R_RISCV_TPREL_LO12_I:
	case R_RISCV_TPREL_LO12_S: o->type = R_RISCV_TPREL_LO12_I; return NULL;
	default: return "the linker may address it in another way";
	}
}

/* Instructions with all registers zero. */
enum {
	ADDI = 0x00000013,
	SLLI = 0x00001013,
	SLT = 0x00002033,
	SLTIU = 0x00003013,
	SLTU = 0x00003033,
	SRAI = 0x40005013,
	SRLI = 0x00005013,
	SUB = 0x40000033,
	XORI = 0x00004013,
};

/* An operation of a register and a number. */
static void put_number(struct code *c, uint32_t op, unsigned to, unsigned of, uint32_t n)
{
	code_u32(c, op | to << 7 | of << 15 | n << 20);
}

static void put_addi(struct code *c, unsigned to, unsigned base, int64_t n)
{
	put_number(c, ADDI, to, base, (uint32_t)n);
}

void rv_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare)
{
	unsigned base = o->base < 0 ? RV_ZERO : (unsigned)o->base;
	int64_t n = o->n;

	(void)spare;
	if (o->type) {
		code_reloc(c, (struct reloc){.addend = n, .type = o->type, .sym = o->sym});
		if (o->relaxes)
			code_reloc(c, (struct reloc){.type = R_RISCV_RELAX});
		put_addi(c, reg, base, 0);
		return;
	}
	for (; n != sign_extend((uint64_t)n, 12); base = reg) {
		int64_t part = n < 0 ? -2048 : 2047;
		put_addi(c, reg, base, part);
		n -= part;
	}
	if (n || base != reg)
		put_addi(c, reg, base, n);
	if (o->round) {
		put_number(c, SRAI, reg, reg, o->round);
		put_number(c, SLLI, reg, reg, o->round);
	}
}

void rv_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size)
{
	if (size == 8) {
		put_addi(c, reg, from, 0);
		return;
	}
	put_number(c, SLLI, reg, from, 64 - 8 * size);
	put_number(c, SRLI, reg, reg, 64 - 8 * size);
}

static void put_two(struct code *c, uint32_t op, unsigned to, unsigned a, unsigned b)
{
	code_u32(c, op | to << 7 | a << 15 | b << 20);
}

bool rv_condition(struct code *c, unsigned reg, const struct condition *condition)
{
	unsigned a = condition->a < 0 ? RV_ZERO : (unsigned)condition->a;
	unsigned b = condition->b < 0 ? RV_ZERO : (unsigned)condition->b;

	switch (condition->relation) {
	case RELATION_EQ:
	case RELATION_NE: put_two(c, SUB, reg, a, b); break;
	case RELATION_LT:
	case RELATION_GE: put_two(c, SLT, reg, a, b); break;
	case RELATION_LTU:
	case RELATION_GEU: put_two(c, SLTU, reg, a, b); break;
	default: return false;
	}
	if (condition->relation == RELATION_EQ)
		put_number(c, SLTIU, reg, reg, 1);
	else if (condition->relation == RELATION_NE)
		put_two(c, SLTU, reg, RV_ZERO, reg);
	else if (condition->relation == RELATION_GE || condition->relation == RELATION_GEU)
		put_number(c, XORI, reg, reg, 1);
	return true;
}
