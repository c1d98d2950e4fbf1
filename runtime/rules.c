/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - how data of tools are merged
 *
 * A row of cells goes from one process or thread to another, which goes on from what is there, and
 * ldxprof merges all rows.  So what the runtime has to merge is only what a program has done before
 * its cells were those of a slot.
 */
#include "runtime/rt.h"

const struct ldx_rule *__ldx_rules_next(const struct ldx_rule *r)
{
	if (!(__ldx_info.flags & LDX_INFO_RULES))
		return NULL;
	r = r ? r + 1 : (const struct ldx_rule *)(&__ldx_info + 1);
	return r->cells ? r : NULL;
}

void __ldx_rules_put(void *to)
{
	struct ldx_rule *rule = to;
	for (const struct ldx_rule *r = NULL; (r = __ldx_rules_next(r));)
		*rule++ = *r;
}

static bool same_keys(const uint64_t *a, const uint64_t *b, size_t keys)
{
	for (size_t i = 0; i < keys; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* An entry goes to the same place or behind it; without room, to the first one. */
static void merge_entry(uint64_t *table, size_t i, size_t n, const uint64_t *entry,
	const struct ldx_rule *r)
{
	size_t keys = (size_t)r->keys, words = keys + (size_t)r->sums, left = i ? n : 0;
	for (; left && table[i * words] && !same_keys(&table[i * words], entry, keys); left--)
		i = i + 1 < n ? i + 1 : 1;
	uint64_t *to = &table[(left ? i : 0) * words];
	for (size_t k = 0; k < words; k++)
		if (k >= keys)
			to[k] += entry[k];
		else if (left)
			to[k] = entry[k];
}

static void merge_table(uint64_t *table, const uint64_t *from, const struct ldx_rule *r)
{
	size_t words = (size_t)(r->keys + r->sums), n = (size_t)r->cells / words;
	for (size_t i = 0; i < n; i++)
		if (!i || from[i * words])
			merge_entry(table, i, n, &from[i * words], r);
}

static uint64_t merged(uint64_t a, uint64_t b, uint64_t kind)
{
	switch (kind) {
	case LDX_RULE_OR: return a | b;
	case LDX_RULE_MAXIMUM: return a > b ? a : b;
	case LDX_RULE_MINIMUM: return b && (!a || b < a) ? b : a;
	case LDX_RULE_FIRST:
	case LDX_RULE_TOOL: return a ? a : b;
	}
	return a + b;
}

/* Most data are zero. */
static size_t skip_zeros(const uint64_t *v, size_t i, size_t n)
{
	for (; n - i >= 8; i += 8)
		if (v[i] | v[i + 1] | v[i + 2] | v[i + 3] | v[i + 4] | v[i + 5] | v[i + 6] |
			v[i + 7])
			break;
	while (i < n && !v[i])
		i++;
	return i;
}

static void merge_words(uint64_t *to, const uint64_t *from, const struct ldx_rule *r)
{
	size_t n = (size_t)r->cells, i = 0;
	while ((i = skip_zeros(from, i, n)) < n) {
		to[i] = merged(to[i], from[i], r->kind);
		i++;
	}
}

void __ldx_rules_merge(uint64_t *cells, const uint64_t *from)
{
	for (const struct ldx_rule *r = NULL; (r = __ldx_rules_next(r));)
		(r->kind == LDX_RULE_TABLE ? merge_table : merge_words)(cells + (size_t)r->first,
			from + (size_t)r->first, r);
}

bool __ldx_rules_is_key(uint64_t cell)
{
	for (const struct ldx_rule *r = NULL; (r = __ldx_rules_next(r));)
		if (r->kind == LDX_RULE_TABLE && cell - r->first < r->cells)
			return (size_t)(cell - r->first) % (size_t)(r->keys + r->sums) < r->keys;
	return false;
}
