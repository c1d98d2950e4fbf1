/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch.c - pc-relative fields
 *
 * Branches count words from their delay slot and reach 128 kB; those of j and jal have relocations,
 * or nobody knows where they lead.
 */
#include "targets/mips/mips.h"

static bool is_jump(uint32_t w)
{
	return w >> 27 == 1;
}

/* The distance fits, or the link fails: there is no longer form. */
unsigned mips_branch_len(const struct insn *in, int64_t dist, unsigned now)
{
	(void)dist;
	(void)now;
	return in->len;
}

unsigned mips_field(const struct insn *in, unsigned len)
{
	(void)in;
	(void)len;
	return 0;
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

bool mips_encode(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist, uint8_t *out)
{
	uint32_t w = mips_word(p);
	int64_t words = (dist - 4) / 4;

	if (!in->pc_size || len != in->len || is_jump(w) || dist & 3 || words < INT16_MIN ||
		words > INT16_MAX)
		return false;
	memcpy(out, p, len);
	mips_put(out, (w & 0xffff0000) | (uint16_t)words);
	return true;
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
