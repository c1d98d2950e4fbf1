/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - the address map: old offset -> new offset in one section
 *
 * All that the rewriting passes share.  It is computed from the section's list of fragments.
 */
#ifndef LDX_RELOC_MAP_H
#define LDX_RELOC_MAP_H

#include "base/base.h"
#include "reloc/frag.h"
#include "reloc/ref.h"

/* From at on, inserted code has the stack pointer down bytes lower than the code around it. */
struct stack_move {
	uint64_t at;
	uint32_t down; /* 0: as high as it was */
};

/* Code that debug information describes by two places, in old offsets: see debug_spans(). */
struct map_span {
	uint64_t from, to;
	bool base; /* not a range: `to` is so far behind `from` */
};
typedef VEC(struct map_span) map_spans;

/*
 * Fragments are in ascending order of old, then of runs; the last one at an old offset is the old
 * bytes.  In front of the first one nothing has changed.  An offset inside of a resized fragment
 * maps by its distance from the fragment's end.  An end at a cut is the end of the preceding
 * fragment, wherever that is.
 */
struct addrmap {
	struct frag *frag;
	size_t n; /* in code sections, FRAG_KEPT has its length, too */
	uint64_t old_size, new_size;

	/* at: new offsets, ascending; stack_dwarf: the stack pointer's DWARF number */
	const struct stack_move *stack;
	size_t nstack;
	unsigned stack_dwarf;

	/* Old offsets, ascending: the code there is not laid out behind the code in front of it. */
	uint64_t *cut;
	size_t ncut;

	map_spans *spans; /* NULL, or what debug_spans() looks for */
};

/* m may be NULL: the identity.  off may be old_size: one past the end. */
uint64_t map_addr(const struct addrmap *m, uint64_t off, enum ref_use use);

/* The first cut behind old offset off; UINT64_MAX: none. */
uint64_t map_cut_behind(const struct addrmap *m, uint64_t off);

/* Does m change any offset? */
bool map_changes(const struct addrmap *m);

/* The first move of the stack pointer behind new offset new; m->stack + m->nstack: none. */
const struct stack_move *map_stack_behind(const struct addrmap *m, uint64_t new);

/* map_addr() for offsets asked in ascending order; *cursor starts as 0. */
uint64_t map_addr_seq(const struct addrmap *m, size_t *cursor, uint64_t off, enum ref_use use);

/* The new offset of the instruction at off; *len becomes its new length.  m is not NULL. */
uint64_t map_insn(const struct addrmap *m, uint64_t off, unsigned *len);
uint64_t map_insn_seq(const struct addrmap *m, size_t *cursor, uint64_t off, unsigned *len);

#endif
