/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - merging the data of tools; see rules.h
 */
#include "report/read/rules.h"

#include "report/common/util.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number(bool swapped, uint64_t x)
{
	return swapped ? __builtin_bswap64(x) : x;
}

static bool is_table(const struct ldx_rule *r)
{
	return r->kind == LDX_RULE_TABLE;
}

/* Are they in a list: entries of a table, or copies for the tool to merge? */
static bool is_listed(const struct ldx_rule *r)
{
	return is_table(r) || r->kind == LDX_RULE_TOOL;
}

static size_t entry_words(const struct ldx_rule *r)
{
	return (size_t)(is_table(r) ? r->keys + r->sums : r->cells);
}

/* Else a base is merged as the data of a process are. */
static bool is_subtracted(const struct ldx_rule *r)
{
	return r->kind == LDX_RULE_SUM || is_table(r);
}

/* Rules ------------------------------------------------------------------------- */

/* from: the first cell that it may apply to. */
static bool is_valid(const struct ldx_rule *r, uint64_t from, uint64_t ncells)
{
	if (r->first < from || r->first > ncells || r->cells > ncells - r->first ||
		r->kind >= LDX_RULE_KINDS)
		return false;
	return !is_table(r) ||
		(r->keys && r->sums && r->keys < ncells && r->sums < ncells &&
			r->cells % entry_words(r) == 0 && r->cells > entry_words(r));
}

bool rules_read(struct rules *r, const uint8_t *slot, bool swapped, uint64_t ncells)
{
	const uint8_t *p = slot + sizeof(struct ldx_slot_header);
	uint64_t from = 0;
	for (r->n = 0; r->n < LDX_RULES; r->n++, p += sizeof *r->rule) {
		struct ldx_rule *x = &r->rule[r->n];
		memcpy(x, p, sizeof *x);
		uint64_t *field[] = {&x->first, &x->cells, &x->kind, &x->keys, &x->sums};
		for (size_t i = 0; i < sizeof field / sizeof *field; i++)
			*field[i] = number(swapped, *field[i]);
		if (!x->cells)
			return true;
		if (!is_valid(x, from, ncells))
			return false;
		from = x->first + x->cells;
	}
	return false;
}

void rules_write(const struct rules *r, void *behind)
{
	memcpy(behind, r->rule, r->n * sizeof *r->rule);
}

bool rules_same(const struct rules *a, const struct rules *b)
{
	return a->n == b->n && !memcmp(a->rule, b->rule, a->n * sizeof *a->rule);
}

uint64_t rules_counters(const struct rules *r, uint64_t ncells)
{
	return r->n ? r->rule[0].first : ncells;
}

/* Tables ------------------------------------------------------------------------ */

static size_t sorted_keys; /* of the table that is being sorted */

static int compare_keys(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	for (size_t i = 0; i < sorted_keys; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/*
 * Sort the entries, and add those with the same keys; all without sums, but the first, are left
 * out.
 */
static void settle(struct keyed *t, const struct ldx_rule *r)
{
	size_t words = entry_words(r), to = 1;
	sorted_keys = (size_t)r->keys;
	if (t->settled == t->n)
		return;
	qsort(t->v + words, t->n - 1, words * 8, compare_keys);
	for (size_t i = 1; i < t->n; i++) {
		const uint64_t *from = t->v + i * words;
		uint64_t *last = t->v + (to - 1) * words, any = 0;
		for (size_t k = sorted_keys; k < words; k++)
			any |= from[k];
		if (to > 1 && !compare_keys(last, from))
			for (size_t k = sorted_keys; k < words; k++)
				last[k] += from[k];
		else if (any)
			memmove(t->v + to++ * words, from, words * 8);
	}
	t->n = t->settled = to;
}

/* Room for one more entry, all 0. */
static uint64_t *new_entry(struct keyed *t, const struct ldx_rule *r)
{
	size_t words = entry_words(r);
	if (t->n == t->cap && t->n > 2 * t->settled && is_table(r))
		settle(t, r);
	if (t->n == t->cap) {
		t->cap = 2 * t->cap + 4;
		t->v = realloc(t->v, t->cap * words * 8);
		if (!t->v)
			die("out of memory");
	}
	return memset(t->v + t->n++ * words, 0, words * 8);
}

/* The first entry, which has no keys. */
static uint64_t *other(struct keyed *t, const struct ldx_rule *r)
{
	if (!t->n) {
		new_entry(t, r);
		t->settled = 1;
	}
	return t->v;
}

/* Copies the entry of a row; false: it is empty.  Without all keys, it is the first one's. */
static bool take_entry(uint64_t *to, const volatile uint64_t *from, const struct ldx_rule *r,
	bool swapped)
{
	bool known = true, any = false;
	for (size_t k = 0; k < entry_words(r); k++) {
		to[k] = number(swapped, from[k]);
		known &= k >= r->keys || to[k];
		any |= to[k] && k >= r->keys;
	}
	if (!known)
		memset(to, 0, (size_t)r->keys * 8);
	return any;
}

static void add_entry(struct keyed *t, const struct ldx_rule *r, const uint64_t *entry,
	uint64_t times)
{
	uint64_t *to = entry[0] ? new_entry(t, r) : other(t, r);
	memcpy(to, entry, (size_t)r->keys * 8);
	for (size_t k = (size_t)r->keys; k < entry_words(r); k++)
		to[k] += entry[k] * times;
}

static void add_table(struct keyed *t, const struct ldx_rule *r, const volatile uint64_t *row,
	bool swapped)
{
	size_t words = entry_words(r);
	uint64_t *entry = NEW_ARRAY(uint64_t, words);
	other(t, r);
	for (size_t i = 0; i < r->cells / words; i++)
		if (take_entry(entry, row + r->first + i * words, r, swapped))
			add_entry(t, r, entry, 1);
	free(entry);
}

static void subtract_entry(struct keyed *t, const struct ldx_rule *r, const uint64_t *entry)
{
	size_t words = entry_words(r);
	sorted_keys = (size_t)r->keys;
	uint64_t *from = entry[0] ? bsearch(entry, t->v + words, t->n - 1, words * 8, compare_keys)
				  : t->v;
	for (size_t k = sorted_keys; from && k < words; k++)
		from[k] -= entry[k];
}

static void take_table(struct keyed *t, const struct ldx_rule *r, const volatile uint64_t *row,
	bool swapped)
{
	size_t words = entry_words(r);
	uint64_t *entry = NEW_ARRAY(uint64_t, words);
	other(t, r);
	settle(t, r);
	for (size_t i = 0; i < r->cells / words; i++)
		if (take_entry(entry, row + r->first + i * words, r, swapped))
			subtract_entry(t, r, entry);
	t->settled = 0; /* some have no sums now */
	free(entry);
}

/* Copies ------------------------------------------------------------------------ */

static void add_copies(struct keyed *t, const struct ldx_rule *r, const struct keyed *from)
{
	size_t words = entry_words(r);
	for (size_t i = 0; i < from->n; i++)
		memcpy(new_entry(t, r), from->v + i * words, words * 8);
}

/* Of a row, unless all of it is 0. */
static void add_copy(struct keyed *t, const struct ldx_rule *r, const volatile uint64_t *row,
	bool swapped)
{
	uint64_t *to = new_entry(t, r), any = 0;
	for (size_t k = 0; k < entry_words(r); k++)
		any |= to[k] = number(swapped, row[r->first + k]);
	t->n -= !any;
}

/* Merging ------------------------------------------------------------------------ */

static uint64_t merged(uint64_t a, uint64_t b, uint64_t kind)
{
	switch (kind) {
	case LDX_RULE_OR: return a | b;
	case LDX_RULE_MAXIMUM: return a > b ? a : b;
	case LDX_RULE_MINIMUM: return b && (!a || b < a) ? b : a;
	case LDX_RULE_FIRST: return a ? a : b;
	}
	return a + b;
}

void rules_add(struct rules *r, uint64_t *cell, const volatile uint64_t *row, bool swapped)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct ldx_rule *x = &r->rule[i];
		if (is_table(x))
			add_table(&r->table[i], x, row, swapped);
		else if (is_listed(x))
			add_copy(&r->table[i], x, row, swapped);
		for (uint64_t k = x->first; !is_listed(x) && k < x->first + x->cells; k++)
			cell[k] = merged(cell[k], number(swapped, row[k]), x->kind);
	}
}

void rules_take(struct rules *r, uint64_t *cell, const volatile uint64_t *row, bool swapped)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct ldx_rule *x = &r->rule[i];
		if (is_table(x))
			take_table(&r->table[i], x, row, swapped);
		else if (is_listed(x))
			add_copy(&r->table[i], x, row, swapped);
		for (uint64_t k = x->first; !is_listed(x) && k < x->first + x->cells; k++) {
			uint64_t base = number(swapped, row[k]);
			cell[k] = is_subtracted(x) ? cell[k] - base
						   : merged(base, cell[k], x->kind);
		}
	}
}

void rules_add_times(struct rules *to, uint64_t *cell, struct rules *from, const uint64_t *cells,
	uint64_t times)
{
	for (size_t i = 0; times && i < to->n; i++) {
		const struct ldx_rule *x = &to->rule[i];
		if (!is_table(x) && is_listed(x))
			add_copies(&to->table[i], x, &from->table[i]);
		for (size_t k = 0; is_table(x) && k < from->table[i].n; k++)
			add_entry(&to->table[i], x, from->table[i].v + k * entry_words(x), times);
		for (uint64_t k = x->first; !is_listed(x) && k < x->first + x->cells; k++) {
			uint64_t n = cells[k] * (x->kind == LDX_RULE_SUM ? times : 1);
			cell[k] = merged(cell[k], n, x->kind);
		}
	}
}

/* Bases ------------------------------------------------------------------------ */

void rules_forget(struct rules *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->table[i].n = r->table[i].settled = 0;
}

static void subtract_table(struct keyed *t, const struct ldx_rule *r, const struct keyed *keep)
{
	other(t, r);
	settle(t, r);
	for (size_t i = 0; i < keep->n; i++)
		subtract_entry(t, r, keep->v + i * entry_words(r));
	t->settled = 0;
}

void rules_to_base(struct rules *r, uint64_t *cell, struct rules *keep, const uint64_t *kept)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct ldx_rule *x = &r->rule[i];
		if (is_table(x) && keep)
			subtract_table(&r->table[i], x, &keep->table[i]);
		if (!is_table(x) && is_listed(x)) {
			r->table[i].n = 0;
			add_copies(&r->table[i], x, keep ? &keep->table[i] : &r->table[i]);
		}
		for (uint64_t k = x->first; !is_listed(x) && k < x->first + x->cells; k++)
			cell[k] = is_subtracted(x) ? cell[k] - (kept ? kept[k] : 0)
						   : (kept ? kept[k] : 0);
	}
}

void rules_clear(const struct rules *r, uint64_t *row)
{
	for (size_t i = 0; i < r->n; i++)
		if (!is_subtracted(&r->rule[i]))
			memset(row + r->rule[i].first, 0, r->rule[i].cells * 8);
}

/* Rows ------------------------------------------------------------------------ */

/* A row is half full at most: a process that takes it needs room. */
static uint64_t entries_in_row(const struct ldx_rule *r)
{
	return r->cells / entry_words(r) / 2;
}

uint64_t rules_rows(struct rules *r)
{
	uint64_t rows = 1;
	for (size_t i = 0; i < r->n; i++) {
		if (!is_table(&r->rule[i])) {
			rows = r->table[i].n > rows ? r->table[i].n : rows;
			continue;
		}
		other(&r->table[i], &r->rule[i]);
		settle(&r->table[i], &r->rule[i]);
		uint64_t each = entries_in_row(&r->rule[i]);
		uint64_t n = (r->table[i].n - 1 + each - 1) / each;
		rows = n > rows ? n : rows;
	}
	return rows;
}

/* Where routines look for these keys first: ldx/analysis.h. */
static uint64_t place_of(const uint64_t *key, const struct ldx_rule *r, uint64_t n)
{
	uint32_t h = 0;
	for (size_t k = 0; k < r->keys; k++)
		h = (h ^ (uint32_t)key[k] ^ (uint32_t)(key[k] >> 32)) * 2654435761u;
	return 1 + ((uint64_t)h * (n - 1) >> 32);
}

static void put_table(const struct keyed *t, const struct ldx_rule *r, uint64_t row, uint64_t *to)
{
	size_t words = entry_words(r);
	uint64_t n = r->cells / words, each = entries_in_row(r), first = 1 + row * each;
	to += r->first;
	if (!row)
		memcpy(to, t->v, words * 8);
	for (uint64_t i = first; i < t->n && i < first + each; i++) {
		uint64_t at = place_of(t->v + i * words, r, n);
		while (to[at * words])
			at = at + 1 < n ? at + 1 : 1;
		memcpy(to + at * words, t->v + i * words, words * 8);
	}
}

void rules_put(struct rules *r, const uint64_t *cell, uint64_t row, uint64_t *to)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct ldx_rule *x = &r->rule[i];
		if (is_table(x))
			put_table(&r->table[i], x, row, to);
		else if (is_listed(x) && row < r->table[i].n)
			memcpy(to + x->first, r->table[i].v + row * x->cells, x->cells * 8);
		else if (!row && !is_listed(x))
			memcpy(to + x->first, cell + x->first, x->cells * 8);
	}
}

const struct ldx_rule *rules_table(const struct rules *r, uint64_t cell)
{
	for (size_t i = 0; i < r->n; i++)
		if (is_table(&r->rule[i]) && cell - r->rule[i].first < r->rule[i].cells)
			return &r->rule[i];
	return NULL;
}

const uint64_t *rules_entries(struct rules *r, uint64_t cell, size_t *n)
{
	const struct ldx_rule *rule = rules_table(r, cell);
	struct keyed *t = rule ? &r->table[rule - r->rule] : NULL;
	if (!t)
		return NULL;
	other(t, rule);
	settle(t, rule);
	*n = t->n * entry_words(rule);
	return t->v;
}

const uint64_t *rules_copies(const struct rules *r, uint64_t cell, size_t *n, size_t *words)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct ldx_rule *x = &r->rule[i];
		if (is_table(x) || !is_listed(x) || cell - x->first >= x->cells)
			continue;
		*n = r->table[i].n;
		*words = entry_words(x);
		return r->table[i].v + (cell - x->first);
	}
	return NULL;
}
