/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - counters of short loops, held in registers; see count.h
 *
 * An increment in memory waits for the store of the one before, which in a loop of a few
 * instructions is what the loop then waits for.  A counter is held over those blocks of
 * a loop that call nothing and are in no inner loop: all of them, or the frequent ones.
 * Nothing but edges of the function may lead to them, and each to or from others can have
 * code of its own.  Where no integer register is free, vector registers serve.  Where the
 * counted block steps a register that nothing else in the loop changes (an induction variable),
 * that counts: the free register keeps where it began.
 *
 * A process may be killed in the loop, and what the registers hold is lost.  So the ways out are
 * counted, all of them: where more came in than went out is a frame that is still there, and
 * ldxprof knows that the loop was executed.
 */
#include "instr/count/count.h"

#include "runtime/abi.h"

/*
 * What counting by each means costs, in increments of memory outside of short loops, for
 * one call of the function; and what the code of a way in or out costs for being there.  A
 * step costs nothing, and more behind the loop.  So does a way out that is to be counted.
 */
#define SHORT_COST 2.0f
#define HELD_COST 0.2f
#define END_COST 1.5f
#define STEP_END_COST 2.0f
#define EXIT_COST 1.0f
#define BEGIN_SPACE 0.04f
#define END_SPACE 0.4f
#define EXIT_SPACE 3.0f
#define VECTOR_SPACE 1.8f /* times as much */
/* A block is frequent when it is executed in more than this share of the loop's rounds. */
#define FREQUENT 0.5f
enum {
	SHORT_LOOP = 24,   /* instructions: a longer one has time for its increments */
	ATOMIC_LOOP = 200, /* the same of atomic ones, and where there are none to be had */
	MAX_ENDS = 12,	   /* additions to memory behind one loop */
	/*
	 * A register that is stepped by 2^k is right for 2^(63 - k) rounds: for a year and a half
	 * of 6 * 10^9 a second, one each cycle, which is what a chain of additions takes at least.
	 */
	MAX_SHIFT = 5,
};

/* The head of the loop over whose blocks, with block b, counters may be held. */
static uint32_t held_over(const struct flow_planner *fp, uint32_t b)
{
	uint32_t h = b == NO_BLOCK ? NO_BLOCK : fp->hold.v[b - fp->flow.first].home;
	return h != NO_BLOCK && fp->hold.v[h].fits ? h : NO_BLOCK;
}

/* The blocks of a loop: its head, and those behind it. */
static uint32_t next_block(const struct flow *w, uint32_t head, uint32_t b)
{
	return b == head ? w->loop.v[head].member : w->loop.v[b].sibling;
}

/* Does the block nothing that takes control elsewhere, or is not known? */
static bool is_plain(const struct cfg *g, const struct block *bl)
{
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		if ((in->flags & INSN_VAGUE) ||
			(in->kind != INSN_OTHER && in->kind != INSN_NOP && in->kind != INSN_JUMP &&
				in->kind != INSN_BRANCH))
			return false;
	}
	return !bl->gap && (bl->end == END_FALL || bl->end == END_JUMP || bl->end == END_BRANCH);
}

/*
 * Above block b is a call that does not return.  No edge leads from it to b, so none would
 * have the code that begins a counter; but the instructions fall to b, which is not proved.
 */
static bool is_fallen_to(const struct flow *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[w->first + b];
	return b && bl[-1].end == END_CALL && bl[-1].fall == w->first + b &&
		cfg_callee(w->g, w->returns, w->first + b - 1) >= CALLEE_DIES;
}

static void add_block(const struct cfg *g, struct held *l, const struct block *bl)
{
	l->busy |= bl->live_in;
	l->ninsn += bl->ninsn;
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct effects *e = insn_effects(&g->insn.v[i]);
		l->busy |= e->reads | e->clobbers;
		l->twice |= l->changed & e->clobbers;
		l->changed |= e->clobbers;
	}
}

/* Blocks that are executed in more than this share of their loop's rounds; false: none. */
static bool find_blocks(const struct plan *p, struct flow_planner *fp, float share)
{
	const struct flow *w = &fp->flow;
	bool any = false;
	for (uint32_t h = 0; h < w->block.n; h++) {
		struct held *l = &fp->hold.v[h];
		l->busy = l->changed = l->twice = l->ninsn = l->nin = l->nout = 0;
		l->inside = l->in = l->out = NO_EDGE;
		l->spare = ~(regset)0;
		if (!w->loop.v[h].is_head || l->done)
			continue;
		for (uint32_t b = h; b != NO_BLOCK; b = next_block(w, h, b)) {
			const struct block *bl = &p->g->block.v[w->first + b];
			fp->hold.v[b].home = NO_BLOCK;
			if ((b != h && w->loop.v[b].is_head) || !is_plain(p->g, bl) ||
				is_fallen_to(w, b) ||
				w->block.v[b].freq < share * w->block.v[h].freq)
				continue;
			fp->hold.v[b].home = h;
			add_block(p->g, l, bl);
		}
		l->fits = l->ninsn && l->ninsn <= ATOMIC_LOOP;
		any |= l->fits;
	}
	return any;
}

static void add_edge(const struct plan *p, struct flow_planner *fp, uint32_t e)
{
	const struct edge *ed = &fp->flow.edge.v[e];
	uint32_t from = held_over(fp, ed->from), to = held_over(fp, ed->to);
	struct site s;
	if (from == NO_BLOCK && to == NO_BLOCK)
		return;
	if (from == to) {
		fp->next[0].v[e] = fp->hold.v[to].inside;
		fp->hold.v[to].inside = e;
		return;
	}
	bool can = !ed->own && edge_site(p->g, ed, &s);
	if (to != NO_BLOCK) {
		struct held *l = &fp->hold.v[to];
		fp->next[0].v[e] = l->in;
		l->in = e;
		l->nin++;
		l->fits &= can;
	}
	if (from != NO_BLOCK) {
		struct held *l = &fp->hold.v[from];
		regset flags = p->g->target->call_clobbers & REGSET_FLAGS;
		fp->next[1].v[e] = l->out;
		l->out = e;
		l->nout++;
		l->spare &= s.dead;
		l->fits &= can && !(flags & ~s.dead);
	}
}

/*
 * How the instruction steps a register; by 0: it does not, or nothing may stand in front of it.
 *
 * hazard: step that wraps.  A register stepped by 2^k wraps after 2^(63 - k) rounds: only
 * small steps count rounds.
 */
static struct step insn_step(const struct plan *p, const struct flow_planner *fp,
	const struct code_section *t, const struct insn *in)
{
	struct operation op;
	if ((in->flags & INSN_GLUED) || in->has_rel)
		return (struct step){0};
	p->g->target->describe(fp->decoder, insn_bytes(t, in), in, &op);
	uint64_t n = op.disp < 0 ? -(uint64_t)op.disp : (uint64_t)op.disp;
	if (op.op != OP_LEA || op.dst != op.base || op.index >= 0 || op.pc_rel || !n ||
		n & (n - 1) || n > 1u << MAX_SHIFT)
		return (struct step){0};
	return (struct step){.by = (uint8_t)(op.dst + 1),
		.shift = (uint8_t)__builtin_ctzll(n),
		.down = op.disp < 0};
}

static void find_step(const struct plan *p, struct flow_planner *fp, uint32_t b)
{
	const struct block *bl = &p->g->block.v[fp->flow.first + b];
	const struct code_section *t = &p->g->text.v[p->g->func.v[bl->func].text];
	struct held *own = &fp->hold.v[b];
	const struct held *l = &fp->hold.v[own->home];
	regset once = l->changed & ~(l->twice | REGSET_FLAGS);
	own->step = (struct step){0};
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn && !own->step.by; i++) {
		const struct insn *in = &p->g->insn.v[i];
		const struct effects *e = insn_effects(in);
		if (!(e->clobbers & e->reads & once))
			continue;
		own->step = insn_step(p, fp, t, in);
		own->step_off = in->off;
		if (own->step.by && !(once & REG_BIT(own->step.by - 1)))
			own->step = (struct step){0};
	}
}

/* A counter in the loop, in the order of how often they count. */
static void add_counter(struct flow_planner *fp, struct held_counter counter)
{
	float freq = counter.freq;
	vec_push(&fp->counter, counter);
	for (size_t i = fp->counter.n - 1; i && fp->counter.v[i - 1].freq < freq; i--) {
		struct held_counter c = fp->counter.v[i];
		fp->counter.v[i] = fp->counter.v[i - 1];
		fp->counter.v[i - 1] = c;
	}
}

static void find_counters(const struct plan *p, struct flow_planner *fp, uint32_t h)
{
	const struct flow *w = &fp->flow;
	const struct plan_edge *edge = p->edge.v + p->edge.n - w->edge.n;
	fp->counter.n = 0;
	for (uint32_t b = h; b != NO_BLOCK; b = next_block(w, h, b))
		if (fp->hold.v[b].home == h && p->block_counter[w->first + b])
			add_counter(fp,
				(struct held_counter){.number = p->block_counter[w->first + b] - 1,
					.freq = w->block.v[b].freq,
					.step = fp->hold.v[b].step,
					.step_off = fp->hold.v[b].step_off});
	for (uint32_t e = fp->hold.v[h].inside; e != NO_EDGE; e = fp->next[0].v[e])
		if (edge[e].state == COUNT_COUNTED)
			add_counter(fp,
				(struct held_counter){.number = edge[e].counter,
					.freq = w->edge.v[e].freq});
}

static void put_sites(struct plan *p, struct flow_planner *fp, uint32_t first, uint32_t next,
	struct site with)
{
	struct site s;
	for (uint32_t e = first; e != NO_EDGE; e = fp->next[next].v[e]) {
		const struct edge *ed = &fp->flow.edge.v[e];
		edge_site(p->g, ed, &s);
		s.repeat = flow_repeat(&fp->flow, ed->from, ed->to, ed->freq);
		s.kind = with.kind;
		s.arg = with.arg;
		s.reg = with.reg;
		s.step = with.step;
		s.dead &= with.dead;
		vec_push(&p->site, s);
	}
}

static float sum_freq(const struct flow_planner *fp, uint32_t first, uint32_t next)
{
	float sum = 0;
	for (uint32_t e = first; e != NO_EDGE; e = fp->next[next].v[e])
		sum += fp->flow.edge.v[e].freq;
	return sum;
}

static float end_space(const struct held *l)
{
	return BEGIN_SPACE * (float)l->nin + END_SPACE * (float)l->nout;
}

/* What can hold counters where nothing but busy is in use; vectors as well if that is known. */
static regset find_regs(const struct plan *p, struct flow_planner *fp, regset busy)
{
	const struct target *t = p->g->target;
	const struct func *f = &p->g->func.v[p->g->block.v[fp->flow.first].func];
	regset regs = cfg_scratch(p->g, f, busy) & ~REGSET_FLAGS;
	regset vectors = t->hold_vectors | t->hold_unit;
	if (fp->psabi < 0 && regs & t->hold_unit)
		fp->psabi = cfg_is_psabi(p->g, f);
	return fp->psabi > 0 && regs & t->hold_unit ? regs & ~t->hold_unit : regs & ~vectors;
}

/* Behind the loop, is there a register for the distance that a step's in a vector is of? */
static bool can_fetch(const struct plan *p, struct flow_planner *fp, uint32_t h)
{
	const struct held *l = &fp->hold.v[h];
	regset regs = l->spare & l->busy & target_scratch(p->g->target);
	for (uint32_t b = h; b != NO_BLOCK && regs; b = next_block(&fp->flow, h, b)) {
		const struct held *own = &fp->hold.v[b];
		regs &= ~(own->home == h && own->step.by ? REG_BIT(own->step.by - 1) : 0);
	}
	return regs;
}

static struct plan_edge *edge_plan(struct plan *p, const struct flow_planner *fp, uint32_t e)
{
	return p->edge.v + p->edge.n - fp->flow.edge.n + e;
}

/* Does anything tell how often control goes the way e out of the loop? */
static bool is_told(struct plan *p, const struct flow_planner *fp, uint32_t e)
{
	const struct edge *ed = &fp->flow.edge.v[e];
	if (edge_plan(p, fp, e)->state == COUNT_COUNTED || ed->by_next)
		return true;
	bool several = fp->flow.block.v[ed->from - fp->flow.first].nedge > 1;
	return several && !ed->critical &&
		(p->block_counter[ed->to] || fp->flow.block.v[ed->to - fp->flow.first].by_next);
}

static float exit_cost(struct plan *p, const struct flow_planner *fp, uint32_t h)
{
	float sum = 0;
	for (uint32_t e = fp->hold.v[h].out; e != NO_EDGE; e = fp->next[1].v[e])
		if (!is_told(p, fp, e))
			sum += EXIT_COST * fp->flow.edge.v[e].freq + EXIT_SPACE;
	return sum;
}

/* Can all ways in and out be told? */
static bool is_separate(struct plan *p, const struct flow_planner *fp, uint32_t h)
{
	const uint32_t first[2] = {fp->hold.v[h].in, fp->hold.v[h].out};
	for (int way = 0; way < 2; way++)
		for (uint32_t e = first[way]; e != NO_EDGE; e = fp->next[way].v[e])
			if (edge_plan(p, fp, e)->state == COUNT_UNKNOWN)
				return false;
	return true;
}

/* A register for each counter for which that pays; which ones they are. */
static regset choose(struct plan *p, struct flow_planner *fp, uint32_t h, uint32_t *n)
{
	const struct held *l = &fp->hold.v[h];
	regset regs = find_regs(p, fp, l->busy), all = 0, vectors = p->g->target->hold_vectors;
	bool fetch = regs & vectors && can_fetch(p, fp, h);
	float in = sum_freq(fp, l->in, 0), cost = HELD_COST * in;
	cost += END_COST * sum_freq(fp, l->out, 1);
	float exits = exit_cost(p, fp, h); /* once for all counters */
	float space = end_space(l);
	uint32_t most = p->addressing.access == ACCESS_ATOMIC ? ATOMIC_LOOP : SHORT_LOOP;
	*n = 0;
	for (uint32_t i = 0; i < fp->counter.n && regs && (*n + 1) * l->nout <= MAX_ENDS; i++) {
		struct held_counter *c = &fp->counter.v[i];
		bool vector = vectors & (regs & -regs);
		if (vector && !fetch)
			c->step = (struct step){0};
		if (l->ninsn > most && !c->step.by)
			continue;
		if ((SHORT_COST - HELD_COST) * (c->freq - in) <=
			cost + exits + space * (vector ? VECTOR_SPACE : 1))
			break;
		exits = 0;
		c->reg = (uint8_t)__builtin_ctzll(regs);
		c->held = true;
		all |= REG_BIT(c->reg);
		if (c->step.by)
			all |= REG_BIT(c->step.by - 1);
		else if (vector)
			all |= p->g->target->hold_unit;
		regs &= regs - 1;
		++*n;
	}
	return all;
}

/* What is left in the registers when the process is killed is seen by what came in and out. */
static void tell_exits(struct plan *p, struct flow_planner *fp, uint32_t h, regset held)
{
	for (uint32_t b = h; b != NO_BLOCK; b = next_block(&fp->flow, h, b))
		if (fp->hold.v[b].home == h)
			p->block_flags[fp->flow.first + b] |= LDX_BLOCK_HELD;
	for (uint32_t e = fp->hold.v[h].out; e != NO_EDGE; e = fp->next[1].v[e]) {
		if (is_told(p, fp, e))
			continue;
		edge_plan(p, fp, e)->state = COUNT_COUNTED;
		edge_plan(p, fp, e)->counter = p->ncounters;
		count_edge(p, &fp->flow, &fp->flow.edge.v[e], held);
	}
}

/*
 * Hold what pays; sites are of the function's counters, in their order from number first on.
 * All code in the loop leaves the registers alone, as does what ends one of the counters.
 */
static void hold(struct plan *p, struct flow_planner *fp, uint32_t h, size_t sites, uint32_t first)
{
	struct held *l = &fp->hold.v[h];
	uint32_t n;
	find_counters(p, fp, h);
	if (!fp->counter.n || !is_separate(p, fp, h))
		return;
	regset held = choose(p, fp, h, &n);
	for (uint32_t b = h; p->held && b != NO_BLOCK; b = next_block(&fp->flow, h, b))
		if (fp->hold.v[b].home == h)
			p->held[fp->flow.first + b] |= held;
	for (uint32_t i = 0; i < fp->counter.n && n; i++) {
		const struct held_counter *c = &fp->counter.v[i];
		struct site *s = &p->site.v[sites + (c->number - first)];
		struct site with = {.arg = c->number,
			.reg = c->reg,
			.step = c->step,
			.dead = ~held};
		s->dead &= ~held;
		if (!c->held) {
			s->how = spot_cost(p, s->dead);
			continue;
		}
		s->how = c->step.by ? COUNT_STEPPED : COUNT_HELD;
		s->reg = c->reg;
		if (c->step.by) {
			s->off = c->step_off;
			s->runs = RUNS_ALL;
		}
		with.kind = SITE_BEGIN;
		put_sites(p, fp, l->in, 0, with);
		with.kind = SITE_END;
		put_sites(p, fp, l->out, 1, with);
		l->done = true;
	}
	if (l->done)
		tell_exits(p, fp, h, held);
}

/* Blocks over which counters may be held, and the ways to and from them; false: none. */
static bool find_loops(const struct plan *p, struct flow_planner *fp, float share)
{
	if (!find_blocks(p, fp, share))
		return false;
	for (uint32_t e = 0; e < fp->flow.edge.n; e++)
		add_edge(p, fp, e);
	for (uint32_t b = 0; b < fp->flow.block.n; b++)
		if (held_over(fp, fp->flow.first + b) != NO_BLOCK)
			find_step(p, fp, b);
	return true;
}

static void hold_all(struct plan *p, struct flow_planner *fp, size_t sites, uint32_t first)
{
	for (uint32_t h = 0; h < fp->flow.block.n; h++)
		if (fp->hold.v[h].fits && !fp->hold.v[h].done)
			hold(p, fp, h, sites, first);
}

/* The most frequent blocks of the loop that step a register, as far as registers are free. */
static void cheapen_steps(const struct plan *p, struct flow_planner *fp, uint32_t h)
{
	struct flow *w = &fp->flow;
	const struct held *l = &fp->hold.v[h];
	regset regs = find_regs(p, fp, l->busy);
	if (!can_fetch(p, fp, h))
		regs &= ~p->g->target->hold_vectors;
	float ends = HELD_COST * sum_freq(fp, l->in, 0) + STEP_END_COST * sum_freq(fp, l->out, 1) +
		end_space(l);
	for (; regs; regs &= regs - 1) {
		struct flow_block *best = NULL;
		for (uint32_t b = h; b != NO_BLOCK; b = next_block(w, h, b)) {
			struct flow_block *fb = &w->block.v[b];
			if (fp->hold.v[b].home == h && fb->cost * fb->freq > ends &&
				(!best || fb->freq > best->freq) && fp->hold.v[b].step.by)
				best = fb;
		}
		if (!best)
			return;
		best->cost = ends / best->freq;
	}
}

void plan_hold_steps(struct plan *p, struct flow_planner *fp)
{
	const struct flow *w = &fp->flow;
	vec_reserve(&fp->hold, w->block.n);
	vec_reserve(&fp->next[0], w->edge.n);
	vec_reserve(&fp->next[1], w->edge.n);
	for (uint32_t b = 0; b < w->block.n; b++)
		fp->hold.v[b] = (struct held){.home = NO_BLOCK};
	fp->psabi = p->vectors ? -1 : 0;
	if (!find_loops(p, fp, 0))
		return;
	for (uint32_t h = 0; h < w->block.n; h++)
		if (fp->hold.v[h].fits)
			cheapen_steps(p, fp, h);
}

void plan_hold(struct plan *p, struct flow_planner *fp, size_t sites, uint32_t first)
{
	if (p->site.n == sites)
		return;
	hold_all(p, fp, sites, first);
	if (find_loops(p, fp, FREQUENT))
		hold_all(p, fp, sites, first);
}
