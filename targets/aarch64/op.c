/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.c - instructions as the jump-table analysis sees them
 *
 * Only operations that compute code addresses.  A result of 32 bits is zero-extended, so sums are
 * those of 64 bits only.
 */
#include "targets/aarch64/aarch64.h"

void a64_read_words(uint8_t *load, uint8_t *sum)
{
	enum {
		LDRSW = 0xb8a00800,
		SHIFTED = 1 << 12,
		OPERANDS = 0x1fe3ff,
		EXTENDED = 1 << 21,
		SXTW = 6 << 13
	};
	uint32_t w = get_u32(sum);

	put_u32(load, LDRSW | SHIFTED | (get_u32(load) & OPERANDS));
	if (w & EXTENDED)
		put_u32(sum, (w & ~(7u << 13)) | SXTW);
}

void a64_read_own(uint8_t *load, unsigned reg, uint32_t types[2])
{
	enum { ADRP = 0x90000000, ADD_IMM = 0x91000000, BASE = 31 << 5 };
	uint32_t w = get_u32(load);

	put_u32(load, ADRP | reg);
	put_u32(load + 4, ADD_IMM | reg << 5 | reg);
	put_u32(load + 8, (w & ~(uint32_t)BASE) | reg << 5);
	types[0] = R_AARCH64_ADR_PREL_PG_HI21;
	types[1] = R_AARCH64_ADD_ABS_LO12_NC;
}

static const struct operation other = {
	.op = OP_OTHER, .dst = -1, .src = -1, .base = -1, .index = -1, .scale = 1};

/* Register number n of an operand that may not be SP; -1: the zero register. */
static int plain(uint32_t w, unsigned at)
{
	unsigned reg = a64_bits(w, at, 5);

	return reg == A64_SP ? -1 : (int)reg;
}

static void describe_adr(uint32_t w, struct operation *op)
{
	op->op = w >> 31 ? OP_IMM : OP_LEA;
	op->dst = plain(w, 0);
	op->pc_rel = true;
	op->size = 8;
}

static void describe_add(uint32_t w, struct operation *op)
{
	int64_t n = (int64_t)a64_bits(w, 10, 12) << (w >> 22 & 1 ? 12 : 0);

	if ((w & 0x6000001f) == 0x6000001f) {
		op->op = OP_CMP_IMM;
		op->dst = (int)a64_bits(w, 5, 5);
		op->imm = n;
		op->size = w >> 31 ? 8 : 4;
		return;
	}
	if (!(w >> 31) || w >> 29 & 1)
		return;
	op->op = OP_LEA;
	op->dst = (int)a64_bits(w, 0, 5);
	op->base = (int)a64_bits(w, 5, 5);
	op->disp = w >> 30 & 1 ? -n : n;
	op->size = 8;
}

/* orr of a register with none: mov. */
static void describe_logical(uint32_t w, struct operation *op)
{
	if ((w & 0x7fe0ffe0) != 0x2a0003e0)
		return;
	op->op = plain(w, 16) < 0 ? OP_IMM : OP_MOVE;
	op->dst = plain(w, 0);
	op->src = plain(w, 16);
	op->size = w >> 31 || op->op == OP_IMM ? 8 : 4;
}

/* add and sub of two registers: three operands are an address. */
static void describe_sum(uint32_t w, struct operation *op)
{
	unsigned shift = a64_bits(w, 10, 6);

	if ((w & 0xffe00000) == 0x8b000000 && shift <= 3) {
		op->op = OP_LEA;
		op->dst = plain(w, 0);
		op->base = plain(w, 5);
		op->index = plain(w, 16);
		op->scale = 1 << shift;
		op->size = 8;
	} else if ((w & 0xff20fc00) == 0xcb000000 && plain(w, 5) >= 0) {
		op->op = OP_SUB;
		op->dst = plain(w, 0);
		op->index = plain(w, 5);
		op->src = plain(w, 16);
		op->size = 8;
	}
}

/* add of a register and a part of another one, which is extended and shifted. */
static void describe_extended(uint32_t w, struct operation *op)
{
	unsigned extend = a64_bits(w, 13, 3), shift = a64_bits(w, 10, 3);

	if (!(w >> 31) || a64_bits(w, 29, 2) || a64_bits(w, 22, 2) || shift > 3)
		return;
	op->op = OP_ADD_EXTENDED;
	op->dst = (int)a64_bits(w, 0, 5);
	op->base = (int)a64_bits(w, 5, 5);
	op->index = plain(w, 16);
	op->scale = 1 << shift;
	op->size = (uint8_t)(1u << (extend & 3));
	op->sext = extend >> 2;
}

static void describe_select(uint32_t w, struct operation *op)
{
	op->op = OP_SELECT;
	op->dst = plain(w, 0);
	op->src = plain(w, 5);
	op->index = plain(w, 16);
	op->size = 8;
	if (op->index < 0)
		op->op = OP_OTHER;
}

static void describe_branch(uint32_t w, struct operation *op)
{
	enum { HS = 2, LO, HI = 8, LS };
	unsigned cond = a64_bits(w, 0, 4);

	if (cond == HS || cond == HI)
		op->op = OP_BRANCH_ABOVE;
	else if (cond == LO || cond == LS)
		op->op = OP_BRANCH_UP_TO;
	else
		return;
	op->imm = cond == HS || cond == LO;
}

/* ldr and str of general registers by a constant or a register. */
static void describe_memory(uint32_t w, struct operation *op)
{
	unsigned size = w >> 30, load = a64_bits(w, 22, 2);
	bool constant = a64_bits(w, 24, 1), index = (w & 0x3f200c00) == 0x38200800;

	if (size == 3 && load == 2)
		return;
	if (!constant && !index)
		return;
	op->op = load ? OP_LOAD : OP_STORE;
	op->base = (int)a64_bits(w, 5, 5);
	op->size = (uint8_t)(1u << size);
	op->sext = load >= 2;
	if (load == 3) {
		*op = other; /* sign-extended to 32 bits */
		return;
	}
	if (!load && plain(w, 0) < 0)
		op->op = OP_STORE_IMM;
	*(load ? &op->dst : &op->src) = plain(w, 0);
	op->index_size = constant || w >> 13 & 1 ? 8 : 4;
	if (constant)
		op->disp = (int64_t)a64_bits(w, 10, 12) << size;
	else
		op->index = plain(w, 16), op->scale = w >> 12 & 1 ? 1 << size : 1;
}

/* ldp and stp; -1 as the register that is loaded stands for both. */
static void describe_pair(uint32_t w, struct operation *op)
{
	bool load = a64_bits(w, 22, 1);

	if (w >> 30 != 2 || a64_bits(w, 26, 1))
		return;
	op->op = load ? OP_LOAD : OP_STORE_PAIR;
	op->base = (int)a64_bits(w, 5, 5);
	op->disp = a64_bits(w, 23, 1) && !a64_bits(w, 24, 1) ? 0 : a64_signed(w, 15, 7) * 8;
	op->size = 8;
	op->src = load ? -1 : plain(w, 0);
	op->index = load ? -1 : plain(w, 10);
}

static void describe_move(uint32_t w, struct operation *op)
{
	unsigned shift = a64_bits(w, 21, 2) * 16;
	uint64_t n = (uint64_t)a64_bits(w, 5, 16) << shift;

	if (a64_bits(w, 29, 2) == 3)
		return;
	n = a64_bits(w, 29, 2) ? n : ~n;
	op->op = OP_IMM;
	op->dst = plain(w, 0);
	op->imm = (int64_t)(w >> 31 ? n : (uint32_t)n);
	op->size = 8;
}

static void describe_control(uint32_t w, struct operation *op)
{
	if ((w & 0xffbffc1f) == 0xd61f0000 && w != 0xd65f03c0)
		op->op = OP_JUMP_REG;
	else if ((w & 0xfffffc1f) == 0xd63f0000)
		op->op = OP_CALL_REG;
	else
		return;
	op->src = plain(w, 5);
	op->size = 8;
}

/*
 * Loads and stores of one register by a constant, and of two (Arm ARM, C4.1.94): of 32, 64 and 128
 * bits the pairs, of 1 to 16 bytes the others.
 */
bool a64_frame_access(const uint8_t *p, const struct insn *in, int64_t *at, unsigned *size,
	bool *store)
{
	uint32_t w = get_u32(p);
	bool vector = a64_bits(w, 26, 1), unscaled = (w & 0x3b200c00) == 0x38000000;
	unsigned scale = w >> 30;

	(void)in;
	if (a64_bits(w, 5, 5) != A64_SP)
		return false;
	if ((w & 0x3a000000) == 0x28000000) {
		scale = vector ? scale + 2 : scale & 2 ? 3 : 2;
		*size = 2u << scale;
		*at = a64_signed(w, 15, 7) * (1 << scale);
		*store = !a64_bits(w, 22, 1);
		return (w >> 23 & 3) == 2 || (w >> 23 & 3) == 0;
	}
	if ((w & 0x3b000000) != 0x39000000 && !unscaled)
		return false;
	scale |= vector && w >> 23 & 1 ? 4 : 0;
	*size = 1u << scale;
	*at = unscaled ? a64_signed(w, 12, 9) : (int64_t)a64_bits(w, 10, 12) << scale;
	*store = !a64_bits(w, 22, 2) || (vector && a64_bits(w, 22, 2) == 2);
	return true;
}

/*
 * All loads and stores but those from literals, with any base register, also with write-back. Those
 * of several vectors, exclusive and atomic ones are at the base register (C4.1.94); cpy and set
 * have two.
 */
bool a64_zone(const uint8_t *p, const struct insn *in, struct zone *a)
{
	uint32_t w = get_u32(p);
	unsigned scale = w >> 30, vector = a64_bits(w, 26, 1);

	(void)in;
	*a = (struct zone){.base = (int)a64_bits(w, 5, 5), .index = -1, .size = 64};
	if ((w & 0x0a000000) != 0x08000000 || (w & 0x3b000000) == 0x18000000)
		return false;
	if ((w & 0x3a000000) == 0x28000000) {
		scale = vector ? scale + 2 : scale & 2 ? 3 : 2;
		a->at = a64_bits(w, 23, 2) == 1 ? 0 : a64_signed(w, 15, 7) * (1 << scale);
		a->size = (uint8_t)(2u << scale);
	} else if ((w & 0x3a000000) == 0x38000000) {
		bool constant = a64_bits(w, 24, 1), atomic = !a64_bits(w, 10, 2);
		scale |= vector && a64_bits(w, 23, 1) ? 4 : 0;
		a->size = (uint8_t)(1u << scale);
		if (constant)
			a->at = (int64_t)a64_bits(w, 10, 12) << scale;
		else if (!a64_bits(w, 21, 1))
			a->at = a64_bits(w, 10, 2) == 1 ? 0 : a64_signed(w, 12, 9);
		else if (a64_bits(w, 10, 2) == 2)
			a->index = plain(w, 16);
		else if (!atomic)
			a->far = true; /* ldraa, ldrab */
	} else if ((w & 0x3b000000) == 0x19000000) {
		bool block = a64_bits(w, 10, 2) == 1 && !a64_bits(w, 21, 1); /* cpy, set */
		a->far = true;
		a->base = block ? plain(w, 16) : a->base;
		a->index = block ? plain(w, 0) : -1;
	}
	return true;
}

/* The value of the bits that an instruction with an immediate bit mask has; 0: not known. */
static uint64_t bit_mask(uint32_t w)
{
	unsigned ones = a64_bits(w, 10, 6) + 1, rotate = a64_bits(w, 16, 6);

	/* one run of bits from bit 0 on, not repeated */
	return rotate || a64_bits(w, 22, 1) != w >> 31 || ones > (w >> 31 ? 63 : 31)
		? 0
		: ((uint64_t)1 << ones) - 1;
}

/* The largest result of ubfm: lsr, ubfx, ubfiz, lsl, uxtb, uxth. */
static uint64_t field_max(uint32_t w)
{
	unsigned rotate = a64_bits(w, 16, 6), last = a64_bits(w, 10, 6), width = w >> 31 ? 64 : 32;
	unsigned bits = last >= rotate ? last - rotate + 1 : last + 1,
		 at = last >= rotate ? 0 : width - rotate;

	return bits + at >= 64 ? UINT64_MAX : (((uint64_t)1 << bits) - 1) << at;
}

/*
 * The largest result of instruction w, or 0; one of 32 bits or less is zero-extended to 64.
 */
static uint64_t max_result(uint32_t w)
{
	bool data = (w & 0x1c000000) == 0x10000000 ? (w & 0x1f000000) != 0x10000000
						   : (w & 0x0e000000) == 0x0a000000;
	bool load = (w & 0x3f000000) == 0x39000000 || (w & 0x3f200c00) == 0x38000000 ||
		(w & 0x3f200c00) == 0x38200800;
	uint64_t max = 0;

	if ((w & 0x7f800000) == 0x53000000)
		max = field_max(w);
	else if ((w & 0x1f800000) == 0x12000000 && (w >> 29 & 3) % 3 == 0)
		max = bit_mask(w);
	else if (load && a64_bits(w, 22, 2) == 1 && w >> 30 < 3)
		max = UINT32_MAX >> (32 - (8u << (w >> 30)));
	if (data && !(w >> 31) && !max)
		max = UINT32_MAX;
	return max == UINT64_MAX ? 0 : max;
}

/* Loads and stores that add a constant to their base register, before or behind the access. */
static void describe_moves(uint32_t w, struct operation *op)
{
	bool pair = (w & 0x3a800000) == 0x28800000, one = (w & 0x3b200400) == 0x38000400;
	unsigned scale = a64_bits(w, 26, 1) ? w >> 30 : w >> 31;

	if (!pair && !one)
		return;
	op->base = (int)a64_bits(w, 5, 5);
	op->moves = (int16_t)(one ? a64_signed(w, 12, 9) : a64_signed(w, 15, 7) * (4 << scale));
}

/* and of a register with ones from bit 0 on. */
static void describe_mask(uint32_t w, struct operation *op)
{
	uint64_t mask = a64_bits(w, 29, 2) ? 0 : bit_mask(w);

	if (!mask || mask > INT32_MAX || plain(w, 5) < 0)
		return;
	op->op = OP_AND_IMM;
	op->dst = (int)a64_bits(w, 0, 5);
	op->src = plain(w, 5);
	op->imm = (int64_t)mask;
	op->size = 8;
}

void a64_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op)
{
	uint32_t w = get_u32(p);

	(void)d;
	(void)in;
	*op = other;
	if ((w & 0x3a000000) == 0x28000000) {
		describe_pair(w, op);
		describe_moves(w, op);
		return;
	}
	if ((w & 0xff000010) == 0x54000000) {
		describe_branch(w, op);
		return;
	}
	if ((w & 0x1f000000) == 0x10000000)
		describe_adr(w, op);
	else if ((w & 0x1f800000) == 0x11000000)
		describe_add(w, op);
	else if ((w & 0x1f800000) == 0x12800000)
		describe_move(w, op);
	else if ((w & 0x1f800000) == 0x12000000)
		describe_mask(w, op);
	else if ((w & 0x1f000000) == 0x0a000000)
		describe_logical(w, op);
	else if ((w & 0x1f200000) == 0x0b000000)
		describe_sum(w, op);
	else if ((w & 0x1f200000) == 0x0b200000)
		describe_extended(w, op);
	else if ((w & 0xffe00c00) == 0x9a800000)
		describe_select(w, op);
	else if ((w & 0x3b000000) == 0x39000000 || (w & 0x3b000000) == 0x38000000)
		describe_memory(w & ~0x04000000u, op);
	else if (w >> 25 == 0x6b)
		describe_control(w, op);
	/* SIMD registers have the same numbers */
	if (w & 0x04000000 && (w & 0x3a000000) == 0x38000000)
		*op = other;
	/* the zero register is none of those that are followed */
	if (op->op != OP_STORE && op->op != OP_STORE_IMM && op->op != OP_JUMP_REG &&
		op->op != OP_CALL_REG && op->dst < 0)
		*op = other;
	if ((op->op == OP_MOVE || op->op == OP_SUB || op->op == OP_SELECT) && op->src < 0)
		*op = other;
	op->max = max_result(w);
	describe_moves(w, op);
}
