/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover.c - which blocks tell whether all others were executed
 *
 * Block q proves that block p was executed when all ways to q lead through p, or when
 * control that is in q gets to p whatever happens.  The other way round p needs no
 * probe where q is always reached from p: then q tells.  Always: unless the process dies
 * of a signal before.  That it may, where memory is touched or a function called, is only
 * thought of for proofs, and loops, which may never end, for both.  So what is told as
 * executed was executed, and what was executed is told but for the last blocks that a process
 * came to when it died of a signal.
 *
 * Blocks that always run together are a class with one probe (Agrawal, "Dominators, super
 * blocks, and program coverage", 1994), and with none where control comes to it, or
 * goes on from it, only by way of blocks that prove it.  Where control comes to a place, or
 * leaves it, by edges that are rare, or have probes, these tell of it.
 */
#include "instr/count/choose.h"

#include "cfg/cfg_priv.h"

#include <stdlib.h>

/* Places: 0 is outside, block b of the function is 1 + b - its first one. */
enum { OUTSIDE = 0, UNSEEN = UINT32_MAX };

/* Of a place in a walk. */
enum { NEW, OPEN, DONE };

/* Edges by the place they leave; CSR.  Where they lead, and their numbers. */
struct graph {
	uint32_t *first, *to, *edge;
};

/*
 * By place: the last one that all ways from outside to it lead through; and numbers: what is
 * below a place in the tree of these has those from pre to pre + size.
 */
struct dominators {
	uint32_t *up, *pre, *size;
};

struct cover {
	struct flow *w;
	uint32_t n;			/* places */
	struct graph ahead, back;
	struct dominators before;	/* ways from where the function is entered */
	struct dominators behind;	/* ways back from where control may leave */
	struct dominators surely;	/* the same, where memory may be missing */
	uint8_t *entered, *left, *fails;	/* what these begin from */
	uint8_t *state;
	uint32_t *order, *number, *stack, *next;
	uint32_t *set;			/* union-find of places: classes */
	uint32_t *teller;		/* by class: the place that tells of the others */
	uint32_t *member, *sibling;	/* by class and by place: its places, a list; 0: no more */
	uint8_t *needed;		/* its mark tells of another class */
};

static uint32_t place(const struct flow *w, uint32_t b)
{
	return b == NO_BLOCK ? OUTSIDE : b - w->first + 1;
}

static const struct block *block_at(const struct cover *c, uint32_t p)
{
	return &c->w->g->block.v[c->w->first + p - 1];
}

/* Edges by where they leave, or by where they come to. */
static void index_edges(struct cover *c, struct graph *g, bool back)
{
	const struct flow *w = c->w;
	for (size_t e = 0; e < w->edge.n; e++)
		g->first[place(w, back ? w->edge.v[e].to : w->edge.v[e].from) + 1]++;
	for (uint32_t p = 0; p < c->n; p++)
		g->first[p + 1] += g->first[p];
	memcpy(c->next, g->first, c->n * sizeof *c->next);
	for (size_t e = 0; e < w->edge.n; e++) {
		uint32_t from = place(w, w->edge.v[e].from), to = place(w, w->edge.v[e].to);
		uint32_t k = c->next[back ? to : from]++;
		g->to[k] = back ? from : to;
		g->edge[k] = (uint32_t)e;
	}
}

/* Dominators ----------------------------------------------------------- */

/* Depth first from p: order, from number at on down.  What closes a loop is marked. */
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

/* Places in reverse postorder.  What is not reached from outside is joined to it. */
static void order_places(struct cover *c, const struct graph *g, uint8_t *rooted, uint8_t *loops)
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

static uint32_t meet(const struct cover *c, const uint32_t *up, uint32_t p, uint32_t q)
{
	while (p != q) {
		while (c->number[p] > c->number[q])
			p = up[p];
		while (c->number[q] > c->number[p])
			q = up[q];
	}
	return p;
}

static void number_tree(const struct cover *c, struct dominators *d)
{
	for (uint32_t p = 0; p < c->n; p++)
		d->size[p] = 1;
	for (uint32_t i = c->n; --i > 0;)
		d->size[d->up[c->order[i]]] += d->size[c->order[i]];
	d->pre[OUTSIDE] = 0;
	c->next[OUTSIDE] = 1;
	for (uint32_t i = 1; i < c->n; i++) {
		uint32_t p = c->order[i], up = d->up[p];
		d->pre[p] = c->next[up];
		c->next[up] += d->size[p];
		c->next[p] = d->pre[p] + 1;
	}
}

/* Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001. */
static void dominate(struct cover *c, struct dominators *d, const struct graph *g,
	const struct graph *back, uint8_t *rooted, uint8_t *loops)
{
	order_places(c, g, rooted, loops);
	for (uint32_t p = 0; p < c->n; p++)
		d->up[p] = p && !rooted[p] ? UNSEEN : OUTSIDE;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 1; i < c->n; i++) {
			uint32_t p = c->order[i], up = rooted[p] ? OUTSIDE : UNSEEN;
			for (uint32_t k = back->first[p]; k < back->first[p + 1]; k++) {
				uint32_t q = back->to[k];
				if (d->up[q] != UNSEEN)
					up = up == UNSEEN ? q : meet(c, d->up, up, q);
			}
			changed |= d->up[p] != up;
			d->up[p] = up;
		}
	}
	number_tree(c, d);
}

/* Do all ways to q lead through p? */
static bool dominates(const struct dominators *d, uint32_t p, uint32_t q)
{
	return d->pre[q] >= d->pre[p] && d->pre[q] - d->pre[p] < d->size[p];
}

/* When q was executed, so was p. */
static bool proves(const struct cover *c, uint32_t q, uint32_t p)
{
	return dominates(&c->before, p, q) || dominates(&c->surely, p, q);
}

/* Classes -------------------------------------------------------------- */

static void join_equals(struct cover *c, const struct dominators *d, const struct dominators *other)
{
	for (uint32_t p = 1; p < c->n; p++)
		if (d->up[p] != OUTSIDE && dominates(other, p, d->up[p]))
			c->set[union_find(c->set, p)] = union_find(c->set, d->up[p]);
}

/* Does each place that g leads to from p, and is there one, tell of p? */
static bool is_told(struct cover *c, const struct graph *g, const uint8_t *rooted, uint32_t p)
{
	uint32_t from = g->first[p], to = g->first[p + 1];
	if (rooted[p] || from == to)
		return false;
	for (uint32_t k = from; k < to; k++)
		if (union_find(c->set, g->to[k]) == union_find(c->set, p) || !proves(c, g->to[k], p))
			return false;
	return true;
}

static void add_proof(struct cover *c, uint32_t from, uint32_t to)
{
	struct flow *w = c->w;
	vec_push(&w->proof, (struct proof){ w->first + from - 1, w->first + to - 1 });
}

/* A place is told by its neighbours on one side: so is its class. */
static bool tell(struct cover *c, uint32_t p)
{
	bool ahead = is_told(c, &c->ahead, c->left, p);
	const struct graph *g = ahead ? &c->ahead : &c->back;
	if (!ahead && !is_told(c, &c->back, c->entered, p))
		return false;
	for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++)
		add_proof(c, g->to[k], p);
	return true;
}

/*
 * Does control that has come to the last instruction of p surely get to t?  A mark
 * may be in front of that.
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
 * What tells of the last place of a class tells of all of it; so does what tells of one from
 * where control surely gets there.  Where nothing does, that has a mark: the one of these
 * that runs least often.
 */
static void choose_tellers(struct cover *c, uint8_t *told)
{
	struct flow_block *b = c->w->block.v - 1;
	memset(told, 0, c->n);
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t *t = &c->teller[union_find(c->set, p)];
		if (!block_at(c, p)->gap && (!*t || dominates(&c->before, *t, p)))
			*t = p;
	}
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t k = union_find(c->set, p), *t = &c->teller[k];
		if (!*t || told[k] || !dominates(&c->surely, *t, p) || !tell(c, p))
			continue;
		told[k] = 1;
		*t = p;
	}
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t k = union_find(c->set, p), *t = &c->teller[k];
		if (!*t || told[k] || b[p].freq >= b[*t].freq || !goes_on_to(c, p, *t))
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
	choose_tellers(c, c->state);
	for (uint32_t p = 1; p < c->n; p++) {
		uint32_t k = union_find(c->set, p), t = c->teller[k];
		c->w->block.v[p - 1].state = t == p && !c->state[k] ? COUNT_COUNTED : COUNT_DERIVED;
		if (!t || t == p)
			continue;
		add_proof(c, t, p);
		/* where the process dies between p and t, what p leads to may still tell */
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

/* Is the mark of q, of another class, as good as one on its edge at the side g of p? */
static bool marks_edge(struct cover *c, const struct graph *g, uint32_t q, uint32_t p)
{
	return is_marked(c, q) && union_find(c->set, q) != union_find(c->set, p) &&
	       (g == &c->back ? goes_on_to(c, q, p) : dominates(&c->before, p, q));
}

/*
 * What marks on the edges at one side of p cost that tell of it, beside those there are.
 * < 0: there can be none.
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

/* Marks on edges instead of one in a block that runs more often. */
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
	VEC(struct often) todo = { 0 };
	for (uint32_t e = 0; e < c->w->edge.n; e++)
		c->w->edge.v[e].state = COUNT_DERIVED;
	for (uint32_t p = c->n; --p;) {
		uint32_t *member = &c->member[union_find(c->set, p)];
		c->sibling[p] = *member;
		*member = p;
	}
	for (uint32_t p = 1; p < c->n; p++)
		if (is_marked(c, p))
			vec_push(&todo, (struct often){ c->w->block.v[p - 1].freq, p });
	sort(todo.v, todo.n, sizeof *todo.v, often_cmp);
	for (size_t i = 0; i < todo.n; i++)
		if (!c->needed[todo.v[i].p])
			replace_by_edges(c, todo.v[i].p);
	vec_free(&todo);
}

/* May the process die of a signal in b, or in what it calls? */
static bool may_die(const struct cfg *g, const struct block *b)
{
	for (uint32_t i = b->insn; i < b->insn + b->ninsn; i++)
		if (g->insn.v[i].flags & INSN_MEM)
			return true;
	return b->end == END_CALL;
}

/* Room for all tables, at once. */
static uint32_t *make_room(struct cover *c)
{
	size_t n = c->n, edges = c->w->edge.n;
	uint32_t **const part[] = { &c->before.up, &c->before.pre, &c->before.size,
		&c->behind.up, &c->behind.pre, &c->behind.size, &c->surely.up, &c->surely.pre,
		&c->surely.size, &c->order, &c->number, &c->stack, &c->next, &c->set, &c->teller,
		&c->member, &c->sibling };
	uint8_t **const flags[] = { &c->entered, &c->left, &c->fails, &c->state, &c->needed };
	size_t nparts = sizeof part / sizeof *part, nflags = sizeof flags / sizeof *flags;
	uint32_t *room = calloc((nparts + 4) * n + 4 * edges + 2, sizeof *room), *p = room;
	if (!room)
		fatal("out of memory");
	for (size_t i = 0; i < nparts; i++, p += n)
		*part[i] = p;
	c->ahead = (struct graph){ p, p + 2 * n + 2, p + 2 * n + 2 + edges };
	c->back = (struct graph){ p + n + 1, c->ahead.edge + edges, c->ahead.edge + 2 * edges };
	for (size_t i = 0; i < nflags; i++)
		*flags[i] = (uint8_t *)(c->back.edge + edges) + i * n;
	return room;
}

void flow_cover(struct flow *w)
{
	struct cover c = { .w = w, .n = 1 + (uint32_t)w->block.n };
	uint32_t *room = make_room(&c);
	w->proof.n = 0;
	index_edges(&c, &c.ahead, false);
	index_edges(&c, &c.back, true);
	dominate(&c, &c.before, &c.ahead, &c.back, c.entered, c.left);
	for (uint32_t p = 1; p < c.n; p++)
		c.fails[p] = c.left[p] || may_die(w->g, block_at(&c, p));
	/* no loop is left that does not end where control may leave */
	dominate(&c, &c.behind, &c.back, &c.ahead, c.left, NULL);
	dominate(&c, &c.surely, &c.back, &c.ahead, c.fails, NULL);
	choose(&c);
	use_edges(&c);
	free(room);
}
