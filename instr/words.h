/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - new tables of words for jump tables of scaled distances: see cfg/scaled.h
 *
 * A table whose distances are the same in the new layout stays as it is.
 */
#ifndef LDX_INSTR_WORDS_H
#define LDX_INSTR_WORDS_H

#include "instr/layout.h"
#include "reloc/object.h"

/* What refers to a new table: a relocation on insn i shall be of symbol sym and this addend. */
struct words_ref {
	uint32_t insn;
	int64_t addend;
};
struct words {
	uint32_t sym;			       /* the symbol of all new tables */
	VEC(struct words_ref) ref;	       /* sorted by insn */
	VEC(const struct scaled_table *) used; /* those with a new table, sorted by jump */
	VEC(uint8_t) bytes;
};

/* Make the tables for a layout; a global symbol is added if there are any. */
struct words *words_make(const struct plan *p, const struct layout *lay);

/* The place in a new table that a relocation on insn i refers to; NULL: it refers to none. */
const struct words_ref *words_of(const struct words *w, uint32_t i);

/* Make the code of section t (its new bytes are out) that reads tables read words. */
void words_read(const struct words *w, const struct cfg *g, const struct code_section *t,
	const struct layout *l, uint8_t *out);

/* Add the section that holds the tables, and free w. */
void words_write(struct words *w, struct object *o);

#endif
