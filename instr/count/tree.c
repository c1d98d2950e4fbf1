/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - which blocks and edges are counted, and which counts are derived
 *
 * The graph has two nodes for each block b, in(b) and out(b), and one for outside.  A block is an
 * arc from in(b) to out(b), an edge an arc from out(from) to in(to).  As much enters a node as
 * leaves it, except for the frames that stay: when a process is killed, functions have not
 * returned.  So the count of an arc is derived from the arcs into the node that it leaves, minus
 * the other arcs out of it: each such frame makes it too great by one, none makes it too small.
 * At most one arc out of each node is derived and all others are counted, and derived arcs form
 * no cycle: they are a branching.  No arc out of outside is derived: entries are counted, here or
 * by all callers (known edges, which are no arcs), and so are the returns of calls that may not
 * return.
 *
 * No frame stays in a block without calls and without instructions that may fault (a load from the
 * frame does not, unless the stack overflows; nor does a push).  A node with one
 * incoming arc, from such a block or to it, may have that arc derived from its outgoing arcs
 * instead: two counters on the edges out of a block cost no more than one in the block and one on
 * the rarer edge.  When a signal ends the process right there, the last execution is missing.
 *
 * An edge that cannot be counted joins its two nodes (union-find); where that closes a cycle,
 * the edges of the cycle are unknown.  Within joined nodes, and where every block is counted, an
 * edge may also be derived from the arcs behind it.
 */
#include "instr/count/choose.h"

#include "instr/count/flow.h"
#include "cfg/opaque.h"
#include "instr/count/branching.h"

#include <stdlib.h>

enum { OUTSIDE = 0 };
static uint32_t node_in(uint32_t b)
{
	return 1 + 2 * b;
}
static uint32_t node_out(uint32_t b)
{
	return 2 + 2 * b;
}

/*
 * The cost of a counter's code size, in increments for each call.  The counter of a taken branch is
 * a stub of its own, most often with a jump around it.
 */
#define ROOM_COST 0.008f
#define STUB_COST 0.011f

struct arc {
	uint32_t from, to; /* nodes */
	uint32_t edge;	   /* number of the edge; of a block: number of edges + block */
	float cost;
};

struct tree {
	struct flow *w;
	uint32_t nnodes;
	uint32_t *set; /* union-find */
	VEC(struct arc) arc;
	VEC(struct weighted_arc) candidate; /* may be derived; and one of weight 0 per node */
	VEC(uint32_t) arc_of;		    /* by candidate: its arc */
	VEC(bool) taken;
	uint8_t *in; /* by node: its incoming arcs; 2: several, or frames may stay */
};

/* Joins the sets of a and b.  False: they are in the same set. */
static bool join(uint32_t *set, uint32_t a, uint32_t b)
{
	a = union_find(set, a);
	b = union_find(set, b);
	set[a > b ? a : b] = a > b ? b : a;
	return a != b;
}

static struct arc edge_arc(const struct flow *w, uint32_t e)
{
	const struct edge *ed = &w->edge.v[e];
	float room = ed->kind == EDGE_FALL ? ROOM_COST : STUB_COST;
	return (struct arc){.edge = e,
		.cost = ed->freq * ed->cost + room,
		.from = ed->from == NO_BLOCK ? OUTSIDE : node_out(ed->from - w->first),
		.to = ed->to == NO_BLOCK ? OUTSIDE : node_in(ed->to - w->first)};
}

static struct arc block_arc(const struct flow *w, uint32_t b)
{
	return (struct arc){.edge = (uint32_t)w->edge.n + b,
		.from = node_in(b),
		.to = node_out(b),
		.cost = w->block.v[b].freq * w->block.v[b].cost + ROOM_COST};
}

/* Cycles of edges that cannot be counted ------------------------------- */

/*
 * Arcs on cycles are those that are no bridges (Tarjan, "A note on finding the bridges of a
 * graph", 1974); the depth-first search has a stack of its own.
 */
struct walk {
	uint32_t *first, *adj; /* by node: its arcs, in CSR form */
	uint32_t *order, *low, *via, *next, *stack;
	uint8_t *bridge; /* by arc */
};

static uint32_t other_end(const struct arc *a, uint32_t p)
{
	return a->from == p ? a->to : a->from;
}

static void walk_from(const struct tree *t, struct walk *k, uint32_t root, uint32_t *clock)
{
	uint32_t depth = 0;
	k->stack[depth++] = root;
	k->order[root] = k->low[root] = ++*clock;
	k->via[root] = UINT32_MAX;
	while (depth) {
		uint32_t p = k->stack[depth - 1];
		if (k->next[p] < k->first[p + 1]) {
			uint32_t a = k->adj[k->next[p]++];
			uint32_t q = other_end(&t->arc.v[a], p);
			if (a == k->via[p])
				continue;
			if (!k->order[q]) {
				k->order[q] = k->low[q] = ++*clock;
				k->via[q] = a;
				k->stack[depth++] = q;
			} else if (k->order[q] < k->low[p]) {
				k->low[p] = k->order[q];
			}
			continue;
		}
		depth--;
		if (!depth)
			break;
		uint32_t up = k->stack[depth - 1];
		if (k->low[p] < k->low[up])
			k->low[up] = k->low[p];
		if (k->low[p] > k->order[up])
			k->bridge[k->via[p]] = 1;
	}
}

static void find_bridges(const struct tree *t, struct walk *k)
{
	for (size_t a = 0; a < t->arc.n; a++) {
		k->first[t->arc.v[a].from + 1]++;
		k->first[t->arc.v[a].to + 1]++;
	}
	for (uint32_t p = 0; p < t->nnodes; p++)
		k->first[p + 1] += k->first[p];
	memcpy(k->next, k->first, t->nnodes * sizeof *k->next);
	for (size_t a = 0; a < t->arc.n; a++) {
		k->adj[k->next[t->arc.v[a].from]++] = (uint32_t)a;
		k->adj[k->next[t->arc.v[a].to]++] = (uint32_t)a;
	}
	memcpy(k->next, k->first, t->nnodes * sizeof *k->next);
	uint32_t clock = 0;
	for (uint32_t p = 0; p < t->nnodes; p++)
		if (!k->order[p])
			walk_from(t, k, p, &clock);
}

/* The counts of arcs on cycles are unknown. */
static void mark_cycles(struct tree *t)
{
	size_t n = t->nnodes, arcs = t->arc.n;
	uint32_t *room = calloc(6 * (n + 2) + 2 * arcs, sizeof *room);
	struct walk k = {.bridge = calloc(arcs + 1, 1)};
	if (!room || !k.bridge)
		fatal("out of memory");
	k.first = room;
	k.order = k.first + n + 2;
	k.low = k.order + n;
	k.via = k.low + n;
	k.next = k.via + n;
	k.stack = k.next + n;
	k.adj = k.stack + n;
	find_bridges(t, &k);
	for (size_t a = 0; a < arcs; a++)
		if (!k.bridge[a])
			t->w->edge.v[t->arc.v[a].edge].state = COUNT_UNKNOWN;
	free(room);
	free(k.bridge);
}

/* Joins the nodes of all arcs of t.  True: some are on cycles. */
static bool join_arcs(struct tree *t)
{
	bool cycles = false;
	for (size_t a = 0; a < t->arc.n; a++)
		cycles |= !join(t->set, t->arc.v[a].from, t->arc.v[a].to);
	return cycles;
}

/* Choosing ------------------------------------------------------------- */

static void set_state(struct flow *w, const struct arc *a, enum count_state state, bool by_next)
{
	if (a->edge < w->edge.n) {
		w->edge.v[a->edge].state = (uint8_t)state;
		w->edge.v[a->edge].by_next = by_next;
	} else {
		w->block.v[a->edge - w->edge.n].state = (uint8_t)state;
		w->block.v[a->edge - w->edge.n].by_next = by_next;
	}
}

static void add_candidate(struct tree *t, uint32_t from, uint32_t to, uint32_t arc)
{
	if (from == to || from == OUTSIDE)
		return;
	vec_push(&t->candidate, (struct weighted_arc){from, to, t->arc.v[arc].cost});
	vec_push(&t->arc_of, arc);
}

/*
 * Does the instruction only read the frame, at a constant distance from the stack pointer, into
 * general registers or flags?  It faults as little as a push does.
 */
static bool reads_frame(const struct target *t, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	regset sure = (REGSET_GENERAL | REGSET_FLAGS) & ~t->no_scratch;
	return (e->reads & (REGSET_GENERAL | REGSET_VECTORS)) == REG_BIT(t->stack_reg) &&
		e->writes & sure && !(e->clobbers & ~sure) && !(in->flags & INSN_VAGUE);
}

static bool may_stay(const struct cfg *g, const struct block *b)
{
	if (b->end == END_CALL || b->end == END_SYSCALL || b->end == END_TRAP)
		return true;
	for (uint32_t i = b->insn; i < b->insn + b->ninsn; i++)
		if (g->insn.v[i].flags & INSN_MEM && !reads_frame(g->target, &g->insn.v[i]))
			return true;
	return false;
}

/* Counts incoming arcs, and marks nodes where frames may stay. */
static void find_passed(struct tree *t)
{
	const struct flow *w = t->w;
	for (size_t i = 0; i < t->arc.n; i++) {
		uint8_t *in = &t->in[union_find(t->set, t->arc.v[i].to)];
		*in += *in < 2;
	}
	for (uint32_t b = 0; b < w->block.n; b++)
		if (may_stay(w->g, &w->g->block.v[w->first + b]))
			t->in[union_find(t->set, node_out(b))] = 2;
}

static bool has_own(const struct flow *w, const struct arc *a)
{
	return a->edge < w->edge.n ? w->edge.v[a->edge].own : w->block.v[a->edge - w->edge.n].own;
}

/* every: edges may be derived from the arcs behind them at any node. */
static void take_branching(struct tree *t, bool every)
{
	struct flow *w = t->w;
	for (uint32_t i = 0; i < t->arc.n; i++) {
		const struct arc *a = &t->arc.v[i];
		uint32_t from = union_find(t->set, a->from), to = union_find(t->set, a->to);
		set_state(w, a, COUNT_COUNTED, false);
		if (has_own(w, a))
			continue;
		add_candidate(t, from, to, i);
		if (every ? a->edge < w->edge.n : t->in[to] == 1)
			add_candidate(t, to, from, i);
	}
	for (uint32_t p = 1; p < t->nnodes; p++)
		if (union_find(t->set, p) == p)
			vec_push(&t->candidate, (struct weighted_arc){p, OUTSIDE, 0});
	vec_reserve(&t->taken, t->candidate.n);
	max_branching(t->nnodes, t->candidate.v, t->candidate.n, t->taken.v);
	for (size_t i = 0; i < t->arc_of.n; i++) {
		const struct arc *a = &t->arc.v[t->arc_of.v[i]];
		if (t->taken.v[i])
			set_state(w, a, COUNT_DERIVED,
				!every && t->candidate.v[i].from == union_find(t->set, a->to));
	}
	for (size_t e = 0; e < w->edge.n; e++) {
		struct edge *ed = &w->edge.v[e];
		if (ed->cost < 0 && !ed->known)
			ed->by_next = ed->from != NO_BLOCK &&
				w->block.v[ed->from - w->first].by_next;
	}
}

static void start_sets(struct tree *t)
{
	for (uint32_t p = 0; p < t->nnodes; p++)
		t->set[p] = p;
	t->arc.n = 0;
}

/*
 * When only counts of blocks are wanted, an edge need not be counted if other edges alone join
 * its two nodes: all edges of that cycle are unknown, and no block is on it.
 */
static void forget_edges(struct tree *t)
{
	struct flow *w = t->w;
	start_sets(t);
	for (uint32_t e = 0; e < w->edge.n; e++)
		if (w->edge.v[e].state != COUNT_COUNTED && !w->edge.v[e].known)
			vec_push(&t->arc, edge_arc(w, e));
	bool cycles = join_arcs(t);
	for (uint32_t e = 0; e < w->edge.n; e++) {
		struct arc a = edge_arc(w, e);
		if (w->edge.v[e].state == COUNT_COUNTED && !w->edge.v[e].own &&
			union_find(t->set, a.from) == union_find(t->set, a.to)) {
			vec_push(&t->arc, a);
			cycles = true;
		}
	}
	if (cycles)
		mark_cycles(t);
}

void flow_choose(struct flow *w, enum choice choice)
{
	struct tree t = {.w = w, .nnodes = 1 + 2 * (uint32_t)w->block.n};
	t.set = malloc(t.nnodes * sizeof *t.set);
	t.in = calloc(t.nnodes, sizeof *t.in);
	if (!t.set || !t.in)
		fatal("out of memory");
	start_sets(&t);
	for (uint32_t e = 0; e < w->edge.n; e++) {
		w->edge.v[e].state = COUNT_DERIVED;
		if (w->edge.v[e].cost < 0 && !w->edge.v[e].known)
			vec_push(&t.arc, edge_arc(w, e));
	}
	if (join_arcs(&t))
		mark_cycles(&t);
	t.arc.n = 0;
	for (uint32_t e = 0; e < w->edge.n; e++)
		if (w->edge.v[e].cost >= 0)
			vec_push(&t.arc, edge_arc(w, e));
	for (uint32_t b = 0; b < w->block.n; b++) {
		if (w->g->block.v[w->first + b].gap)
			continue;
		w->block.v[b].state = COUNT_COUNTED;
		if (choice != CHOOSE_EVERY)
			vec_push(&t.arc, block_arc(w, b));
	}
	find_passed(&t);
	take_branching(&t, choice == CHOOSE_EVERY);
	if (choice == CHOOSE_BLOCKS)
		forget_edges(&t);
	vec_free(&t.arc);
	vec_free(&t.candidate);
	vec_free(&t.arc_of);
	vec_free(&t.taken);
	free(t.in);
	free(t.set);
}
