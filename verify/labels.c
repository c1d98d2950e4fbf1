/* SPDX-License-Identifier: Apache-2.0 */
/*
 * labels.c - tables of labels, and the functions that jump by them
 *
 * A word of a table leads the indirect jumps of each function that refers to the table, also if it
 * leads into another function: gcc puts some cases of a switch into its cold part, which is a
 * function of its own.
 */
#include "verify/flow.h"
#include "verify/places.h"

#include <stdlib.h>

static int use_cmp(const void *a, const void *b)
{
	const struct table_use *x = a, *y = b;
	int cmp = vbase_cmp(&x->table, &y->table);
	return cmp ? cmp : x->func < y->func ? -1 : x->func > y->func;
}

/* The function into which word r of a table at base leads, to no symbol; NO_PART: none. */
enum { NO_PART = UINT32_MAX };
static uint32_t func_of_label(const struct flow *w, const struct reloc *r, uint64_t base)
{
	const struct verify *v = w->v;
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	int64_t adj = role == ROLE_PCREL ? (int64_t)(base - r->off) : 0;
	uint32_t sec;
	uint64_t x;
	const struct vtext *t;
	if (!place_of(v->a, r, adj, &sec, &x) || !(t = text_at(v, sec)) || x >= t->a->size)
		return NO_PART;
	uint32_t k = insn_at(v, t, x), func = w->part.v[part_of(w, k)].func;
	return v->insn.v[k].off == x && !is_named(v, t, k) && w->part.v[func].first != k ? func
											 : NO_PART;
}

/* The first use of the table, or of a later one. */
static size_t first_use(const struct flow *w, const struct vbase *table)
{
	size_t i;
	BISECT(i, 0, w->user.n, vbase_cmp(&w->user.v[i].table, table) < 0);
	return i;
}

static struct table_use *find_use(const struct flow *w, uint32_t func, const struct vbase *table)
{
	const struct table_use key = {.table = *table, .func = func};
	size_t i;
	BISECT(i, 0, w->user.n, use_cmp(&w->user.v[i], &key) < 0);
	return i < w->user.n && !use_cmp(&w->user.v[i], &key) ? &w->user.v[i] : NULL;
}

/* Note which functions that refer to the table have labels in it. */
static void find_labels(const struct flow *w, const struct vbase *table)
{
	const struct verify *v = w->v;
	const struct section *s = &v->a->sec.v[table->sec];
	uint64_t base;
	for (uint32_t i = section_first_reloc(s, table->off);
		i < s->nrel && table_base(v, s, s->rel[i].off, &base) && base == table->off; i++) {
		struct table_use *u = find_use(w, func_of_label(w, &s->rel[i], base), table);
		if (!u)
			continue;
		u->labels = true;
		bit_set(w->has_table, u->func);
	}
}

void find_users(struct flow *w)
{
	const struct verify *v = w->v;
	struct table_use use = {0};
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = 0; k < t->a->nrel; k++) {
			if (!refers_to(v, &t->a->rel[k], &use.table))
				continue;
			use.func = w->part.v[part_of(w, insn_at(v, t, t->a->rel[k].off))].func;
			vec_push(&w->user, use);
		}
	}
	sort(w->user.v, w->user.n, sizeof *w->user.v, use_cmp);
	size_t n = 0;
	w->has_table = arena_array(&w->v->arena, uint64_t, w->part.n / 64 + 1);
	for (size_t i = 0; i < w->user.n; i++)
		if (!n || use_cmp(&w->user.v[i], &w->user.v[n - 1]))
			w->user.v[n++] = w->user.v[i];
	w->user.n = n;
	for (size_t i = 0; i < n; i++)
		if (!i || vbase_cmp(&w->user.v[i].table, &w->user.v[i - 1].table))
			find_labels(w, &w->user.v[i].table);
}

bool take_across(struct flow *w, struct vbase table, uint32_t sec, uint64_t x)
{
	const struct vtext *t = text_at(w->v, sec);
	const struct table_use *u = w->user.v;
	if (!t || x >= t->a->size)
		return false;
	uint32_t k = insn_at(w->v, t, x), own = w->part.v[part_of(w, k)].func;
	bool all = true, any = false;
	if (w->part.v[own].func_jumps && bit_get(w->has_table, own))
		return false;
	for (size_t i = first_use(w, &table); i < w->user.n && !vbase_cmp(&u[i].table, &table);
		i++) {
		bool jumps = u[i].func != own && u[i].labels && w->part.v[u[i].func].func_jumps;
		if (jumps)
			vec_push(&w->across, (struct across){u[i].func, k});
		any |= jumps;
		all &= jumps;
	}
	return any && all;
}
