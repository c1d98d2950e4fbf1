/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs.c - functions of one section in another order
 *
 * Symbols keep their numbers, so they give each function's new place.  If those of a section are
 * in another order, the old code is divided at functions into runs that keep their order.  Symbols
 * are not trusted here: aligning the runs checks them.  The runs fill the new section, and control
 * never falls into a run.
 */
#include "verify/flow.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/sites.h"

#include <stdlib.h>

/* A function's symbol, at old offset x and new offset y. */
struct start {
	uint32_t text;
	uint64_t x, y;
	uint32_t *rank; /* index in the new order */
};
typedef VEC(struct start) start_vec;

static int by_old(const void *a, const void *b)
{
	const struct start *p = a, *q = b;
	if (p->text != q->text)
		return p->text < q->text ? -1 : 1;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->y < q->y ? -1 : p->y > q->y;
}

static int by_new(const void *a, const void *b)
{
	const struct start *p = a, *q = b;
	if (p->y != q->y)
		return p->y < q->y ? -1 : 1;
	return p->x < q->x ? -1 : p->x > q->x;
}

static void find_starts(const struct verify *v, start_vec *all)
{
	for (size_t i = 1; i < v->a->sym.n && i < v->b->sym.n; i++) {
		const struct symbol *s = &v->a->sym.v[i], *n = &v->b->sym.v[i];
		const struct vtext *t = text_at(v, s->sec);
		unsigned type = symbol_type(s);
		if (t && (type == STT_FUNC || type == STT_GNU_IFUNC) && s->value < t->a->size &&
			n->sec == t->b->index && n->value < t->b->size)
			vec_push(all,
				(struct start){.text = (uint32_t)(t - v->text.v),
					.x = s->value,
					.y = n->value});
	}
	sort(all->v, all->n, sizeof *all->v, by_old);
}

/* Keep one start for each place, of a text's from[0 .. n). */
static size_t drop_aliases(struct start *from, size_t n)
{
	size_t kept = 1;
	for (size_t i = 1; i < n; i++)
		if (from[i].x != from[kept - 1].x)
			from[kept++] = from[i];
	return kept;
}

static bool in_order(const struct start *s, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (s[i].y < s[i - 1].y)
			return false;
	return true;
}

/* May a run begin at instruction k: control does not fall into it? */
static bool is_apart(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint32_t before = before_padding(v, t, k);
	if (before == t->first)
		return true;
	uint8_t kind = v->insn.v[before - 1].kind;
	if (kind == INSN_CALL || kind == INSN_CALL_IND)
		return ends_function(v, t, before - 1);
	return kind != KIND_RAW && !falls_in(v, t, k);
}

static int run_cmp(const void *a, const void *b)
{
	const struct vrun *const *p = a, *const *q = b;
	return (*p)->start < (*q)->start ? -1 : (*p)->start > (*q)->start;
}

/* Sort the runs by new offset.  False: the first does not begin, or the last end, the section. */
static bool order_runs(struct verify *v, struct vtext *t)
{
	t->order = arena_array(&v->arena, struct vrun *, t->nrun);
	for (uint32_t i = 0; i < t->nrun; i++)
		t->order[i] = &t->run[i];
	sort(t->order, t->nrun, sizeof *t->order, run_cmp);
	for (uint32_t i = 0; i < t->nrun; i++)
		t->order[i]->stop = i + 1 < t->nrun ? t->order[i + 1]->start : (uint32_t)t->b->size;
	/* references to the section's start and end must stay valid */
	return !t->order[0]->start && t->order[t->nrun - 1] == &t->run[t->nrun - 1];
}

/* Divide the text into runs.  False: control may fall into one of them. */
static bool cut(struct verify *v, struct vtext *t, const struct start *s, size_t n)
{
	uint32_t k = t->first;
	for (size_t i = 0; i < n; i++) {
		if (i && *s[i].rank == *s[i - 1].rank + 1)
			continue;
		k = insn_at(v, t, s[i].x);
		if (i && (v->insn.v[k].off != s[i].x || !is_apart(v, t, k)))
			return false;
		t->run[t->nrun++] = (struct vrun){.first = i ? k : t->first,
			.start = i || !s[i].x ? (uint32_t)s[i].y : 0};
	}
	return true;
}

static bool find_runs(struct verify *v, struct vtext *t, struct start *s, size_t n)
{
	struct start *new = malloc(array_bytes(n, sizeof *new));
	uint32_t *rank = malloc(array_bytes(n, sizeof *rank));
	if (!new || !rank)
		fatal("out of memory");
	for (size_t i = 0; i < n; i++)
		s[i].rank = &rank[i];
	memcpy(new, s, n * sizeof *new);
	sort(new, n, sizeof *new, by_new);
	for (size_t i = 0; i < n; i++)
		*new[i].rank = (uint32_t)i;
	t->run = arena_array(&v->arena, struct vrun, n);
	t->nrun = 0;
	bool good = cut(v, t, s, n);
	free(new);
	free(rank);
	return good && order_runs(v, t);
}

static void one_run(struct verify *v, struct vtext *t)
{
	t->nrun = 1;
	t->run = arena_new(&v->arena, struct vrun);
	t->run->first = t->first;
	order_runs(v, t);
}

void verify_runs(struct verify *v)
{
	start_vec all = {0};
	find_starts(v, &all);
	for (size_t i = 0; i < v->text.n; i++)
		one_run(v, &v->text.v[i]);
	for (size_t i = 0, k; i < all.n; i = k) {
		struct vtext *t = &v->text.v[all.v[i].text];
		for (k = i + 1; k < all.n && all.v[k].text == all.v[i].text; k++)
			;
		size_t n = drop_aliases(all.v + i, k - i);
		if (!in_order(all.v + i, n) && !find_runs(v, t, all.v + i, n))
			one_run(v, t);
	}
	vec_free(&all);
}
