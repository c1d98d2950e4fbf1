/* SPDX-License-Identifier: Apache-2.0 */
/* called.c - functions that are entered by calls in the object only: see called.h */
#include "instr/count/called.h"

#include "instr/count/threads.h"
#include "instr/named.h"

#include <stdlib.h>

/* Of a function with more sites, these would take more room than the counter of its entries. */
enum { MOST_SITES = 24, OTHERWISE = UINT32_MAX };

struct finding {
	const struct plan *p;
	uint32_t *sites; /* by function: how many; OTHERWISE: it is also entered in another way */
};

static bool counts(const struct plan *p, uint32_t f)
{
	const struct func *fn = &p->g->func.v[f];
	return fn->is_code && fn->why == OPAQUE_NOT && fn->nblock &&
		(!p->selected || p->selected[f]);
}

/* Control comes to block b in another way than by a call that is counted. */
static void leads(void *ctx, uint32_t b)
{
	const struct finding *w = ctx;
	uint32_t f = w->p->g->block.v[b].func;
	if (b == w->p->g->func.v[f].block)
		w->sites[f] = OTHERWISE;
}

/* Is the last instruction of block bl a call that is always executed, to the start of a function?
 */
static bool is_site(const struct plan *p, const struct block *bl)
{
	const struct cfg *g = p->g;
	return bl->end == END_CALL && g->insn.v[bl->insn + bl->ninsn - 1].kind == INSN_CALL &&
		counts(p, bl->func) && bl->target == g->func.v[g->block.v[bl->target].func].block;
}

/* Control falls into block b, maybe through no-ops between functions. */
static void fall(struct finding *w, uint32_t b)
{
	const struct cfg *g = w->p->g;
	while (b < g->block.n && g->block.v[b].gap)
		b++;
	if (b < g->block.n)
		leads(w, b);
}

static void follow(struct finding *w, uint32_t b)
{
	const struct cfg *g = w->p->g;
	const struct block *bl = &g->block.v[b];
	if (bl->gap)
		return;
	if (bl->end == END_TABLE)
		cfg_table_targets(g, b, leads, w);
	fall(w, bl->fall);
	if (bl->target == NO_BLOCK)
		return;
	uint32_t *n = &w->sites[g->block.v[bl->target].func];
	if (!is_site(w->p, bl))
		leads(w, bl->target);
	else if (*n != OTHERWISE)
		++*n;
}

static void leads_to_symbol(void *ctx, const struct symbol *s)
{
	const struct cfg *g = ((struct finding *)ctx)->p->g;
	const struct code_section *c = cfg_section(g, s->sec);
	uint32_t b = c ? cfg_block_at(g, c, s->value) : NO_BLOCK;
	if (b != NO_BLOCK)
		leads(ctx, b);
}

/* An IFUNC's resolver is called when the program is loaded. */
static void find_resolvers(struct finding *w)
{
	const struct object *o = w->p->g->obj;
	for (uint32_t i = 1; i < o->sym.n; i++)
		if (symbol_type(&o->sym.v[i]) == STT_GNU_IFUNC)
			leads_to_symbol(w, &o->sym.v[i]);
}

/* Data between code may look like a call of what is behind it, or like code that falls in. */
static void find_data(struct finding *w)
{
	const struct cfg *g = w->p->g;
	for (size_t t = 0; t < g->text.n; t++) {
		const struct code_section *c = &g->text.v[t];
		bool data = false;
		for (uint32_t f = c->func; f < c->func + c->nfunc; f++)
			data |= !g->func.v[f].is_code;
		for (uint32_t f = c->func; data && f < c->func + c->nfunc; f++)
			w->sites[f] = OTHERWISE;
	}
}

static bool is_entered_otherwise(const struct finding *w, const uint64_t *outside, uint32_t f)
{
	const struct cfg *g = w->p->g;
	const struct func *fn = &g->func.v[f];
	if (!counts(w->p, f) || fn->falls_in || fn->replaced || w->sites[f] > MOST_SITES)
		return true;
	return outside[fn->block >> 6] >> (fn->block & 63) & 1 ||
		g->insn.v[g->block.v[fn->block].insn].off != fn->start;
}

/* Number the sites of all functions, and list them. */
static struct called *list_sites(const struct finding *w)
{
	const struct cfg *g = w->p->g;
	struct called *c = arena_new(g->arena, struct called);
	uint32_t n = 0;
	c->first = arena_array(g->arena, uint32_t, g->func.n + 2);
	for (uint32_t f = 0; f < g->func.n; f++) {
		c->first[f + 1] = n;
		n += w->sites[f] == OTHERWISE ? 0 : w->sites[f];
	}
	c->site = arena_array(g->arena, uint32_t, n + 1);
	c->calls = arena_array(g->arena, uint64_t, g->block.n / 64 + 1);
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		uint32_t f = bl->target == NO_BLOCK ? NO_FUNC : g->block.v[bl->target].func;
		if (bl->gap || f == NO_FUNC || w->sites[f] == OTHERWISE || !is_site(w->p, bl))
			continue;
		c->site[c->first[f + 1]++] = b;
		c->calls[b >> 6] |= (uint64_t)1 << (b & 63);
	}
	return c;
}

uint32_t called_functions(const struct called *c, size_t n)
{
	uint32_t sum = 0;
	for (uint32_t f = 0; f < n; f++)
		sum += called_sites(c, f) != 0;
	return sum;
}

const struct called *called_find(const struct plan *p)
{
	const struct cfg *g = p->g;
	struct finding w = {p, calloc(g->func.n + 1, sizeof *w.sites)};
	const uint64_t *outside = p->checked ? p->checked : thread_entries(p);
	if (!w.sites)
		fatal("out of memory");
	for (uint32_t b = 0; b < g->block.n; b++)
		follow(&w, b);
	find_resolvers(&w);
	find_data(&w);
	/* the last link may give other symbols their values */
	each_expressed(g->obj, p->opt->expressions, leads_to_symbol, &w);
	for (uint32_t f = 0; f < g->func.n; f++)
		if (is_entered_otherwise(&w, outside, f))
			w.sites[f] = OTHERWISE;
	struct called *c = list_sites(&w);
	free(w.sites);
	return c;
}
