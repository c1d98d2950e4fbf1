/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.c - what is inserted, part by part; see plan.h
 */
#include "program/program.h"
#include "instr/plan.h"

#include "instr/count/addressing.h"
#include "instr/count/base.h"
#include "instr/count/called.h"
#include "instr/count/order.h"
#include "instr/count/threads.h"
#include "instr/stress.h"
#include "instr/tool/tool.h"
#include "instr/stubs.h"

#include "base/parallel.h"
#include "runtime/abi.h"

#include <stdlib.h>

/* A part of the code is planned on its own, and numbers its counters and edges from 0. */
struct plan_part {
	struct plan plan;
	struct inserter in;
	size_t edge;	  /* where the part's begin in the whole plan */
	uint32_t counter; /* the same */
};
struct planning {
	struct plan *p;
	struct plan_part *part;
	struct flow_planner *planner; /* by worker */
	uint32_t *order;	      /* new numbers of counters; NULL: they stay */
};

static uint32_t part_blocks(const struct cfg *g, size_t k, uint32_t *end)
{
	const struct code_section *first = &g->text.v[g->part.v[k]],
				  *last = &g->text.v[g->part.v[k + 1] - 1];
	*end = last->block + last->nblock;
	return first->block;
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
	p.in = &w->part[k].in;
	inserter_start(p.in, &p.inserted[k], p.opt->claims);
	if (p.opt->stress)
		plan_nops(&p, block, blocks);
	if (p.opt->edges)
		plan_edge_nops(&p, block, blocks);
	if (p.opt->mode != LDX_MODE_NONE)
		plan_counters(&p, first, end, planner);
	for (uint32_t f = first; p.tools && f < end; f++)
		if (p.opt->mode == LDX_MODE_NONE || (p.selected && !p.selected[f]))
			check_threads(&p, f); /* else plan_counters() does */
	if (measures(p.opt) && !p.single_thread)
		plan_forks(&p, block, blocks, planner->decoder);
	w->part[k].plan = p;
}

static uint32_t number(const struct planning *w, uint32_t counter)
{
	return w->order ? w->order[counter] : counter;
}

/* Number the counters of the part's sites, and build their code. */
static void count_sites(struct plan *p, const struct planning *w, uint32_t first)
{
	sites_sort(&p->site);
	for (struct site *s = p->site.v; s < p->site.v + p->site.n; s++) {
		s->arg = number(w, first + s->arg);
		if (s->kind == SITE_COUNT || s->kind == SITE_ENTRY)
			p->kinds[s->how]++;
		p->based += s->kind == SITE_COUNT && s->base && !s->makes;
	}
	sites_insert(p);
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
		plan_bases(p, first, end, w->part[k].counter, planner);
	count_sites(p, w, w->part[k].counter);
	if (p->tools)
		tools_insert(p->tools, p, g->part.v[k], g->part.v[k + 1], &planner->live);
	if (p->opt->poison) /* must not change registers that hold counters or bases */
		plan_poison(p, block, blocks, &planner->live);
	insertions_sort(p->in->to);
	stubs_make(g, p->in, &planner->old);
	inserter_end(p->in);
}

static void join_part(void *ctx, size_t k, unsigned worker)
{
	const struct planning *w = ctx;
	struct plan_part *part = &w->part[k];
	const struct cfg *g = w->p->g;
	uint32_t first, end = cfg_part_funcs(g, k, &first);
	(void)worker;
	for (size_t i = 0; i < part->plan.edge.n; i++) {
		w->p->edge.v[part->edge + i] = part->plan.edge.v[i];
		struct plan_edge *e = &w->p->edge.v[part->edge + i];
		e->counter = number(w, part->counter + e->counter);
	}
	for (uint32_t f = first; f < end; f++) {
		const struct func *fn = &g->func.v[f];
		w->p->func_edge[f] += (uint32_t)part->edge;
		if (w->p->func_counter[f])
			w->p->func_counter[f] =
				number(w, part->counter + w->p->func_counter[f] - 1) + 1;
		for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++)
			if (w->p->block_counter[b])
				w->p->block_counter[b] =
					number(w, part->counter + w->p->block_counter[b] - 1) + 1;
	}
	w->p->sites[k] = part->plan.site;
	vec_free(&part->plan.edge);
}

static void number_parts(struct planning *w, size_t parts)
{
	struct plan *p = w->p;
	const struct cfg *g = p->g;
	uint32_t *ends = arena_array(g->arena, uint32_t, g->func.n + 1);
	for (size_t k = 0; k < parts; k++) {
		uint32_t first, end = cfg_part_funcs(g, k, &first), before = p->ncounters;
		w->part[k].counter = before;
		p->ncounters += w->part[k].plan.ncounters;
		for (uint32_t f = end, last = p->ncounters; f-- > first;) {
			ends[f] = last;
			last = p->func_first[f] += before;
		}
	}
	if (counts_by_thread(&p->addressing) && !p->opt->dynamic)
		w->order = counters_order(p, p->func_first, ends);
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
	p->inserted = arena_array(g->arena, struct insertions, parts);
	p->sites = arena_array(g->arena, site_vec, parts);
	parallel(parts, plan_part, &w);
	number_parts(&w, parts);
	parallel(parts, finish_part, &w);
	for (size_t k = 0; k < parts; k++) {
		const struct plan *part = &w.part[k].plan;
		w.part[k].edge = p->edge.n;
		p->edge.n += part->edge.n;
		p->inserts |= p->inserted[k].v.n != 0;
		for (unsigned how = 0; how < COUNT_KINDS; how++)
			p->kinds[how] += part->kinds[how];
		p->based += part->based;
	}
	vec_reserve(&p->edge, p->edge.n);
	p->func_edge[g->func.n] = (uint32_t)p->edge.n;
	parallel(parts, join_part, &w);
	for (unsigned i = 0; i < workers; i++)
		plan_flow_free(&w.planner[i]);
}

/* Relocations against this symbol tell that code is inserted; it has no other meaning. */
static void plan_poisoned(struct plan *p, struct cfg *g)
{
	struct symbol s = {.name = "__ldx_poison",
		.sec = SEC_UNDEF,
		.info = ELF64_ST_INFO(STB_WEAK, STT_NOTYPE),
		.other = STV_HIDDEN};
	p->sym_poison = object_add_symbol(g->obj, &s);
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
	p->func_first = arena_array(g->arena, uint32_t, g->func.n + 1);
	p->block_freq = arena_array(g->arena, float, g->block.n + 1);
	p->func_edge = arena_array(g->arena, uint32_t, g->func.n + 1);
	p->vectors = has_libc(p);
	p->selected = select_functions(g, &opt->patterns, opt->origins);
	if (measures(opt) || opt->edges)
		cfg_entered(g);
	if (measures(opt))
		returns = plan_addressing(p, g);
	if (opt->poison)
		plan_poisoned(p, g);
	if (opt->poison || opt->ntools)
		p->held = arena_array(g->arena, regset, g->block.n + 1);
	p->tools = tools_run(p, g, returns);
	tools_want(p->tools, g);
	if (!p->every && (opt->mode == LDX_MODE_BLOCKS || opt->mode == LDX_MODE_EDGES))
		p->called = called_find(p);
	if (opt->stress || opt->edges || opt->poison || measures(opt))
		plan_parts(p, returns);
	p->tool_cells = tools_cells(p->tools);
	return p;
}

void plan_forget(struct plan *p)
{
	for (size_t k = 0; p->sites && k + 1 < p->g->part.n; k++)
		vec_free(&p->sites[k]);
}
