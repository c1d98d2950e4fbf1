/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - an order of functions for linkers, or the call graph from which they compute one
 *
 * The order lists the functions that were executed, so that they share pages, the hottest first, so
 * that these share cache lines and TLB entries.  With the call graph the linker places callers and
 * callees next to each other.
 */
#include "report/figures/calls.h"
#include "report/figures/views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ranked {
	const struct map_func *f;
	double heat; /* instructions executed per byte of code; calls if only these are known */
};

static int compare_heat(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->heat != y->heat)
		return x->heat < y->heat ? 1 : -1;
	return (x->f > y->f) - (x->f < y->f);
}

static int compare_name(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int names = strcmp(x->f->name, y->f->name);
	return names ? names : compare_heat(a, b);
}

static size_t find_executed(const struct program *p, struct ranked *v)
{
	size_t n = 0;
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *f = &p->map.func[i];
		struct func_sum s = func_sum(p, f);
		double heat = (double)(s.insns_known ? s.insns : s.calls);
		if (s.run && f->name[0] && func_linked(p, f))
			v[n++] = (struct ranked){f, heat / (double)(f->size ? f->size : 1)};
	}
	return n;
}

/* A linker applies a name to all functions that have it, so list it once, for the hottest. */
static size_t drop_twins(struct ranked *v, size_t n)
{
	size_t kept = 0;
	qsort(v, n, sizeof *v, compare_name);
	for (size_t i = 0; i < n; i++)
		if (!kept || strcmp(v[kept - 1].f->name, v[i].f->name))
			v[kept++] = v[i];
	return kept;
}

void view_symbol_order(const struct run *run, FILE *out)
{
	const struct program *p = &run->v[0];
	struct ranked *v = NEW_ARRAY(struct ranked, p->map.nfuncs);
	size_t n = drop_twins(v, find_executed(p, v));
	qsort(v, n, sizeof *v, compare_heat);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\n", v[i].f->name);
}

static int compare_pair(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* By number: is it the only function of its name?  Linkers identify functions by name only. */
static bool *find_unique(const struct program *p)
{
	struct ranked *v = NEW_ARRAY(struct ranked, p->map.nfuncs);
	bool *unique = NEW_ARRAY(bool, p->map.nfuncs);
	size_t n = 0;
	for (size_t i = 0; i < p->map.nfuncs; i++)
		if (func_linked(p, &p->map.func[i]))
			v[n++] = (struct ranked){&p->map.func[i], 0};
	qsort(v, n, sizeof *v, compare_name);
	for (size_t i = 0; i < n; i++)
		unique[v[i].f - p->map.func] = (!i || strcmp(v[i].f->name, v[i - 1].f->name)) &&
			(i + 1 == n || strcmp(v[i].f->name, v[i + 1].f->name));
	return unique;
}

/* Calls in the program itself, between functions with unique names. */
static size_t find_pairs(const struct program *p, struct calls calls, struct call *v)
{
	const bool *unique = find_unique(p);
	size_t n = 0;
	for (size_t i = 0; i < calls.n; i++) {
		const struct call *c = &calls.v[i];
		if (c->p == p && c->to && c->to_in == p && c->to != c->from && c->known &&
			c->count && unique[c->from - p->map.func] && unique[c->to - p->map.func])
			v[n++] = *c;
	}
	qsort(v, n, sizeof *v, compare_pair);
	return n;
}

void view_call_graph_order(const struct run *run, FILE *out)
{
	run_need_counts(run);
	struct calls calls = calls_find(run, false);
	struct call *v = NEW_ARRAY(struct call, calls.n);
	size_t n = find_pairs(&run->v[0], calls, v);
	for (size_t i = 0, next; i < n; i = next) {
		uint64_t count = 0;
		for (next = i; next < n && !compare_pair(&v[i], &v[next]); next++)
			count = add_sat(count, v[next].count);
		fprintf(out, "%s %s %" PRIu64 "\n", v[i].from->name, v[i].to->name, count);
	}
}
