/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - the static map while it is read: map.c, edges.c, jumps.c and cells.c
 */
#ifndef LDX_VERIFY_MAP_H
#define LDX_VERIFY_MAP_H

#include "reloc/outside.h"
#include "verify/state.h"

/* An edge between blocks of the current function; 0: outside. */
struct medge {
	uint32_t from, to;
	uint32_t flags; /* LDX_EDGE_* */
	uint64_t counter;
};

struct mapread {
	struct verify *v;
	const struct section *s;
	struct reader r;
	uint32_t rel;	 /* cursor into s->rel */
	uint8_t *summed; /* what the checksum is of, if not s->data */
	int64_t last_counter;
	uint64_t nblocks, nedges, strings;
	/* of the current function */
	uint32_t text; /* UINT32_MAX: none */
	uint64_t start;
	VEC(struct vcount)
	block; /* numbers 1..; [0]: outside.  kind: COUNTS_NOTHING if a
		* counter or a counted edge shows whether it ran */
	VEC(struct medge) edge;
	bool counts;		 /* some block or edge is counted */
	bool called;		 /* its edge LDX_EDGE_CALLS has not been read yet */
	int64_t lowest, highest; /* numbers of its counters; highest < lowest: none */
};

/* All edges of the function. */
void check_edges(struct mapread *m);
void bad_edges(struct mapread *m, uint32_t b, const char *what);
/* The block that begins at x, or 0. */
uint32_t block_at(const struct mapread *m, uint64_t x);
/* jumps.c: edges of block b, which ends in an indirect jump; within: some lead to blocks. */
void check_jump(struct mapread *m, uint32_t b, bool within);
/* The header, once all functions have been read. */
struct ldx_map_header;
void check_header(struct mapread *m, const struct ldx_map_header *h);
/* A string of the map; makes the reader bad when none begins there. */
const char *map_string(struct mapread *m, uint64_t off);
bool read_map_header(const struct object *o, const struct section *s, struct ldx_map_header *h);

#endif
