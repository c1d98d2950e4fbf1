/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.c - relocations after layout; see fix.h
 *
 * A relocation names a label: symbol + addend (+ adj).  The label moves with the
 * section it is in, the symbol with its own place in that section, and the new
 * addend is what is left between the two.
 */
#include "reloc/fix.h"

#include "base/parallel.h"
#include "reloc/diff.h"

#include <stdlib.h>

static void check_field(const struct object *o, const struct section *s, const struct reloc *r)
{
	const struct reloc_info *info = o->reloc_info(r->type);
	if (!info->name)
		fatal_at(s, r->off, "relocation of unknown type %u", r->type);
	if (info->role == ROLE_UNKNOWN)
		fatal_at(s, r->off, "%s is for programs, not for objects", info->name);
	/* Offsets into a compressed section refer to its expanded contents. */
	if (!(s->flags & SHF_COMPRESSED) && (r->off > s->size || info->size > s->size - r->off))
		fatal_at(s, r->off, "the field of %s goes beyond the end of the section",
			info->name);
}

/*
 * Relocations for one field are one reference where the types say so.  The gABI composes all, but
 * linkers let the last one win, if there is one.
 */
static void check_fields(const struct object *o, struct section *s, struct arena *a)
{
	const struct reloc *last = NULL; /* with a field */
	bool terms = false;
	for (uint32_t k = 0; k < s->nrel; k++) {
		const struct reloc *r = &s->rel[k];
		check_field(o, s, r);
		const struct reloc_info *info = o->reloc_info(r->type);
		s->relaxes |= info->relax;
		terms |= info->term != TERM_NONE;
		if (!info->size)
			continue;
		const struct reloc_info *before = last ? o->reloc_info(last->type) : NULL;
		bool one = last && last->off == r->off && before->composed && info->composed;
		if (last && !one && r->off < last->off + before->size)
			fatal_at(s, r->off, "two relocations for one field");
		last = r;
	}
	if (terms)
		diff_fold(o, s, a);
}

static int64_t get_addend(const struct object *o, const struct reloc_info *info, const uint8_t *p)
{
	int64_t a = sign_extend(get_word(p, info->size, o->big), info->bits);
	return (int64_t)((uint64_t)a << info->shift);
}

static bool is_half(const struct reloc_info *info)
{
	return info->bits && (info->high || info->low);
}

bool fix_put_addend(const struct object *o, const struct reloc *r, uint8_t *p)
{
	const struct reloc_info *info = o->reloc_info(r->type);
	if (!info->bits)
		return false;
	uint64_t mask = UINT64_MAX >> (64 - info->bits), old = get_word(p, info->size, o->big);
	if (is_half(info)) {
		uint64_t half = (uint64_t)(info->high ? (r->addend + 0x8000) >> 16 : r->addend);
		put_word(p, info->size, o->big, (old & ~mask) | (half & mask));
		return r->page != PAGE_SOUGHT && r->addend == (int32_t)r->addend;
	}
	if (get_addend(o, info, p) == r->addend) /* nothing to write: pages stay the file's */
		return true;
	put_word(p, info->size, o->big,
		(old & ~mask) | ((uint64_t)(r->addend >> info->shift) & mask));
	return get_addend(o, info, p) == r->addend;
}

/* A low half has 16 bits, with a sign. */
#define HALF ((int64_t)0x10000)

/* High halves of addresses, in the file's order. */
struct halves {
	VEC(struct half {
		struct reloc *r;
		uint32_t before; /* + 1: the one before with the same key; 0: none */
		bool paired;
	})
	v;
	uint32_t last[256]; /* + 1, by key: of the symbol */
};

static void add_high(struct halves *h, struct reloc *r, uint64_t field)
{
	r->addend = sign_extend(field << 16, 32);
	vec_push(&h->v, (struct half){.r = r, .before = h->last[r->sym % 256]});
	h->last[r->sym % 256] = (uint32_t)h->v.n;
}

/* The low half belongs to all high ones that have none yet. */
static void pair_low(struct halves *h, struct reloc *r)
{
	for (uint32_t k = h->last[r->sym % 256]; k; k = h->v.v[k - 1].before) {
		struct half *high = &h->v.v[k - 1];
		if (high->r->sym != r->sym)
			continue;
		if (high->paired)
			break;
		high->paired = true;
		high->r->addend += r->addend;
	}
}

/* By symbol, and by the low half of the address. */
static int cmp_half(const void *pa, const void *pb)
{
	const struct reloc *a = ((const struct half *)pa)->r, *b = ((const struct half *)pb)->r;
	uint16_t x = (uint16_t)a->addend, y = (uint16_t)b->addend;
	if (a->sym != b->sym)
		return a->sym < b->sym ? -1 : 1;
	return (x > y) - (x < y);
}

/* The page of the high halves of addresses with the low half of r, if it is only one. */
static bool only_page(const struct halves *h, const struct reloc *r, int64_t *page)
{
	const struct half key = {.r = (struct reloc *)r}, *v = h->v.v;
	size_t i;
	BISECT(i, 0, h->v.n, cmp_half(&v[i], &key) < 0);
	if (i == h->v.n || cmp_half(&v[i], &key))
		return false;
	*page = reloc_page(v[i].r);
	for (; i < h->v.n && !cmp_half(&v[i], &key); i++)
		if (reloc_page(v[i].r) != *page)
			return false;
	return true;
}

/* The page of the address that low half r is of.  False: it is to be sought. */
static bool page_of(const struct object *o, const struct halves *h, const struct reloc *r,
	int64_t *page)
{
	*page = 0;
	const struct symbol *sym = &o->sym.v[r->sym];
	if (sym->sec == SEC_UNDEF || sym->sec >= o->sec.n)
		return true;
	uint64_t off = sym->value + (uint64_t)r->addend, size = o->sec.v[sym->sec].size;
	if (size >= HALF)
		return only_page(h, r, page);
	for (int64_t high = -HALF; high <= HALF; high += HALF)
		if (off + (uint64_t)high <= size) {
			*page = high;
			break;
		}
	return true;
}

/*
 * hazard: halves of an address.  By the order of the file a high half belongs to the next low one
 * of its symbol, and linkers need no more.  The other way round the order says nothing: low halves
 * stand before their high one, share it, or have none.  Which addresses share a high half, those
 * are equal: nobody knows where a page ends.  So one of the high halves is of the same address,
 * which has the same low half: mostly there is only one.  Else data flow tells (cfg/halves.h).  In
 * less than 64 kB of code there is only one address with a low half, whatever high half it has.
 */
static void take_halves(struct object *o, const struct section *s)
{
	struct halves h = {0};
	for (uint32_t k = 0; k < s->nrel; k++) {
		struct reloc *r = &s->rel[s->order ? s->order[k] : k];
		const struct reloc_info *info = o->reloc_info(r->type);
		if (!is_half(info))
			continue;
		__atomic_store_n(&o->halves, true, __ATOMIC_RELAXED);
		uint64_t field = get_word(s->data + r->off, info->size, o->big);
		if (info->high) {
			add_high(&h, r, field & 0xffff);
			continue;
		}
		r->addend = sign_extend(field, 16);
		pair_low(&h, r);
	}
	if (h.v.n)
		sort(h.v.v, h.v.n, sizeof *h.v.v, cmp_half);
	for (uint32_t k = 0; k < s->nrel; k++) {
		struct reloc *r = &s->rel[k];
		int64_t page;
		if (!o->reloc_info(r->type)->low)
			continue;
		if (page_of(o, &h, r, &page))
			r->addend += page;
		else
			r->page = PAGE_SOUGHT;
	}
	vec_free(&h.v);
}

static void take_addends(struct object *o, const struct section *s)
{
	for (uint32_t k = 0; k < s->nrel; k++) {
		const struct reloc_info *info = o->reloc_info(s->rel[k].type);
		if (!info->size)
			continue;
		if (s->flags & SHF_COMPRESSED)
			fatal_at(s, 0, "compressed, with addends in its fields");
		if (!info->bits)
			fatal_at(s, s->rel[k].off, "%s without an addend of its own", info->name);
		s->rel[k].addend = get_addend(o, info, s->data + s->rel[k].off);
	}
	take_halves(o, s);
}

static void check_part(void *ctx, size_t part, struct arena *a)
{
	struct object *o = ctx;
	for (uint32_t i = o->part.v[part]; i < o->part.v[part + 1]; i++) {
		struct section *s = &o->sec.v[i];
		check_fields(o, s, a);
		if (o->sec.v[s->rela].type == SHT_REL)
			take_addends(o, s);
	}
}

void fix_check(struct object *o, reloc_info_fn *info)
{
	o->reloc_info = info;
	diff_find_types(o);
	parallel_into(o->arena, o->part.n - 1, check_part, o);
}

static uint64_t bind_label(const struct section *s, uint64_t off, enum ref_use use)
{
	uint64_t size = s->map->old_size, behind = off > size ? off - size : 0;
	/* A label at the section's end stays in front of code inserted there. */
	return map_addr(s->map, off - behind, off >= size ? REF_RANGE_END : use) + behind;
}

static uint64_t new_value(const struct section *s, const struct symbol *sym)
{
	if (!s->map || symbol_type(sym) == STT_SECTION)
		return sym->value;
	return bind_label(s, sym->value, REF_ADDRESS);
}

static bool holds_place(enum reloc_role role)
{
	return role == ROLE_ABS || role == ROLE_PCREL || role == ROLE_PLT || role == ROLE_GOTREL ||
		role == ROLE_SUB || role == ROLE_PART;
}

/* A high half of a GOT entry of a local symbol: the entry is of the page that the address is in. */
static enum reloc_role role_of(const struct object *o, const struct reloc *r)
{
	const struct reloc_info *info = o->reloc_info(r->type);
	bool page = info->high && symbol_bind(&o->sym.v[r->sym]) == STB_LOCAL;
	return page && info->role == ROLE_GOT ? ROLE_ABS : info->role;
}

bool fix_names_label(const struct object *o, const struct reloc *r)
{
	return holds_place(role_of(o, r)) && !o->reloc_info(r->type)->term;
}

struct ref fix_ref(const struct object *o, const struct reloc *r, int64_t adj, enum ref_use use)
{
	const struct reloc_info *info = o->reloc_info(r->type);
	struct ref ref = {.rel = r,
		.adj = adj,
		.role = (uint8_t)role_of(o, r),
		.use = (uint8_t)use,
		.size = info->size};
	const struct symbol *s = &o->sym.v[r->sym];
	if (s->sec == SEC_UNDEF || s->sec >= o->sec.n || ref.role == ROLE_BASE || r->page)
		return ref;
	ref.sec = s->sec;
	bool symbol = ref.role == ROLE_GOT || ref.role == ROLE_PART;
	ref.off = s->value + (symbol ? 0 : (uint64_t)(r->addend + adj));
	if (ref.role == ROLE_PART)
		ref.use = REF_EXACT;
	return ref;
}

/*
 * hazard: symbols of code that is relaxed.  The linker moves symbols when it deletes bytes, but
 * not what is some bytes behind a symbol: such a place gets a symbol of its own.
 *
 * hazard: label of the other half.  PCREL_LO12 names the instruction with the high half, which
 * linkers look up at the symbol: it stays there even if the symbol is a label for branches too.
 */
void fix_bind(const struct object *o, uint32_t sec, uint64_t label, int64_t adj, struct reloc *out)
{
	const struct section *t = &o->sec.v[sec];
	int64_t old = out->addend;
	out->addend = (int64_t)(label - new_value(t, &o->sym.v[out->sym]) - (uint64_t)adj);
	bool part = o->reloc_info(out->type)->role == ROLE_PART;
	if (out->addend == old || (!t->relaxes && !part))
		return;
	out->sym = object_label(o, sec, label);
	out->addend = -adj;
}

/* hazard: hint with an addend.  R_MIPS_JALR may name a local function by its section. */
static bool hint_holds_place(const struct object *o, const struct reloc *r)
{
	return o->reloc_info(r->type)->callee && symbol_type(&o->sym.v[r->sym]) == STT_SECTION;
}

struct reloc fix_ref_reloc(const struct object *o, const struct section *s, const struct ref *ref)
{
	const struct section *t = &o->sec.v[ref->sec];
	struct reloc r = *ref->rel;
	bool holds = holds_place(ref->role) || hint_holds_place(o, &r);
	if (!ref->sec || ref->keep || !holds || !t->map)
		return r;
	/* Debug information may describe a value as an address plus any constant. */
	if (ref->off > t->size && (s->flags & SHF_ALLOC) && map_changes(t->map))
		fatal_at(s, r.off, "reference to (%s%+lld), which is not in that section", t->name,
			(long long)ref->off);
	fix_bind(o, ref->sec, bind_label(t, ref->off, (enum ref_use)ref->use) + ref->skip, ref->adj,
		&r);
	return r;
}

struct reloc fix_reloc(const struct object *o, const struct section *s, const struct reloc *r,
	enum ref_use use)
{
	struct ref ref = fix_ref(o, r, 0, use);
	return fix_ref_reloc(o, s, &ref);
}

void fix_data_section(struct arena *a, const struct object *o, struct section *s, data_ref_fn *ref,
	const void *ctx)
{
	size_t cursor = 0;
	if (s->as_read) { /* no codec has rewritten it */
		s->data = s->as_read->data;
		s->rel = s->as_read->rel;
		s->order = s->as_read->order;
		s->nrel = s->as_read->nrel;
	}
	s->out_nrel = s->nrel;
	s->out_rel = arena_array(a, struct reloc, s->nrel);
	s->out_order = s->order;
	for (uint32_t i = 0; i < s->nrel; i++) {
		const struct reloc *r = &s->rel[i];
		struct ref to = ref ? ref(ctx, s, i) : fix_ref(o, r, 0, REF_ADDRESS);
		s->out_rel[i] = fix_ref_reloc(o, s, &to);
		s->out_rel[i].off = map_addr_seq(s->map, &cursor, r->off, REF_EXACT);
	}
	if (s->rewritten)
		return;
	/* The contents have not changed: borrowed, and not written to. */
	s->rewritten = true;
	s->out = (uint8_t *)s->data;
	s->out_size = s->size;
}

enum { PART = 1 << 13 }; /* symbols that a thread does at once */

static void fix_part(void *ctx, size_t part, unsigned worker)
{
	struct object *o = ctx;
	size_t last = (part + 1) * PART < o->sym.n ? (part + 1) * PART : o->sym.n;
	(void)worker;
	for (size_t i = part ? part * PART : 1; i < last; i++) {
		struct symbol *sym = &o->sym.v[i];
		const struct section *s = sym->sec < o->sec.n ? &o->sec.v[sym->sec] : NULL;
		if (!s || !s->map || symbol_type(sym) == STT_SECTION)
			continue;
		uint64_t value = new_value(s, sym), end;
		/* A size that reaches past the section does so by as much afterwards. */
		if (sym->size && !__builtin_add_overflow(sym->value, sym->size, &end))
			sym->size = bind_label(s, end, REF_RANGE_END) - value;
		sym->value = value;
	}
}

void fix_symbols(struct object *o)
{
	parallel((o->sym.n + PART - 1) / PART, fix_part, o);
}
