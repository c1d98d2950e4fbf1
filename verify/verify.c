/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - the order of the verifier's passes; sections, data and symbols (see verify.h)
 */
#include "verify/verify.h"

#include "base/shown.h"
#include "reloc/fix.h"
#include "runtime/abi.h"
#include "verify/priv.h"

#include <stdlib.h>

enum { MAX_SHOWN = 20 };

/* Messages -------------------------------------------------------------- */

/* The last function symbol at or before x; slow, for failures only. */
static const char *function_name(const struct verify *v, uint32_t sec, uint64_t x)
{
	const struct symbol *best = NULL;
	for (size_t i = 1; i < v->a->sym.n; i++) {
		const struct symbol *s = &v->a->sym.v[i];
		unsigned type = symbol_type(s);
		if (s->sec == sec && s->value <= x && type != STT_SECTION && type != STT_OBJECT &&
			s->name[0] && (!best || s->value >= best->value))
			best = s;
	}
	return best ? best->name : NULL;
}

void vfail(struct verify *v, const struct section *s, uint64_t x, const char *fmt, ...)
{
	va_list ap;
	char *text;
	if (++v->failures > MAX_SHOWN)
		return;
	fprintf(v->report, "ldx: verify: %s: ", shown(place_name(&v->arena, s, x)));
	const char *name = section_is_code(s) ? function_name(v, s->index, x) : NULL;
	if (name)
		fprintf(v->report, "in function %s: ", shown(name));
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0) {
		put_shown(v->report, text);
		free(text);
	}
	va_end(ap);
	fputc('\n', v->report);
}

/* Sections -------------------------------------------------------------- */

static bool describes_object(const struct section *s)
{
	return s->type == SHT_NULL || section_is_rel(s) || s->type == SHT_GROUP ||
		s->type == SHT_SYMTAB || s->type == SHT_STRTAB || s->type == SHT_SYMTAB_SHNDX;
}

static bool alike(const struct section *a, const struct section *b)
{
	return a->type == b->type && a->flags == b->flags && !strcmp(a->name, b->name);
}

static void pair_up(struct verify *v, uint32_t a, uint32_t b)
{
	v->pair[a] = b;
	v->old[b] = a;
}

/* Symbols keep their numbers, so old and new section of a symbol are a pair. */
static void pair_by_symbols(struct verify *v)
{
	for (size_t i = 1; i < v->a->sym.n && i < v->b->sym.n; i++) {
		uint32_t a = v->a->sym.v[i].sec, b = v->b->sym.v[i].sec;
		if (a && a < v->a->sec.n && b && b < v->b->sec.n && !v->pair[a] && !v->old[b])
			pair_up(v, a, b);
	}
}

/* Sections without symbols keep their order. */
static void pair_by_order(struct verify *v)
{
	uint32_t b = 1;
	for (uint32_t a = 1; a < v->a->sec.n; a++) {
		const struct section *s = &v->a->sec.v[a];
		if (v->pair[a]) {
			b = v->pair[a] + 1;
			continue;
		}
		if (describes_object(s))
			continue;
		for (uint32_t i = b; i < v->b->sec.n && !v->old[i]; i++)
			if (alike(s, &v->b->sec.v[i])) {
				pair_up(v, a, i);
				b = i + 1;
				break;
			}
	}
}

static bool is_unwind(const struct section *s)
{
	return !strcmp(s->name, ".eh_frame") || !strncmp(s->name, ".gcc_except_table", 17);
}

/* Tables whose entries may all be gone, and what LLD's join shows of common symbols. */
static bool may_be_gone(const struct section *s)
{
	return !strcmp(s->name, ".eh_frame") ||
		(s->type == SHT_NOBITS && !strcmp(s->name, "COMMON"));
}

static void pair_sections(struct verify *v)
{
	v->pair = arena_array(&v->arena, uint32_t, v->a->sec.n);
	v->old = arena_array(&v->arena, uint32_t, v->b->sec.n);
	v->text_of = arena_array(&v->arena, uint32_t, v->a->sec.n);
	pair_by_symbols(v);
	pair_by_order(v);
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		const struct section *a = &v->a->sec.v[i], *b = &v->b->sec.v[v->pair[i]];
		if (describes_object(a))
			continue;
		if (!v->pair[i]) {
			if (!(a->flags & SHF_ALLOC))
				v->nlost++;
			else if (!may_be_gone(a))
				vfail(v, a, 0, "the section is gone");
			continue;
		}
		if (!alike(a, b) || a->entsize != b->entsize || a->align > b->align)
			vfail(v, a, 0, "the section has another name, type, flags or alignment");
		if (!section_is_code(a) || !section_is_code(b))
			continue;
		if (a->size > INT32_MAX || b->size > INT32_MAX)
			fatal_at(a, 0, "section too large to verify");
		vec_push(&v->text, (struct vtext){.a = a, .b = b});
		v->text_of[i] = (uint32_t)v->text.n;
	}
}

/* ELF's own tables have no pair; any one of the same type matches. */
static bool same_link(const struct verify *v, uint32_t a, uint32_t b)
{
	const struct section *s = &v->a->sec.v[a];
	return v->pair[a] == b || (describes_object(s) && s->type == v->b->sec.v[b].type);
}

static void check_links(struct verify *v, const struct section *a, const struct section *b)
{
	const struct object *o = v->a, *n = v->b;
	bool linked = a->flags & SHF_LINK_ORDER;
	if (!a->group != !b->group ||
		(a->group &&
			(o->sec.v[a->group].info != n->sec.v[b->group].info ||
				memcmp(o->sec.v[a->group].data, n->sec.v[b->group].data, 4) != 0)))
		vfail(v, a, 0, "the section is not in its group any more");
	if ((linked && !same_link(v, a->link, b->link)) ||
		((a->flags & SHF_INFO_LINK) && !same_link(v, a->info, b->info)))
		vfail(v, a, 0, "the section is linked to another one now");
}

static bool is_added(const struct section *s)
{
	static const struct section added[] = {{.name = ".ldx.map", .type = SHT_PROGBITS},
		{.name = ".ldx.info", .type = SHT_PROGBITS, .flags = SHF_ALLOC},
		{.name = ".ldx.counters", .type = SHT_NOBITS, .flags = SHF_ALLOC | SHF_WRITE},
		{.name = ".ldx.data", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_WRITE},
		{.name = ".rodata.ldx", .type = SHT_PROGBITS, .flags = SHF_ALLOC}};
	bool found = false;
	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		found |= alike(&added[i], s);
	return found && !s->group;
}

/* Sections of the new object only must be ldx's; the others must keep their links. */
static void check_new_sections(struct verify *v)
{
	for (uint32_t i = 1; i < v->b->sec.n; i++) {
		const struct section *b = &v->b->sec.v[i];
		if (!v->old[i] && !describes_object(b) && !is_added(b))
			vfail(v, b, 0, "the section is new, and not one of ldx");
	}
	for (uint32_t i = 1; i < v->a->sec.n; i++)
		if (v->pair[i] && !describes_object(&v->a->sec.v[i]))
			check_links(v, &v->a->sec.v[i], &v->b->sec.v[v->pair[i]]);
}

/* Data ------------------------------------------------------------------ */

int vbase_cmp(const void *pa, const void *pb)
{
	const struct vbase *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

bool data_named(const struct verify *v, const struct reloc *r, struct vbase *base)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	/* that of an instruction which ends in the field */
	int64_t origin = v->target->pc_behind ? v->target->pc_behind - 1 : FIELD;
	int64_t adj = role == ROLE_PCREL ? origin : 0;
	if ((role != ROLE_PCREL && role != ROLE_ABS) ||
		!place_of(v->a, r, adj, &base->sec, &base->off))
		return false;
	return !section_is_code(&v->a->sec.v[base->sec]);
}

bool refers_to(const struct verify *v, const struct reloc *r, struct vbase *base)
{
	return data_named(v, r, base) && v->a->sec.v[base->sec].nrel;
}

static void find_bases(struct verify *v)
{
	struct vbase base;
	for (size_t i = 0; i < v->text.n; i++) {
		const struct section *s = v->text.v[i].a;
		for (uint32_t k = 0; k < s->nrel; k++)
			if (refers_to(v, &s->rel[k], &base))
				vec_push(&v->base, base);
	}
	sort(v->base.v, v->base.n, sizeof *v->base.v, vbase_cmp);
}

bool table_base(const struct verify *v, const struct section *s, uint64_t off, uint64_t *base)
{
	struct vbase key = {s->index, off};
	size_t i;
	BISECT(i, 0, v->base.n, vbase_cmp(&v->base.v[i], &key) <= 0);
	if (!i || v->base.v[i - 1].sec != s->index)
		return false;
	*base = v->base.v[i - 1].off;
	return true;
}

bool is_boundary(const struct verify *v, uint32_t sec, uint64_t x)
{
	const struct vtext *t = text_at(v, sec);
	if (!t || x > t->a->size)
		return false;
	uint32_t k = insn_at(v, t, x);
	return k == t->first + t->n || v->insn.v[k].off == x;
}

/*
 * A pc-relative word in data is relative to itself or to its table's base, and its target is an
 * instruction.  If both readings give one, one of them must be right.
 */
static bool same_relative(struct verify *v, const struct section *s, uint64_t off, uint32_t sec,
	uint64_t x, uint32_t nsec, uint64_t y)
{
	uint64_t base = off, dist;
	bool table = table_base(v, s, off, &base);
	dist = off - base;
	v->by_entry = true;
	v->by_jump = table ? jump_by(v, (struct vbase){s->index, base}) : NO_INSN;
	table = table && is_boundary(v, sec, x - dist);
	bool good = table && same_place(v, sec, x - dist, nsec, y - dist, USE_BRANCH);
	v->ntable += good;
	bool self = is_boundary(v, sec, x);
	good = good || (self && same_place(v, sec, x, nsec, y, USE_ENTER));
	v->by_entry = false;
	v->by_jump = NO_INSN;
	if (good)
		return true;
	if (table || self)
		return false;
	v->unproved++;
	return true;
}

/* What the second term of the difference that begins with r is. */
static struct vbase minus_place(const struct verify *v, const struct reloc *r)
{
	struct vbase b = {0};
	place_of(v->a, r + 1, 0, &b.sec, &b.off);
	return b;
}

/* A word of a jump table or of another one. */
static bool same_entry(struct verify *v, uint32_t sec, uint64_t x, uint32_t nsec, uint64_t y,
	struct vbase table)
{
	v->by_entry = true;
	v->by_jump = jump_by(v, table);
	bool good = is_boundary(v, sec, x) && same_place(v, sec, x, nsec, y, USE_BRANCH);
	v->ntable += good;
	good = good || same_place(v, sec, x, nsec, y, USE_ENTER);
	v->by_entry = false;
	v->by_jump = NO_INSN;
	return good;
}

/* Debug sections, which the rewriter may rewrite in formats that no pass here knows. */
static bool is_debug(const struct section *s)
{
	return !(s->flags & SHF_ALLOC) && (s->type == SHT_PROGBITS || s->type >= SHT_LOOS);
}

/* An unloaded section may refer to code as a start, as an end, or as the very instruction. */
static bool same_unloaded_place(struct verify *v, uint32_t sec, uint64_t x, uint32_t nsec,
	uint64_t y)
{
	const struct section *a = &v->a->sec.v[sec], *b = &v->b->sec.v[nsec];
	if (x > a->size)
		return v->pair[sec] == nsec && y - b->size == x - a->size;
	v->leads_nowhere = true;
	bool same = same_place(v, sec, x, nsec, y, USE_ENTER) ||
		same_place(v, sec, x, nsec, y, USE_READ) || same_place(v, sec, x, nsec, y, USE_END);
	v->leads_nowhere = false;
	return same;
}

bool is_new_label(const struct verify *v, const struct reloc *q)
{
	return q->sym >= v->a->sym.n && !strcmp(v->b->sym.v[q->sym].name, LABEL_NAME);
}

void verify_data_reloc(struct verify *v, const struct section *s, const struct reloc *r,
	const struct reloc *q)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	uint32_t sec = 0, nsec = 0;
	uint64_t x = 0, y = 0;
	bool address = role == ROLE_ABS || role == ROLE_PCREL || role == ROLE_PLT ||
		role == ROLE_GOTREL || role == ROLE_SUB || role == ROLE_PART;
	v->nreloc++;
	if (!address || !place_of(v->a, r, 0, &sec, &x) || !place_of(v->b, q, 0, &nsec, &y)) {
		if (r->addend != q->addend || r->sym != q->sym)
			vfail(v, s, r->off, "the relocation's addend changed");
		return;
	}
	const struct section *to = &v->a->sec.v[sec];
	if (!text_at(v, sec) && v->a->sec.v[sec].size != v->b->sec.v[nsec].size &&
		v->pair[sec] == nsec && (!(to->flags & SHF_ALLOC) || is_unwind(to))) {
		v->unproved++;
		return;
	}
	bool relative = role == ROLE_PCREL || role == ROLE_PLT, good;
	/* Notes of probes, and maps of patchable places or traps, name the very instruction. */
	bool exact = s->type == SHT_NOTE || lists_places(s) ||
		(!strcmp(s->name, "xray_instr_map") && r->off % 32 == 0) || role == ROLE_PART;
	const struct vtext *t = text_at(v, sec);
	/* the function behind what takes its place finds the GOT by its own address */
	bool own = v->target->entry_label && role == ROLE_GOTREL && t && t->replaced &&
		x < t->a->size && bit_get(t->replaced, x);
	enum use use = exact ? USE_READ : own ? USE_BRANCH : USE_ENTER;
	if (!(s->flags & SHF_ALLOC) && !exact && text_at(v, sec))
		good = same_unloaded_place(v, sec, x, nsec, y);
	else if (is_difference(v, s, r) && text_at(v, sec))
		good = same_entry(v, sec, x, nsec, y, minus_place(v, r));
	else if (relative && !exact && text_at(v, sec))
		good = same_relative(v, s, r->off, sec, x, nsec, y);
	else
		good = same_place(v, sec, x, nsec, y, use);
	if (!good)
		vfail(v, s, r->off, "refers to %s+0x%llx, now to %s+0x%llx, which is another place",
			to->name, (unsigned long long)x, v->b->sec.v[nsec].name,
			(unsigned long long)y);
}

/* Does r refer to a dropped section?  Only unloaded sections may. */
static bool is_lost(const struct verify *v, const struct section *s, const struct reloc *r)
{
	uint32_t sec = v->a->sym.v[r->sym].sec;
	return !(s->flags & SHF_ALLOC) && sec && sec < v->a->sec.n && !v->pair[sec];
}

/* The first relocation from i on that is neither ROLE_NONE nor (in_a) lost. */
static uint32_t next_reloc(const struct verify *v, const struct section *s, uint32_t i, bool in_a)
{
	while (i < s->nrel &&
		(v->target->reloc_info(s->rel[i].type)->role == ROLE_NONE ||
			(in_a && is_lost(v, s, &s->rel[i]))))
		i++;
	return i;
}

const struct reloc *without_redirect(struct verify *v, const struct section *a,
	const struct reloc *r, const struct reloc *q, bool calls)
{
	const redirect_vec *all = v->opt.redirects;
	const struct redirect *x = NULL;
	for (size_t k = 0; all && k < all->n && !x; k++)
		x = all->v[k].from == r->sym ? &all->v[k] : NULL;
	if (!x)
		return q;
	bool leads = q->sym == x->to;
	if (leads != calls)
		vfail(v, a, r->off,
			leads ? "leads to a routine of a tool"
			      : "does not lead to the routine of a tool");
	if (!leads)
		return q;
	struct reloc *as_before = arena_new(&v->arena, struct reloc);
	*as_before = *q;
	as_before->sym = r->sym;
	return as_before;
}

static void check_relocs(struct verify *v, const struct section *a, const struct section *b)
{
	uint32_t i = next_reloc(v, a, 0, true), k = next_reloc(v, b, 0, false);
	while (i < a->nrel && k < b->nrel) {
		const struct reloc *r = &a->rel[i], *q = &b->rel[k];
		if (r->off != q->off || r->type != q->type ||
			(r->sym != q->sym && !is_new_label(v, q)))
			vfail(v, a, r->off, "the relocation has another place, type or symbol");
		else
			verify_data_reloc(v, a, r, q);
		i = next_reloc(v, a, i + 1, true);
		k = next_reloc(v, b, k + 1, false);
	}
	if (i < a->nrel || k < b->nrel)
		vfail(v, a, 0, "%u relocations, now %u", a->nrel, b->nrel);
}

bool same_bytes(const struct section *a, const struct section *b)
{
	return a->size == b->size && (!a->data || (b->data && !memcmp(a->data, b->data, a->size)));
}

bool same_range(const struct verify *v, const struct section *a, uint64_t from, uint64_t n,
	const struct section *b, uint64_t nfrom)
{
	const uint8_t *p = a->data + from, *q = b->data + nfrom;
	uint64_t at = 0;
	uint32_t i = v->a->sec.v[a->rela].type == SHT_REL ? section_first_reloc(a, from) : a->nrel;
	for (; i < a->nrel && a->rel[i].off < from + n; i++) {
		const struct reloc_info *info = v->target->reloc_info(a->rel[i].type);
		uint64_t off = a->rel[i].off - from;
		if (!info->bits || off < at || off + info->size > n)
			continue;
		uint64_t changed = get_word(p + off, info->size, v->a->big) ^
			get_word(q + off, info->size, v->a->big);
		if (memcmp(p + at, q + at, off - at) != 0 ||
			changed & ~(UINT64_MAX >> (64 - info->bits)))
			return false;
		at = off + info->size;
	}
	return !memcmp(p + at, q + at, n - at);
}

static bool same_contents(const struct verify *v, const struct section *a, const struct section *b)
{
	return a->size == b->size && (!a->data || (b->data && same_range(v, a, 0, a->size, b, 0)));
}

static void check_data(struct verify *v)
{
	for (uint32_t i = 1; i < v->a->sec.n; i++) {
		const struct section *a = &v->a->sec.v[i], *b = &v->b->sec.v[v->pair[i]];
		if (!v->pair[i] || text_at(v, i) || describes_object(a) || is_unwind(a) ||
			is_debug_format(a))
			continue;
		if (!same_contents(v, a, b)) {
			if (is_debug(a))
				v->nskipped++;
			else
				vfail(v, a, 0, "the contents of the section changed");
			continue;
		}
		v->ndata++;
		check_relocs(v, a, b);
	}
}

/* Symbols --------------------------------------------------------------- */

static void check_symbol(struct verify *v, size_t i)
{
	const struct symbol *s = &v->a->sym.v[i], *n = &v->b->sym.v[i];
	bool real = s->sec && s->sec < v->a->sec.n;
	const struct section *sec = &v->a->sec.v[real ? s->sec : v->a->symtab];
	if (real && !v->pair[s->sec] && !n->sec)
		return;
	if (strcmp(s->name, n->name) != 0 || s->info != n->info || s->other != n->other ||
		(real ? v->pair[s->sec] != n->sec : s->sec != n->sec)) {
		if (!real || !describes_object(sec))
			vfail(v, sec, s->value, "symbol %s is another one now: %s", s->name,
				n->name);
		return;
	}
	v->nsymbol++;
	if (!real || !text_at(v, s->sec)) {
		if ((s->value != n->value || s->size != n->size) && !(real && is_unwind(sec)) &&
			!(real && is_debug(sec)))
			vfail(v, sec, s->value, "symbol %s has another value or size", s->name);
		return;
	}
	if (symbol_type(s) == STT_SECTION)
		return;
	/* an assembler's label is no more than what refers to it */
	if (symbol_is_temporary(s) ? !same_unloaded_place(v, s->sec, s->value, n->sec, n->value) &&
				!same_place(v, s->sec, s->value, n->sec, n->value, USE_PAST)
				   : !same_place(v, s->sec, s->value, n->sec, n->value, USE_ENTER))
		vfail(v, sec, s->value, "symbol %s is at 0x%llx now, which is another place",
			s->name, (unsigned long long)n->value);
	uint64_t end = s->value + s->size;
	if (!s->size != !n->size)
		vfail(v, sec, s->value, "symbol %s has another size", s->name);
	else if (s->size && end > s->value && end <= sec->size &&
		!same_place(v, s->sec, end, n->sec, n->value + n->size, USE_END))
		vfail(v, sec, end, "symbol %s ends at 0x%llx now, which is another place", s->name,
			(unsigned long long)(n->value + n->size));
}

/* Does the section hold the counters, and so the variables of tools? */
static bool is_cells(const struct verify *v, uint32_t sec)
{
	return sec < v->b->sec.n && !strcmp(v->b->sec.v[sec].name, ".ldx.counters");
}

/* Is symbol i of the new object an original, and what it replaces? */
static const struct tool_call *original_of(const struct verify *v, uint32_t i)
{
	for (size_t k = 0; v->opt.calls && k < v->opt.calls->n; k++)
		if (v->opt.calls->v[k].original == i)
			return &v->opt.calls->v[k];
	return NULL;
}

/* An original is the function behind the jump to the routine that takes its place. */
static bool is_behind_lead(const struct verify *v, const struct symbol *s,
	const struct tool_call *call)
{
	for (size_t i = 0; i < v->site.n; i++) {
		const struct vsite *x = &v->site.v[i];
		if (leads_to_routine(x->pattern) && call == &v->opt.calls->v[x->counter])
			return s->sec == v->text.v[x->text].b->index && s->value == x->end;
	}
	return false;
}

static void check_symbols(struct verify *v)
{
	const struct section *tab = &v->a->sec.v[v->a->symtab];
	if (v->b->sym.n < v->a->sym.n || v->b->nlocal != v->a->nlocal) {
		vfail(v, tab, 0, "symbols are missing");
		return;
	}
	for (size_t i = 1; i < v->a->sym.n; i++)
		check_symbol(v, i);
	for (size_t i = v->a->sym.n; i < v->b->sym.n; i++) {
		const struct symbol *s = &v->b->sym.v[i];
		bool label = !strcmp(s->name, LABEL_NAME);
		bool own = !strncmp(s->name, "__ldx_", 6) && s->other == STV_HIDDEN &&
			(!s->value || s->sec == SEC_ABS || is_cells(v, s->sec)) &&
			(i != v->forked || !s->sec);
		const struct tool_call *call = original_of(v, (uint32_t)i);
		if (call && !is_behind_lead(v, s, call))
			vfail(v, tab, 0, "%s is not the function behind its replacement", s->name);
		own |= call != NULL;
		if (!label && !own)
			vfail(v, tab, 0, "the new symbol %s is not one of ldx", s->name);
	}
}

/*
 * Symbols keep their numbers, but for global ones behind new local ones in the file: these get the
 * last numbers.
 */
static void number_symbols(const struct verify *v)
{
	struct object *o = v->b;
	uint32_t first = v->a->nlocal, end = o->nlocal, all = (uint32_t)o->sym.n;
	if (end <= first)
		return;
	struct symbol *old = arena_array(o->arena, struct symbol, all);
	memcpy(old, o->sym.v, all * sizeof *old);
	for (uint32_t i = first; i < all; i++)
		o->sym.v[i < end ? i + all - end : i - end + first] = old[i];
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		for (uint32_t k = 0; k <= s->nrel; k++) {
			uint32_t *n = k < s->nrel ? &s->rel[k].sym : &s->info;
			if ((k < s->nrel || s->type == SHT_GROUP) && *n >= first)
				*n = *n < end ? *n + all - end : *n - end + first;
		}
	}
	o->nlocal = first;
}

/* Is the map's mode LDX_MODE_COVER, so that cells are marks? */
static bool is_cover(const struct object *o, const struct section *map)
{
	struct ldx_map_header h;
	return read_map_header(o, map, &h) && h.mode == LDX_MODE_COVER;
}

/* Find the map and symbols that the rewriter added. */
static void find_added(struct verify *v)
{
	for (uint32_t i = 1; i < v->b->sec.n; i++)
		if (!v->old[i] && !strcmp(v->b->sec.v[i].name, ".ldx.map"))
			v->map = i;
	v->cell = v->map && is_cover(v->b, &v->b->sec.v[v->map]) ? 1 : 8;
	for (size_t i = v->a->sym.n; i < v->b->sym.n; i++) {
		if (!strcmp(v->b->sym.v[i].name, "__ldx_counters"))
			v->counters = (uint32_t)i;
		if (!strcmp(v->b->sym.v[i].name, "__ldx_mapped"))
			v->mapped = (uint32_t)i;
		if (!strcmp(v->b->sym.v[i].name, "__ldx_forked"))
			v->forked = (uint32_t)i;
		if (!strcmp(v->b->sym.v[i].name, "__ldx_poison"))
			v->poisoned = (uint32_t)i;
		if (!strcmp(v->b->sym.v[i].name, "__ldx_tables"))
			v->tables = (uint32_t)i;
	}
}

/* The whole ------------------------------------------------------------- */

static void print_report(const struct verify *v)
{
	if (v->failures > MAX_SHOWN)
		fprintf(v->report, "ldx: verify: %llu more failures\n",
			(unsigned long long)v->failures - MAX_SHOWN);
	fprintf(v->report,
		"ldx: verify: %s: %zu code sections, %llu instructions, %llu branches, "
		"%llu operands, %llu relocations, %llu table entries, %llu symbols, "
		"%llu data sections\n",
		v->failures ? "FAILED" : "ok", v->text.n, (unsigned long long)v->ninsn,
		(unsigned long long)v->nbranch, (unsigned long long)v->noperand,
		(unsigned long long)v->nreloc, (unsigned long long)v->ntable,
		(unsigned long long)v->nsymbol, (unsigned long long)v->ndata);
	fprintf(v->report,
		"ldx: verify: %llu FDEs, %llu rows, %llu exception tables, %llu call sites, "
		"%llu insertions, %llu moves of the stack pointer in them\n",
		(unsigned long long)v->nfde, (unsigned long long)v->nrow,
		(unsigned long long)v->nlsda, (unsigned long long)v->nsite_call,
		(unsigned long long)v->ninserted, (unsigned long long)v->nmoved);
	fprintf(v->report,
		"ldx: verify: debug information: %llu rows of lines, %llu entries, %llu ranges; "
		"%llu sections dropped\n",
		(unsigned long long)v->nline, (unsigned long long)v->nentry,
		(unsigned long long)v->nrange, (unsigned long long)v->nlost);
	if (v->unproved || v->nskipped)
		fprintf(v->report,
			"ldx: warning: not verified: %llu references, %llu debug sections\n",
			(unsigned long long)v->unproved, (unsigned long long)v->nskipped);
}

static void free_all(struct verify *v)
{
	v->target->decoder_free(v->decoder);
	struct object *o[] = {v->a, v->b};
	for (int i = 0; i < 2; i++) {
		vec_free(&o[i]->sec);
		vec_free(&o[i]->part);
		vec_free(&o[i]->sym);
	}
	vec_free(&v->claim);
	vec_free(&v->text);
	vec_free(&v->insn);
	vec_free(&v->site);
	vec_free(&v->relay);
	vec_free(&v->count);
	vec_free(&v->name);
	vec_free(&v->by_table);
	vec_free(&v->user);
	vec_free(&v->branch);
	vec_free(&v->fork);
	vec_free(&v->held);
	vec_free(&v->asked);
	if (v->arrival)
		vec_free(v->arrival);
	vec_free(&v->base);
	vec_free(&v->scaled);
	arena_free(&v->arena);
}

static int claim_cmp(const void *pa, const void *pb)
{
	const struct claim *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	return a->len < b->len ? -1 : a->len > b->len;
}

/* What a counter counts that stands there. */
static uint8_t kind_of_runners(uint8_t runs)
{
	switch (runs) {
	case RUNS_FALL: return COUNTS_FALL;
	case RUNS_ENTRY: return COUNTS_FUNC;
	case RUNS_REPLACED: return COUNTS_CALLS;
	case RUNS_EDGE: return COUNTS_EDGE;
	case RUNS_TABLE: return COUNTS_TABLE;
	case RUNS_LEAVE: return COUNTS_LEAVE;
	default: return COUNTS_BLOCK;
	}
}

/* Copy the claims, sorted; all must be about code. */
static void read_claims(struct verify *v)
{
	const claim_vec *all = v->opt.claims;
	for (size_t i = 0; all && i < all->n; i++) {
		if (!text_at(v, all->v[i].sec))
			vfail(v, &v->a->sec.v[0], 0, "code was inserted into a section of data");
		vec_push(&v->claim, all->v[i]);
	}
	for (size_t i = 0; v->opt.calls && i < v->opt.calls->n; i++) {
		const struct tool_call *c = &v->opt.calls->v[i];
		bool leads = c->runs == RUNS_EDGE || c->runs == RUNS_TABLE;
		vec_push(&v->asked,
			(struct vcount){.kind = kind_of_runners(c->runs),
				.asked = true,
				.text = v->text_of[c->sec] - 1,
				.from = c->off,
				.end = leads ? c->end : c->off});
	}
	sort(v->claim.v, v->claim.n, sizeof *v->claim.v, claim_cmp);
}

bool verify_object(const char *in, const char *out, const struct verify_options *opt, FILE *report)
{
	struct verify v = {.report = report, .by = NO_INSN, .by_jump = NO_INSN, .opt = *opt};
	object_origins(opt->origins);
	v.a = object_read(&v.arena, in);
	v.b = object_read(&v.arena, out);
	v.target = target_for(v.a);
	if (!v.target || target_for(v.b) != v.target)
		fatal("%s and %s are not for one machine that is supported", in, out);
	if (!v.target->run)
		fatal("code for %s cannot be verified", v.target->name);
	number_symbols(&v);
	fix_check(v.a, v.target->reloc_info, v.target->half_reg);
	fix_check(v.b, v.target->reloc_info, v.target->half_reg);
	v.decoder = v.target->decoder_new();
	v.alone = opt->alone && v.target->steps;
	v.opt.atomic |= !v.target->base_setter && !opt->alone;
	pair_sections(&v);
	check_new_sections(&v);
	find_added(&v);
	find_bases(&v);
	read_claims(&v);
	verify_align(&v);
	verify_map(&v);
	verify_branches(&v);
	pair_halves(&v);
	verify_held(&v);
	verify_live(&v);
	verify_code(&v);
	verify_halves(&v);
	verify_scaled(&v);
	check_data(&v);
	check_symbols(&v);
	verify_unwind(&v);
	verify_debug(&v);
	verify_bases(&v);
	print_report(&v);
	bool good = !v.failures;
	object_origins(NULL);
	free_all(&v);
	return good;
}
