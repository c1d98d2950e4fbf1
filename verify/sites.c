/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.c - inserted code, by the instruction behind it
 */
#include "verify/sites.h"

const struct vcount *counted(const struct verify *v, int64_t counter)
{
	static const struct vcount nothing;
	uint64_t i = (uint64_t)counter / v->cell;
	return i < v->count.n ? &v->count.v[i] : &nothing;
}

const struct vcount *site_count(const struct verify *v, const struct vsite *s)
{
	if (s->pattern->call)
		return &v->asked.v[s->counter];
	return s->pattern->kind == PATTERN_COUNT ? counted(v, s->counter) : NULL;
}

uint32_t before_padding(const struct verify *v, const struct vtext *t, uint32_t k)
{
	while (k > t->first && is_padding(&v->insn.v[k - 1]))
		k--;
	return k;
}

uint32_t behind_padding(const struct verify *v, const struct vtext *t, uint32_t k)
{
	while (k < t->first + t->n && is_padding(&v->insn.v[k]))
		k++;
	return k;
}

const struct vsite *first_site(const struct verify *v, uint32_t text, uint32_t k)
{
	const struct vsite *s = v->site.v;
	size_t i;
	BISECT(i, 0, v->site.n, s[i].text < text || (s[i].text == text && s[i].insn < k));
	return s + i;
}

bool falls_in(const struct verify *v, const struct vtext *t, uint32_t k)
{
	k = before_padding(v, t, k);
	if (k == t->first)
		return false;
	uint8_t kind = v->insn.v[k - 1].kind;
	return kind != INSN_JUMP && kind != INSN_JUMP_IND && kind != INSN_RET &&
		kind != INSN_TRAP && kind != KIND_RAW;
}
