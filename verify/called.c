/* SPDX-License-Identifier: Apache-2.0 */
/*
 * called.c - functions whose entries are the calls that the map has counters of: see runtime/abi.h
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/places.h"

#include <stdlib.h>

static int called_cmp(const void *a, const void *b)
{
	const struct vcalled *x = a, *y = b;
	return (x->insn > y->insn) - (x->insn < y->insn);
}

static int number_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Is the counter that of a block which ends in a call of insn k? */
static bool counts_call(const struct verify *v, uint64_t number, uint32_t k)
{
	const struct vcount *c = number < v->count.n ? &v->count.v[number] : NULL;
	if (!c || c->kind != COUNTS_BLOCK)
		return false;
	uint32_t last = insn_at(v, &v->text.v[c->text], c->end - 1);
	const struct vbranch *b = branch_at(v, last);
	return v->insn.v[last].kind == INSN_CALL && b && b->target == k;
}

/* The start files, which are not in the object, call it. */
static bool is_main(const struct verify *v, const struct vtext *t, uint64_t off)
{
	bool found = false;
	for (const struct symbol *s = NULL; (s = next_name(v, t, off, s));)
		found |= !strcmp(s->name, "main");
	return found;
}

static bool falls_in(const struct flow *w, uint32_t part)
{
	return part && w->part.v[part - 1].text == w->part.v[part].text && falls_out(w, part - 1);
}

/* entries: branches and calls that lead to it. */
static bool is_called_only(const struct flow *w, struct vcalled *c, size_t entries)
{
	const struct verify *v = w->v;
	uint32_t part = part_of(w, c->insn);
	const struct vtext *t = &v->text.v[w->part.v[part].text];
	bool good = entries == c->counter.n && !bit_get(w->entry, c->insn) &&
		!bit_get(w->taken, c->insn) && !bit_get(w->open, c->insn) && !falls_in(w, part) &&
		!is_main(v, t, v->insn.v[c->insn].off);
	sort(c->counter.v, c->counter.n, sizeof *c->counter.v, number_cmp);
	for (size_t i = 0; i < c->counter.n && good; i++)
		good = counts_call(v, c->counter.v[i], c->insn) &&
			(!i || c->counter.v[i] != c->counter.v[i - 1]);
	return good;
}

static struct vcalled *find_called(struct verify *v, uint32_t k)
{
	size_t i;
	BISECT(i, 0, v->called.n, v->called.v[i].insn < k);
	return i < v->called.n && v->called.v[i].insn == k ? &v->called.v[i] : NULL;
}

void verify_called(const struct flow *w)
{
	struct verify *v = w->v;
	if (!v->called.n)
		return;
	sort(v->called.v, v->called.n, sizeof *v->called.v, called_cmp);
	size_t *entries = calloc(v->called.n, sizeof *entries);
	if (!entries)
		fatal("out of memory");
	for (size_t i = 0; i < v->branch.n; i++) {
		struct vcalled *c = find_called(v, v->branch.v[i].target);
		if (c)
			entries[c - v->called.v]++;
	}
	for (size_t i = 0; i < v->called.n; i++) {
		struct vcalled *c = &v->called.v[i];
		const struct vtext *t = &v->text.v[w->part.v[part_of(w, c->insn)].text];
		if (!t->broken && !is_called_only(w, c, entries[i]))
			vfail(v, t->a, v->insn.v[c->insn].off,
				"the function is not entered by the calls that the map counts only");
		vec_free(&c->counter);
	}
	free(entries);
}
