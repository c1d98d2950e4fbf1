/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map.h - the address map: old offset -> new offset in one section
 *
 * The only thing the rewriting passes share.  A map is a sorted list of edits.
 * At one old offset the new section holds, in this order:
 *
 *	end    -> [ fall: code run only when control falls in from above ]
 *	past   -> [ pad: alignment ]
 *	fall, entry -> [ func: run when the function is entered ]
 *	edge   -> [ edge: run by single branches only; all other control jumps over it ]
 *	branch -> [ block: run however the block is entered ]
 *	at     -> the bytes that stood at the old offset
 *
 * Each part may be empty; with all of them empty the seven labels coincide.  Where there is
 * code of edges but none for who enters the function, nothing from outside leads to it,
 * and past and entry are branch: lines and scopes begin where all control comes by.
 */
#ifndef LDX_RELOC_MAP_H
#define LDX_RELOC_MAP_H

#include "base/base.h"
#include "reloc/ref.h"

struct edit {
	uint64_t old;		/* old offset */
	uint64_t new_end;	/* new offset of its label end */
	int64_t grow;		/* how much longer (< 0: shorter) what stood at old became */
	uint32_t fall, pad, func, edge, block;	/* lengths of the parts */
};

/* Inserted code from at on has the stack pointer down bytes lower than what is around it. */
struct stack_move {
	uint64_t at;
	uint32_t down;		/* 0: as high as it was */
};

/*
 * Edits are in strictly ascending order of old.  An offset x between two edits
 * maps, whatever the use, to at(old) + grow + (x - old) of the last edit
 * before it: the first bytes behind old are what grew, or what is gone.
 */
struct addrmap {
	struct edit *edit;
	size_t n;
	uint64_t old_size, new_size;

	/* at: new offsets, ascending; what DWARF calls the stack pointer */
	const struct stack_move *stack;
	size_t nstack;
	unsigned stack_dwarf;
};

/* m may be NULL: the identity.  off may be old_size: one past the end. */
uint64_t map_addr(const struct addrmap *m, uint64_t off, enum ref_use use);

/* The first move of the stack pointer behind new offset new; m->stack + m->nstack: none. */
const struct stack_move *map_stack_behind(const struct addrmap *m, uint64_t new);

/* map_addr() for offsets asked in ascending order; *cursor starts as 0. */
uint64_t map_addr_seq(const struct addrmap *m, size_t *cursor, uint64_t off, enum ref_use use);

#endif
