/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pads.c - see pads.h
 *
 * hazard: landing pad in another section.  The cold part of a function, or each of its blocks, is
 * in a section of its own, and its pads are: what catches there returns to the function's callers.
 */
#include "cfg/pads.h"

void pad_add(struct cfg *g, uint32_t sec, uint64_t off, uint32_t pad_sec, uint64_t pad)
{
	vec_push(&g->pad, (struct pad){.sec = sec, .off = off, .pad_sec = pad_sec, .pad_off = pad});
}

static uint32_t func_at(const struct cfg *g, uint32_t sec, uint64_t off)
{
	const struct code_section *c = cfg_section(g, sec);
	return c && off < c->sec->size ? cfg_func_at(g, c, off) : NO_FUNC;
}

static int pad_cmp(const void *a, const void *b)
{
	const struct pad *x = a, *y = b;
	if (x->func != y->func)
		return x->func < y->func ? -1 : 1;
	return (x->pad_func > y->pad_func) - (x->pad_func < y->pad_func);
}

void pads_resolve(struct cfg *g)
{
	struct pad *p = g->pad.v;
	size_t n = 0;
	for (size_t i = 0; i < g->pad.n; i++) {
		p[i].func = func_at(g, p[i].sec, p[i].off);
		p[i].pad_func = func_at(g, p[i].pad_sec, p[i].pad_off);
		if (p[i].func != NO_FUNC && p[i].pad_func != NO_FUNC)
			p[n++] = p[i];
	}
	if (n)
		sort(p, n, sizeof *p, pad_cmp);
	g->pad.n = 0;
	for (size_t i = 0; i < n; i++)
		if (!g->pad.n || pad_cmp(&p[g->pad.n - 1], &p[i]) != 0)
			p[g->pad.n++] = p[i];
}

size_t pads_of(const struct cfg *g, uint32_t f, size_t *first)
{
	const struct pad *p = g->pad.v;
	size_t end;
	BISECT(*first, 0, g->pad.n, p[*first].func < f);
	BISECT(end, *first, g->pad.n, p[end].func <= f);
	return end;
}
