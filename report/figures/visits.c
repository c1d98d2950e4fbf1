/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visits.c - how often control came to some of a function's blocks; see visits.h
 *
 * Loops are found by a depth-first walk from the blocks where control enters the set: each loop has
 * an edge back to a block on the walk's path.
 */
#include "report/figures/visits.h"

#include "base/base.h"

#include <stdlib.h>

/* An edge with both ends in the function, blocks numbered from 0. */
struct branch {
	size_t from, to;
	uint64_t count;
	bool known;
};

struct step {
	size_t block, branch; /* the next one to follow */
};

struct visits {
	const struct program *p;
	const struct map_func *f;
	VEC(struct branch) branch; /* by from */
	VEC(size_t) first;	   /* by block: its first edge out; one more behind the last */
	VEC(uint64_t) set, seen; /* by block: the last query with it in the set; that visited it */
	VEC(bool) open;		 /* by block: it is on the path of the walk */
	VEC(uint64_t) entered;	 /* by block: its count minus that of edges from the set */
	VEC(struct step) walk;
	uint64_t query;
	bool unknown; /* the count of an edge within the set is not known */
};

struct visits *visits_new(void)
{
	return NEW_ARRAY(struct visits, 1);
}

static int compare_branches(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* The block whose call returns to block b; b: there is none. */
static size_t find_call(const struct visits *v, size_t b)
{
	const struct map_block *block = v->p->map.block + v->f->block;
	if (!b || block[b].flags & LDX_BLOCK_ENTRY)
		return b;
	const struct map_block *c = &block[b - 1];
	return c->flags & LDX_BLOCK_CALL && c->offset + c->length == block[b].offset ? b - 1 : b;
}

/* A call that may not return is an edge out and an edge in: join them to one from the call. */
static void add_branch(struct visits *v, const struct map_edge *e)
{
	struct branch w = {.to = e->to - 1, .known = edge_count(v->p, e, &w.count)};
	if (!e->to)
		return;
	w.from = e->from ? e->from - 1 : find_call(v, w.to);
	if (e->from || w.from != w.to)
		vec_push(&v->branch, w);
}

/* Blocks are in the order of their offsets. */
static void index_branches(struct visits *v)
{
	size_t k = 0;
	if (v->branch.n)
		qsort(v->branch.v, v->branch.n, sizeof *v->branch.v, compare_branches);
	v->first.n = 0;
	for (size_t b = 0; b <= v->f->nblocks; b++) {
		while (k < v->branch.n && v->branch.v[k].from < b)
			k++;
		vec_push(&v->first, k);
	}
}

void visits_begin(struct visits *v, const struct program *p, const struct map_func *f)
{
	v->p = p;
	v->f = f;
	v->branch.n = 0;
	for (size_t e = f->edge; e < f->edge + f->nedges && !map_has_marks(&p->map); e++)
		add_branch(v, &p->map.edge[e]);
	index_branches(v);
	while (v->set.n < f->nblocks) {
		vec_push(&v->set, 0);
		vec_push(&v->seen, 0);
		vec_push(&v->open, false);
		vec_push(&v->entered, 0);
	}
}

/* If edges from the set have more counts than the block, a process was killed in between. */
static void leave(struct visits *v, size_t block)
{
	for (size_t k = v->first.v[block]; k < v->first.v[block + 1]; k++) {
		const struct branch *w = &v->branch.v[k];
		uint64_t *in = &v->entered.v[w->to];
		if (v->set.v[w->to] != v->query)
			continue;
		v->unknown |= !w->known;
		*in = *in > w->count ? *in - w->count : 0;
	}
}

static void step_to(struct visits *v, size_t block)
{
	v->seen.v[block] = v->query;
	v->open.v[block] = true;
	vec_push(&v->walk, (struct step){block, v->first.v[block]});
}

/* Walk through the set from block on; returns the sum of the back edges. */
static uint64_t walk_from(struct visits *v, size_t block)
{
	uint64_t back = 0;
	if (v->seen.v[block] == v->query)
		return 0;
	step_to(v, block);
	while (v->walk.n) {
		struct step *s = &v->walk.v[v->walk.n - 1];
		if (s->branch == v->first.v[s->block + 1]) {
			v->open.v[s->block] = false;
			v->walk.n--;
			continue;
		}
		const struct branch *w = &v->branch.v[s->branch++];
		if (v->set.v[w->to] != v->query)
			continue;
		if (v->seen.v[w->to] != v->query)
			step_to(v, w->to);
		else if (v->open.v[w->to])
			back = add_sat(back, w->count);
	}
	return back;
}

/* The greatest count; false: it is not known. */
static bool start_query(struct visits *v, const size_t *block, size_t n, uint64_t *most)
{
	bool known = true;
	*most = 0;
	v->query++;
	v->unknown = false;
	for (size_t i = 0; i < n; i++) {
		uint64_t *in = &v->entered.v[block[i]];
		known &= block_count(v->p, &v->p->map.block[v->f->block + block[i]], in);
		*most = *in > *most ? *in : *most;
		v->set.v[block[i]] = v->query;
	}
	return known || (*most && map_has_marks(&v->p->map));
}

bool visits_count(struct visits *v, const size_t *block, size_t n, uint64_t *count)
{
	uint64_t most, sum = 0;
	bool known = start_query(v, block, n, &most);
	for (size_t i = 0; i < n; i++)
		leave(v, block[i]);
	for (size_t i = 0; i < n; i++)
		sum = add_sat(sum, v->entered.v[block[i]]);
	for (int entered = 1; entered >= 0; entered--)
		for (size_t i = 0; i < n; i++)
			if (!entered || v->entered.v[block[i]])
				sum = add_sat(sum, walk_from(v, block[i]));
	*count = v->unknown || !v->f->nedges || map_has_marks(&v->p->map) || !sum ? most : sum;
	return known;
}
