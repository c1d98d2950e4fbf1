/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled.h - jump tables of distances without relocations
 *
 * Entry k of such a table holds (label - base) / 4, or / 1, in one, two or four bytes, where base
 * is a label of the code that jumps, too, so the assembler resolves it.  The code is, in any order
 * and place:
 *
 *	page	adrp xP, table		name	add xT, xP, :lo12:table
 *	load	ldrb wE, [xT, wI, uxtw]	anchor	adr xB, base
 *	sum	add xJ, xB, wE, sxtb #2	jump	br xJ
 *
 * scaled_find() finds it by the nearest definitions, scaled_prove() by all values that reach it.
 * When code moves, the entries may not fit any more: emission makes a table of words, to which the
 *page and name refer, and the load and the sum read words.  So the values of page, name, load and
 * anchor must be used in no other way.  But if those of page and name may be, as by a call that
 * passes their register on, they stay, and the load makes the new table's address itself:
 *
 *	adrp xR, new	add xR, xR, :lo12:new	ldrsw xE, [xR, wI, uxtw #2]
 *
 * The number of entries is what a compare, a mask or a shift leaves of the index.  If there is none
 * (x % n, __builtin_unreachable() as the default), extent.c looks where the table must end.
 */
#ifndef LDX_CFG_SCALED_H
#define LDX_CFG_SCALED_H

#include "cfg/cfg.h"

enum scaled_part {
	SCALED_PAGE,
	SCALED_NAME,
	SCALED_LOAD,
	SCALED_ANCHOR,
	SCALED_SUM,
	SCALED_JUMP,
	SCALED_PARTS
};

struct scaled_table {
	uint32_t text;
	uint32_t insn[SCALED_PARTS];
	uint32_t sec; /* of the table, which begins at off */
	uint64_t off;
	uint32_t n;	 /* entries */
	uint64_t base;	 /* a label of the section with the jump */
	uint8_t size;	 /* of an entry, in bytes */
	uint8_t scale;	 /* the distance is the entry times this */
	uint8_t extends; /* bytes of the entry that the sum extends; 0: it adds a whole register */
	bool sext;	 /* entries have a sign */
	uint8_t part;	 /* enum scaled_part that is sought */
	int8_t own;	 /* the register for the address that the load makes; -1: it makes none */
	bool closed;	 /* extent.c: no index leads behind its entries */
	bool proved;
	bool shared; /* another jump has the same one */
};

/* The part that uses the value of each, and the register of that part's operation in which it is.
 */
extern const enum scaled_part scaled_user[SCALED_PARTS];
int scaled_operand(const struct operation *op, enum scaled_part from);
/* Can insn i be that part?  If so, sets the fields of *t that this part determines. */
bool scaled_fits(const struct cfg *g, struct decoder *d, struct scaled_table *t,
	enum scaled_part part, uint32_t i);
/* The relocation on insn i, if it is the only one. */
const struct reloc *scaled_reloc(const struct cfg *g, uint32_t text, uint32_t i);

/* The label of entry k. */
uint64_t scaled_label(const struct cfg *g, const struct scaled_table *t, uint32_t k);
/* Calls visit for the block of each entry: perhaps more than once. */
void scaled_targets(const struct cfg *g, const struct scaled_table *t,
	void (*visit)(void *, uint32_t), void *ctx);
/* The table of the jump in insn i, or NULL. */
struct scaled_table *scaled_by_jump(const struct cfg *g, uint32_t i);
/* The first instruction that makes the address of the table of t, if it is another one. */
static inline uint32_t scaled_maker(const struct scaled_table *t)
{
	return t->insn[t->own >= 0 ? SCALED_LOAD : SCALED_PAGE];
}
/* Is insn i of c the anchor of a table?  Then its label is not an address that is taken. */
bool is_anchor(const struct cfg *g, const struct code_section *c, uint32_t i);

/* Find tables in all code, and label the code that they lead to; after all code is decoded. */
struct marks;
void scaled_find(struct cfg *g, const struct marks *m);

/* Does entry k of t lead to an instruction of the code from from to to, or to its end? */
bool scaled_leads_into(const struct cfg *g, const struct scaled_table *t, uint32_t k, uint64_t from,
	uint64_t to);

/* extent.c: the innermost function around off by its symbol; all of the section if there is none */
void function_around(const struct cfg *g, const struct marks *m, uint32_t text, uint64_t off,
	uint64_t *from, uint64_t *to);

/* extent.c: where tables in data end */
struct extents;
/* found: candidates, of which only the first four parts are known */
struct extents *extents_find(const struct cfg *g, const struct marks *m,
	const struct scaled_table *found, size_t n);
/* Sets the number of entries of t, at most most; closed: no more are possible.  False: not known.
 */
bool extents_close(const struct extents *x, struct scaled_table *t, uint32_t most);
void extents_free(struct extents *x);

/*
 * Set proved of each table: its jump always uses it, and does nothing else.  pred[first[b]]... are
 * the predecessors of block b, but for jumps by tables.
 */
void scaled_prove(struct cfg *g, const uint32_t *first, const uint32_t *pred);

#endif
