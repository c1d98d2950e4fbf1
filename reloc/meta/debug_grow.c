/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_grow.c - units of debug information whose entries become longer
 *
 * gas writes the lengths of functions, and references to entries, as short as they are
 * (DW_FORM_udata, DW_FORM_ref_udata).  A length of grown code may need one more byte, and all
 * that follows it moves: references within the unit are corrected here, all others by the
 * map of the section.
 */
#include "reloc/meta/dwarf.h"

static bool fits(const struct dw_field *f, uint64_t x)
{
	unsigned bits = (f->size + f->more) * (f->leb ? 7u : 8u);
	return bits >= 64 || !(x >> bits);
}

static int cmp_field(const void *pa, const void *pb)
{
	const struct dw_field *a = pa, *b = pb;
	return a->off < b->off ? -1 : a->off > b->off;
}

/* By how much the bytes in front of off have grown; sum: by how much the whole unit has. */
static uint64_t growth_before(const struct dw_field *f, size_t n, uint64_t off, uint64_t sum)
{
	size_t i;
	BISECT(i, 0, n, f[i].off < off);
	return i < n ? f[i].before : sum;
}

static uint64_t new_value(const struct dw_unit *u, const struct dw_field *all, size_t n,
	const struct dw_field *f, uint64_t sum)
{
	return f->ref ? f->x + growth_before(all, n, u->off + f->x, sum) : f->x;
}

/*
 * Lengthen fields until all hold their new values; returns by how much the unit has grown.
 *
 * hazard: length that outgrows its form.  gas writes high_pc as the shortest ULEB128: the
 * unit grows with the code, and references into it must be corrected.
 */
static uint64_t grow_fields(const struct dwarf *d, const struct dw_unit *u, struct dw_field *all,
	size_t n)
{
	for (;;) {
		uint64_t sum = 0;
		bool changed = false;
		for (size_t i = 0; i < n; i++) {
			all[i].before = sum;
			sum += all[i].more;
		}
		for (size_t i = 0; i < n; i++) {
			struct dw_field *f = &all[i];
			uint64_t x = new_value(u, all, n, f, sum);
			if (!f->leb && !fits(f, x))
				fatal_at(&d->o->sec.v[u->sec], f->off,
					"a reference does not fit its form after layout");
			for (; !fits(f, x); changed = true)
				f->more++;
		}
		if (!changed)
			return sum;
	}
}

static void grow_unit(struct dwarf *d, const struct dw_unit *u, struct dw_field *all, size_t n)
{
	if (u->fixed)
		fatal_at(&d->o->sec.v[u->sec], u->off,
			"a length does not fit its form after layout, and entries cannot move");
	sort(all, n, sizeof *all, cmp_field);
	uint64_t sum = grow_fields(d, u, all, n), len = u->end - u->off - (u->wide ? 12 : 4);
	vec_push(&d->patch,
		(struct dw_patch){.sec = u->sec,
			.off = u->off + (u->wide ? 4 : 0),
			.value = len + sum,
			.size = u->wide ? 8 : 4});
	for (size_t i = 0; i < n; i++)
		vec_push(&d->patch,
			(struct dw_patch){.sec = u->sec,
				.off = all[i].off,
				.value = new_value(u, all, n, &all[i], sum),
				.span = all[i].span,
				.size = (uint8_t)(all[i].size + all[i].more),
				.more = all[i].more,
				.leb = all[i].leb});
}

/* Tables of names hold the offsets of entries in their units. */
static void check_names(const struct dwarf *d, const struct section *s)
{
	for (uint32_t i = 0; i < s->nrel; i++) {
		uint64_t off;
		const struct section *t = reloc_target(d->o, &s->rel[i], &off);
		if (t && map_changes(t->map) && section_named(t, ".debug_info"))
			fatal_at(s, s->rel[i].off, "names what is in units that have grown");
	}
}

void debug_units_grow(struct dwarf *d)
{
	for (size_t i = 0; i < d->unit.n; i++) {
		const struct dw_unit *u = &d->unit.v[i];
		size_t end = i + 1 < d->unit.n ? u[1].field : d->field.n;
		if (u->grows)
			grow_unit(d, u, &d->field.v[u->field], end - u->field);
	}
}

void debug_grow_maps(struct dwarf *d)
{
	struct object *o = d->o;
	bool grown = false;
	for (size_t i = 0, end; i < d->patch.n; i = end) {
		struct section *s = &o->sec.v[d->patch.v[i].sec];
		struct addrmap m = {.old_size = s->size, .new_size = s->size};
		for (end = i; end < d->patch.n && d->patch.v[end].sec == s->index; end++)
			m.n += d->patch.v[end].more != 0;
		if (!m.n)
			continue;
		m.frag = arena_array(o->arena, struct frag, 2 * m.n);
		m.n = 0;
		for (size_t k = i; k < end; k++) {
			const struct dw_patch *p = &d->patch.v[k];
			if (!p->more)
				continue;
			uint64_t new = p->off + (m.new_size - m.old_size);
			m.frag[m.n++] = (struct frag){.old = p->off,
				.new = new,
				.len = p->size,
				.kind = FRAG_RESIZED,
				.runs = RUNS_OLD};
			m.new_size += p->more;
			uint64_t behind = p->off + p->size - p->more;
			m.frag[m.n++] = (struct frag){.old = behind,
				.new = new + p->size,
				.kind = FRAG_KEPT,
				.runs = RUNS_OLD};
		}
		s->map = arena_new(o->arena, struct addrmap);
		*s->map = m;
		grown = true;
	}
	for (size_t i = 1; i < o->sec.n && grown; i++) {
		const struct section *s = &o->sec.v[i];
		if (section_named(s, ".debug_names") || section_named(s, ".debug_pubnames") ||
			section_named(s, ".debug_pubtypes") ||
			section_named(s, ".debug_gnu_pubnames") ||
			section_named(s, ".debug_gnu_pubtypes"))
			check_names(d, s);
	}
}
