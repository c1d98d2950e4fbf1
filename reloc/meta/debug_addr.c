/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_addr.c - the address table after layout (DWARF 5, section 7.27)
 *
 * Units name addresses by index, and clang uses one entry for the return address of a call and for
 * the scope that starts behind the call.  After layout the two may differ: then the call gets a
 * new entry at the end of the table, if its index fits the old field; else both share the
 * entry, which is exact for the scope.
 */
#include "reloc/meta/dwarf.h"

#include "reloc/fix.h"

#include <stdlib.h>

enum { HEADER = 8 };

static int cmp_use(const void *pa, const void *pb)
{
	const struct dw_use *a = pa, *b = pb;
	if (a->table.sec != b->table.sec)
		return a->table.sec->index < b->table.sec->index ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (a->use != b->use)
		return a->use < b->use ? -1 : 1;
	return a->sec != b->sec ? (a->sec < b->sec ? -1 : 1) : a->off < b->off ? -1 : 1;
}

/* A section with one table, from its 32-bit header to the section's end? */
static bool is_whole(const struct object *o, const struct place *table)
{
	const struct section *s = table->sec;
	return table->off == HEADER && s->size >= HEADER &&
		get_word(s->data, 4, o->big) == s->size - 4 && s->size % o->word == 0;
}

/*
 * The first of the new entries, which are in the order of their tables, of a section from sec on.
 */
static size_t first_extra(const struct dwarf *d, uint32_t sec)
{
	size_t i;
	BISECT(i, 0, d->extra.n, d->extra.v[i].sec < sec);
	return i;
}

/* The uses [i, end) of one entry with one meaning get a new entry. */
static void add_entry(struct dwarf *d, size_t i, size_t end, uint64_t old)
{
	const struct dw_use *u = &d->use.v[i];
	const struct section *s = u->table.sec;
	uint64_t index = (s->size - HEADER) / d->o->word + d->extra.n - first_extra(d, s->index);
	if (!is_whole(d->o, &u->table))
		return;
	bool used = false;
	for (; i < end; i++) {
		u = &d->use.v[i];
		unsigned bits = u->size * (u->leb ? 7 : 8);
		if (bits < 64 && index >> bits)
			continue;
		vec_push(&d->patch,
			(struct dw_patch){.sec = u->sec,
				.off = u->off,
				.value = index,
				.size = u->size,
				.leb = u->leb});
		used = true;
	}
	if (used)
		vec_push(&d->extra, (struct field_ref){.sec = s->index, .off = old, .use = u->use});
}

void debug_addr_resolve(struct dwarf *d)
{
	size_t known = d->ref.n;
	if (known)
		sort(d->ref.v, known, sizeof *d->ref.v, dw_cmp_ref);
	sort(d->use.v, d->use.n, sizeof *d->use.v, cmp_use);
	for (size_t i = 0, end; i < d->use.n; i = end) {
		const struct dw_use *u = &d->use.v[i];
		for (end = i + 1; end < d->use.n && d->use.v[end].table.sec == u->table.sec &&
			d->use.v[end].index == u->index && d->use.v[end].use == u->use;)
			end++;
		struct field_ref key = {.sec = u->table.sec->index,
			.off = u->table.off + u->index * d->o->word,
			.use = u->use};
		bool first = !i || d->use.v[i - 1].table.sec != u->table.sec ||
			d->use.v[i - 1].index != u->index;
		if (first && (!known || !bsearch(&key, d->ref.v, known, sizeof key, dw_cmp_ref)))
			vec_push(&d->ref, key);
		else
			add_entry(d, i, end, key.off);
	}
}

void debug_addr_append(const struct dwarf *d, struct recode *rc)
{
	uint32_t count = 0;
	size_t i = first_extra(d, rc->in->index);
	for (; i < d->extra.n && d->extra.v[i].sec == rc->in->index; i++) {
		const struct field_ref *e = &d->extra.v[i];
		const struct reloc *r = recode_find(rc, e->off);
		if (r)
			recode_reloc(rc, fix_reloc(rc->o, rc->in, r, e->use));
		dw_put_address(rc, 0);
		count++;
	}
	if (count)
		put_word(rc->out.v, 4, rc->o->big,
			get_word(rc->out.v, 4, rc->o->big) + count * rc->o->word);
}
