/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extent.c - where a jump table without relocations ends, if no code bounds its index
 *
 * Compilers leave the compare out if they know that the index has an entry: x % n, enumerations,
 * __builtin_unreachable() as the default.  All that the index may be leads to instructions of the
 * function, so the table ends at the first entry that does not, or where another thing certainly
 * begins: a symbol, or another table.  What lies in between, such as padding, is taken for more
 * entries: their labels only make blocks smaller.
 *
 * hazard: array behind a table.  Code may refer to array - n, inside the table: such an address
 * does not end a table.  But if the table ends at no certain place, one must be between the two.
 */
#include "cfg/regions.h"
#include "cfg/scaled.h"
#include "cfg/tables.h"

#include <stdlib.h>

struct extents {
	const struct cfg *g;
	const struct marks *m;
	point_vec name;	 /* addresses in code, sorted */
	point_vec start; /* symbols and tables, sorted; only sec and off are set */
};

static int place_cmp(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

static bool is_data(const struct cfg *g, uint32_t sec)
{
	return sec && sec < g->obj->sec.n && !g->text_of[sec];
}

struct extents *extents_find(const struct cfg *g, const struct marks *m,
	const struct scaled_table *found, size_t n)
{
	struct extents *x = arena_new(g->arena, struct extents);
	*x = (struct extents){.g = g, .m = m};
	collect_points(g, &x->name);
	for (size_t k = 0; k < n; k++)
		vec_push(&x->start, (struct point){.sec = found[k].sec, .off = found[k].off});
	for (size_t i = 1; i < g->obj->sym.n; i++) {
		const struct symbol *s = &g->obj->sym.v[i];
		if (is_data(g, s->sec) && symbol_type(s) != STT_SECTION && s->name[0] != '$')
			vec_push(&x->start, (struct point){.sec = s->sec, .off = s->value});
	}
	if (x->start.n)
		sort(x->start.v, x->start.n, sizeof *x->start.v, place_cmp);
	return x;
}

/* The first of the places behind off of section sec; UINT64_MAX: there is none. */
static uint64_t next_place(const struct point *p, size_t n, uint32_t sec, uint64_t off)
{
	size_t k;
	BISECT(k, 0, n, p[k].sec < sec || (p[k].sec == sec && p[k].off <= off));
	return k < n && p[k].sec == sec ? p[k].off : UINT64_MAX;
}

void function_around(const struct cfg *g, const struct marks *m, uint32_t text, uint64_t off,
	uint64_t *from, uint64_t *to)
{
	const struct mark *v = m->v.v;
	size_t first = m->first[text], k;
	uint64_t all = g->text.v[text].sec->size;
	*from = *to = 0;
	BISECT(k, first, m->first[text + 1], v[k].off <= off);
	while (k-- > first && (!*to || v[k].off == *from))
		if (v[k].rank >= RANK_FUNC && v[k].end > off) {
			*from = v[k].off;
			*to = v[k].end > *to ? v[k].end : *to;
		}
	*to = *to ? *to : all;
}

bool extents_close(const struct extents *x, struct scaled_table *t, uint32_t most)
{
	const struct section *s = &x->g->obj->sec.v[t->sec];
	uint64_t end = next_place(x->start.v, x->start.n, t->sec, t->off), from, to;
	end = end < s->size ? end : s->size;
	function_around(x->g, x->m, t->text, x->g->insn.v[t->insn[SCALED_JUMP]].off, &from, &to);
	for (t->n = 0; t->n < most && t->off + (uint64_t)(t->n + 1) * t->size <= end; t->n++)
		if (!scaled_leads_into(x->g, t, t->n, from, to))
			break;
	uint64_t stop = t->off + (uint64_t)t->n * t->size;
	bool named = next_place(x->name.v, x->name.n, t->sec, t->off) <= stop;
	t->closed = t->n && (stop + t->size > end || (t->n < most && named));
	return t->n && (t->closed || t->n == most);
}

void extents_free(struct extents *x)
{
	vec_free(&x->name);
	vec_free(&x->start);
}
