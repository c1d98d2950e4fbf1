/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.c - addresses of memory operands, made by additions; see targets/operand.h
 */
#include "targets/aarch64/aarch64.h"
#include "targets/access.h"

/* Instructions with all registers x0 (Arm ARM, C6.2). */
enum {
	ADD_EXTENDED = 0x8b200000,
	ADD_IMM = 0x91000000,
	ADD_HIGH = 0x91400000,
	CLZ = 0xdac01000,
	CLZ_W = 0x5ac01000,
	CSET = 0x9a9f07e0, /* with the inverted condition */
	EOR_ONE = 0xd2400000,
	UBFM = 0xd3400000,
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

static void add_extended(struct code *c, unsigned to, unsigned base, unsigned by, unsigned extend,
	unsigned shift)
{
	code_u32(c, ADD_EXTENDED | by << 16 | extend << 13 | shift << 10 | base << 5 | to);
}

/* to = base + n, of at most 24 bits */
static void add_number(struct code *c, unsigned to, unsigned base, int64_t n)
{
	uint32_t size = (uint32_t)(n < 0 ? -n : n), low = size & 0xfff, high = size >> 12;

	if (high)
		code_u32(c, (n < 0 ? SUB_HIGH : ADD_HIGH) | high << 10 | base << 5 | to);
	if (low || !high)
		code_u32(c, (n < 0 ? SUB_IMM : ADD_IMM) | low << 10 | (high ? to : base) << 5 | to);
}

/* A field of an ldr counts words: movz spare,#0; add spare,spare,#field; add to,base,spare,lsl #3
 */
static void add_words(struct code *c, unsigned to, const struct address *o, unsigned spare)
{
	code_u32(c, MOVZ | spare);
	code_reloc(c, (struct reloc){.addend = o->n, .type = o->type, .sym = o->sym});
	code_u32(c, ADD_IMM | spare << 5 | spare);
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
		code_u32(c, ADD_IMM | base << 5 | reg);
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

/* reg = bits from to to of a register */
static void put_bits(struct code *c, unsigned reg, unsigned of, unsigned from, unsigned to)
{
	code_u32(c, UBFM | from << 16 | to << 10 | of << 5 | reg);
}

void a64_low_bytes(struct code *c, unsigned reg, unsigned from, unsigned size)
{
	put_bits(c, reg, from, 0, 8 * size - 1);
}

/* The number of its condition, where one of flags is two, the second one negated. */
static unsigned condition_number(const struct condition *c)
{
	const regset n = REG_BIT(A64_N), z = REG_BIT(A64_Z), v = REG_BIT(A64_V),
		     cf = REG_BIT(A64_C);
	const struct {
		regset set, clear, differ;
		bool negated;
	} of[] = {{z, 0, 0, false}, {cf, 0, 0, false}, {n, 0, 0, false}, {v, 0, 0, false},
		{z, cf, 0, true}, {0, 0, n | v, true}, {z, 0, n | v, true}};
	unsigned i = 0;

	while (i < 7 &&
		(of[i].set != c->set || of[i].clear != c->clear || of[i].differ != c->differ))
		i++;
	return i == 7 ? 2 * i : 2 * i + (of[i].negated != c->negated);
}

/* cset; or clz, which makes 64 or 32 of zero and nothing else; or a bit */
bool a64_condition(struct code *c, unsigned reg, const struct condition *condition)
{
	unsigned number = condition_number(condition), a = (unsigned)condition->a;
	bool word = condition->size == 4;

	if (condition->relation == RELATION_NONE) {
		if (number < 14)
			code_u32(c, CSET | (number ^ 1) << 12 | reg);
		return number < 14;
	}
	if (condition->a < 0)
		return false;
	switch (condition->relation) {
	case RELATION_EQ:
	case RELATION_NE:
		code_u32(c, (word ? CLZ_W : CLZ) | a << 5 | reg);
		put_bits(c, reg, reg, word ? 5 : 6, 63);
		break;
	case RELATION_BIT:
	case RELATION_NO_BIT:
		put_bits(c, reg, a, (unsigned)condition->with, (unsigned)condition->with);
		break;
	default: return false;
	}
	if (condition->relation == RELATION_NE || condition->relation == RELATION_NO_BIT)
		code_u32(c, EOR_ONE | reg << 5 | reg);
	return true;
}
