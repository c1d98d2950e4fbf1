/* SPDX-License-Identifier: Apache-2.0 */
/* prior.h - counts of blocks from an earlier profile */
#ifndef LDX_INSTR_COUNT_PRIOR_H
#define LDX_INSTR_COUNT_PRIOR_H

#include "cfg/cfg.h"

/*
 * Reads the counts of an earlier profile from text, which is changed; fatal() if it is malformed.
 * path is for messages.
 */
struct prior_counts *prior_parse(struct arena *a, const char *path, char *text);
/* The counts of the blocks of f in order, without gaps; NULL: the file has none for f. */
const uint64_t *prior_counts(const struct prior_counts *v, const struct cfg *g,
	const struct func *f);

#endif
