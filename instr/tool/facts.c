/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - what is known of calls: ldx_call_returns() and what follows it in ldx/tool.h */
#include "instr/tool/calls.h"

#include "cfg/calls.h"
#include "cfg/libc.h"
#include "cfg/refs.h"
#include "program/handlers.h"
#include "program/library.h"
#include "program/program.h"

#include <stdlib.h>

enum { UNSEEN = UINT32_MAX };

/* Functions that are recursive together: Tarjan 1972. */
struct recursion {
	uint32_t *set; /* by function */
	const uint8_t *reentered;
};

/* Where control of a function leads, callees by their addresses excluded. */
struct leads {
	const struct cfg *g;
	uint32_t from;
	VEC(uint32_t) to;
	uint32_t *first; /* by function; one more */
};

struct visit {
	uint32_t func, next;
};

struct search {
	struct leads leads;
	struct recursion *r;
	uint32_t *number, *low;
	VEC(uint32_t) open; /* in no set yet */
	VEC(struct visit) path;
	uint32_t numbers, sets;
};

static void add_lead(void *leads, uint32_t b)
{
	struct leads *l = leads;
	if (b != NO_BLOCK && l->g->block.v[b].func != l->from)
		vec_push(&l->to, l->g->block.v[b].func);
}

/* The one of a call through a word that a relocation names. */
static void add_callee(struct leads *l, const struct block *bl)
{
	const struct insn *last = &l->g->insn.v[bl->insn + bl->ninsn - 1];
	const ldx_func *callee = ldx_insn_callee((const ldx_insn *)(const void *)last);
	if (callee)
		vec_push(&l->to, func_number(callee));
}

static void find_leads(struct leads *l)
{
	const struct cfg *g = l->g;
	l->first = arena_array(g->arena, uint32_t, g->func.n + 1);
	for (l->from = 0; l->from < g->func.n; l->from++) {
		const struct func *f = &g->func.v[l->from];
		l->first[l->from] = (uint32_t)l->to.n;
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			const struct block *bl = &g->block.v[b];
			if (bl->gap)
				continue;
			add_lead(l, bl->target);
			add_lead(l, bl->fall);
			if (bl->chosen)
				add_callee(l, bl);
			if (bl->end == END_TABLE)
				cfg_table_targets(g, b, add_lead, l);
		}
	}
	l->first[g->func.n] = (uint32_t)l->to.n;
}

static void begin_visit(struct search *s, uint32_t f)
{
	s->number[f] = s->low[f] = s->numbers++;
	vec_push(&s->open, f);
	vec_push(&s->path, (struct visit){f, s->leads.first[f]});
}

static void end_visit(struct search *s)
{
	uint32_t f = s->path.v[--s->path.n].func, top;
	uint32_t up = s->path.n ? s->path.v[s->path.n - 1].func : f;
	if (s->low[f] == s->number[f]) {
		do {
			top = s->open.v[--s->open.n];
			s->r->set[top] = s->sets;
		} while (top != f);
		s->sets++;
	}
	s->low[up] = s->low[f] < s->low[up] ? s->low[f] : s->low[up];
}

static void visit_all(struct search *s, uint32_t from)
{
	if (s->number[from] == UNSEEN)
		begin_visit(s, from);
	while (s->path.n) {
		struct visit *v = &s->path.v[s->path.n - 1];
		uint32_t f = v->func;
		if (v->next == s->leads.first[f + 1]) {
			end_visit(s);
			continue;
		}
		uint32_t to = s->leads.to.v[v->next++];
		if (s->number[to] == UNSEEN)
			begin_visit(s, to);
		else if (s->r->set[to] == UNSEEN && s->number[to] < s->low[f])
			s->low[f] = s->number[to];
	}
}

static const struct recursion *recursion(void)
{
	const struct cfg *g = asking->g;
	size_t n = g->func.n + 1;
	if (asking->recursion)
		return asking->recursion;
	struct recursion *r = arena_new(g->arena, struct recursion);
	struct search s = {.leads = {.g = g}, .r = r};
	r->set = arena_array(g->arena, uint32_t, n);
	s.number = arena_array(g->arena, uint32_t, n);
	s.low = arena_array(g->arena, uint32_t, n);
	for (size_t f = 0; f < n; f++)
		s.number[f] = r->set[f] = UNSEEN;
	r->reentered = cfg_reentered(g);
	find_leads(&s.leads);
	for (uint32_t f = 0; f < g->func.n; f++)
		visit_all(&s, f);
	vec_free(&s.leads.to);
	vec_free(&s.open);
	vec_free(&s.path);
	return asking->recursion = r;
}

static const struct block *ended_by(const ldx_insn *i)
{
	const struct cfg *g = asking->g;
	const struct block *bl = &g->block.v[block_with(g, insn_of(i))];
	return insn_of(i) == &g->insn.v[bl->insn + bl->ninsn - 1] ? bl : NULL;
}

bool ldx_call_returns(const ldx_insn *i)
{
	const struct cfg *g = asking->g;
	const struct block *bl = ended_by(i);
	return bl && !bl->chosen &&
		cfg_callee(g, asking->flow.returns, (uint32_t)(bl - g->block.v)) == CALLEE_RETURNS;
}

/* What surely returns calls nothing by an address. */
bool ldx_call_recurs(const ldx_insn *i)
{
	const struct recursion *r = recursion();
	const struct block *bl = ended_by(i);
	const ldx_func *callee = ldx_insn_callee(i);
	if (!bl || !ldx_call_returns(i) || !r->reentered || r->reentered[bl->func])
		return true;
	return callee && r->set[func_number(callee)] == r->set[bl->func];
}

bool ldx_call_calls_back(const ldx_insn *i)
{
	const struct cfg *g = asking->g;
	const struct block *bl = ended_by(i);
	const struct symbol *s = bl ? named_at_end(g, bl) : NULL;
	return ldx_insn_callee(i) || !s || calls_back(g, s, is_libcs(g, s));
}

/* Start files, which are not in the object, call it, or the dynamic linker does. */
static bool is_outside_called(const struct cfg *g, const struct func *f)
{
	const struct symbol *s = &g->obj->sym.v[f->sym];
	return f->sym && (!strcmp(s->name, "main") || symbol_type(s) == STT_GNU_IFUNC);
}

bool called_by_name(const struct func *f)
{
	const struct cfg *g = asking->g;
	return f->why == OPAQUE_NOT && f->nblock && !f->falls_in && !called_from_anywhere(g, f) &&
		!is_outside_called(g, f);
}

static bool may_fork(const struct cfg *g)
{
	for (size_t i = 1; i < g->obj->sym.n; i++)
		if (name_does(g->obj->sym.v[i].name) & (NAME_FORKS | NAME_FORKS_BARE))
			return true;
	for (uint32_t b = 0; b < g->block.n; b++)
		if (!g->block.v[b].gap && g->block.v[b].end == END_SYSCALL)
			return true;
	return false;
}

bool calls_nest(void)
{
	const struct cfg *g = asking->g;
	const uint8_t *reentered = recursion()->reentered;
	if (!reentered || may_fork(g))
		return false;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (reentered[f])
			return false;
	return true;
}
