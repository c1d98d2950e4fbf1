/* SPDX-License-Identifier: Apache-2.0 */
/*
 * solve.c - the counts of blocks and edges from the counters; see solve.h
 *
 * The graph is that of instr/count/tree.c: a block is an arc between two nodes, where its incoming
 * and its outgoing edges end; outside is node 0.  Unknown edges join nodes.  The arcs without
 * counters are a forest: at a node with one of them left, its count makes the sums of incoming
 * and outgoing arcs equal.
 *
 * The sums are not equal if a frame stayed at the node because its process was killed.  So an arc
 * is solved at the node that it leaves, if possible: the count may then be too great, but not too
 * small.  Where control cannot stop, the map marks arcs to be solved at the node to which they
 * lead.
 */
#include "report/read/solve.h"

#include "report/common/util.h"

#include <stdlib.h>

struct arc {
	size_t from, to; /* nodes */
	uint64_t *count;
	bool known, by_next;
};

/* How the last unknown arc at a node is solved, the best first. */
enum by_order {
	BY_PLAN, /* it leaves the node; or it enters the node, and the map marks it so */
	BY_EDGE,
	BY_OTHER, /* only damaged maps need this */
	BY_ORDERS
};

struct solver {
	const struct static_map *m;
	const struct map_func *f;
	struct counts *c;
	size_t nnodes, narcs;
	size_t *set;		 /* union-find of nodes */
	size_t *open;		 /* by node: arcs that are not known */
	size_t *first, *arcs_of; /* by node, CSR */
	struct {
		size_t *node, n;
	} todo[BY_ORDERS]; /* nodes with one arc that is not known */
	uint64_t *balance; /* by node: known counts in - out */
	struct arc *arc;
};

static size_t find(const struct solver *s, size_t p)
{
	while (s->set[p] != p)
		p = s->set[p];
	return p;
}

static void join(struct solver *s, size_t a, size_t b)
{
	a = find(s, a);
	b = find(s, b);
	/* outside stays node 0 */
	s->set[a < b ? b : a] = a < b ? a : b;
}

static size_t leaves(uint64_t block)
{
	return block ? 2 * block : 0;
}
static size_t comes(uint64_t block)
{
	return block ? 2 * block - 1 : 0;
}

static void join_unknown(struct solver *s)
{
	s->nnodes = 2 * s->f->nblocks + 1;
	for (size_t p = 0; p < s->nnodes; p++)
		s->set[p] = p;
	for (size_t e = s->f->edge; e < s->f->edge + s->f->nedges; e++) {
		const struct map_edge *ed = &s->m->edge[e];
		if (ed->flags & LDX_EDGE_UNKNOWN)
			join(s, leaves(ed->from), comes(ed->to));
	}
}

static void add_arc(struct solver *s, size_t from, size_t to, uint64_t *count, bool known,
	bool by_next)
{
	struct arc *a = &s->arc[s->narcs++];
	*a = (struct arc){find(s, from), find(s, to), count, known, by_next};
	if (known) {
		s->balance[a->from] -= *count;
		s->balance[a->to] += *count;
	} else {
		s->open[a->from]++;
		s->open[a->to]++;
	}
}

static void add_arcs(struct solver *s)
{
	struct counts *c = s->c;
	for (size_t p = 0; p < s->nnodes; p++)
		s->open[p] = s->balance[p] = 0;
	s->narcs = 0;
	for (size_t i = 0; i < s->f->nblocks; i++) {
		size_t b = s->f->block + i;
		add_arc(s, comes(i + 1), leaves(i + 1), &c->block[b], c->block_known[b],
			s->m->block[b].flags & LDX_BLOCK_NEXT);
		c->block_known[b] = true;
	}
	for (size_t e = s->f->edge; e < s->f->edge + s->f->nedges; e++) {
		const struct map_edge *ed = &s->m->edge[e];
		if (ed->flags & LDX_EDGE_UNKNOWN)
			continue;
		add_arc(s, leaves(ed->from), comes(ed->to), &c->edge[e], c->edge_known[e],
			ed->flags & LDX_EDGE_NEXT);
		c->edge_known[e] = true;
	}
}

static void index_arcs(struct solver *s)
{
	for (size_t p = 0; p <= s->nnodes; p++)
		s->first[p] = 0;
	for (size_t a = 0; a < s->narcs; a++) {
		s->first[s->arc[a].from + 1] += !s->arc[a].known;
		s->first[s->arc[a].to + 1] += !s->arc[a].known;
	}
	for (size_t p = 0; p < s->nnodes; p++)
		s->first[p + 1] += s->first[p];
	for (size_t a = s->narcs; a-- > 0;) {
		if (s->arc[a].known)
			continue;
		s->arcs_of[--s->first[s->arc[a].from + 1]] = a;
		s->arcs_of[--s->first[s->arc[a].to + 1]] = a;
	}
}

static struct arc *last_arc(const struct solver *s, size_t p)
{
	size_t i = s->first[p + 1];
	while (s->arc[s->arcs_of[i]].known)
		i++;
	return &s->arc[s->arcs_of[i]];
}

static void look_at(struct solver *s, size_t p)
{
	if (!p || s->open[p] != 1)
		return;
	const struct arc *a = last_arc(s, p);
	bool is_edge = a >= s->arc + s->f->nblocks;
	enum by_order by = (a->from == p) != a->by_next ? BY_PLAN
		: is_edge && !a->by_next		? BY_EDGE
							: BY_OTHER;
	s->todo[by].node[s->todo[by].n++] = p;
}

/* The last unknown arc at node p gets the count that makes the sums there equal. */
static void solve_node(struct solver *s, size_t p)
{
	if (s->open[p] != 1)
		return;
	struct arc *a = last_arc(s, p);
	uint64_t n = a->from == p ? s->balance[p] : -s->balance[p];
	s->balance[a->from] -= n;
	s->balance[a->to] += n;
	s->open[a->from]--;
	s->open[a->to]--;
	a->known = true;
	/* sums may be off by the last actions of a process that was killed or is counting */
	*a->count = (int64_t)n < 0 ? 0 : n;
	look_at(s, a->from == p ? a->to : a->from);
}

/*
 * If control came more often than it left, frames have stayed: maybe in a loop that counts in
 * registers, whose counts are lost.  The loop was executed at least once for each frame.
 */
static void add_frames(struct solver *s)
{
	const struct map_func *f = s->f;
	const struct map_block *b = s->m->block + f->block;
	int64_t frames = 0;
	bool held = false;
	for (size_t p = 1; p < s->nnodes; p++)
		frames += (int64_t)s->balance[p];
	for (size_t i = 0; i < f->nblocks && frames > 0; i++) {
		if (b[i].flags & LDX_BLOCK_HELD) {
			s->c->block[f->block + i] += (uint64_t)frames;
			held = true;
		}
	}
	for (size_t e = f->edge; e < f->edge + f->nedges && frames > 0; e++) {
		const struct map_edge *ed = &s->m->edge[e];
		if (ed->from && ed->to && (b[ed->from - 1].flags & LDX_BLOCK_HELD) &&
			(b[ed->to - 1].flags & LDX_BLOCK_HELD))
			s->c->edge[e] += (uint64_t)frames;
	}
	s->c->stayed += held ? (uint64_t)frames : 0;
}

static void solve_flow(struct solver *s)
{
	join_unknown(s);
	add_arcs(s);
	index_arcs(s);
	for (size_t p = 1; p < s->nnodes; p++)
		look_at(s, p);
	for (int by = BY_PLAN; by < BY_ORDERS;) {
		if (!s->todo[by].n) {
			by++;
			continue;
		}
		solve_node(s, s->todo[by].node[--s->todo[by].n]);
		by = BY_PLAN;
	}
	for (size_t a = 0; a < s->narcs; a++)
		if (!s->arc[a].known)
			s->c->unsolved++;
	add_frames(s);
}

/* Derives executed blocks from marks and from proofs, which are the edges without marks. */
static void spread_marks(const struct static_map *m, const struct map_func *f, struct counts *c)
{
	for (size_t e = f->edge; e < f->edge + f->nedges; e++) {
		const struct map_edge *ed = &m->edge[e];
		if (ed->to)
			c->block_known[f->block + ed->to - 1] = true;
		if (ed->counter == NO_COUNTER || !ed->from || !ed->to)
			continue;
		c->block_known[f->block + ed->from - 1] = true;
		c->block[f->block + ed->from - 1] |= c->edge[e];
		c->block[f->block + ed->to - 1] |= c->edge[e];
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t e = f->edge; e < f->edge + f->nedges; e++) {
			const struct map_edge *ed = &m->edge[e];
			if (!ed->from || !ed->to || ed->counter != NO_COUNTER ||
				!c->block[f->block + ed->from - 1] ||
				c->block[f->block + ed->to - 1])
				continue;
			c->block[f->block + ed->to - 1] = 1;
			changed = true;
		}
	}
}

uint64_t counter_value(const struct static_map *m, const uint64_t *cells, int64_t number)
{
	if (!cells || number == NO_COUNTER)
		return 0;
	return map_has_marks(m) ? (cells[number / 8] >> number % 8 * 8 & 0xff) != 0 : cells[number];
}

/* With room for the largest function. */
static struct solver *solver_new(const struct static_map *m, struct counts *c)
{
	size_t blocks = 0, edges = 0;
	for (size_t f = 0; f < m->nfuncs; f++) {
		blocks = m->func[f].nblocks > blocks ? m->func[f].nblocks : blocks;
		edges = m->func[f].nedges > edges ? m->func[f].nedges : edges;
	}
	size_t nodes = 2 * blocks + 2, arcs = blocks + edges + 1;
	struct solver *s = NEW_ARRAY(struct solver, 1);
	*s = (struct solver){.m = m,
		.c = c,
		.set = NEW_ARRAY(size_t, nodes),
		.open = NEW_ARRAY(size_t, nodes),
		.first = NEW_ARRAY(size_t, nodes),
		.arcs_of = NEW_ARRAY(size_t, 2 * arcs),
		.balance = NEW_ARRAY(uint64_t, nodes),
		.arc = NEW_ARRAY(struct arc, arcs)};
	for (int by = 0; by < BY_ORDERS; by++)
		s->todo[by].node = NEW_ARRAY(size_t, nodes);
	return s;
}

/* The entries of a function, where the blocks that call it tell them. */
static uint64_t callers_count(const struct static_map *m, const struct map_func *f,
	const uint64_t *cells)
{
	struct reader c = reader_make(f->callers, (size_t)(f->flow - f->callers));
	uint64_t sum = 0;
	for (uint64_t i = 0; i < f->ncallers; i++)
		sum += counter_value(m, cells, (int64_t)read_uleb(&c));
	return sum;
}

void solve_func(const struct static_map *m, struct map_func *f, struct counts *c)
{
	size_t number = (size_t)(f - m->func);
	if (c->func_known[number])
		return;
	c->func_known[number] = true;
	static_map_flow(m, f);
	for (size_t b = f->block; b < f->block + f->nblocks; b++) {
		c->block[b] = counter_value(m, c->cells, m->block[b].counter);
		c->block_known[b] = m->block[b].counter != NO_COUNTER;
	}
	for (size_t e = f->edge; e < f->edge + f->nedges; e++) {
		c->edge[e] = counter_value(m, c->cells, m->edge[e].counter);
		c->edge_known[e] = m->edge[e].counter != NO_COUNTER;
		if (m->edge[e].flags & LDX_EDGE_CALLS) {
			c->edge[e] = callers_count(m, f, c->cells);
			c->edge_known[e] = true;
		}
	}
	if (map_has_marks(m)) {
		spread_marks(m, f, c);
	} else if (f->nedges) {
		c->solver = c->solver ? c->solver : solver_new(m, c);
		c->solver->m = m;
		c->solver->c = c;
		c->solver->f = f;
		solve_flow(c->solver);
	}
}

/* If not, all its blocks have counts, which are 0. */
static bool may_have_run(const struct static_map *m, const struct map_func *f,
	const uint64_t *cells)
{
	if (map_has_marks(m) || !f->nedges)
		return true;
	for (int64_t i = 0; cells && i < f->ncounters; i++)
		if (cells[f->lowest + i])
			return true;
	return callers_count(m, f, cells);
}

void solve_counts(const struct static_map *m, const uint64_t *cells, struct counts *c)
{
	*c = (struct counts){.block = NEW_ARRAY(uint64_t, m->nblocks),
		.edge = NEW_ARRAY(uint64_t, m->nedges),
		.block_known = NEW_ARRAY(bool, m->nblocks),
		.edge_known = NEW_ARRAY(bool, m->nedges),
		.func_known = NEW_ARRAY(bool, m->nfuncs),
		.cells = cells};
	for (size_t f = 0; f < m->nfuncs; f++)
		if (may_have_run(m, &m->func[f], cells))
			solve_func(m, &m->func[f], c);
}
