/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visits.h - how often control came to some of a function's blocks
 *
 * It is how often control came to one of the blocks from elsewhere, and how often it went around a
 * loop that consists of these blocks alone.  For the blocks of a line this is what the reader of
 * the source takes for its count: once for `a ? b : c', and once for each round of a loop.
 */
#ifndef LDX_REPORT_VISITS_H
#define LDX_REPORT_VISITS_H

#include "report/program.h"

struct visits;

/* Reused for one function after the other; never NULL. */
struct visits *visits_new(void);
void visits_begin(struct visits *v, const struct program *p, const struct map_func *f);

/*
 * Of the n blocks, numbered in the function from 0, each once.  False: not known.
 *
 * Where the map does not have the edges, and where a loop is closed by a jump through a table whose
 * ways have no counts, it is the greatest count of a block.  Where there are marks it is 0 or 1.
 */
bool visits_count(struct visits *v, const size_t *block, size_t n, uint64_t *count);

#endif
