/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the order of functions in memory, for linkers
 *
 * The functions that were executed, so that they share pages, the hottest first, so that these
 * share cache lines and entries of the TLB.
 */
#include "report/views.h"

#include <stdlib.h>
#include <string.h>

struct ranked {
	const struct map_func *f;
	double heat; /* instructions executed for each byte of code; calls where only they are known
		      */
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

/* A linker takes a name once, for all functions that have it: the hottest stays. */
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
