/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.c - the list of what the runtime changes in code when a second thread comes
 *
 * Inserted code is proved to be right in all forms that its places are changed to (prove.c).  So
 * .ldx.turns must list all of them, and nothing else: by the relocations of each section against
 * the counters.
 */
#include "verify/passes.h"

#include "runtime/abi.h"

struct list {
	struct verify *v;
	const struct section *s; /* the section that is read */
	struct reader r;
	uint32_t nrel;		  /* relocations of s so far */
	uint64_t nparts;	  /* of all sections */
	uint64_t *listed, *group; /* sections of code, and new groups, so far */
	uint32_t end_sec;	  /* where the first part leads */
	uint64_t end;
	bool ended;
};

/* Where the field of a part leads: a section, 0: nowhere. */
static uint32_t led_to(struct list *l, uint64_t field, uint64_t *off)
{
	const struct verify *v = l->v;
	const struct reloc *r = &l->s->rel[l->nrel];
	if (l->nrel >= l->s->nrel || r->off != field || r->type != v->target->made.distance)
		return 0;
	const struct symbol *s = &v->b->sym.v[r->sym];
	l->nrel++;
	*off = s->value + (uint64_t)r->addend;
	return s->sec < v->b->sec.n ? s->sec : 0;
}

/* The next place in s from relocation *i on; false: there is none. */
static bool next_place(const struct verify *v, const struct section *s, uint32_t *i, uint64_t *at)
{
	for (struct turn turn; *i < s->nrel;) {
		const struct reloc *r = &s->rel[(*i)++];
		if (r->sym != v->counters || !v->target->turn(s->data + r->off, &turn))
			continue;
		*at = r->off + (uint64_t)(int64_t)turn.at;
		return true;
	}
	return false;
}

static bool part_fits(const struct verify *v, struct reader *r, const struct section *code,
	const struct ldx_turns *part)
{
	uint64_t begin = reader_at(r), last = 0, at;
	uint32_t i = 0;
	for (uint32_t k = 0; k < part->n; k++) {
		uint64_t place = last + read_uleb(r);
		if (!next_place(v, code, &i, &at) || place != at || (!k && place != part->first))
			return false;
		last = place;
	}
	bool whole = part->last == last && !next_place(v, code, &i, &at);
	uint64_t end = begin + part->size;
	while (!r->bad && reader_at(r) < end)
		whole &= !read_u8(r);
	return whole && !r->bad && reader_at(r) == end;
}

/* If the section of code or its part is in a group, both are; one that is new has only them. */
static bool groups_fit(struct list *l, const struct section *code)
{
	uint32_t group = code->group;
	if (group != l->s->group || !group)
		return !l->s->group;
	bool shared = bit_get(l->group, group),
	     comdat = get_word(l->v->b->sec.v[group].data, 4, l->v->b->big);
	bit_set(l->group, group);
	return l->v->old[group] || (!shared && !comdat);
}

static bool take_part(struct list *l)
{
	uint64_t field = reader_at(&l->r), off = 0;
	struct ldx_turns part = {.start = (int64_t)read_u64(&l->r)};
	part.n = read_u32(&l->r);
	part.size = read_u32(&l->r);
	part.first = read_u64(&l->r);
	part.last = read_u64(&l->r);
	if (l->r.bad || part.start || l->ended)
		return false;
	if (!part.n && (part.size || part.first || part.last))
		return false;
	if (!l->nparts++)
		return !part.n && (l->end_sec = led_to(l, field, &l->end));
	if (!part.n) {
		l->ended = l->s->index == l->end_sec && field == l->end;
		return l->ended;
	}
	uint32_t sec = led_to(l, field, &off);
	const struct section *code = &l->v->b->sec.v[sec];
	if (!sec || off || bit_get(l->listed, sec) || !groups_fit(l, code))
		return false;
	bit_set(l->listed, sec);
	return part_fits(l->v, &l->r, code, &part);
}

/* Is a section with places not in the list, or, without any, in a new group? */
static bool lists_all(const struct verify *v, const uint64_t *listed)
{
	for (uint32_t i = 1; i < v->b->sec.n; i++) {
		const struct section *s = &v->b->sec.v[i];
		uint32_t k = 0;
		uint64_t at;
		if (!section_is_code(s) || bit_get(listed, i))
			continue;
		if (next_place(v, s, &k, &at) || (s->group && !v->old[s->group]))
			return false;
	}
	return true;
}

void verify_turns(struct verify *v)
{
	struct list l = {.v = v,
		.listed = arena_array(&v->arena, uint64_t, v->b->sec.n / 64 + 1),
		.group = arena_array(&v->arena, uint64_t, v->b->sec.n / 64 + 1)};
	for (uint32_t i = 1; i < v->b->sec.n; i++) {
		l.s = &v->b->sec.v[i];
		if (v->old[i] || strcmp(l.s->name, ".ldx.turns") != 0)
			continue;
		l.r = section_reader(v->b, l.s, l.s->size);
		l.nrel = 0;
		while (reader_at(&l.r) < l.s->size)
			if (!take_part(&l)) {
				vfail(v, l.s, 0, "wrong places to make counting atomic");
				return;
			}
		l.ended &= l.nrel == l.s->nrel;
	}
	if (!l.ended || !lists_all(v, l.listed))
		vfail(v, &v->b->sec.v[v->map], 0, "a place to make counting atomic is missing");
}
