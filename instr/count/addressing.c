/* SPDX-License-Identifier: Apache-2.0 */
/* addressing.c - how counters are addressed, and which threads share them; see addressing.h */
#include "program/program.h"
#include "instr/count/addressing.h"

#include "instr/count/threads.h"
#include "reloc/outside.h"
#include "runtime/abi.h"

#include <stdlib.h>

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

/* Is there a global symbol with the name of a function that does so? */
static bool has_global(const struct object *o, enum name_kind what)
{
	for (uint32_t i = o->nlocal; i < o->sym.n; i++)
		if (name_does(o->sym.v[i].name) & what)
			return true;
	return false;
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

/* May the object or a needed library call prctl(2) or seccomp(2), by name or by system call? */
static bool may_filter(const struct plan *p)
{
	const struct rewrite_options *opt = p->opt;
	const struct cfg *g = p->g;
	if (has_global(g->obj, NAME_FILTERS))
		return true;
	for (size_t b = 0; opt->dynamic && b < g->block.n; b++)
		if (g->block.v[b].end == END_SYSCALL)
			return true;
	if (!opt->dynamic)
		return false;
	return !opt->outside || outside_imports(opt->outside, "prctl") ||
		outside_imports(opt->outside, "seccomp_load");
}

bool has_libc(const struct plan *p)
{
	return p->opt->shared || p->opt->dynamic || global_symbol(p->g->obj, "__libc_start_main");
}

/* Is there room for the counters of all blocks and edges between LDX_CELLS and 2 GB? */
static bool mapped_fit(const struct cfg *g)
{
	return g->block.n < (((uint64_t)1 << 31) - LDX_CELLS) / 8 / 4;
}

/*
 * How far from the thread pointer may words begin that are added to the thread-local sections?
 * ELF Handling for Thread-Local Storage, 3: from 16 on, by the largest alignment.
 */
static uint64_t farthest_row(const struct object *o)
{
	uint64_t at = 32;
	for (size_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		if (s->flags & SHF_TLS)
			at += s->size + 2 * s->align;
	}
	return at;
}

/* How many words there may be by which a thread finds its counters. */
static uint16_t row_words(const struct object *o, const struct micro *m)
{
	uint64_t at = farthest_row(o), most = at < m->row_most ? (m->row_most - at) / 8 : 0;
	return (uint16_t)(most < LDX_ROW_WORDS ? most : LDX_ROW_WORDS);
}

/* Libraries that are loaded later may install handlers of signals, and make threads, if seldom. */
static bool loads_code(const struct object *o)
{
	return global_symbol(o, "dlopen") || global_symbol(o, "dlmopen");
}

static bool has_control(const struct object *o)
{
	static const char *const names[] = {LDX_CONTROLS};
	size_t k = 0;
	while (names[k] && !global_symbol(o, names[k]))
		k++;
	return names[k];
}

/*
 * On a CPU without such a base a thread can have words with the addresses of its counters; the
 * dynamic linker may run resolvers before the first thread has.  Routines of tools do not find
 * these, and marks need none.
 */
static bool can_have_words(const struct plan *p)
{
	const struct rewrite_options *opt = p->opt;
	bool wanted = opt->mode != LDX_MODE_COVER && !opt->shared && !opt->ntools;
	bool fit = opt->rows && opt->dynamic && p->addressing.row_words;
	return wanted && fit && !has_resolvers(p->g->obj) && !cfg_sets_thread(p->g);
}

/* A program that resets its counters would find those again that are being incremented. */
static bool can_have_rows(const struct plan *p)
{
	const struct object *o = p->g->obj;
	return (!loads_code(o) || has_global(o, NAME_THREADS)) && !has_control(o) &&
		!calls_clone(o) && !may_fork(p->g);
}

static void choose_without_base(struct plan *p, struct tasks tasks)
{
	struct counter_addressing *to = &p->addressing;
	const struct micro *m = p->g->target->micro;
	to->near = true;
	to->row_words = row_words(p->g->obj, m);
	to->row_far = farthest_row(p->g->obj) + 8 * to->row_words > m->row_near;
	bool words = can_have_words(p);
	p->rows = to->row_own = words && to->access == ACCESS_THREAD && tasks.threads &&
		can_have_rows(p);
	p->words = p->rows || (words && m->row_brief && to->pic);
	if (to->access != ACCESS_THREAD)
		return;
	to->access = ACCESS_ATOMIC;
	if (!tasks.threads && !tasks.processes)
		p->reentered = cfg_reentered(p->g);
	else if (!tasks.threads || (p->rows && !loads_code(p->g->obj)))
		p->reentered = cfg_reentered_tasks(p->g);
	p->filters = p->rows && may_filter(p);
}

static void choose_addressing(struct plan *p)
{
	const struct rewrite_options *opt = p->opt;
	enum cells cells = (enum cells)opt->cells;
	struct counter_addressing *to = &p->addressing;
	struct tasks tasks = cfg_tasks(p->g, opt->dynamic, opt->shared);
	/* routines of tools are shorter with addresses that the link knows: ldx/analysis.h */
	if (opt->ntools && p->g->target->thread_base && opt->outside && opt->outside->imported.n)
		tasks = (struct tasks){.threads = true, .processes = true, .interrupted = true};
	p->alone = !tasks.threads && !tasks.interrupted;
	p->single_thread = p->alone && !tasks.processes;
	to->access = (enum counter_access)opt->counters;
	to->pic = opt->high;
	bool steps = target_steps(p->g->target);
	if ((steps ? p->alone : !tasks.threads) && to->access == ACCESS_THREAD)
		to->access = ACCESS_PLAIN;
	if (to->access == ACCESS_TURNED &&
		(opt->mode == LDX_MODE_COVER || opt->ntools || calls_clone(p->g->obj) ||
			may_fork(p->g)))
		to->access = ACCESS_ATOMIC;
	if (!p->g->target->thread_base) {
		choose_without_base(p, tasks);
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
	/* routines of tools have constant addresses of what threads own: ldx/analysis.h */
	if (to->access == ACCESS_THREAD && cells == CELLS_NEAR && opt->high && opt->ntools)
		to->access = ACCESS_ATOMIC;
	to->fixed = cells != CELLS_NEAR;
	to->moved = cells == CELLS_MAPPED;
	/* the base of a thread is its counters' distance from one set of addresses, not from two */
	to->near = !to->moved || to->access != ACCESS_THREAD;
	p->filters = to->access == ACCESS_THREAD && may_filter(p);
}

const struct returns *plan_addressing(struct plan *p, struct cfg *g)
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
	s.name = "__ldx_row";
	s.info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS);
	if (p->words)
		p->addressing.row = object_add_symbol(g->obj, &s);
	s.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
	s.name = "__ldx_forked";
	if (!p->single_thread) /* GNU ld misses a hidden symbol that nothing refers to */
		p->sym_forked = object_add_symbol(g->obj, &s);
	p->cell = opt->mode == LDX_MODE_COVER ? 1 : 8;
	bool turned = p->addressing.access == ACCESS_TURNED;
	p->ncounters = counts_by_thread(&p->addressing) || turned ? 8 / p->cell : 0;
	if (opt->placement == PLACE_AUTO)
		p->why_every = cfg_breaks_off(g, opt->shared, &p->why_unknown);
	p->every = opt->placement == PLACE_EVERY || p->why_every.text;
	if ((counts_by_thread(&p->addressing) && opt->dynamic) || turned)
		p->checked = thread_entries(p);
	p->flows = opt->mode == LDX_MODE_EDGES || (opt->mode != LDX_MODE_FUNCTIONS && !p->every);
	if (!p->flows)
		return NULL;
	return cfg_returns(g, opt->shared);
}
