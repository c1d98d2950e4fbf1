/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weights.c - estimated frequencies of blocks and edges
 *
 * Estimates serve to choose cheap places for counters only.  Hints about the two edges of a branch
 * are combined as by Wu and Larus ("Static branch frequency and program profile analysis",
 * 1994); the probabilities were measured in nine programs compiled by gcc -O2.
 */
#include "instr/count/prior.h"
#include "program/program.h"
#include "instr/count/flow.h"

enum hint {
	HINT_AGAIN, /* to the header of a loop it is in: a back edge */
	HINT_EXIT,  /* out of the innermost loop */
	HINT_END,   /* to a block that ends the program or throws an exception */
	HINT_COLD,  /* to code that the compiler has put into a cold section */
	HINT_CALL,
	HINT_RETURN,
	HINT_TAKEN,
	HINT_APART, /* forward, to a block that nothing falls into */
	HINT_TWICE, /* the next instruction branches there, too: this one for a NaN only */
	HINTS
};

/* The probability of an edge with the hint, if the other edge does not have it. */
static const float chance[HINTS] = {[HINT_AGAIN] = 0.8f,
	[HINT_EXIT] = 0.2f,
	[HINT_END] = 0.02f,
	[HINT_COLD] = 0.02f,
	[HINT_CALL] = 0.3f,
	[HINT_RETURN] = 0.4f,
	[HINT_TAKEN] = 0.42f,
	[HINT_APART] = 0.4f,
	[HINT_TWICE] = 0.02f};

/* Entries from outside at blocks other than the first, for each call of the function. */
#define RARELY 0.05f

static bool is_rare_code(const struct cfg *g, uint32_t b)
{
	const struct section *s = g->text.v[g->func.v[g->block.v[b].func].text].sec;
	return !strncmp(s->name, ".text.unlikely", 14);
}

/* Does control end at block b other than by a return? */
static bool is_end(const struct flow *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[b];
	return bl->end == END_TRAP ||
		(bl->end == END_CALL &&
			(bl->fall == NO_BLOCK || cfg_call_ends(w->g, w->returns, b)));
}

/* Does a branch to the same block as the one that ends block b follow at once? */
static bool branches_twice(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b], *next = &g->block.v[b + 1];
	return bl->fall == b + 1 && next->ninsn == 1 && next->end == END_BRANCH &&
		next->target != NO_BLOCK && next->target == bl->target;
}

static unsigned hints_of(const struct flow *w, const struct edge *e)
{
	const struct cfg *g = w->g;
	uint32_t loop = loop_of(w, e->from - w->first);
	unsigned h = e->kind == EDGE_FALL ? 0 : 1u << HINT_TAKEN;
	h |= (unsigned)(h && branches_twice(g, e->from)) << HINT_TWICE;
	if (e->to == NO_BLOCK) {
		uint32_t to = g->block.v[e->from].target;
		bool cold = to != NO_BLOCK && is_rare_code(g, to) && !is_rare_code(g, e->from);
		return h | (unsigned)(loop != NO_BLOCK) << HINT_EXIT | (unsigned)cold << HINT_COLD;
	}
	uint32_t to = e->to - w->first;
	const struct block *bl = &g->block.v[e->to];
	if (w->loop.v[to].is_head && in_loop(w, to, e->from - w->first))
		h |= 1u << HINT_AGAIN;
	if (loop != NO_BLOCK && !in_loop(w, loop, to))
		h |= 1u << HINT_EXIT;
	if (is_end(w, e->to))
		h |= 1u << HINT_END;
	if (bl->end == END_CALL || bl->end == END_SYSCALL)
		h |= 1u << HINT_CALL;
	if (bl->end == END_RET)
		h |= 1u << HINT_RETURN;
	if (e->to > e->from && g->block.v[e->to - 1].fall != e->to)
		h |= 1u << HINT_APART;
	return h;
}

/* The probability that the first of two edges is taken. */
static float first_of(const struct flow *w, const struct edge *a, const struct edge *b)
{
	unsigned ha = hints_of(w, a), hb = hints_of(w, b);
	float p = 0.5f;
	for (int h = 0; h < HINTS; h++) {
		if (!((ha ^ hb) >> h & 1))
			continue;
		float q = ha >> h & 1 ? chance[h] : 1 - chance[h];
		p = p * q / (p * q + (1 - p) * (1 - q));
	}
	return p;
}

static void set_probabilities(struct flow *w)
{
	for (uint32_t b = 0; b < w->block.n; b++) {
		const struct flow_block *fb = &w->block.v[b];
		struct edge *e = w->edge.v + fb->edge;
		for (uint32_t i = 0; i < fb->nedge; i++)
			e[i].freq = 1 / (float)fb->nedge;
		if (fb->nedge == 2) {
			e[0].freq = first_of(w, &e[0], &e[1]);
			e[1].freq = 1 - e[0].freq;
		}
	}
}

/* The call block before edge in: it comes back as often as the call is made; or NO_BLOCK. */
static uint32_t call_before(const struct flow *w, const struct edge *in)
{
	uint32_t b = in->to - w->first;
	return b && flow_comes_back(w, b - 1) ? b - 1 : NO_BLOCK;
}

/* The frequency of edge e, from those of blocks where they determine it. */
static float prior_edge(const struct flow *w, const struct edge *e)
{
	const struct flow_block *from = &w->block.v[e->from - w->first];
	const struct edge *out = w->edge.v + from->edge, *other = e == out ? out + 1 : out;
	if (from->nedge == 1)
		return from->freq;
	if (e->to != NO_BLOCK && !e->critical)
		return w->block.v[e->to - w->first].freq;
	if (from->nedge == 2 && other->to != NO_BLOCK && !other->critical) {
		float rest = from->freq - w->block.v[other->to - w->first].freq;
		return rest > 0 ? rest : 0;
	}
	return e->freq;
}

/* Where counts are known, the estimate only orders blocks of equal counts. */
#define GUESS 1e-3f

static void use_given(struct flow *w)
{
	const struct cfg *g = w->g;
	const uint64_t *count = prior_counts(w->prior, g, &g->func.v[g->block.v[w->first].func]);
	bool run = false;
	for (uint32_t b = 0, i = 0; count && b < w->block.n; b++)
		run |= !g->block.v[w->first + b].gap && count[i++];
	if (!run)
		return;
	for (uint32_t b = 0, i = 0; b < w->block.n; b++) {
		struct flow_block *fb = &w->block.v[b];
		float guess = fb->freq;
		if (g->block.v[w->first + b].gap)
			continue;
		fb->freq = (float)count[i++] + GUESS * guess;
		for (uint32_t e = fb->edge; e < fb->edge + fb->nedge; e++)
			w->edge.v[e].freq *= guess > 0 ? fb->freq / guess : 0;
	}
	for (size_t e = 0; e < w->edge.n; e++)
		if (w->edge.v[e].from != NO_BLOCK)
			w->edge.v[e].freq = prior_edge(w, &w->edge.v[e]);
}

/* A call takes at least the time of about so many instructions. */
enum { CALL_INSNS = 10 };

/* Sums insns of each loop with its inner loops, which follow it in reverse postorder, and of w. */
static void add_insns(struct flow *w)
{
	w->insns = 0;
	for (size_t i = w->order.n; i-- > 0;) {
		uint32_t b = w->order.v[i];
		const struct block *bl = &w->g->block.v[w->first + b];
		struct loop_block *l = &w->loop.v[b];
		bool calls = bl->end == END_CALL || bl->end == END_SYSCALL;
		float n = w->block.v[b].freq * (float)(bl->ninsn + (calls ? CALL_INSNS : 0));
		if (l->is_head)
			n = l->insns += n;
		*(l->head == NO_BLOCK ? &w->insns : &w->loop.v[l->head].insns) += n;
	}
}

float flow_apart(const struct flow *w, uint32_t from, uint32_t to, float freq)
{
	uint32_t a = loop_of(w, from - w->first), b = loop_of(w, to - w->first);
	float insns = w->insns;
	if (a != NO_BLOCK && b != NO_BLOCK)
		insns = w->loop.v[w->loop.v[a].depth < w->loop.v[b].depth ? a : b].insns;
	return insns / freq;
}

void flow_weights(struct flow *w)
{
	flow_loops(w);
	set_probabilities(w);
	size_t nin = 0;
	for (; nin < w->edge.n && w->edge.v[nin].kind == EDGE_IN; nin++) {
		struct edge *e = &w->edge.v[nin];
		e->freq = e->to == w->first ? 1 : call_before(w, e) == NO_BLOCK ? RARELY : 0;
	}
	flow_spread(w);
	for (size_t e = 0; e < nin; e++) {
		uint32_t call = call_before(w, &w->edge.v[e]);
		if (call != NO_BLOCK)
			w->edge.v[e].freq = w->block.v[call].freq;
	}
	for (size_t e = nin; e < w->edge.n; e++)
		w->edge.v[e].freq *= w->block.v[w->edge.v[e].from - w->first].freq;
	if (w->prior)
		use_given(w);
	add_insns(w);
}
