/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order-report.c - an order file for a linker
 *
 * A function that several processes have executed is at the mean of its positions.
 */
#include <ldx/report.h>

#include <stdlib.h>
#include <string.h>

struct entry {
	const char *name;
	uint64_t sum, n, number;
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	long double p = (long double)x->sum * y->n, q = (long double)y->sum * x->n;
	if (p != q)
		return p < q ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static size_t find(const ldx_object *o, struct entry *to)
{
	size_t n, k = 0;
	const uint64_t *position = ldx_variable(o, "position", &n),
		       *processes = ldx_variable(o, "processes", &n);
	for (const ldx_func *f = NULL; position && (f = ldx_next_func(o, f));) {
		const ldx_block *first = ldx_next_block(f, NULL);
		uint32_t id = first ? ldx_block_id(first) : UINT32_MAX;
		if (id >= n || !processes[id])
			continue;
		if (to)
			to[k] = (struct entry){ldx_func_name(f), position[id], processes[id], k};
		k++;
	}
	return k;
}

static void run(void)
{
	const char *linker = ldx_option("linker");
	bool sections = !strcmp(linker, "gold");
	if (!sections && strcmp(linker, "lld") != 0)
		ldx_fail("linker=%s: lld or gold is expected", linker);
	for (const ldx_object *o = NULL; (o = ldx_next_object(o));) {
		size_t n = find(o, NULL);
		struct entry *e = calloc(n + 1, sizeof *e);
		if (!e)
			ldx_fail("out of memory");
		find(o, e);
		qsort(e, n, sizeof *e, compare);
		for (size_t i = 0; i < n; i++)
			ldx_print("%s%s\n", sections ? ".text." : "", e[i].name);
		free(e);
	}
}

static const struct ldx_option options[] = {
	{"linker", "NAME", "lld",
		"lld: names of symbols, for --symbol-ordering-file; gold: of "
		"sections, for --section-ordering-file"},
	{0},
};

static const struct ldx_table *const tables[] = {0};

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "order",
	.summary = "functions in the order of their first executions, for a linker",
	.options = options,
	.tables = tables,
	.run = run,
};
