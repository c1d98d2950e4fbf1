/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand.c - compressed instructions as the ones of 32 bits that they stand for, and distances
 *
 * The tables of the "C" extension's chapter, quadrant by quadrant.
 */
#include "targets/riscv64/riscv64.h"

/* Distances ------------------------------------------------------------ */

/* n bits of a distance from bit from, at bit at of the word. */
struct piece {
	uint8_t from, n, at;
};
static const struct format {
	uint8_t bits; /* of the distance */
	struct piece piece[8];
} formats[] = {
	[RV_FORM_B] = {13, {{12, 1, 31}, {5, 6, 25}, {1, 4, 8}, {11, 1, 7}}},
	[RV_FORM_J] = {21, {{20, 1, 31}, {1, 10, 21}, {11, 1, 20}, {12, 8, 12}}},
	[RV_FORM_CB] = {9, {{8, 1, 12}, {3, 2, 10}, {6, 2, 5}, {1, 2, 3}, {5, 1, 2}}},
	[RV_FORM_CJ] = {12,
		{{11, 1, 12}, {4, 1, 11}, {8, 2, 9}, {10, 1, 8}, {6, 1, 7}, {7, 1, 6}, {1, 3, 3},
			{5, 1, 2}}},
};

int64_t rv_distance_in(uint32_t w, enum rv_form form)
{
	const struct format *f = &formats[form];
	uint32_t dist = 0;

	for (size_t i = 0; i < sizeof f->piece / sizeof f->piece[0]; i++)
		dist |= rv_bits(w, f->piece[i].at, f->piece[i].n) << f->piece[i].from;
	return sign_extend(dist, f->bits);
}

uint32_t rv_distance_mask(enum rv_form form)
{
	return rv_with_distance(0, form, -2);
}

uint32_t rv_with_distance(uint32_t w, enum rv_form form, int64_t dist)
{
	const struct format *f = &formats[form];

	for (size_t i = 0; i < sizeof f->piece / sizeof f->piece[0]; i++) {
		const struct piece *p = &f->piece[i];
		uint32_t mask = ((1u << p->n) - 1) << p->at;

		w = (w & ~mask) | rv_bits((uint32_t)dist, p->from, p->n) << p->at;
	}
	return w;
}

bool rv_reaches(enum rv_form form, int64_t dist)
{
	return !(dist & 1) && sign_extend((uint64_t)dist, formats[form].bits) == dist;
}

/* Expansion ------------------------------------------------------------ */

static uint32_t i_type(unsigned op, unsigned f3, unsigned rd, unsigned rs1, uint32_t imm)
{
	return imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

static uint32_t s_type(unsigned op, unsigned f3, unsigned rs1, unsigned rs2, uint32_t imm)
{
	return rv_bits(imm, 5, 7) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
		rv_bits(imm, 0, 5) << 7 | op;
}

static uint32_t r_type(unsigned op, unsigned f7, unsigned f3, unsigned rd, unsigned rs1,
	unsigned rs2)
{
	return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
}

enum { WORD = 2, DWORD = 3 };

static uint32_t quadrant0(uint32_t c)
{
	unsigned rd = 8 + rv_bits(c, 2, 3), rs = 8 + rv_bits(c, 7, 3);
	uint32_t word = rv_bits(c, 10, 3) << 3 | rv_bits(c, 6, 1) << 2 | rv_bits(c, 5, 1) << 6;
	uint32_t dword = rv_bits(c, 10, 3) << 3 | rv_bits(c, 5, 2) << 6;
	uint32_t add = rv_bits(c, 11, 2) << 4 | rv_bits(c, 7, 4) << 6 | rv_bits(c, 6, 1) << 2 |
		rv_bits(c, 5, 1) << 3;

	switch (c >> 13) {
	case 0: return add ? i_type(RV_OP_IMM, 0, rd, RV_SP, add) : c ? 0 : RV_UNIMP;
	case 1: return i_type(RV_LOAD_FP, DWORD, rd, rs, dword);
	case 2: return i_type(RV_LOAD, WORD, rd, rs, word);
	case 3: return i_type(RV_LOAD, DWORD, rd, rs, dword);
	case 5: return s_type(RV_STORE_FP, DWORD, rs, rd, dword);
	case 6: return s_type(RV_STORE, WORD, rs, rd, word);
	case 7: return s_type(RV_STORE, DWORD, rs, rd, dword);
	default: return 0;
	}
}

static uint32_t arithmetic(uint32_t c)
{
	static const struct {
		uint8_t op, f7, f3;
	} two[] = {{RV_OP, 0x20, 0}, {RV_OP, 0, 4}, {RV_OP, 0, 6},
		{RV_OP, 0, 7},				/* sub, xor, or, and */
		{RV_OP_32, 0x20, 0}, {RV_OP_32, 0, 0}}; /* subw, addw */
	unsigned rd = 8 + rv_bits(c, 7, 3), which = rv_bits(c, 12, 1) << 2 | rv_bits(c, 5, 2);
	uint32_t shift = rv_bits(c, 12, 1) << 5 | rv_bits(c, 2, 5);

	switch (rv_bits(c, 10, 2)) {
	case 0: return i_type(RV_OP_IMM, 5, rd, rd, shift);
	case 1: return i_type(RV_OP_IMM, 5, rd, rd, 0x400 | shift);
	case 2: return i_type(RV_OP_IMM, 7, rd, rd, (uint32_t)sign_extend(shift, 6));
	default:
		if (which >= sizeof two / sizeof two[0])
			return 0;
		return r_type(two[which].op, two[which].f7, two[which].f3, rd, rd,
			8 + rv_bits(c, 2, 3));
	}
}

static uint32_t quadrant1(uint32_t c)
{
	unsigned rd = rv_rd(c), rs = 8 + rv_bits(c, 7, 3);
	uint32_t imm = (uint32_t)sign_extend(rv_bits(c, 12, 1) << 5 | rv_bits(c, 2, 5), 6);
	uint32_t stack = rv_bits(c, 12, 1) << 9 | rv_bits(c, 6, 1) << 4 | rv_bits(c, 5, 1) << 6 |
		rv_bits(c, 3, 2) << 7 | rv_bits(c, 2, 1) << 5;
	unsigned f3 = c >> 13 & 1;

	switch (c >> 13) {
	case 0: return i_type(RV_OP_IMM, 0, rd, rd, imm);
	case 1: return rd ? i_type(RV_OP_IMM_32, 0, rd, rd, imm) : 0;
	case 2: return i_type(RV_OP_IMM, 0, rd, RV_ZERO, imm);
	case 3:
		if (rd == RV_SP)
			return stack
				? i_type(RV_OP_IMM, 0, rd, rd, (uint32_t)sign_extend(stack, 10))
				: 0;
		return imm ? imm << 12 | rd << 7 | RV_LUI : 0;
	case 4: return arithmetic(c);
	case 5: return rv_with_distance(RV_JAL, RV_FORM_J, rv_distance_in(c, RV_FORM_CJ));
	default: /* beqz, bnez */
		return rv_with_distance(RV_BRANCH | f3 << 12 | rs << 15, RV_FORM_B,
			rv_distance_in(c, RV_FORM_CB));
	}
}

/* c.jr, c.mv, c.ebreak, c.jalr, c.add */
static uint32_t registers(uint32_t c)
{
	unsigned rd = rv_rd(c), rs2 = rv_bits(c, 2, 5);
	bool second = rv_bits(c, 12, 1);

	if (rs2)
		return r_type(RV_OP, 0, 0, rd, second ? rd : RV_ZERO, rs2);
	if (!rd)
		return second ? 0x00100073 : 0;
	return i_type(RV_JALR, 0, second ? RV_RA : RV_ZERO, rd, 0);
}

static uint32_t quadrant2(uint32_t c)
{
	unsigned rd = rv_rd(c), rs2 = rv_bits(c, 2, 5);
	uint32_t shift = rv_bits(c, 12, 1) << 5 | rv_bits(c, 2, 5);
	uint32_t word = rv_bits(c, 12, 1) << 5 | rv_bits(c, 4, 3) << 2 | rv_bits(c, 2, 2) << 6;
	uint32_t dword = rv_bits(c, 12, 1) << 5 | rv_bits(c, 5, 2) << 3 | rv_bits(c, 2, 3) << 6;
	uint32_t put_word = rv_bits(c, 9, 4) << 2 | rv_bits(c, 7, 2) << 6;
	uint32_t put_dword = rv_bits(c, 10, 3) << 3 | rv_bits(c, 7, 3) << 6;

	switch (c >> 13) {
	case 0: return i_type(RV_OP_IMM, 1, rd, rd, shift);
	case 1: return i_type(RV_LOAD_FP, DWORD, rd, RV_SP, dword);
	case 2: return rd ? i_type(RV_LOAD, WORD, rd, RV_SP, word) : 0;
	case 3: return rd ? i_type(RV_LOAD, DWORD, rd, RV_SP, dword) : 0;
	case 4: return registers(c);
	case 5: return s_type(RV_STORE_FP, DWORD, RV_SP, rs2, put_dword);
	case 6: return s_type(RV_STORE, WORD, RV_SP, rs2, put_word);
	default: return s_type(RV_STORE, DWORD, RV_SP, rs2, put_dword);
	}
}

uint32_t rv_expand(uint32_t c)
{
	switch (c & 3) {
	case 0: return quadrant0(c);
	case 1: return quadrant1(c);
	case 2: return quadrant2(c);
	default: bug("not compressed");
	}
}

uint32_t rv_word(const uint8_t *p)
{
	return rv_is_compressed(p) ? rv_expand(p[0] | (uint32_t)p[1] << 8) : get_u32(p);
}
