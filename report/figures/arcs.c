/* SPDX-License-Identifier: Apache-2.0 */
/* arcs.c - what a tool has measured of calls; see arcs.h */
#include "report/figures/arcs.h"

#include "base/base.h"

#include <string.h>

enum { OUTSIDE = 2 };				  /* ARC_TO */
enum { MEASURED = 1, ENCLOSED = 2, BLOCKS = 32 }; /* BLOCKS: in a word of ldx_known */

/* Others may follow calls, too, and measure something else.  NULL: there is none. */
static const char *measuring_tool(const struct program *p)
{
	const struct map_variable *v = p->map.variable;
	for (; v < p->map.variable + p->map.nvariables; v++)
		if (!strcmp(v->name, "ldx_inclusive") || !strcmp(v->name, "ldx_arcs"))
			return v->tool;
	return NULL;
}

static const uint64_t *find(const struct program *p, const char *name, size_t *n)
{
	const struct map_variable *v = p->map.variable;
	const char *tool = measuring_tool(p);
	*n = 0;
	for (; tool && v < p->map.variable + p->map.nvariables; v++) {
		if (strcmp(v->tool, tool) != 0 || strcmp(v->name, name) != 0 || v->at % 8 ||
			!p->profile.count)
			continue;
		const uint64_t *table = rules_entries(p->profile.rules, v->at / 8, n);
		*n = table ? *n : v->size / 8;
		return table ? table : p->profile.count + v->at / 8;
	}
	return NULL;
}

struct arcs arcs_of(const struct program *p)
{
	struct arcs a = {0};
	size_t n;
	const uint64_t *inexact = find(p, "ldx_inexact", &n), *sums = find(p, "ldx_sums", &n);
	a.v = find(p, "ldx_arcs", &n);
	a.n = a.v ? n / ARC_WORDS : 0;
	const uint64_t *inclusive = find(p, "ldx_inclusive", &a.blocks);
	if (a.blocks >= p->map.nblocks && !(inexact && *inexact) && !(sums && *sums))
		a.inclusive = inclusive;
	a.pending = find(p, "ldx_pending", &n);
	if (n < p->map.nblocks)
		a.pending = NULL;
	a.known = find(p, "ldx_known", &n);
	if (n < p->map.nblocks / BLOCKS)
		a.known = NULL;
	const uint64_t *open = find(p, "ldx_open_calls", &n);
	for (size_t i = 0; i < n; i++)
		a.stopped |= open[i] != 0;
	a.stopped |= p->profile.unfinished != 0;
	return a;
}

static bool is_known(const struct arcs *a, uint64_t block, unsigned what)
{
	return a->known[block / BLOCKS] >> block % BLOCKS * 2 & what;
}

bool arcs_enclosed(const struct arcs *a, uint64_t block)
{
	return is_known(a, block, ENCLOSED);
}

bool arcs_inclusive(const struct arcs *a, uint64_t block, uint64_t *insns)
{
	bool known = a->inclusive && block < a->blocks &&
		(!a->known || is_known(a, block, MEASURED)) && !(a->pending && a->pending[block]);
	*insns = known ? a->inclusive[block] : 0;
	return known;
}

/* The first entry is of no block: it has what found no room in the table. */
const uint64_t *arcs_from(const struct arcs *a, uint64_t block, size_t *n)
{
	size_t first, end;
	*n = 0;
	if (!a->n)
		return NULL;
	BISECT(first, 1, a->n, a->v[first * ARC_WORDS + ARC_BLOCK] < block + 1);
	BISECT(end, first, a->n, a->v[end * ARC_WORDS + ARC_BLOCK] < block + 2);
	*n = end - first;
	return *n ? a->v + first * ARC_WORDS : NULL;
}

/* Twice the distance from f, and 1. */
bool arc_address(const struct program *p, const struct map_func *f, const uint64_t *arc,
	uint64_t *address)
{
	int64_t to = p->word == 4 ? (int32_t)arc[ARC_TO] : (int64_t)arc[ARC_TO];
	*address = f->address + (uint64_t)(to >> 1);
	if (p->word == 4)
		*address = (uint32_t)*address;
	return arc[ARC_TO] != OUTSIDE;
}
