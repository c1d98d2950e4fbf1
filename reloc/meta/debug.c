/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.c - debug information after layout
 *
 * Most of its sections refer to one another, so they are rewritten as a set or dropped as a
 * set; the others are rewritten one by one.  Sections not named here hold code addresses
 * with relocations only, or none: .debug_abbrev, .debug_str*,
 * .debug_macro, .debug_names (offsets into units, where nothing moves), .stack_sizes.
 */
#include "reloc/fix.h"
#include "reloc/meta/codec.h"
#include "reloc/meta/dwarf.h"

#include <stdlib.h>

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* .debug_gdb_scripts names files, and no other section refers to it. */
static bool has_debug_name(const struct section *s)
{
	return starts_with(s->name, ".debug_") && !section_named(s, ".debug_gdb_scripts");
}

/* A loaded section belongs to the program, whatever its name. */
static bool is_debug(const struct section *s)
{
	return has_debug_name(s) && !(s->flags & SHF_ALLOC);
}

/* Formats with code distances that no codec rewrites. */
static bool is_stale(const struct section *s)
{
	return !(s->flags & SHF_ALLOC) &&
		(starts_with(s->name, ".zdebug_") || starts_with(s->name, ".stab") ||
			section_named(s, ".gdb_index") || starts_with(s->name, ".pseudo_probe"));
}

/* Sections that no other section refers to; rewritten last. */
typedef void rewrite_fn(struct object *o, struct section *s);
static const struct single {
	const char *name;
	rewrite_fn *rewrite;
} singles[] = {
	{".debug_aranges", debug_aranges_rewrite},
	{".debug_frame", debug_frame_rewrite},
	{".sframe", sframe_rewrite},
	{".llvm_bb_addr_map", bb_addr_map_rewrite},
};

static rewrite_fn *single_rewrite(const struct section *s)
{
	for (size_t i = 0; i < sizeof singles / sizeof *singles; i++)
		if (section_named(s, singles[i].name) && (is_debug(s) || !has_debug_name(s)))
			return singles[i].rewrite;
	return NULL;
}

/* Sections that are useless without .debug_info: all but the unwind tables. */
static bool is_in_set(const struct section *s)
{
	return is_debug(s) && !section_named(s, ".debug_frame");
}

/* Passes ---------------------------------------------------------------- */

static int cmp_list(const void *pa, const void *pb)
{
	const struct dw_list *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec->index < b->sec->index ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

/* An entry of .debug_addr may have two uses: the use as a start comes first and must be exact. */
static int cmp_ref(const void *pa, const void *pb)
{
	const struct field_ref *a = pa, *b = pb;
	int cmp = dw_cmp_ref(a, b);
	return cmp ? cmp : (a->use != REF_ADDRESS) - (b->use != REF_ADDRESS);
}

static void sort_lists(struct dwarf *d)
{
	size_t n = 0;
	sort(d->list.v, d->list.n, sizeof *d->list.v, cmp_list);
	for (size_t i = 0; i < d->list.n; i++) {
		const struct dw_list *l = &d->list.v[i], *last = n ? &d->list.v[n - 1] : NULL;
		if (!last || cmp_list(last, l)) {
			d->list.v[n++] = *l;
			continue;
		}
		if (last->base.sec != l->base.sec || last->base.off != l->base.off)
			fatal_at(l->sec, l->off, "list of two units with different bases");
	}
	d->list.n = n;
}

static void rewrite_lists(struct dwarf *d)
{
	for (size_t i = 0, end; i < d->list.n; i = end) {
		struct section *s = d->list.v[i].sec;
		for (end = i + 1; end < d->list.n && d->list.v[end].sec == s;)
			end++;
		debug_lists_rewrite(d, s, i, end);
	}
}

static int cmp_patch(const void *pa, const void *pb)
{
	const struct dw_patch *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

/* Copy the open section, with space for the bytes that its patches, from i on, add. */
static void copy_fields(const struct dwarf *d, struct recode *rc, size_t i)
{
	const struct section *s = rc->in;
	uint64_t from = 0;
	for (; i < d->patch.n && d->patch.v[i].sec == s->index; i++) {
		const struct dw_patch *p = &d->patch.v[i];
		if (!p->more)
			continue;
		recode_copy(rc, from, p->off + p->size - p->more);
		for (unsigned k = 0; k < p->more; k++)
			buf_u8(&rc->out, 0);
		from = p->off + p->size - p->more;
	}
	recode_copy(rc, from, s->size);
}

/* Rewrite a section of fields by its patches.  *patch: the first one that is not applied yet. */
static void rewrite_fields(struct dwarf *d, struct section *s, size_t *patch)
{
	struct recode rc = {.o = d->o};
	struct field_ref key = {.sec = s->index};
	size_t first;
	BISECT(first, 0, d->ref.n, dw_cmp_ref(&d->ref.v[first], &key) < 0);
	if (first < d->ref.n)
		rc.ref = &d->ref.v[first];
	while (first + rc.nref < d->ref.n && rc.ref[rc.nref].sec == s->index)
		rc.nref++;
	recode_open(&rc, s);
	copy_fields(d, &rc, *patch);
	debug_addr_append(d, &rc);
	for (; *patch < d->patch.n && d->patch.v[*patch].sec == s->index; ++*patch) {
		const struct dw_patch *p = &d->patch.v[*patch];
		uint64_t x = p->value, at = map_addr(s->map, p->off, REF_EXACT);
		uint8_t *to = rc.out.v + at;
		for (unsigned i = 0; i < p->size; i++) {
			uint8_t more = p->leb && i + 1 < p->size ? 0x80 : 0;
			unsigned k = !p->leb && d->o->big ? p->size - 1 - i : i;
			to[k] = (uint8_t)(p->leb ? (x & 0x7f) | more : x);
			x >>= p->leb ? 7 : 8;
		}
		if (p->span.code)
			recode_patch_distance(&rc, p->span.code, p->span.from, p->span.to,
				p->leb ? 0 : 8 * p->size, at);
	}
	recode_finish(&rc, s);
}

static void rewrite_set(void *arg)
{
	struct dwarf *d = arg;
	struct object *o = d->o;
	size_t patch = 0;
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->dropped || !s->size)
			continue;
		if (has_debug_name(s) && !is_debug(s))
			fatal_at(s, 0, "debug information that is loaded");
		if (!is_in_set(s))
			continue;
		if (s->flags & SHF_COMPRESSED)
			fatal_at(s, 0, "compressed");
		if (section_named(s, ".debug_info"))
			debug_info_walk(d, s);
	}
	sort_lists(d);
	rewrite_lists(d);
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->dropped || !s->size)
			continue;
		if (section_named(s, ".debug_line"))
			debug_line_rewrite(o, s);
	}
	debug_addr_resolve(d);
	debug_units_grow(d);
	sort(d->ref.v, d->ref.n, sizeof *d->ref.v, cmp_ref);
	sort(d->patch.v, d->patch.n, sizeof *d->patch.v, cmp_patch);
	debug_grow_maps(d);
	/* After what they refer to. */
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->dropped || !s->size)
			continue;
		bool patched = patch < d->patch.n && d->patch.v[patch].sec == i;
		if (section_named(s, ".debug_info") || section_named(s, ".debug_addr") || patched)
			rewrite_fields(d, s, &patch);
	}
}

static void drop(struct object *o, bool (*which)(const struct section *s), const char *why)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->dropped || !section_has_contents(s) || !which(s))
			continue;
		if (section_is_code(s))
			fatal_at(s, 0, "code that would be lost: %s", why);
		s->dropped = true;
		s->why = why;
	}
}

struct single_job {
	struct object *o;
	struct section *s;
};

static void rewrite_single(void *arg)
{
	const struct single_job *job = arg;
	if (job->s->flags & SHF_COMPRESSED)
		fatal_at(job->s, 0, "compressed");
	single_rewrite(job->s)(job->o, job->s);
}

static void rewrite_singles(struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct single_job job = {o, &o->sec.v[i]};
		if (job.s->dropped || !job.s->size || !single_rewrite(job.s))
			continue;
		job.s->why = object_attempt(o, rewrite_single, &job);
		job.s->dropped = job.s->why;
	}
}

/* Neutralise references to a dropped section; fatal() in a loaded section. */
static void detach(struct object *o, const struct section *s, struct reloc *rel, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t symoff;
		const struct section *t = reloc_target(o, &rel[i], &symoff);
		if (!t || !t->why || rel[i].type == R_NONE)
			continue;
		if (s->flags & SHF_ALLOC)
			fatal_at(s, rel[i].off, "refers to %s, which is lost: %s", t->name, t->why);
		rel[i].type = R_NONE;
		rel[i].sym = 0;
		rel[i].addend = 0;
	}
}

static void detach_all(struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (s->dropped)
			continue;
		if ((s->flags & SHF_LINK_ORDER) && o->sec.v[s->link].why)
			fatal_at(s, 0, "belongs to %s, which is lost: %s", o->sec.v[s->link].name,
				o->sec.v[s->link].why);
		detach(o, s, s->rel, s->nrel);
		detach(o, s, s->out_rel, s->out_nrel);
	}
}

static bool is_lost(const struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++)
		if (o->sec.v[i].why)
			return true;
	return false;
}

/* Returns why the set cannot be rewritten, or NULL. */
static const char *attempt_set(struct object *o)
{
	struct dwarf d = {.o = o};
	const char *why = object_attempt(o, rewrite_set, &d);
	vec_free(&d.list);
	vec_free(&d.ref);
	vec_free(&d.patch);
	vec_free(&d.unit);
	vec_free(&d.field);
	vec_free(&d.use);
	vec_free(&d.extra);
	return why;
}

void debug_rewrite(struct object *o)
{
	if (!code_changes(o))
		return;
	drop(o, is_stale, "code distances in an unknown format");
	const char *why = attempt_set(o);
	if (why)
		drop(o, is_in_set, why);
	/* after the units, which .debug_aranges refers to */
	rewrite_singles(o);
	if (is_lost(o))
		detach_all(o);
}

/* Sets the maps of code to such as move nothing and note what is asked of them. */
static void map_in_place(struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (!section_is_code(s))
			continue;
		s->map = arena_new(o->arena, struct addrmap);
		s->map->old_size = s->map->new_size = s->size;
		s->map->spans = arena_new(o->arena, map_spans);
	}
}

static void report_spans(struct section *s,
	void (*span)(void *ctx, uint32_t sec, const struct map_span *span), void *ctx)
{
	map_spans *all = s->map ? s->map->spans : NULL;
	for (size_t i = 0; all && i < all->n; i++)
		span(ctx, s->index, &all->v[i]);
	if (all)
		vec_free(all);
}

/* Rewrites debug information as if no code moved, and drops the result. */
void debug_spans(struct object *o,
	void (*span)(void *ctx, uint32_t sec, const struct map_span *span), void *ctx)
{
	struct section *old = arena_array(o->arena, struct section, o->sec.n);
	memcpy(old, o->sec.v, o->sec.n * sizeof *old);
	map_in_place(o);
	attempt_set(o);
	rewrite_singles(o);
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		report_spans(s, span, ctx);
		if (s->rewritten && !old[i].rewritten) {
			free(s->out);
			free(s->out_rel);
		}
		*s = old[i];
	}
}
