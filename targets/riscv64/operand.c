/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by addi; see targets/operand.h
 *
 * The last link changes a relocated addi as it changes the load or store, if it may: its high half
 * is missing then.
 */
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

static void put_addi(struct code *c, unsigned to, unsigned base, int64_t n)
{
	uint8_t bytes[4];

	put_u32(bytes, 0x13 | to << 7 | base << 15 | (uint32_t)n << 20);
	code_put(c, bytes, sizeof bytes);
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
}
