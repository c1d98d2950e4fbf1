/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solve.h - the counts of blocks and edges from the counters
 *
 * Only some have counters; the other counts are derived, because control leaves a block as often as
 * it enters it.  See runtime/abi.h.
 */
#ifndef LDX_REPORT_SOLVE_H
#define LDX_REPORT_SOLVE_H

#include "report/read/static_map.h"

struct counts {
	uint64_t *block, *edge; /* by their numbers in the map */
	bool *block_known, *edge_known;
	bool *func_known; /* the counts of this function are here */
	size_t unsolved;  /* not 0: the map is damaged */
	uint64_t stayed;  /* calls that have not left a loop with held counters */
	const uint64_t *cells;
	struct solver *solver;
};

/* The value of a counter, or of a mark: 0 or 1.  cells: m->ncounters, or NULL: all are 0. */
uint64_t counter_value(const struct static_map *m, const uint64_t *cells, int64_t number);

/*
 * The counts of functions that may have been executed, and of all of which it is not known that no
 * other count is unknown.  The others, by solve_func(), are 0.  In mode cover the count of a block
 * is 1 if it was executed, else 0.
 */
void solve_counts(const struct static_map *m, const uint64_t *cells, struct counts *c);
void solve_func(const struct static_map *m, struct map_func *f, struct counts *c);

#endif
