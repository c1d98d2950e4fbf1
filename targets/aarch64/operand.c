/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by additions; see targets/operand.h
 */
#include "targets/aarch64/aarch64.h"

/* Instructions with all registers x0 (Arm ARM, C6.2). */
enum {
	ADD_EXTENDED = 0x8b200000,
	ADD_IMM = 0x91000000,
	ADD_HIGH = 0x91400000,
	MOVZ = 0xd2800000,
	SUB_IMM = 0xd1000000,
	SUB_HIGH = 0xd1400000,
};
enum { UXTW = 2, UXTX = 3, SXTW = 6 };

const char *a64_operand_reloc(struct address *o)
{
	switch (o->type) {
	case R_AARCH64_LDST8_ABS_LO12_NC:
	case R_AARCH64_LDST16_ABS_LO12_NC:
	case R_AARCH64_LDST32_ABS_LO12_NC:
	case R_AARCH64_LDST64_ABS_LO12_NC:
	case R_AARCH64_LDST128_ABS_LO12_NC: o->type = R_AARCH64_ADD_ABS_LO12_NC; return NULL;
	case R_AARCH64_TLSLE_LDST8_TPREL_LO12:
	case R_AARCH64_TLSLE_LDST16_TPREL_LO12:
	case R_AARCH64_TLSLE_LDST32_TPREL_LO12:
	case R_AARCH64_TLSLE_LDST64_TPREL_LO12:
	case R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC:
	case R_AARCH64_TLSLE_LDST16_TPREL_LO12_NC:
	case R_AARCH64_TLSLE_LDST32_TPREL_LO12_NC:
	case R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC:
		o->type = R_AARCH64_TLSLE_ADD_TPREL_LO12_NC;
		return NULL;
	case R_AARCH64_LD64_GOT_LO12_NC:
	case R_AARCH64_LD64_GOTPAGE_LO15: o->spare = true; return NULL;
	default: return o->pc_rel ? "it is in code" : "the linker may address it in another way";
	}
}

static void put(struct code *c, uint32_t w)
{
	uint8_t bytes[4];

	put_u32(bytes, w);
	code_put(c, bytes, sizeof bytes);
}

static void add_extended(struct code *c, unsigned to, unsigned base, unsigned by, unsigned extend,
	unsigned shift)
{
	put(c, ADD_EXTENDED | by << 16 | extend << 13 | shift << 10 | base << 5 | to);
}

/* to = base + n, of at most 24 bits */
static void add_number(struct code *c, unsigned to, unsigned base, int64_t n)
{
	uint32_t size = (uint32_t)(n < 0 ? -n : n), low = size & 0xfff, high = size >> 12;

	if (high)
		put(c, (n < 0 ? SUB_HIGH : ADD_HIGH) | high << 10 | base << 5 | to);
	if (low || !high)
		put(c, (n < 0 ? SUB_IMM : ADD_IMM) | low << 10 | (high ? to : base) << 5 | to);
}

/* A field of an ldr counts words: movz spare,#0; add spare,spare,#field; add to,base,spare,lsl #3
 */
static void add_words(struct code *c, unsigned to, const struct address *o, unsigned spare)
{
	put(c, MOVZ | spare);
	code_reloc(c, (struct reloc){.addend = o->n, .type = o->type, .sym = o->sym});
	put(c, ADD_IMM | spare << 5 | spare);
	add_extended(c, to, (unsigned)o->base, spare, UXTX, 3);
}

void a64_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare)
{
	unsigned base = (unsigned)o->base;

	if (o->base < 0)
		bug("an address without a register");
	if (o->type && o->type != R_AARCH64_ADD_ABS_LO12_NC &&
		o->type != R_AARCH64_TLSLE_ADD_TPREL_LO12_NC) {
		add_words(c, reg, o, spare);
	} else if (o->type) {
		code_reloc(c, (struct reloc){.addend = o->n, .type = o->type, .sym = o->sym});
		put(c, ADD_IMM | base << 5 | reg);
	} else {
		if (o->index >= 0) {
			add_extended(c, reg, base, (unsigned)o->index,
				o->index_size == 8	? UXTX
					: o->index_sext ? SXTW
							: UXTW,
				(unsigned)__builtin_ctz(o->scale));
			base = reg;
		}
		if (o->n || base != reg)
			add_number(c, reg, base, o->n);
	}
}
