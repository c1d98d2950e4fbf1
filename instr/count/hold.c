/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold.c - counters of short loops, held in registers; see count.h
 *
 * An increment in memory depends on the store of the previous one.  In a loop of a few instructions
 * that dependency is the critical path.  So a counter is held in a register while control is in a
 * region of the loop: the blocks, all of them or the frequent ones, that call nothing and are in no
 * inner loop.  Only edges of the function may lead into the region, and each edge into or out of it
 * must have room for code of its own.  Where no general register is free, vector registers serve.
 * If the counted block steps an induction variable (a register that nothing else in the loop
 * changes), the loop needs no increment: the free register keeps the variable's initial value.  If
 * that is a vector register, and no general one is dead at the exits, vector registers subtract.
 *
 * A signal may kill the process in the loop; then the registers are lost.  So the count of each
 * edge out of the region is known: if it was left less often than entered, a frame is still in the
 * loop, and ldxprof reports the loop as executed.
 */
#include "cfg/liveness.h"
#include "program/program.h"
#include "instr/count/called.h"
#include "instr/count/count.h"

#include "runtime/abi.h"

/*
 * Costs for one call of the function, in increments of memory outside short loops.  SPACE is what
 * an edge costs for the size of its code, however rarely it is executed.  A stepped counter costs
 * nothing in the loop and more at its exits.
 */
#define SHORT_COST 2.0f
#define HELD_COST 0.2f
#define END_COST 1.5f
#define STEP_END_COST 2.0f
#define FAR_END_COST 6.0f /* the same where no general register is free to subtract in */
#define FAR_SHIFT_COST 4.0f
#define EXIT_COST 1.0f
#define BEGIN_SPACE 0.04f
#define END_SPACE 0.4f
#define EXIT_SPACE 3.0f
#define VECTOR_SPACE 1.8f /* factor */
/* A block is frequent if it is executed in at least this share of the loop's iterations. */
#define FREQUENT 0.5f
enum {
	SHORT_LOOP = 24, /* instructions: in a longer loop increments are not the critical path */
	LONG_LOOP = 200, /* the same where increments are atomic or take several instructions, and
			  * the limit for stepped counters */
	MAX_ENDS = 12,	 /* additions to memory at the exits of one loop */
	/*
	 * A register with step 2^k counts 2^(63 - k) iterations before it wraps: a year and a half
	 * at one iteration per cycle, the latency of an addition, and 6 * 10^9 cycles a second.
	 */
	MAX_SHIFT = 5,
};

/* The head of the loop whose held region contains block b; NO_BLOCK: b is in none. */
static uint32_t held_over(const struct flow_planner *fp, uint32_t b)
{
	uint32_t h = b == NO_BLOCK ? NO_BLOCK : fp->hold.v[b - fp->flow.first].home;
	return h != NO_BLOCK && fp->hold.v[h].fits ? h : NO_BLOCK;
}

/* Iterates over the blocks of a loop, from its head to NO_BLOCK. */
static uint32_t next_block(const struct flow *w, uint32_t head, uint32_t b)
{
	return b == head ? w->loop.v[head].member : w->loop.v[b].sibling;
}

/* Are all effects of the block known, and does it only fall through, jump or branch? */
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
 * Does block b follow a call that does not return?  No edge leads from the call to b that could
 * carry the code that begins a counter, but nothing proves that the call never falls through to b.
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
		regset far;
		insn_far_len(g->target, &g->insn.v[i], &far);
		l->busy |= e->reads | e->clobbers | far;
		l->twice |= l->changed & e->clobbers;
		l->changed |= e->clobbers;
	}
}

/* Find the blocks executed in at least this share of their loop's iterations; false: none. */
static bool find_blocks(const struct plan *p, struct flow_planner *fp, float share)
{
	const struct flow *w = &fp->flow;
	bool any = false;
	for (uint32_t h = 0; h < w->block.n; h++) {
		struct held *l = &fp->hold.v[h];
		l->busy = l->changed = l->twice = l->late = 0;
		l->ninsn = l->nin = l->nout = 0;
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
		l->fits = l->ninsn && l->ninsn <= LONG_LOOP;
		any |= l->fits;
	}
	return any;
}

/* The delay slot of a jump is executed behind the code of a site in front of the jump. */
static void add_slot(const struct plan *p, struct held *l, const struct site *s)
{
	const struct insn *jump = &p->g->insn.v[s->branch];
	if (s->off != jump->off)
		return;
	l->busy |= insn_effects(jump)->reads | insn_effects(jump)->clobbers;
	l->late |= insn_effects(jump)->clobbers;
}

static void add_edge(const struct plan *p, struct flow_planner *fp, uint32_t e)
{
	const struct edge *ed = &fp->flow.edge.v[e];
	uint32_t from = held_over(fp, ed->from), to = held_over(fp, ed->to);
	struct site s = {.dead = 0};
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
		if (can)
			add_slot(p, l, &s);
	}
	if (from != NO_BLOCK) {
		struct held *l = &fp->hold.v[from];
		regset flags = p->g->target->abi.call_clobbers & REGSET_FLAGS;
		fp->next[1].v[e] = l->out;
		l->out = e;
		l->nout++;
		l->spare &= s.dead;
		l->fits &= can && !(flags & ~s.dead);
		if (can)
			add_slot(p, l, &s);
	}
}

/*
 * How the instruction steps a register; by 0: it does not, no code may be inserted before it, or
 * registers are too small.
 *
 * hazard: step that wraps.  A register stepped by 2^k wraps after 2^(63 - k) iterations: only
 * small steps count iterations.
 */
static struct step insn_step(const struct plan *p, const struct flow_planner *fp,
	const struct code_section *t, const struct insn *in)
{
	struct operation op;
	bool wraps = p->g->target->micro->branch_unless_wrapped;
	if ((in->flags & INSN_GLUED) || in->has_rel || wraps)
		return (struct step){0};
	p->g->target->describe(fp->decoder, insn_bytes(t, in), in, &op);
	bool sum = op.op == OP_LEA && op.dst == op.base && op.index < 0 && !op.pc_rel;
	int64_t by = op.moves ? op.moves : sum ? op.disp : 0;
	uint64_t n = by < 0 ? -(uint64_t)by : (uint64_t)by;
	if (!n || n & (n - 1) || n > 1u << MAX_SHIFT)
		return (struct step){0};
	return (struct step){.by = (uint8_t)(op.base + 1),
		.shift = (uint8_t)__builtin_ctzll(n),
		.down = by < 0};
}

static void find_step(const struct plan *p, struct flow_planner *fp, uint32_t b)
{
	const struct block *bl = &p->g->block.v[fp->flow.first + b];
	const struct code_section *t = &p->g->text.v[p->g->func.v[bl->func].text];
	struct held *own = &fp->hold.v[b];
	const struct held *l = &fp->hold.v[own->home];
	regset once = l->changed &
		~(l->twice | l->late | REGSET_FLAGS | REG_BIT(p->g->target->stack_reg));
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

/* Keep counters sorted, the most frequent first. */
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

/* What more it costs to subtract in a vector register at each exit. */
static float far_cost(struct step step)
{
	return FAR_END_COST - STEP_END_COST + (step.shift ? FAR_SHIFT_COST : 0);
}

/* Does f follow the psABI, or do all functions that call it, if it is not entered otherwise? */
static bool is_psabi(const struct plan *p, uint32_t f)
{
	const struct cfg *g = p->g;
	uint32_t n = called_sites(p->called, f);
	bool all = n;
	if (cfg_is_psabi(g, &g->func.v[f]))
		return true;
	for (uint32_t i = 0; i < n && all; i++) {
		uint32_t by = g->block.v[p->called->site[p->called->first[f] + i]].func;
		all = by == f || cfg_is_psabi(g, &g->func.v[by]);
	}
	return all;
}

/* Registers outside busy that can hold counters; vectors only where the psABI is known to hold. */
static regset find_regs(const struct plan *p, struct flow_planner *fp, regset busy)
{
	const struct target *t = p->g->target;
	const struct func *f = &p->g->func.v[p->g->block.v[fp->flow.first].func];
	regset vectors = t->micro->hold_vectors | t->micro->hold_unit;
	regset regs = cfg_scratch(p->g, f, busy) & (REGSET_GENERAL | vectors);
	if (fp->psabi < 0 && regs & t->micro->hold_unit)
		fp->psabi = is_psabi(p, (uint32_t)(f - p->g->func.v));
	return fp->psabi > 0 && regs & t->micro->hold_unit ? regs & ~t->micro->hold_unit
							   : regs & ~vectors;
}

/* Is a general register dead at all exits, to fetch the initial value that a vector keeps? */
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

/* Does the count of exit edge e follow from counters that exist? */
static bool is_known(struct plan *p, const struct flow_planner *fp, uint32_t e)
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
		if (!is_known(p, fp, e))
			sum += EXIT_COST * fp->flow.edge.v[e].freq + EXIT_SPACE;
	return sum;
}

/* Are the counts of all edges into and out of the region known? */
static bool is_separate(struct plan *p, const struct flow_planner *fp, uint32_t h)
{
	const uint32_t first[2] = {fp->hold.v[h].in, fp->hold.v[h].out};
	for (int way = 0; way < 2; way++)
		for (uint32_t e = first[way]; e != NO_EDGE; e = fp->next[way].v[e])
			if (edge_plan(p, fp, e)->state == COUNT_UNKNOWN)
				return false;
	return true;
}

/* Does an increment take much more than one in a register does, whatever it depends on? */
static bool is_dear(const struct plan *p)
{
	enum counter_access access = p->addressing.access;
	return access == ACCESS_ATOMIC || p->g->target->micro->count_regs[access];
}

/* Assign a register to each counter where that pays, *n of them; returns all registers used. */
static regset choose(struct plan *p, struct flow_planner *fp, uint32_t h, uint32_t *n)
{
	const struct held *l = &fp->hold.v[h];
	regset regs = find_regs(p, fp, l->busy), all = 0,
	       vectors = p->g->target->micro->hold_vectors;
	bool fetch = regs & vectors && can_fetch(p, fp, h);
	float in = sum_freq(fp, l->in, 0), cost = HELD_COST * in;
	cost += END_COST * sum_freq(fp, l->out, 1);
	float exits = exit_cost(p, fp, h); /* once for all counters */
	float space = end_space(l);
	uint32_t most = is_dear(p) ? LONG_LOOP : SHORT_LOOP;
	*n = 0;
	for (uint32_t i = 0; i < fp->counter.n && regs && (*n + 1) * l->nout <= MAX_ENDS; i++) {
		struct held_counter *c = &fp->counter.v[i];
		bool vector = vectors & (regs & -regs), far = vector && !fetch && c->step.by;
		if (far && l->ninsn > SHORT_LOOP)
			c->step = (struct step){0}, far = false;
		float more = far ? far_cost(c->step) * sum_freq(fp, l->out, 1) : 0;
		if (l->ninsn > most && !c->step.by)
			continue;
		if ((SHORT_COST - HELD_COST) * (c->freq - in) <=
			cost + more + exits + space * (vector ? VECTOR_SPACE : 1))
			break;
		exits = 0;
		c->reg = (uint8_t)lowest_reg(regs);
		c->held = true;
		all |= REG_BIT(c->reg);
		if (c->step.by)
			all |= REG_BIT(c->step.by - 1);
		if (vector && (far || !c->step.by))
			all |= p->g->target->micro->hold_unit;
		regs &= regs - 1;
		++*n;
	}
	return all;
}

/* Let ldxprof find frames that are still in the loop: flag its blocks, count its exits. */
static void tell_exits(struct plan *p, struct flow_planner *fp, uint32_t h, regset held)
{
	for (uint32_t b = h; b != NO_BLOCK; b = next_block(&fp->flow, h, b))
		if (fp->hold.v[b].home == h)
			p->block_flags[fp->flow.first + b] |= LDX_BLOCK_HELD;
	for (uint32_t e = fp->hold.v[h].out; e != NO_EDGE; e = fp->next[1].v[e]) {
		if (is_known(p, fp, e))
			continue;
		edge_plan(p, fp, e)->state = COUNT_COUNTED;
		edge_plan(p, fp, e)->counter = p->ncounters;
		count_edge(p, &fp->flow, &fp->flow.edge.v[e], held);
	}
}

/* The site of a counter; those that tell_exits() adds stand behind sites of other kinds. */
static struct site *counter_site(struct plan *p, uint32_t number, size_t sites, uint32_t first)
{
	size_t i = sites + (number - first);
	while (p->site.v[i].kind != SITE_COUNT || p->site.v[i].arg != number)
		i++;
	return &p->site.v[i];
}

/* Counters of the edges from first on are incremented beside code that begins or ends held ones. */
static void keep_on_edges(struct plan *p, const struct flow_planner *fp, uint32_t first_edge,
	uint32_t next, regset held, size_t sites, uint32_t first)
{
	for (uint32_t e = first_edge; e != NO_EDGE; e = fp->next[next].v[e]) {
		const struct plan_edge *edge = edge_plan(p, fp, e);
		if (edge->state != COUNT_COUNTED)
			continue;
		struct site *s = counter_site(p, edge->counter, sites, first);
		s->dead &= ~held;
		s->how = spot_cost(p, s->dead);
	}
}

/*
 * Hold counters of loop h where that pays.  p->site[sites + k] is the site of counter first + k.
 * Other code inserted in the loop, and at its exits, must not change the registers that hold.
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
	if (!l->done)
		return;
	keep_on_edges(p, fp, l->in, 0, held, sites, first);
	keep_on_edges(p, fp, l->out, 1, held, sites, first);
	tell_exits(p, fp, h, held);
}

/* Find regions in which counters may be held, their edges and their steps; false: none. */
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

/* Lower the cost of the most frequent blocks that step a register, one per free register. */
static void cheapen_steps(const struct plan *p, struct flow_planner *fp, uint32_t h)
{
	struct flow *w = &fp->flow;
	const struct held *l = &fp->hold.v[h];
	regset regs = find_regs(p, fp, l->busy), vectors = p->g->target->micro->hold_vectors;
	bool fetch = regs & vectors && can_fetch(p, fp, h);
	float out = sum_freq(fp, l->out, 1);
	float ends = HELD_COST * sum_freq(fp, l->in, 0) + STEP_END_COST * out + end_space(l);
	for (; regs; regs &= regs - 1) {
		bool far = vectors & (regs & -regs) && !fetch;
		if (far && l->ninsn > SHORT_LOOP)
			return;
		struct flow_block *best = NULL;
		float best_ends = 0;
		for (uint32_t b = h; b != NO_BLOCK; b = next_block(w, h, b)) {
			struct flow_block *fb = &w->block.v[b];
			float cost = ends + (far ? far_cost(fp->hold.v[b].step) * out : 0);
			if (fp->hold.v[b].home == h && fb->cost * fb->freq > cost &&
				(!best || fb->freq > best->freq) && fp->hold.v[b].step.by) {
				best = fb;
				best_ends = cost;
			}
		}
		if (!best)
			return;
		best->cost = best_ends / best->freq;
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
