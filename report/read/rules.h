/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.h - the data of tools in a profile, merged by their rules: runtime/abi.h
 *
 * They are in the cells behind the counters.  Sums are those of 64 bits: tools subtract, too.  All
 * but tables are merged in the array of the object's cells; tables are lists, and may have more
 * entries than there is room for in a row.  What the tool merges is a list of copies.
 */
#ifndef LDX_REPORT_RULES_H
#define LDX_REPORT_RULES_H

#include "runtime/abi.h"

#include <stdbool.h>
#include <stddef.h>

/* Entries of keys and sums, the first without keys; the others are sorted when settled.  Or copies.
 */
struct keyed {
	uint64_t *v;
	size_t n, cap, settled; /* entries */
};

struct rules {
	struct ldx_rule rule[LDX_RULES];
	struct keyed table[LDX_RULES]; /* of those that are lists */
	size_t n;
};

/* The rules behind the header of a slot with ncells cells; false: they are damaged. */
bool rules_read(struct rules *r, const uint8_t *slot, bool swapped, uint64_t ncells);
/* Behind the header of a slot of this machine. */
void rules_write(const struct rules *r, void *behind);
bool rules_same(const struct rules *a, const struct rules *b);
/* The number of cells that are counters, of ncells. */
uint64_t rules_counters(const struct rules *r, uint64_t ncells);

/* Merge a row of cells, each of which is read once: a process may be writing. */
void rules_add(struct rules *r, uint64_t *cell, const volatile uint64_t *row, bool swapped);
/* The same, but subtract what can be: sums and tables. */
void rules_take(struct rules *r, uint64_t *cell, const volatile uint64_t *row, bool swapped);
/* Merge data as if they were so many times as many. */
void rules_add_times(struct rules *to, uint64_t *cell, struct rules *from, const uint64_t *cells,
	uint64_t times);

/* Remove the tables. */
void rules_forget(struct rules *r);
/* For profile_to_base(): r and cells become a base; keep may be NULL. */
void rules_to_base(struct rules *r, uint64_t *cell, struct rules *keep, const uint64_t *kept);
/* Clear the cells of a row that rules_take() does not subtract. */
void rules_clear(const struct rules *r, uint64_t *row);

/* The rows that the data need, and the cells of such a row: tables go on in further rows. */
uint64_t rules_rows(struct rules *r);
void rules_put(struct rules *r, const uint64_t *cell, uint64_t row, uint64_t *to);

/* The table with this cell, and its entries, *n words; NULL: there is none. */
const struct ldx_rule *rules_table(const struct rules *r, uint64_t cell);
const uint64_t *rules_entries(struct rules *r, uint64_t cell, size_t *n);
/* The n copies for the tool to merge, from this cell on in the first, each so many words behind the
 * last one; NULL: the cell has another rule. */
const uint64_t *rules_copies(const struct rules *r, uint64_t cell, size_t *n, size_t *words);

#endif
