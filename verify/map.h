/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - the static map as it is read: map.c and edges.c
 */
#ifndef LDX_VERIFY_MAP_H
#define LDX_VERIFY_MAP_H

#include "reloc/outside.h"
#include "verify/priv.h"

/* An edge of the function that is read, between blocks of it; 0: outside. */
struct medge {
	uint32_t from, to;
	uint32_t flags; /* LDX_EDGE_* */
};

struct mapread {
	struct verify *v;
	const struct section *s;
	struct reader r;
	uint32_t rel; /* cursor into s->rel */
	int64_t last_counter;
	uint64_t nblocks, nedges;
	/* of one function */
	uint32_t text; /* UINT32_MAX: none */
	uint64_t start;
	VEC(struct vcount)
	block; /* numbers 1..; [0]: outside.  kind: COUNTS_NOTHING when a
		* counter or a proof tells of it */
	VEC(struct medge) edge;
	bool told; /* of some block */
};

/* All edges of the function. */
void check_edges(struct mapread *m);
void bad_edges(struct mapread *m, uint32_t b, const char *what);
/* The block that begins at x, or 0. */
uint32_t block_at(const struct mapread *m, uint64_t x);
/* jumps.c: those of block b, which ends in an indirect jump; within: it has some to other blocks.
 */
void check_jump(struct mapread *m, uint32_t b, bool within);
/* The header, once all functions have been read. */
struct ldx_map_header;
void check_header(struct mapread *m, const struct ldx_map_header *h);
/* A string of the map; makes the reader bad when none begins there. */
const char *map_string(struct mapread *m, uint64_t off);

#endif
