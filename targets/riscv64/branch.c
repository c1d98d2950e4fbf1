/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - pc-relative fields, and branches of changing length
 *
 * A compressed branch that does not reach becomes the one that it stands for, and a conditional one
 * that does not reach is inverted over a jump:
 *
 *		beqz a0, target		bnez a0, 1f
 *					j target
 *				1:
 *
 * hazard: jump beyond 1 MB.  Where t1 is dead, or a call sets the register anyway, it becomes two:
 *
 *		j target		auipc t1, target
 *					jr t1, target
 *
 * hazard: branch without relocation.  Assemblers keep a relocation for each branch to a label, but
 * none for one that they have inverted themselves.
 */
#include "targets/riscv64/riscv64.h"

#include <elf.h>

enum { PAIR = 8, LONG = 8, FAR_JUMP = PAIR, FAR_BRANCH = 4 + PAIR };

static enum rv_form form_of(const struct insn *in, unsigned len)
{
	if (in->kind == INSN_BRANCH)
		return len == 2 ? RV_FORM_CB : RV_FORM_B;
	return len == 2 ? RV_FORM_CJ : RV_FORM_J;
}

static bool reaches(const struct insn *in, unsigned len, int64_t dist)
{
	return len == PAIR || rv_reaches(form_of(in, len), dist);
}

static bool is_operand(const struct insn *in)
{
	return in->flags & INSN_OPERAND_PC;
}

unsigned rv_far_len(const struct insn *in, regset *changes)
{
	*changes = in->kind == INSN_CALL ? 0 : REG_BIT(RV_T1);
	if (!in->pc_size || is_operand(in) || in->len == PAIR)
		return 0;
	return in->kind == INSN_BRANCH ? FAR_BRANCH : FAR_JUMP;
}

/* Does it reach its target by auipc and jalr, unlike the original? */
static bool is_far(const struct insn *in, unsigned len)
{
	regset changes;

	return len == rv_far_len(in, &changes);
}

unsigned rv_branch_len(const struct insn *in, int64_t dist, unsigned now)
{
	unsigned len = now > in->len ? now : in->len;
	unsigned longest = in->len == PAIR || in->kind == INSN_BRANCH ? LONG : 4;

	if (is_operand(in))
		return in->len;
	while (len < longest && !reaches(in, len, dist))
		len *= 2;
	return len;
}

/* Is it a conditional branch over a jump? */
static bool is_long(const struct insn *in, unsigned len)
{
	return in->kind == INSN_BRANCH && len == LONG;
}

uint32_t rv_branch_reloc(const struct insn *in, unsigned len)
{
	if (in->len == PAIR || is_far(in, len))
		return R_RISCV_CALL_PLT;
	if (in->kind == INSN_BRANCH && len < LONG)
		return len == 2 ? R_RISCV_RVC_BRANCH : R_RISCV_BRANCH;
	return len == 2 ? R_RISCV_RVC_JUMP : R_RISCV_JAL;
}

unsigned rv_field(const struct insn *in, unsigned len)
{
	return in->kind == INSN_BRANCH && len >= LONG ? 4 : 0;
}

/* auipc has a relocation or its low half behind it, or nobody knows what it names. */
int64_t rv_distance(const struct insn *in, const uint8_t *p, unsigned len)
{
	if (is_operand(in) && len != PAIR)
		return INT64_MAX / 2;
	if (is_long(in, len))
		return rv_distance_in(get_u32(p + 4), RV_FORM_J) + 4;
	if (len == PAIR || is_far(in, len)) {
		p += rv_field(in, len);
		return rv_field(in, len) + (int64_t)(int32_t)(get_u32(p) & 0xfffff000) +
			rv_imm(get_u32(p + 4));
	}
	return rv_distance_in(get_u32(p) & (len == 2 ? 0xffff : UINT32_MAX), form_of(in, len));
}

static void put_pair(const uint8_t *p, int64_t dist, uint8_t *out)
{
	put_u32(out, (get_u32(p) & 0xfff) | ((uint32_t)(dist + 0x800) & 0xfffff000));
	put_u32(out + 4, (get_u32(p + 4) & 0xfffff) | (uint32_t)dist << 20);
}

/* The jump or branch w as a pair. */
static void put_far(const struct insn *in, uint32_t w, int64_t dist, uint8_t *out)
{
	unsigned link = in->kind == INSN_CALL ? rv_rd(w) : RV_ZERO, reg = link ? link : RV_T1;
	uint8_t pair[PAIR];

	if (in->kind == INSN_BRANCH) {
		put_u32(out, rv_with_distance(w ^ 1u << 12, RV_FORM_B, FAR_BRANCH));
		out += 4;
		dist -= 4;
	}
	put_u32(pair, RV_AUIPC | reg << 7);
	put_u32(pair + 4, RV_JALR | link << 7 | reg << 15);
	put_pair(pair, dist, out);
}

static bool pair_reaches(int64_t dist)
{
	return dist + 0x800 == (int32_t)(dist + 0x800);
}

static void put_long(uint32_t w, int64_t dist, uint8_t *out)
{
	put_u32(out, rv_with_distance(w ^ 1u << 12, RV_FORM_B, LONG));
	put_u32(out + 4, rv_with_distance(RV_JAL, RV_FORM_J, dist - 4));
}

bool rv_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out)
{
	uint32_t w;

	if (!in->pc_size || (is_operand(in) && in->len != PAIR) || len < in->len)
		return false;
	if (in->len == PAIR) {
		put_pair(p, dist, out);
		return pair_reaches(dist);
	}
	if (is_far(in, len)) {
		put_far(in, rv_word(p), dist, out);
		return pair_reaches(dist - rv_field(in, len));
	}
	if (is_long(in, len)) {
		put_long(rv_word(p), dist, out);
		return rv_reaches(RV_FORM_J, dist - 4);
	}
	if (len == 2) {
		w = rv_with_distance(p[0] | (uint32_t)p[1] << 8, form_of(in, len), dist);
		out[0] = (uint8_t)w;
		out[1] = (uint8_t)(w >> 8);
	} else {
		put_u32(out, rv_with_distance(rv_word(p), form_of(in, len), dist));
	}
	return (len == 2 || len == 4) && reaches(in, len, dist);
}

bool rv_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q)
{
	uint32_t a = rv_is_compressed(p) ? p[0] | (uint32_t)p[1] << 8 : get_u32(p);
	uint32_t b = rv_is_compressed(q) ? q[0] | (uint32_t)q[1] << 8 : get_u32(q);

	if (rv_is_compressed(p) != rv_is_compressed(q))
		return false;
	if (in->len == PAIR)
		return !((a ^ b) & 0xfff) && !((get_u32(p + 4) ^ get_u32(q + 4)) & 0xfffff);
	if (is_operand(in))
		return !((a ^ b) & 0xfff);
	return !((a ^ b) & ~rv_distance_mask(form_of(in, in->len)));
}

void rv_nops(uint8_t *out, size_t n)
{
	if (n % 2)
		bug("no-ops of %zu bytes", n);
	for (; n >= 4; n -= 4, out += 4)
		put_u32(out, RV_NOP);
	if (n) {
		out[0] = RV_C_NOP;
		out[1] = 0;
	}
}

/* Linkers rewrite each instruction by its own relocation. */
bool rv_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second)
{
	(void)o;
	(void)s;
	(void)first;
	(void)second;
	return false;
}
