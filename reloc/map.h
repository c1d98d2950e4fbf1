/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - the address map: old offset -> new offset in one section
 *
 * The only thing the rewriting passes share.  It is read off the section's list of fragments.
 */
#ifndef LDX_RELOC_MAP_H
#define LDX_RELOC_MAP_H

#include "base/base.h"
#include "reloc/frag.h"
#include "reloc/ref.h"

/* Inserted code from at on has the stack pointer down bytes lower than what is around it. */
struct stack_move {
	uint64_t at;
	uint32_t down; /* 0: as high as it was */
};

/*
 * Fragments are in ascending order of old, then of runs; the last one at an old offset is what
 * stood there.  In front of the first one nothing has changed.  An offset inside of a fragment
 * that was resized maps by its distance from the end: the first bytes are what grew, or what
 * is gone.  What ends at a cut ends behind the fragment in front of it, wherever that is.
 */
struct addrmap {
	struct frag *frag;
	size_t n; /* those of code say their length in any case */
	uint64_t old_size, new_size;

	/* at: new offsets, ascending; what DWARF calls the stack pointer */
	const struct stack_move *stack;
	size_t nstack;
	unsigned stack_dwarf;
};

/* m may be NULL: the identity.  off may be old_size: one past the end. */
uint64_t map_addr(const struct addrmap *m, uint64_t off, enum ref_use use);

/* Does anything move? */
bool map_changes(const struct addrmap *m);

/* The first move of the stack pointer behind new offset new; m->stack + m->nstack: none. */
const struct stack_move *map_stack_behind(const struct addrmap *m, uint64_t new);

/* map_addr() for offsets asked in ascending order; *cursor starts as 0. */
uint64_t map_addr_seq(const struct addrmap *m, size_t *cursor, uint64_t off, enum ref_use use);

/* Where the instruction at off is; *len, its old length, becomes the new one.  m is not NULL. */
uint64_t map_insn(const struct addrmap *m, uint64_t off, unsigned *len);
uint64_t map_insn_seq(const struct addrmap *m, size_t *cursor, uint64_t off, unsigned *len);

#endif
