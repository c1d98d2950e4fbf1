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
/* The jump by table has a new table at at; first: no other jump with the same table has. */
struct words_use {
	const struct scaled_table *table;
	int64_t at;
	bool first;
};
struct words {
	uint32_t sym;		    /* the symbol of all new tables */
	VEC(struct words_ref) ref;  /* sorted by insn */
	VEC(struct words_use) used; /* sorted by jump */
	VEC(uint8_t) bytes;
};

/* Make the tables for a layout; a global symbol is added if there are any. */
struct words *words_make(const struct plan *p, const struct layout *lay);

/* The place in a new table that a relocation on insn i refers to; NULL: it refers to none. */
const struct words_ref *words_of(const struct words *w, uint32_t i);

/*
 * Make the code of section t (its new bytes are out) that reads tables read words.  Calls reloc for
 * the relocations of loads that make addresses of tables.
 */
typedef void words_reloc_fn(void *ctx, struct reloc r);
void words_read(const struct words *w, const struct cfg *g, const struct code_section *t,
	const struct layout *l, uint8_t *out, words_reloc_fn *reloc, void *ctx);

/* Add the section that holds the tables, and free w. */
void words_write(struct words *w, struct object *o);

#endif
