/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by addiu; see targets/operand.h
 *
 * It has a field of 16 bits as a load has, for the same relocations.
 */
#include "targets/mips/mips.h"

#include "targets/operand.h"

enum {
	ADDIU = MIPS_WORD == 8 ? 0x64000000 : 0x24000000,
	ADDU = MIPS_WORD == 8 ? 0x2d : 0x21,
	SLL = MIPS_WORD == 8 ? 0x38 : 0x00,
	SRA = MIPS_WORD == 8 ? 0x3b : 0x03,
};
enum { RS = 21, RT = 16, RD = 11, SA = 6 };

const char *mips_operand_reloc(struct address *o)
{
	switch (o->type) {
	case R_MIPS_LO16:
	case R_MIPS_GPREL16:
	case R_MIPS_LITERAL:
	case R_MIPS_GOT16:
	case R_MIPS_CALL16:
	case R_MIPS_GOT_DISP:
	case R_MIPS_GOT_PAGE:
	case R_MIPS_GOT_OFST:
	case R_MIPS_GOT_LO16:
	case R_MIPS_CALL_LO16:
	case R_MIPS_TLS_GOTTPREL:
	case R_MIPS_TLS_DTPREL_LO16:
	case R_MIPS_TLS_TPREL_LO16: return NULL;
	default: return "the linker may address it in another way";
	}
}

static void put(struct code *c, uint32_t w)
{
	uint8_t bytes[4];

	mips_put(bytes, w);
	code_put(c, bytes, sizeof bytes);
}

void mips_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare)
{
	unsigned base = o->base < 0 ? MIPS_ZERO : (unsigned)o->base;
	int64_t n = o->n;

	(void)spare;
	if (o->index >= 0) {
		put(c, ADDU | base << RS | (unsigned)o->index << RT | reg << RD);
		base = reg;
	}
	if (o->type) {
		code_reloc(c, (struct reloc){.addend = n, .type = o->type, .sym = o->sym});
		put(c, ADDIU | base << RS | reg << RT);
		base = reg;
		n = 0;
		/* In o32 the LO16 that follows has a part of the addend. */
		if (MIPS_WORD == 4 && o->local && o->type == R_MIPS_GOT16) {
			code_reloc(c,
				(struct reloc){.addend = o->n, .type = R_MIPS_LO16, .sym = o->sym});
			put(c, ADDIU);
		}
	}
	for (; n != (int16_t)n; base = reg) {
		int64_t part = n < 0 ? INT16_MIN : INT16_MAX;
		put(c, ADDIU | base << RS | reg << RT | (uint16_t)part);
		n -= part;
	}
	if (n || base != reg)
		put(c, ADDIU | base << RS | reg << RT | (uint16_t)n);
	if (o->round) {
		put(c, SRA | reg << RT | reg << RD | (uint32_t)o->round << SA);
		put(c, SLL | reg << RT | reg << RD | (uint32_t)o->round << SA);
	}
}
