/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.h - jump tables, found when code is decoded, proved when blocks are cut (tables.c,
 * jumps.c, sums.c)
 */
#ifndef LDX_CFG_TABLES_H
#define LDX_CFG_TABLES_H

#include "cfg/refs.h"

#include "targets/stated.h"

/*
 * By block, CSR, the blocks that control comes from by branches and by falling through.
 * The caller frees both.
 */
void find_preds(const struct cfg *g, uint32_t **first, uint32_t **pred);

/* Is the address of a label inside f taken?  Then the indirect jumps of f may lead there. */
bool has_inner_label(const struct cfg *g, const struct func *f);

/* An address in data that an instruction refers to. */
struct point {
	uint32_t sec;
	uint64_t off;
	uint32_t text;
	uint64_t insn_off;
};

typedef VEC(struct point) point_vec;
void collect_points(const struct cfg *g, point_vec *pts); /* sorted */
void tables_find(struct cfg *g);
void tables_prove(struct cfg *g);

/* The first index in g->table_ref of an instruction at or behind off of code section code. */
size_t table_ref_from(const struct cfg *g, uint32_t code, uint64_t off);

/* The relative table whose base the instruction at off of code section code names, or NO_TABLE. */
enum { NO_TABLE = UINT32_MAX };

uint32_t relative_table_at(const struct cfg *g, uint32_t code, uint64_t off);

/*
 * Does another table than this begin or go on at its base plus a number?  Then what is there may be
 * of either.
 */
bool is_in_other_table(const struct cfg *g, uint32_t table, int64_t by);

/* Calls visit for each block that a word of the table leads to: perhaps more than once. */
void table_targets(const struct cfg *g, uint32_t table, void (*visit)(void *, uint32_t), void *ctx);

/* The indices of instructions of f: from *first to the returned one. */
size_t func_table_refs(const struct cfg *g, const struct func *f, size_t *first);

/*
 * Classify the indirect jumps of all functions.  A computed jump makes its function
 * opaque; the block of a jump that uses a table ends in END_TABLE from here, and is in
 * g->table_jump if it is known which one.  uses, by function: whether it has such a jump.
 */
void jumps_judge(struct cfg *g, bool *uses);

/* Does function f call an address that may be a sum?  The caller sets the decoder of *v only. */
struct values;
bool calls_sum(struct values *v, uint32_t f);

/* state_jumps.c: facts about a part of the code; tables have their numbers in g->table. */
struct stated_jumps {
	held_at_vec held;
	jump_at_vec jump;
};
struct value;
/* State how the current function jumps by tables.  to: by block, where the jump at its end leads.
 */
void state_jumps(const struct values *v, const struct value *to, struct stated_jumps *all);
void state_parts(const struct cfg *g, struct stated_jumps *part, size_t n);

/* What a number is added to, and what the sum may be, stays together */
void sums_find(struct cfg *g);

#endif
