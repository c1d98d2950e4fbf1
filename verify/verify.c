/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.c - the order of the verifier's passes; sections, data and symbols (see verify.h)
 */
#include "verify/inserted.h"
#include "verify/data.h"
#include "verify/debug.h"
#include "verify/flow.h"
#include "verify/landing.h"
#include "verify/map.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/sites.h"
#include "verify/verify.h"

#include "base/shown.h"
#include "reloc/fix.h"
#include "runtime/abi.h"

#include <stdlib.h>

/* Sections -------------------------------------------------------------- */

static bool describes_object(const struct section *s)
{
	return s->type == SHT_NULL || section_is_rel(s) || s->type == SHT_GROUP ||
		s->type == SHT_SYMTAB || s->type == SHT_STRTAB || s->type == SHT_SYMTAB_SHNDX;
}

static bool alike(const struct section *a, const struct section *b)
{
	/* groups are compared by check_links() */
	return a->type == b->type && !((a->flags ^ b->flags) & ~(uint64_t)SHF_GROUP) &&
		!strcmp(a->name, b->name);
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
	bool turns = v->opt.turned && section_is_code(b) && !a->group && b->group &&
		!v->old[b->group]; /* see turns.c */
	if ((!a->group != !b->group && !turns) ||
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
		{.name = ".ldx.turns", .type = SHT_PROGBITS, .flags = SHF_ALLOC},
		{.name = ".ldx.counters", .type = SHT_NOBITS, .flags = SHF_ALLOC | SHF_WRITE},
		{.name = ".ldx.data", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_WRITE},
		{.name = ".rodata.ldx", .type = SHT_PROGBITS, .flags = SHF_ALLOC},
		{.name = ".tdata.ldx",
			.type = SHT_PROGBITS,
			.flags = SHF_ALLOC | SHF_WRITE | SHF_TLS}};
	bool found = false;
	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		found |= alike(&added[i], s);
	return found && (!s->group || !strcmp(s->name, ".ldx.turns"));
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

/* Debug sections, which the rewriter may rewrite in formats that no pass here knows. */
static bool is_debug(const struct section *s)
{
	return !(s->flags & SHF_ALLOC) && (s->type == SHT_PROGBITS || s->type >= SHT_LOOS);
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
	/* a local label matters only through its references */
	if (symbol_is_temporary(s) ? !same_unloaded_place(v, s->sec, s->value, n->sec, n->value) &&
				!same_place(v, s->sec, s->value, n->sec, n->value, USE_PAST)
				   : !same_place(v, s->sec, s->value, n->sec, n->value, USE_ENTER))
		vfail(v, sec, s->value, "symbol %s is at 0x%llx now, which is another place",
			s->name, (unsigned long long)n->value);
	/* bit 0 of a pointer to a member function means virtual */
	if (symbol_type(s) == STT_FUNC && sec->align > 1 && !(s->value % sec->align) &&
		n->value % 2)
		vfail(v, sec, s->value, "function %s is at 0x%llx now, which is odd", s->name,
			(unsigned long long)n->value);
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

/* Behind all thread-local sections, each with padding: the linker puts them in its order. */
static uint64_t farthest_row(const struct object *o)
{
	uint64_t at = 32;
	for (size_t i = 1; i < o->sec.n; i++)
		if (o->sec.v[i].flags & SHF_TLS)
			at += o->sec.v[i].size + 2 * o->sec.v[i].align;
	return at & ~(uint64_t)7;
}

/* The words by which threads find their counters; one that is 0 is behind them (cells.c). */
static void find_row(struct verify *v)
{
	const struct symbol *s = &v->b->sym.v[v->row];
	v->row_at = farthest_row(v->a);
	v->row_words = s->sec < v->b->sec.n ? (uint32_t)(v->b->sec.v[s->sec].size / 8) : 0;
	v->row_words -= v->row_words > 0;
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
		if (!strcmp(v->b->sym.v[i].name, "__ldx_row"))
			v->row = (uint32_t)i;
	}
	if (v->row)
		find_row(v);
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
	vec_free(&v->called);
	vec_free(&v->user);
	vec_free(&v->branch);
	vec_free(&v->fork);
	vec_free(&v->held);
	vec_free(&v->asked);
	if (v->arrival)
		vec_free(v->arrival);
	vec_free(&v->base);
	vec_free(&v->scaled);
	vec_free(&v->table);
	vec_free(&v->jump);
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
	struct verify v = {.report = report, .opt = *opt};
	object_origins(opt->origins);
	v.a = object_read(&v.arena, in);
	v.b = object_read(&v.arena, out);
	v.target = target_for(v.a);
	if (!v.target || target_for(v.b) != v.target)
		fatal("%s and %s are not for one machine that is supported", in, out);
	if (!v.target->run)
		fatal("code for %s cannot be verified", v.target->name);
	number_symbols(&v);
	fix_check(v.a, v.target->reloc_info);
	fix_check(v.b, v.target->reloc_info);
	v.decoder = v.target->decoder_new();
	v.alone = opt->alone && target_steps(v.target);
	v.opt.atomic |= !v.target->thread_base && !opt->alone;
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
