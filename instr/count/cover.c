/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover.c - which blocks need marks so that the execution of all blocks follows
 *
 * Execution of block q proves that of block p when p dominates q, or when p postdominates q.
 * Block p needs no mark where control always continues from p to such a q.  A signal may kill
 * the process wherever memory is accessed or a function is called: proofs by postdominance
 * allow for that, the choice of what needs no mark does not.  Loops may never end: both allow for
 * that.  So a block that is reported as executed was executed, and an executed block is reported
 * unless it is one of the last before a signal killed the process.
 *
 * Blocks that always run together are a class with one mark (Agrawal, "Dominators, super
 * blocks, and program coverage", 1994).  A class needs none where all predecessors, or all
 * successors, of one of its blocks prove that block.  Marks on the edges into a block, or out of
 * it, take the place of its mark where they are executed less often.
 */
#include "instr/count/choose.h"

#include "instr/count/flow.h"
#include "cfg/opaque.h"

#include <stdlib.h>

/* Nodes: 0 is outside, block b of the function is 1 + b - its first block. */
enum { OUTSIDE = 0, UNSEEN = UINT32_MAX };

/* The state of a node in a depth-first search. */
enum { NEW, OPEN, DONE };

/* Edges by the node that they leave, in CSR form: the nodes they lead to, and their numbers. */
struct graph {
	uint32_t *first, *to, *edge;
};

/*
 * The dominator tree, by node: the parent (the immediate dominator); and numbers in preorder: the
 * subtree of a node has those from pre to pre + size.
 */
struct dominators {
	uint32_t *parent, *pre, *size;
};

struct cover {
	struct flow *w;
	uint32_t n; /* number of nodes */
	struct graph ahead, back;
	struct dominators before;	 /* dominators, from where the function is entered */
	struct dominators behind;	 /* postdominators, from where control may leave */
	struct dominators surely;	 /* postdominators, when accesses to memory may fail */
	uint8_t *entered, *left, *fails; /* by node: the roots of these three */
	uint8_t *state;
	uint32_t *order, *number, *stack, *next;
	uint32_t *set;		    /* union-find of nodes: classes */
	uint32_t *witness;	    /* by class: the node that represents all of it */
	uint32_t *member, *sibling; /* by class, by node: a list of its nodes; 0: the end */
	uint8_t *needed;	    /* a proof of another class needs the mark of this node */
};

static uint32_t node_of(const struct flow *w, uint32_t b)
{
	return b == NO_BLOCK ? OUTSIDE : b - w->first + 1;
}

static const struct block *block_at(const struct cover *c, uint32_t p)
{
	return &c->w->g->block.v[c->w->first + p - 1];
}

/* Indexes edges by the node that they leave, or (back) by the node that they enter. */
static void index_edges(struct cover *c, struct graph *g, bool back)
{
	const struct flow *w = c->w;
	for (size_t e = 0; e < w->edge.n; e++)
		g->first[node_of(w, back ? w->edge.v[e].to : w->edge.v[e].from) + 1]++;
	for (uint32_t p = 0; p < c->n; p++)
		g->first[p + 1] += g->first[p];
	memcpy(c->next, g->first, c->n * sizeof *c->next);
	for (size_t e = 0; e < w->edge.n; e++) {
		uint32_t from = node_of(w, w->edge.v[e].from), to = node_of(w, w->edge.v[e].to);
		uint32_t k = c->next[back ? to : from]++;
		g->to[k] = back ? from : to;
		g->edge[k] = (uint32_t)e;
	}
}

/* Dominators ----------------------------------------------------------- */

/* Depth-first search from p: fills order from at on downwards; loops: sources of back edges. */
static uint32_t walk(struct cover *c, const struct graph *g, uint32_t p, uint32_t at,
	uint8_t *loops)
{
	uint32_t depth = 0;
	c->stack[depth++] = p;
	c->state[p] = OPEN;
	while (depth) {
		p = c->stack[depth - 1];
		if (c->next[p] == g->first[p + 1]) {
			c->state[p] = DONE;
			c->order[--at] = p;
			depth--;
			continue;
		}
		uint32_t q = g->to[c->next[p]++];
		if (c->state[q] == OPEN && loops)
			loops[p] = 1;
		if (c->state[q] != NEW)
			continue;
		c->state[q] = OPEN;
		c->stack[depth++] = q;
	}
	return at;
}

/* Nodes in reverse postorder.  What outside does not reach becomes a root too. */
static void order_nodes(struct cover *c, const struct graph *g, uint8_t *rooted, uint8_t *loops)
{
	uint32_t at = c->n;
	for (uint32_t k = g->first[OUTSIDE]; k < g->first[OUTSIDE + 1]; k++)
		rooted[g->to[k]] = 1;
	memcpy(c->next, g->first, c->n * sizeof *c->next);
	memset(c->state, NEW, c->n);
	c->state[OUTSIDE] = DONE;
	for (uint32_t p = 1; p < c->n; p++)
		if (rooted[p] && !c->state[p])
			at = walk(c, g, p, at, loops);
	for (uint32_t p = 1; p < c->n; p++)
		if (!c->state[p]) {
			rooted[p] = 1;
			at = walk(c, g, p, at, loops);
		}
	c->order[0] = OUTSIDE;
	for (uint32_t i = 0; i < c->n; i++)
		c->number[c->order[i]] = i;
}

static uint32_t meet(const struct cover *c, const uint32_t *parent, uint32_t p, uint32_t q)
{
	while (p != q) {
		while (c->number[p] > c->number[q])
			p = parent[p];
		while (c->number[q] > c->number[p])
			q = parent[q];
	}
	return p;
}

static void number_tree(const struct cover *c, struct dominators *d)
{
	for (uint32_t p = 0; p < c->n; p++)
		d->size[p] = 1;
	for (uint32_t i = c->n; --i > 0;)
		d->size[d->parent[c->order[i]]] += d->size[c->order[i]];
	d->pre[OUTSIDE] = 0;
	c->next[OUTSIDE] = 1;
	for (uint32_t i = 1; i < c->n; i++) {
		uint32_t p = c->order[i], parent = d->parent[p];
		d->pre[p] = c->next[parent];
		c->next[parent] += d->size[p];
		c->next[p] = d->pre[p] + 1;
	}
}

/* Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001. */
static void dominate(struct cover *c, struct dominators *d, const struct graph *g,
	const struct graph *back, uint8_t *rooted, uint8_t *loops)
{
	order_nodes(c, g, rooted, loops);
	for (uint32_t p = 0; p < c->n; p++)
		d->parent[p] = p && !rooted[p] ? UNSEEN : OUTSIDE;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < c->n; i++) {
			uint32_t p = c->order[i], up = rooted[p] ? OUTSIDE : UNSEEN;
			for (uint32_t k = back->first[p]; k < back->first[p + 1]; k++) {
				uint32_t q = back->to[k];
				if (d->parent[q] != UNSEEN)
					up = up == UNSEEN ? q : meet(c, d->parent, up, q);
			}
			changed |= d->parent[p] != up;
			d->parent[p] = up;
		}
	}
	number_tree(c, d);
}

/* Does p dominate q? */
static bool dominates(const struct dominators *d, uint32_t p, uint32_t q)
{
	return d->pre[q] >= d->pre[p] && d->pre[q] - d->pre[p] < d->size[p];
}

/* Does the execution of q prove that of p? */
static bool proves(const struct cover *c, uint32_t q, uint32_t p)
{
	return dominates(&c->before, p, q) || dominates(&c->surely, p, q);
}

/* Classes -------------------------------------------------------------- */

static void join_equals(struct cover *c, const struct dominators *d, const struct dominators *other)
{
	for (uint32_t p = 1; p < c->n; p++)
		if (d->parent[p] != OUTSIDE && dominates(other, p, d->parent[p]))
			c->set[union_find(c->set, p)] = union_find(c->set, d->parent[p]);
}

/* Has p neighbours in g (successors, or predecessors), and does each of them prove p? */
static bool is_proved_by_side(struct cover *c, const struct graph *g, const uint8_t *rooted,
	uint32_t p)
{
	uint32_t from = g->first[p], to = g->first[p + 1];
	if (rooted[p] || from == to)
		return false;
	for (uint32_t k = from; k < to; k++)
		if (union_find(c->set, g->to[k]) == union_find(c->set, p) ||
			!proves(c, g->to[k], p))
			return false;
	return true;
}

static void add_proof(struct cover *c, uint32_t from, uint32_t to)
{
	struct flow *w = c->w;
	vec_push(&w->proof, (struct proof){w->first + from - 1, w->first + to - 1});
}

/* Proves p, and with it its class, by all its successors or by all its predecessors. */
static bool prove_by_neighbours(struct cover *c, uint32_t p)
{
	bool ahead = is_proved_by_side(c, &c->ahead, c->left, p);
	const struct graph *g = ahead ? &c->ahead : &c->back;
	if (!ahead && !is_proved_by_side(c, &c->back, c->entered, p))
		return false;
	for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++)
		add_proof(c, g->to[k], p);
	return true;
}

/*
 * Does control always continue from the last instruction of p to t?  A mark may be in front of that
 * instruction.
 */
static bool goes_on_to(const struct cover *c, uint32_t p, uint32_t t)
{
	const struct block *b = block_at(c, p);
	uint8_t last = c->w->g->insn.v[b->insn + b->ninsn - 1].flags;
	if (c->left[p] || b->end == END_CALL || (last & (INSN_MEM | INSN_GLUED | INSN_LANDING)))
		return false;
	for (uint32_t k = c->ahead.first[p]; k < c->ahead.first[p + 1]; k++)
		if (!dominates(&c->surely, t, c->ahead.to[k]))
			return false;
	return true;
}

/*
 * The last node of a class represents all of it, and so does each node from which control always
 * continues to it.  If neighbours prove one of these, the class needs no mark.  Otherwise the least
 * frequent of them, the witness, has the mark.
 */
static void choose_witnesses(struct cover *c, uint8_t *proved)
{
	struct flow_block *b = c->w->block.v - 1;
	memset(proved, 0, c->n);
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t *t = &c->witness[union_find(c->set, p)];
		if (!block_at(c, p)->gap && (!*t || dominates(&c->before, *t, p)))
			*t = p;
	}
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t k = union_find(c->set, p), *t = &c->witness[k];
		if (!*t || proved[k] || !dominates(&c->surely, *t, p) || !prove_by_neighbours(c, p))
			continue;
		proved[k] = 1;
		*t = p;
	}
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t k = union_find(c->set, p), *t = &c->witness[k];
		if (!*t || proved[k] || b[p].freq >= b[*t].freq || !goes_on_to(c, p, *t))
			continue;
		b[p].late = true;
		*t = p;
	}
}

static void choose(struct cover *c)
{
	for (uint32_t p = 0; p < c->n; p++)
		c->set[p] = p;
	join_equals(c, &c->before, &c->behind);
	join_equals(c, &c->behind, &c->before);
	choose_witnesses(c, c->state);
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t k = union_find(c->set, p), t = c->witness[k];
		c->w->block.v[p - 1].state = t == p && !c->state[k] ? COUNT_COUNTED : COUNT_DERIVED;
		if (!t || t == p)
			continue;
		add_proof(c, t, p);
		/* if the process dies between p and t, a successor of p may still prove p */
		for (uint32_t i = c->ahead.first[p]; i < c->ahead.first[p + 1]; i++) {
			uint32_t q = c->ahead.to[i];
			if (q && union_find(c->set, q) != k && dominates(&c->before, p, q))
				add_proof(c, q, p);
		}
	}
}

/* Marks on edges ------------------------------------------------------- */

static bool is_marked(const struct cover *c, uint32_t p)
{
	return c->w->block.v[p - 1].state == COUNT_COUNTED;
}

/* Is the mark of q, of another class, as good as a mark on the edge between q and p? */
static bool marks_edge(struct cover *c, const struct graph *g, uint32_t q, uint32_t p)
{
	return is_marked(c, q) && union_find(c->set, q) != union_find(c->set, p) &&
		(g == &c->back ? goes_on_to(c, q, p) : dominates(&c->before, p, q));
}

/*
 * The cost of marking all edges at one side of p that have no mark yet; < 0: they cannot be
 * marked.
 */
static float edges_cost(struct cover *c, const struct graph *g, const uint8_t *rooted, uint32_t p)
{
	float cost = rooted[p] || g->first[p] == g->first[p + 1] ? -1 : 0;
	for (uint32_t k = g->first[p]; cost >= 0 && k < g->first[p + 1]; k++) {
		const struct edge *e = &c->w->edge.v[g->edge[k]];
		if (e->state == COUNT_COUNTED || marks_edge(c, g, g->to[k], p))
			continue;
		cost = e->critical && e->cost >= 0 ? cost + e->freq * e->cost : -1;
	}
	return cost;
}

static void mark_edges(struct cover *c, const struct graph *g, uint32_t p)
{
	struct flow_block *b = c->w->block.v - 1;
	for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++) {
		struct edge *e = &c->w->edge.v[g->edge[k]];
		uint32_t q = g->to[k];
		if (e->state == COUNT_COUNTED)
			continue;
		if (!marks_edge(c, g, q, p)) {
			e->state = COUNT_COUNTED;
			continue;
		}
		b[q].late |= g == &c->back;
		c->needed[q] = 1;
		add_proof(c, q, p);
	}
}

/* Replace the mark of t by marks on edges if these are executed less often. */
static void replace_by_edges(struct cover *c, uint32_t t)
{
	struct flow_block *b = &c->w->block.v[t - 1];
	for (uint32_t p = c->member[union_find(c->set, t)]; p; p = c->sibling[p]) {
		if (!dominates(&c->surely, t, p))
			continue;
		float in = edges_cost(c, &c->back, c->entered, p);
		float out = edges_cost(c, &c->ahead, c->left, p);
		bool ahead = out >= 0 && (in < 0 || out < in);
		if ((!ahead && in < 0) || (ahead ? out : in) >= b->freq)
			continue;
		b->state = COUNT_DERIVED;
		mark_edges(c, ahead ? &c->ahead : &c->back, p);
		if (p != t)
			add_proof(c, p, t);
		return;
	}
}

struct often {
	float freq;
	uint32_t p;
};

static int often_cmp(const void *pa, const void *pb)
{
	const struct often *a = pa, *b = pb;
	if (a->freq != b->freq)
		return a->freq > b->freq ? -1 : 1;
	return a->p < b->p ? -1 : a->p > b->p;
}

/* The most frequent first. */
static void use_edges(struct cover *c)
{
	VEC(struct often) todo = {0};
	for (uint32_t e = 0; e < c->w->edge.n; e++)
		c->w->edge.v[e].state = COUNT_DERIVED;
	for (uint32_t p = c->n; --p;) {
		uint32_t *member = &c->member[union_find(c->set, p)];
		c->sibling[p] = *member;
		*member = p;
	}
	for (uint32_t p = 1; p < c->n; p++)
		if (is_marked(c, p))
			vec_push(&todo, (struct often){c->w->block.v[p - 1].freq, p});
	sort(todo.v, todo.n, sizeof *todo.v, often_cmp);
	for (size_t i = 0; i < todo.n; i++)
		if (!c->needed[todo.v[i].p])
			replace_by_edges(c, todo.v[i].p);
	vec_free(&todo);
}

/* May a signal kill the process in b, or in a function that it calls? */
static bool may_die(const struct cfg *g, const struct block *b)
{
	for (uint32_t i = b->insn; i < b->insn + b->ninsn; i++)
		if (g->insn.v[i].flags & INSN_MEM)
			return true;
	return b->end == END_CALL;
}

/* Allocate all tables at once. */
static uint32_t *make_room(struct cover *c)
{
	size_t n = c->n, edges = c->w->edge.n;
	uint32_t **const part[] = {&c->before.parent, &c->before.pre, &c->before.size,
		&c->behind.parent, &c->behind.pre, &c->behind.size, &c->surely.parent,
		&c->surely.pre, &c->surely.size, &c->order, &c->number, &c->stack, &c->next,
		&c->set, &c->witness, &c->member, &c->sibling};
	uint8_t **const flags[] = {&c->entered, &c->left, &c->fails, &c->state, &c->needed};
	size_t nparts = sizeof part / sizeof *part, nflags = sizeof flags / sizeof *flags;
	uint32_t *room = calloc((nparts + 4) * n + 4 * edges + 2, sizeof *room), *p = room;
	if (!room)
		fatal("out of memory");
	for (size_t i = 0; i < nparts; i++, p += n)
		*part[i] = p;
	c->ahead = (struct graph){p, p + 2 * n + 2, p + 2 * n + 2 + edges};
	c->back = (struct graph){p + n + 1, c->ahead.edge + edges, c->ahead.edge + 2 * edges};
	for (size_t i = 0; i < nflags; i++)
		*flags[i] = (uint8_t *)(c->back.edge + edges) + i * n;
	return room;
}

void flow_cover(struct flow *w)
{
	struct cover c = {.w = w, .n = 1 + (uint32_t)w->block.n};
	uint32_t *room = make_room(&c);
	w->proof.n = 0;
	index_edges(&c, &c.ahead, false);
	index_edges(&c, &c.back, true);
	dominate(&c, &c.before, &c.ahead, &c.back, c.entered, c.left);
	for (uint32_t p = 1; p < c.n; p++)
		c.fails[p] = c.left[p] || may_die(w->g, block_at(&c, p));
	/* the sources of back edges are roots: a loop need not end */
	dominate(&c, &c.behind, &c.back, &c.ahead, c.left, NULL);
	dominate(&c, &c.surely, &c.back, &c.ahead, c.fails, NULL);
	choose(&c);
	use_edges(&c);
	free(room);
}
