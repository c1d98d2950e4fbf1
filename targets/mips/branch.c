/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - pc-relative fields
 *
 * Branches count words from their delay slot and reach 128 kB.  A conditional one to a place
 * farther away becomes the opposite one, with the delay slot, over a j; b and bal become j and jal.
 * These have relocations, or nobody knows where they lead.
 */
#include "targets/mips/mips.h"

static bool is_jump(uint32_t w)
{
	return w >> 27 == 1;
}

enum { J = 0x08000000, JAL = 0x0c000000, B_TO_END = 0x10000003, LONG = 16, LONG_LIKELY = 24 };

static bool reaches(int64_t dist)
{
	return dist - 4 >= INT16_MIN * 4 && dist - 4 <= INT16_MAX * 4;
}

/* The opposite branch.  bltz, bc1f: bit 16 says whether it branches. */
static uint32_t opposite(uint32_t w)
{
	return w ^ 1u << (w >> 26 == 1 || w >> 26 == 17 ? 16 : 26);
}

static unsigned long_len(const struct insn *in)
{
	return insn_is_likely(in) ? LONG_LIKELY : LONG;
}

unsigned mips_branch_len(const struct insn *in, int64_t dist, unsigned now)
{
	return in->kind == INSN_BRANCH && (now != in->len || !reaches(dist)) ? long_len(in)
									     : in->len;
}

unsigned mips_field(const struct insn *in, unsigned len)
{
	return len - in->len;
}

uint32_t mips_far_reloc(const struct insn *in, unsigned len, int64_t dist, unsigned *field)
{
	*field = mips_field(in, len);
	return len != in->len || !reaches(dist) ? R_MIPS_26 : 0;
}

int64_t mips_distance(const struct insn *in, const uint8_t *p, unsigned len)
{
	uint32_t w = mips_word(p);

	(void)in;
	(void)len;
	if (is_jump(w))
		return INT64_MAX / 2;
	return sign_extend(w & 0xffff, 16) * 4 + 4;
}

/* opposite 1f; slot; j label; nop; 1:, or likely 2f; slot; b 1f; nop; 2: j label; nop; 1: */
static void encode_long(const uint8_t *p, unsigned len, uint8_t *out)
{
	uint32_t w = mips_word(p);

	memset(out, 0, len);
	mips_put(out, ((len == LONG ? opposite(w) : w) & 0xffff0000) | 3);
	memcpy(out + 4, p + 4, 4);
	if (len == LONG_LIKELY)
		mips_put(out + 8, B_TO_END);
	mips_put(out + len - 8, J);
}

bool mips_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out)
{
	uint32_t w = mips_word(p);

	if (!in->pc_size || is_jump(w) || dist & 3)
		return false;
	if (len != in->len) {
		encode_long(p, len, out);
		return in->kind == INSN_BRANCH && len == long_len(in);
	}
	memcpy(out, p, len);
	if (reaches(dist))
		mips_put(out, (w & 0xffff0000) | (uint16_t)((dist - 4) / 4));
	else
		mips_put(out, in->kind == INSN_CALL ? JAL : J);
	return reaches(dist) || in->kind != INSN_BRANCH;
}

bool mips_same_but_field(const struct insn *in, const uint8_t *p, const uint8_t *q)
{
	uint32_t a = mips_word(p), b = mips_word(q), mask = is_jump(a) ? 0x3ffffff : 0xffff;

	return (a & ~mask) == (b & ~mask) && !memcmp(p + 4, q + 4, in->len - 4u);
}

void mips_nops(uint8_t *out, size_t n)
{
	if (n % 4)
		bug("no-ops of %zu bytes", n);
	memset(out, 0, n);
}

static const struct reloc *find_reloc(const struct section *s, uint64_t off)
{
	uint32_t i = section_first_reloc(s, off);
	return i < s->nrel && s->rel[i].off < off + 4 ? &s->rel[i] : NULL;
}

/*
 * The supplement's lui $gp,%hi(_gp_disp); addiu $gp,%lo(_gp_disp) makes the GOT's distance from the
 * address of the lui, which is in $t9 at a function's entry.
 */
bool mips_glued(const struct object *o, const struct section *s, const struct insn *first,
	const struct insn *second)
{
	const struct reloc *r = find_reloc(s, first->off), *low = find_reloc(s, second->off);

	return r && low && r->type == R_MIPS_HI16 && low->type == R_MIPS_LO16 &&
		!strcmp(o->sym.v[r->sym].name, "_gp_disp");
}

/* j and jal replace the low bits of the delay slot's address. */
uint64_t mips_leads_to(const struct insn *in, const uint8_t *p, uint64_t at)
{
	uint32_t w = mips_word(p);

	if (is_jump(w))
		return ((at + 4) & ~(uint64_t)0xfffffff) | (w & 0x3ffffff) << 2;
	return at + (uint64_t)mips_distance(in, p, in->len);
}

/* The linkers' stubs: lui $15, slot; lw or ld $25, slot($15); then, in any order, addiu and jr $25.
 */
uint64_t mips_leads_through(struct decoder *d, const uint8_t *p, size_t n, uint64_t at)
{
	const uint32_t LUI_15 = 0x3c0f0000, JR_25 = 0x03200008,
		       LW_25 = MIPS_WORD == 8 ? 0xddf90000 : 0x8df90000;

	(void)d;
	(void)at;
	if (n < 16 || (mips_word(p) & 0xffff0000) != LUI_15 ||
		(mips_word(p + 4) & 0xffff0000) != LW_25 ||
		(mips_word(p + 8) != JR_25 && mips_word(p + 12) != JR_25))
		return 0;
	return (uint32_t)((mips_word(p) << 16) + (uint32_t)(int16_t)mips_word(p + 4));
}
