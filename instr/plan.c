/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - where counters go; see plan.h
 */
#include "instr/plan.h"

#include "cfg/refs.h"
#include "instr/count/base.h"
#include "instr/count/threads.h"
#include "instr/stubs.h"

#include "base/parallel.h"
#include "reloc/outside.h"
#include "runtime/abi.h"

#include <stdlib.h>

uint32_t plan_counter(struct plan *p, uint32_t text, struct spot s)
{
	vec_push(&p->site,
		(struct site){.text = text,
			.off = s.off,
			.runs = s.runs,
			.kind = SITE_COUNT,
			.how = s.how,
			.repeat = s.repeat,
			.arg = p->ncounters,
			.dead = s.dead});
	return ++p->ncounters;
}

/* Does f take its own address?  It may add distances that a counter in front makes wrong. */
static bool names_itself(const struct cfg *g, const struct func *f)
{
	const struct code_section *t = &g->text.v[f->text];
	const struct section *s = t->sec;
	struct ref r;
	for (uint32_t i = cfg_insn_at(g, t, f->start);
		i < t->insn + t->ninsn && g->insn.v[i].off < f->end; i++)
		if ((g->insn.v[i].flags & INSN_OPERAND_PC) && cfg_ref(g, t, i, &r) &&
			r.sec == s->index && r.off == f->start)
			return true;
	for (uint32_t k = section_first_reloc(s, f->start); k < s->nrel && s->rel[k].off < f->end;
		k++) {
		r = cfg_word_ref(g, &s->rel[k], NULL);
		if (r.role == ROLE_ABS && r.sec == s->index && r.off == f->start)
			return true;
	}
	return false;
}

/*
 * Can the entries of opaque function f be counted in front of it?  Only if it is entered as a
 * function, and nothing in it depends on its start.
 */
static bool entry_safe(const struct cfg *g, const struct func *f)
{
	const struct code_section *t = &g->text.v[f->text];
	if (t->frozen || !is_function_symbol(g, f) || f->falls_in || !f->nblock ||
		g->insn.v[g->block.v[f->block].insn].off != f->start || names_itself(g, f))
		return false;
	return f->why == OPAQUE_JUMP || f->why == OPAQUE_TABLE || f->why == OPAQUE_REFERENCE;
}

static void count_entry(struct plan *p, uint32_t fi)
{
	const struct cfg *g = p->g;
	const struct func *f = &g->func.v[fi];
	const struct insn *in = &g->insn.v[g->block.v[f->block].insn];
	if (f->why != OPAQUE_NOT) {
		struct site s = {.text = f->text, .off = (uint32_t)f->start, .runs = RUNS_ENTRY};
		bool landing = in->flags & INSN_LANDING, checked = is_checked(p, f->block);
		/* the check would be inserted in front of the landing */
		if (!entry_safe(g, f) || (landing && (checked || !g->target->micro->landing)))
			return;
		if (checked)
			plan_check(p, f->text, (struct spot){.off = s.off, .runs = s.runs});
		s.kind = landing ? SITE_ENTRY : SITE_COUNT;
		s.how = spot_cost(p, 0);
		s.arg = p->ncounters;
		vec_push(&p->site, s);
		p->func_counter[fi] = ++p->ncounters;
		return;
	}
	struct spot s = spot_at_entry(p, f);
	p->func_counter[fi] = plan_counter(p, f->text, s);
}

/*
 * Do the counts give the number of calls?  Where other edges lead to the start, it would be the
 * first block's count minus theirs: too small when a frame stays before one of these.
 */
static bool calls_known(const struct flow *w)
{
	for (size_t e = 1; e < w->edge.n; e++)
		if (w->edge.v[e].to == w->first)
			return false;
	return w->edge.n && w->edge.v[0].kind == EDGE_IN && w->edge.v[0].to == w->first;
}

static void count_blocks(struct plan *p, uint32_t fi, struct flow_planner *fp)
{
	const struct func *f = &p->g->func.v[fi];
	if (!p->flows) {
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			const struct block *bl = &p->g->block.v[b];
			if (!bl->gap)
				p->block_counter[b] =
					plan_counter(p, f->text, spot_in_block(p, bl, &fp->live));
		}
		if (p->opt->mode != LDX_MODE_COVER && loops_to_start(p->g, fi))
			count_entry(p, fi);
		return;
	}
	if (p->opt->mode == LDX_MODE_COVER) {
		plan_cover(p, fi, fp);
		return;
	}
	plan_flow(p, fi, fp);
	if (!calls_known(&fp->flow))
		count_entry(p, fi);
}

static void plan_func(struct plan *p, uint32_t fi, struct flow_planner *fp)
{
	const struct func *f = &p->g->func.v[fi];
	p->func_edge[fi] = (uint32_t)p->edge.n;
	if (!f->is_code || !f->nblock)
		return;
	if (p->checked)
		check_threads(p, fi);
	if (p->opt->mode == LDX_MODE_FUNCTIONS || f->why != OPAQUE_NOT)
		count_entry(p, fi);
	else
		count_blocks(p, fi, fp);
}

/* Does insn i call a function of a libc outside that forks without pthread_atfork(3) handlers? */
static bool calls_fork(const struct cfg *g, const struct code_section *t, uint32_t i)
{
	uint32_t n;
	for (const struct reloc *r = insn_relocs(t, &g->insn.v[i], &n); n; n--, r++) {
		const struct symbol *sym = &g->obj->sym.v[r->sym];
		if (sym->sec == SEC_UNDEF &&
			(!strcmp(sym->name, "_Fork") || !strcmp(sym->name, "syscall")))
			return true;
	}
	return false;
}

/*
 * Checks behind system calls that may make a process or a thread (unless their number is known and
 * is another one), and behind calls of the functions above.
 */
static void plan_forks(struct plan *p, uint32_t from, uint32_t to, struct decoder *decoder)
{
	const struct cfg *g = p->g;
	for (uint32_t b = from; b < to; b++) {
		const struct block *bl = &g->block.v[b];
		const struct func *f = &g->func.v[bl->func];
		const struct code_section *t = &g->text.v[f->text];
		uint32_t last = bl->insn + bl->ninsn - 1;
		if (bl->gap || f->why != OPAQUE_NOT || bl->fall == NO_BLOCK)
			continue;
		bool may = bl->end == END_SYSCALL
			? syscall_may_fork(g->target, decoder, t->sec->data, &g->insn.v[bl->insn],
				  bl->ninsn)
			: bl->end == END_CALL && calls_fork(g, t, last);
		if (may)
			vec_push(&p->site,
				(struct site){.text = f->text,
					.runs = is_named_return(g, bl->fall) ? RUNS_ALL : RUNS_FALL,
					.off = (uint32_t)insn_end(&g->insn.v[last]),
					.kind = SITE_FORK,
					.dead = cfg_scratch(g, f, g->block.v[bl->fall].live_in)});
	}
}

static void plan_stress(struct plan *p, uint32_t from, uint32_t to)
{
	const struct cfg *g = p->g;
	uint64_t seed = random_start(p->opt->stress_seed ^ (uint64_t)from << 32);
	for (uint32_t b = from; b < to; b++) {
		const struct block *bl = &g->block.v[b];
		const struct func *f = &g->func.v[bl->func];
		if (bl->gap || !f->is_code || f->why != OPAQUE_NOT)
			continue;
		for (uint32_t k = 0; k < bl->ninsn; k++) {
			const struct insn *in = &g->insn.v[bl->insn + k];
			uint64_t r = random_next(&seed);
			if (r % 3 || in->kind == INSN_NOP ||
				(in->flags & (INSN_GLUED | INSN_LANDING)))
				continue;
			uint32_t n = r >> 8 & 0x3f ? 1 + (uint32_t)(r >> 16) % 9
						   : 1 + (uint32_t)(r >> 16) % 200;
			vec_push(&p->site,
				(struct site){.text = f->text,
					.off = in->off,
					.runs = k ? RUNS_ALL
						  : stress_runners(g, b, (uint8_t)(r >> 40) % 3),
					.kind = SITE_NOPS,
					.arg = n * g->target->code_align});
		}
	}
}

static int site_cmp(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	if (x->runs != y->runs)
		return x->runs < y->runs ? -1 : 1;
	if (x->runs == RUNS_EDGE && x->branch != y->branch)
		return x->branch < y->branch ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	return x->arg < y->arg ? -1 : x->arg > y->arg;
}

/* The dynamic linker may run resolvers of IFUNCs before the runtime has mapped the counters. */
static bool has_resolvers(const struct object *o)
{
	for (size_t i = 1; i < o->sym.n; i++)
		if (symbol_type(&o->sym.v[i]) == STT_GNU_IFUNC && o->sym.v[i].sec != SEC_UNDEF)
			return true;
	return false;
}

/* The number of the global symbol with this name, 0: there is none. */
static uint32_t global_symbol(const struct object *o, const char *name)
{
	for (uint32_t i = o->nlocal; i < o->sym.n; i++)
		if (!strcmp(o->sym.v[i].name, name))
			return i;
	return 0;
}

/*
 * A thread made by clone(2) most often has its creator's thread pointer, so the two cannot be told
 * apart.  A libc in the object calls __clone, of which clone is an alias: that is no such call.
 */
static bool calls_clone(const struct object *o)
{
	uint32_t clone = global_symbol(o, "clone"), libc = global_symbol(o, "__clone");
	const struct symbol *s = &o->sym.v[clone], *l = &o->sym.v[libc];
	if (!clone || s->sec == SEC_UNDEF)
		return clone;
	if (!libc || s->sec != l->sec || s->value != l->value)
		return false;
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t k = 0; k < o->sec.v[i].nrel; k++)
			if (o->sec.v[i].rel[k].sym == clone)
				return true;
	return false;
}

/* If only the C library is needed, threads are made by calls of these functions alone. */
static bool may_thread(const struct plan *p)
{
	return !p->opt->libc_only || global_symbol(p->g->obj, "pthread_create") ||
		global_symbol(p->g->obj, "thrd_create");
}

/* May the object or a needed library call prctl(2) or seccomp(2), by name or by system call? */
static bool may_filter(const struct plan *p)
{
	static const char *const way[] = {"prctl", "seccomp", "seccomp_load", "syscall"};
	const struct rewrite_options *opt = p->opt;
	const struct cfg *g = p->g;
	for (size_t i = 0; i < sizeof way / sizeof *way; i++)
		if (global_symbol(g->obj, way[i]))
			return true;
	for (size_t b = 0; opt->dynamic && b < g->block.n; b++)
		if (g->block.v[b].end == END_SYSCALL)
			return true;
	if (!opt->dynamic || opt->libc_only)
		return false;
	return !opt->outside || outside_imports(opt->outside, "prctl") ||
		outside_imports(opt->outside, "seccomp_load");
}

/* A program with a C library is a Linux process, with vector registers of its own. */
static bool has_libc(const struct plan *p)
{
	return p->opt->shared || p->opt->dynamic || global_symbol(p->g->obj, "__libc_start_main");
}

/* Is there room for the counters of all blocks and edges between LDX_CELLS and 2 GB? */
static bool mapped_fit(const struct cfg *g)
{
	return g->block.n < (((uint64_t)1 << 31) - LDX_CELLS) / 8 / 4;
}

static void choose_addressing(struct plan *p)
{
	const struct rewrite_options *opt = p->opt;
	enum cells cells = (enum cells)opt->cells;
	struct counter_addressing *to = &p->addressing;
	bool interrupted;
	bool single = opt->libc_only && cfg_is_single_thread(p->g, opt->dynamic, &interrupted);
	p->single_thread = single && !interrupted;
	to->access = (enum counter_access)opt->counters;
	to->pic = opt->high;
	if (p->single_thread && to->access == ACCESS_THREAD)
		to->access = ACCESS_PLAIN;
	if (!p->g->target->base_setter) {
		if (single && interrupted && to->access == ACCESS_THREAD)
			p->reentered = cfg_reentered(p->g);
		to->access = to->access == ACCESS_THREAD ? ACCESS_ATOMIC : to->access;
		to->near = true;
		return;
	}
	/*
	 * If the program uses the thread base register itself, threads share the counters.
	 */
	bool needs_base = to->access == ACCESS_THREAD || cells == CELLS_MAPPED;
	bool has_base = needs_base && cfg_uses_base(p->g);
	if (to->access == ACCESS_THREAD &&
		(has_base || calls_clone(p->g->obj) || (!opt->dynamic && hides_forks(p->g))))
		to->access = ACCESS_ATOMIC;
	if (cells == CELLS_MAPPED &&
		(has_base || to->access == ACCESS_ATOMIC ||
			(opt->dynamic && has_resolvers(p->g->obj)) || !mapped_fit(p->g) ||
			cfg_maps_low(p->g)))
		cells = CELLS_NEAR;
	to->fixed = cells != CELLS_NEAR;
	to->moved = cells == CELLS_MAPPED;
	/* the base of a thread is its counters' distance from one set of addresses, not from two */
	to->near = !to->moved || to->access != ACCESS_THREAD;
	p->filters = to->access == ACCESS_THREAD && may_thread(p) && may_filter(p);
}

/* A part of the code is planned on its own, and numbers its counters and edges from 0. */
struct plan_part {
	struct plan plan;
	size_t site, edge; /* where the part's begin in the whole plan */
	uint32_t counter;
};
struct planning {
	struct plan *p;
	struct plan_part *part;
	struct flow_planner *planner; /* by worker */
};

static void plan_counters(struct plan *p, uint32_t first, uint32_t end, struct flow_planner *fp)
{
	const enum counter_access access = p->addressing.access;
	for (uint32_t f = first; f < end; f++) {
		size_t sites = p->site.n;
		if (p->selected && !p->selected[f]) {
			p->func_edge[f] = (uint32_t)p->edge.n;
			continue;
		}
		bool plain = p->reentered && !p->reentered[f];
		p->addressing.access = plain ? ACCESS_PLAIN : access;
		plan_func(p, f, fp);
		for (; sites < p->site.n; sites++)
			p->site.v[sites].plain = plain;
	}
	p->addressing.access = access;
}

static uint32_t part_blocks(const struct cfg *g, size_t k, uint32_t *end)
{
	const struct code_section *first = &g->text.v[g->part.v[k]],
				  *last = &g->text.v[g->part.v[k + 1] - 1];
	*end = last->block + last->nblock;
	return first->block;
}

static void sort_sites(struct plan *p)
{
	sort(p->site.v, p->site.n, sizeof *p->site.v, site_cmp);
}

static void plan_part(void *ctx, size_t k, unsigned worker)
{
	const struct planning *w = ctx;
	const struct cfg *g = w->p->g;
	uint32_t blocks, block = part_blocks(g, k, &blocks);
	uint32_t first, end = cfg_part_funcs(g, k, &first);
	struct flow_planner *planner = &w->planner[worker];
	struct plan p = *w->p;
	planner->decoder = cfg_decoder(g, worker);
	p.ncounters = 0;
	if (p.opt->stress)
		plan_stress(&p, block, blocks);
	if (p.opt->mode != LDX_MODE_NONE) {
		plan_counters(&p, first, end, planner);
		if (!p.single_thread)
			plan_forks(&p, block, blocks, planner->decoder);
	}
	w->part[k].plan = p;
}

static void share_bases(struct plan *p, uint32_t first, uint32_t end, uint32_t counter,
	struct flow_planner *fp)
{
	sort_sites(p);
	fp->base.n = 0;
	for (uint32_t f = first; f < end; f++) {
		const struct func *fn = &p->g->func.v[f];
		if (fn->is_code && fn->nblock && fn->why == OPAQUE_NOT &&
			(!p->selected || p->selected[f]))
			plan_bases(p, f, counter, fp);
	}
	for (size_t i = 0; i < fp->base.n; i++)
		vec_push(&p->site, fp->base.v[i]);
}

/* When the counters have their numbers. */
static void finish_part(void *ctx, size_t k, unsigned worker)
{
	const struct planning *w = ctx;
	const struct cfg *g = w->p->g;
	struct plan *p = &w->part[k].plan;
	uint32_t blocks, block = part_blocks(g, k, &blocks);
	uint32_t first, end = cfg_part_funcs(g, k, &first);
	struct flow_planner *planner = &w->planner[worker];
	if (can_share_base(p))
		share_bases(p, first, end, w->part[k].counter, planner);
	if (p->opt->poison) /* must not change registers that hold counters or bases */
		plan_poison(p, block, blocks, &planner->live);
	sort_sites(p);
}

/* Builds the code of the part's sites. */
static void build_part(struct plan *p, size_t k, const struct site *from, size_t n)
{
	claim_vec claims = {0};
	struct code code;
	code_start(&code);
	code.claims = p->opt->claims ? &claims : NULL;
	for (const struct site *s = from; s < from + n; s++) {
		code_clear(&code);
		claims.n = 0;
		site_code(p, s, &code);
		insertions_add(&p->inserted[k],
			(struct insertion){.text = s->text,
				.off = s->off,
				.branch = s->branch,
				.runs = s->runs},
			&code);
	}
	stubs_make(p->g, &p->inserted[k], p->opt->claims);
	code_free(&code);
	vec_free(&claims);
}

static void join_part(void *ctx, size_t k, unsigned worker)
{
	const struct planning *w = ctx;
	struct plan_part *part = &w->part[k];
	const struct cfg *g = w->p->g;
	uint32_t first, end = cfg_part_funcs(g, k, &first);
	(void)worker;
	for (size_t i = 0; i < part->plan.site.n; i++) {
		struct site *s = &w->p->site.v[part->site + i];
		*s = part->plan.site.v[i];
		if (s->kind <= SITE_ENTRY)
			s->arg += part->counter;
	}
	for (size_t i = 0; i < part->plan.edge.n; i++) {
		w->p->edge.v[part->edge + i] = part->plan.edge.v[i];
		w->p->edge.v[part->edge + i].counter += part->counter;
	}
	for (uint32_t f = first; f < end; f++) {
		const struct func *fn = &g->func.v[f];
		w->p->func_edge[f] += (uint32_t)part->edge;
		if (w->p->func_counter[f])
			w->p->func_counter[f] += part->counter;
		for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++)
			if (w->p->block_counter[b])
				w->p->block_counter[b] += part->counter;
	}
	build_part(w->p, k, w->p->site.v + part->site, part->plan.site.n);
	vec_free(&part->plan.site);
	vec_free(&part->plan.edge);
}

static void plan_parts(struct plan *p, const struct returns *returns)
{
	const struct cfg *g = p->g;
	size_t parts = g->part.n - 1;
	unsigned workers = parallel_workers();
	struct planning w = {.p = p,
		.part = arena_array(g->arena, struct plan_part, parts),
		.planner = arena_array(g->arena, struct flow_planner, workers)};
	for (unsigned i = 0; i < workers; i++)
		w.planner[i].flow =
			(struct flow){.g = g, .returns = returns, .prior = p->opt->prior};
	parallel(parts, plan_part, &w);
	for (size_t k = 0; k < parts; k++) {
		w.part[k].counter = p->ncounters;
		p->ncounters += w.part[k].plan.ncounters;
	}
	parallel(parts, finish_part, &w);
	for (size_t k = 0; k < parts; k++) {
		w.part[k].site = p->site.n;
		w.part[k].edge = p->edge.n;
		p->site.n += w.part[k].plan.site.n;
		p->edge.n += w.part[k].plan.edge.n;
	}
	vec_reserve(&p->site, p->site.n);
	vec_reserve(&p->edge, p->edge.n);
	p->func_edge[g->func.n] = (uint32_t)p->edge.n;
	p->inserted = arena_array(g->arena, struct insertions, parts);
	p->inserts = p->site.n;
	parallel(parts, join_part, &w);
	for (unsigned i = 0; i < workers; i++)
		plan_flow_free(&w.planner[i]);
}

/* Choose how counters are addressed and checked; returns what calls do, if counts are derived. */
static const struct returns *plan_counting(struct plan *p, struct cfg *g)
{
	const struct rewrite_options *opt = p->opt;
	struct symbol s = {.name = "__ldx_counters",
		.sec = SEC_UNDEF,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
		.other = STV_HIDDEN};
	choose_addressing(p);
	p->addressing.sym = p->addressing.sym_fixed = object_add_symbol(g->obj, &s);
	s.name = "__ldx_mapped";
	if (p->addressing.moved && p->addressing.near)
		p->addressing.sym_fixed = object_add_symbol(g->obj, &s);
	s.name = "__ldx_forked";
	if (!p->single_thread) /* GNU ld misses a hidden symbol that nothing refers to */
		p->sym_forked = object_add_symbol(g->obj, &s);
	p->cell = opt->mode == LDX_MODE_COVER ? 1 : 8;
	p->ncounters = p->addressing.access == ACCESS_THREAD ? 8 / p->cell : 0;
	cfg_entered(g);
	p->every = opt->placement == PLACE_EVERY ||
		(opt->placement == PLACE_AUTO && cfg_breaks_off(g, opt->shared));
	if (p->addressing.access == ACCESS_THREAD && opt->dynamic)
		plan_threads(p);
	p->flows = opt->mode == LDX_MODE_EDGES || (opt->mode != LDX_MODE_FUNCTIONS && !p->every);
	if (!p->flows)
		return NULL;
	return cfg_returns(g, opt->shared);
}

/* Relocations against this symbol tell that code is inserted; it has no other meaning. */
static void plan_poisoned(struct plan *p, struct cfg *g)
{
	struct symbol s = {.name = "__ldx_poison",
		.sec = SEC_UNDEF,
		.info = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE),
		.other = STV_HIDDEN};
	p->sym_poison = object_add_symbol(g->obj, &s);
	p->held = arena_array(g->arena, regset, g->block.n + 1);
}

static void count_kinds(struct plan *p)
{
	for (const struct site *s = p->site.v; s < p->site.v + p->site.n; s++) {
		if (s->kind == SITE_COUNT || s->kind == SITE_ENTRY)
			p->kinds[s->how]++;
		p->based += s->kind == SITE_COUNT && s->base && !s->makes;
	}
}

struct plan *plan_make(struct cfg *g, const struct rewrite_options *opt)
{
	struct plan *p = arena_new(g->arena, struct plan);
	const struct returns *returns = NULL;
	p->g = g;
	p->opt = opt;
	p->block_counter = arena_array(g->arena, uint32_t, g->block.n + 1);
	p->block_flags = arena_array(g->arena, uint8_t, g->block.n + 1);
	p->func_counter = arena_array(g->arena, uint32_t, g->func.n + 1);
	p->func_edge = arena_array(g->arena, uint32_t, g->func.n + 1);
	p->vectors = has_libc(p);
	p->selected = select_functions(g, &opt->patterns, opt->origins);
	if (opt->mode != LDX_MODE_NONE)
		returns = plan_counting(p, g);
	if (opt->poison)
		plan_poisoned(p, g);
	if (opt->stress || opt->poison || opt->mode != LDX_MODE_NONE)
		plan_parts(p, returns);
	count_kinds(p);
	return p;
}

void plan_forget(struct plan *p)
{
	vec_free(&p->site);
}
