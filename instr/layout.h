/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - the new layout of code sections
 *
 * layout_make() turns a plan into an address map for every code section.  A short branch that no
 * longer reaches its target becomes long, which may push other branches out of reach: this is
 * repeated until nothing changes.  Branches only grow, so it ends.  Padding for the input's
 * alignment is computed anew.
 */
#ifndef LDX_INSTR_LAYOUT_H
#define LDX_INSTR_LAYOUT_H

#include "instr/plan.h"
#include "instr/relay.h"
#include "reloc/map.h"

/* One code section's layout, as emit.c needs it beside the map. */
struct layout {
	struct addrmap map;
	const struct insertions *inserted;
	uint32_t first, n;     /* those of them that are in this section */
	struct relays *relays; /* NULL: there are none */
};

/* Sets the map of each code section; returns one layout for each cfg text. */
struct layout *layout_make(const struct plan *p);

/* The new target of insn i's field, which led to the old offset off of its own section. */
uint64_t layout_target(const struct plan *p, const struct layout *l, uint32_t i, uint64_t off);

/* The label that branch i of section t leads to, in that section; false: it is not known. */
bool layout_label(const struct plan *p, const struct layout *l, const struct code_section *t,
	uint32_t i, struct dest *label);
/* Its new offset. */
uint64_t layout_place(const struct layout *l, const struct dest *label);
/* layout_target(), or the relay by which insn i, now at offset at and of length len, leads there.
 */
uint64_t layout_lead(const struct plan *p, const struct layout *l, const struct code_section *t,
	uint32_t i, uint64_t at, unsigned len, uint64_t off);

/* Where entries of the table of insn jump lead that led to the old offset off. */
uint64_t layout_entry(const struct layout *l, uint32_t jump, uint64_t off);
/* The same as a stub; without one it is that of REF_BRANCH. */
struct stub layout_entry_stub(const struct layout *l, uint32_t jump, uint64_t off);

/* Does the branch of insn i lead through code of its edge? */
bool layout_redirects(const struct layout *l, uint32_t i);

/* Does that code lead out of its function, so that only the branch leads there? */
bool layout_leaves(const struct layout *l, uint32_t i);

/*
 * Mark in far, by function, those that are not opaque and have a branch that does not reach its
 * target.  True: there is one.
 */
bool layout_too_far(const struct plan *p, const struct layout *lay, bool *far);

#endif
