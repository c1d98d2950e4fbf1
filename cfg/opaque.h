/* SPDX-License-Identifier: Apache-2.0 */
/* opaque.h - functions and pieces of sections that move as they are, and why */
#ifndef LDX_CFG_OPAQUE_H
#define LDX_CFG_OPAQUE_H

#include "cfg/cfg.h"

/* False: that is no more than was held. */
bool cfg_hold(struct code_section *c, struct lump lump);

void cfg_opaque_section(struct code_section *c, enum opaque why, uint64_t off); /* in one piece */
void cfg_opaque(struct func *f, enum opaque why, uint64_t off); /* the first reason stays */

/* Does a piece that was found hold f? */
bool is_held(const struct cfg *g, uint32_t f);

/*
 * Does p hold function f?  No-ops are held with the code on both sides: control that comes to them
 * falls into the code behind them.
 */
bool lump_holds(const struct cfg *g, const struct code_section *c, const struct lump *p,
	uint32_t f);

/*
 * Reasons that threads find in parallel.  The first one is kept, so they are queued:
 * make_opaque() calls cfg_hold() or cfg_opaque() for each in order, and frees the queue.
 */
struct opaque_part {
	bool func;
	uint32_t number; /* of the function or the text section */
	struct lump lump;
};

typedef VEC(struct opaque_part) opaque_parts;
void list_lump(opaque_parts *v, uint32_t text, struct lump lump);
void list_opaque_section(opaque_parts *v, uint32_t text, enum opaque why, uint64_t off);
void list_opaque_func(opaque_parts *v, uint32_t func, enum opaque why, uint64_t off);
void make_opaque(struct cfg *g, opaque_parts *v);

/*
 * Does r name a place behind the end of a section of code, or in front of it?  The number will be
 * subtracted from it again, but which label it was added to is not known: the section stays as it
 * is.
 */
bool is_outside(const struct cfg *g, const struct ref *r);
void list_opaque_from(const struct cfg *g, const struct ref *r, opaque_parts *v);

/*
 * Mark instructions between load-exclusives and their stores as INSN_GLUED.  After
 * check_relocs().
 */
void glue_exclusives(struct cfg *g, const struct code_section *c, opaque_parts *v);

/*
 * List as opaque the functions that may use a part of an address that two instructions make
 * together (target.join) for more than that.
 */
void list_shared_parts(const struct cfg *g, const struct code_section *c, opaque_parts *v);

void list_numbered_funcs(const struct cfg *g, opaque_parts *v);

/* Each looks for one reason, at one section */
void list_opaque_at(const struct cfg *g, const struct code_section *c, uint64_t off,
	enum opaque why, opaque_parts *v);

/* Is off reached otherwise than by its address?  *r caches what was found of one function. */
struct reached {
	uint32_t func; /* or NO_FUNC */
	VEC(bool) block;
};

bool control_reaches(const struct cfg *g, const struct code_section *t, uint64_t off,
	struct reached *r);
void list_data_references(const struct cfg *g, const struct code_section *c, opaque_parts *v);
/* Functions with calls of those that use their return address as that of data. */
void list_calls_with_data(struct cfg *g, opaque_parts *v);
void list_kept_funcs(const struct cfg *g, const struct code_section *c, opaque_parts *v);
void list_computing_links(const struct cfg *g, const struct code_section *c,
	struct decoder *decoder, opaque_parts *v);
void list_labels_inside(const struct cfg *g, const struct code_section *c, opaque_parts *v);
void check_relocs(const struct cfg *g, struct code_section *c, opaque_parts *v);
void hold_lumps(struct cfg *g, struct code_section *c);

#endif
