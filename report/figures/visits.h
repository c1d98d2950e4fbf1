/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visits.h - how often control came to some of a function's blocks
 *
 * This is the number of times that control entered the set of blocks from elsewhere, plus the
 * iterations of loops within the set.  For the blocks of a line this is what a reader expects as
 * its count: one for `a ? b : c', and one for each iteration of a loop.
 */
#ifndef LDX_REPORT_VISITS_H
#define LDX_REPORT_VISITS_H

#include "report/read/program.h"

struct visits;

/* Reused for all functions; never NULL. */
struct visits *visits_new(void);
void visits_begin(struct visits *v, const struct program *p, const struct map_func *f);

/*
 * The visits of the n blocks, which are different and numbered in the function from 0.  False: not
 * known.  If the map has no edges, or an edge of a jump table without a count closes a loop, it is
 * the greatest count of a block.  In mode cover it is 0 or 1.
 */
bool visits_count(struct visits *v, const size_t *block, size_t n, uint64_t *count);

#endif
