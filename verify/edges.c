/* SPDX-License-Identifier: Apache-2.0 */
/*
 * edges.c - the static map's edges are the control-flow graph, and determine all counts
 *
 * Counts are derived by flow conservation: each block is left as often as it is entered.  So each
 * block has exactly one edge for each way that its last instruction can go; blocks that are entered
 * from outside have an edge from outside; and the edges and blocks without counters are a forest,
 * so that their counts follow from the others.
 */
#include "verify/branches.h"
#include "verify/map.h"
#include "verify/places.h"
#include "verify/sites.h"

#include "runtime/abi.h"

#include <stdlib.h>

/* Edges that leave a block. */
struct leaving {
	uint32_t fall, taken, out;
};

void bad_edges(struct mapread *m, uint32_t b, const char *what)
{
	vfail(m->v, m->v->text.v[m->text].a, m->block.v[b].from,
		"the map has %s the block from 0x%x to "
		"0x%x",
		what, m->block.v[b].from, m->block.v[b].end);
}

uint32_t block_at(const struct mapread *m, uint64_t x)
{
	size_t i;
	BISECT(i, 1, m->block.n, m->block.v[i].from < x);
	return i < m->block.n && m->block.v[i].from == x ? (uint32_t)i : 0;
}

static const struct insn *last_insn(const struct mapread *m, uint32_t b)
{
	const struct vtext *t = &m->v->text.v[m->text];
	return &m->v->insn.v[insn_at(m->v, t, m->block.v[b].end - 1)];
}

/* The block of the function at the target of branch in, or 0, also if the target skips a prefix. */
static uint32_t branch_target(const struct mapread *m, const struct insn *in)
{
	const struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	const struct reloc *r = insn_reloc(t, in, in->pc_off);
	uint32_t sec;
	uint64_t x;
	if ((r && symbol_type(&v->a->sym.v[r->sym]) == STT_GNU_IFUNC) ||
		!insn_target(v, t, in, r, &sec, &x) || sec != t->a->index)
		return 0;
	return block_at(m, x);
}

/* Can control go from block b to block to, by falling through (fall) or by its last branch? */
static bool can_go(struct mapread *m, uint32_t b, uint32_t to, bool fall)
{
	const struct insn *in = last_insn(m, b);
	const struct vtext *t = &m->v->text.v[m->text];
	if (fall)
		return m->block.v[to].from == m->block.v[b].end && in->kind != INSN_JUMP &&
			in->kind != INSN_JUMP_IND && in->kind != INSN_RET && in->kind != INSN_TRAP;
	if (in->kind == INSN_JUMP_IND) {
		vec_push(&m->v->by_table, insn_at(m->v, t, m->block.v[to].from));
		return true;
	}
	return (in->kind == INSN_JUMP || in->kind == INSN_BRANCH || in->kind == INSN_XBEGIN) &&
		branch_target(m, in) == to;
}

/* May call in be assumed to return once?  Only to callees in the object or the C library. */
static bool may_trust(const struct mapread *m, const struct insn *in)
{
	const struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	const struct reloc *r = target_reloc(v, t, in);
	const struct symbol *s = r ? &v->a->sym.v[r->sym] : NULL;
	return s ? s->sec != SEC_UNDEF || outside_is_libc(v->opt.outside, s->name)
		 : in->kind == INSN_CALL;
}

static bool leaves_well(struct mapread *m, uint32_t b, const struct leaving *l)
{
	const struct insn *in = last_insn(m, b);
	uint32_t next = block_at(m, m->block.v[b].end);
	switch (in->kind) {
	case INSN_CALL:
	case INSN_CALL_IND:
		return (!l->fall || may_trust(m, in)) && !l->taken && l->fall + l->out == 1;
	case INSN_JUMP:
		return !l->fall && l->taken + l->out == 1 &&
			l->taken == (branch_target(m, in) != 0);
	case INSN_BRANCH:
	case INSN_XBEGIN:
		return l->fall == (next != 0) && l->taken == (branch_target(m, in) != 0) &&
			l->fall + l->taken + l->out == 2;
	case INSN_JUMP_IND: return !l->fall && l->taken + l->out > 0 && l->out < 2;
	case INSN_RET:
	case INSN_TRAP:
	case INSN_SYSCALL: return !l->fall && !l->taken && l->out == 1;
	default: return !l->taken && l->fall == (next != 0) && l->fall + l->out == 1;
	}
}

static int edge_cmp(const void *a, const void *b)
{
	const struct medge *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->flags & LDX_EDGE_FALL) < (y->flags & LDX_EDGE_FALL)
		? -1
		: (x->flags & LDX_EDGE_FALL) > (y->flags & LDX_EDGE_FALL);
}

static void check_successors(struct mapread *m)
{
	size_t i = 0;
	for (uint32_t b = 0; b < m->block.n; b++) {
		struct leaving l = {0};
		bool good = true;
		for (; i < m->edge.n && m->edge.v[i].from == b; i++) {
			const struct medge *e = &m->edge.v[i];
			bool fall = e->flags & LDX_EDGE_FALL;
			good = good && (!e->to || !b ? !fall : can_go(m, b, e->to, fall)) &&
				(!i || !e->to || edge_cmp(e, e - 1));
			l.fall += fall;
			l.taken += e->to && !fall;
			l.out += !e->to;
		}
		if (!good || (b && !leaves_well(m, b, &l)))
			bad_edges(m, b, b ? "wrong edges out of" : "duplicate edges into");
		else if (b && last_insn(m, b)->kind == INSN_JUMP_IND)
			check_jump(m, b, l.taken);
	}
}

/* Must block b have an edge from outside: the function's first, and behind a system call? */
static bool is_entered(const struct mapread *m, uint32_t b)
{
	if (m->block.v[b].from == m->start)
		return true;
	uint32_t before = b - 1;
	return before && m->block.v[before].end == m->block.v[b].from &&
		last_insn(m, before)->kind == INSN_SYSCALL;
}

static void check_entries(struct mapread *m)
{
	size_t i = 0;
	for (uint32_t b = 1; b < m->block.n; b++) {
		while (i < m->edge.n && !m->edge.v[i].from && m->edge.v[i].to < b)
			i++;
		bool in = i < m->edge.n && !m->edge.v[i].from && m->edge.v[i].to == b;
		if (!in && is_entered(m, b))
			bad_edges(m, b, "no edge from outside into");
	}
}

/* Is it a load from the frame at a constant distance?  It reads no register besides. */
static bool loads_of_frame(const struct verify *v, const struct insn *in)
{
	const struct target *t = v->target;
	const struct effects *e = insn_effects(in);
	regset numbers = (REGSET_GENERAL & ~t->no_scratch) | REGSET_FLAGS;
	if (in->flags & INSN_VAGUE || e->clobbers & ~numbers || !(e->writes & numbers))
		return false;
	return (e->reads & ~REGSET_FLAGS) == REG_BIT(t->stack_reg);
}

/* May the process, or a frame, end in block b? */
static bool may_end(const struct mapread *m, uint32_t b)
{
	const struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	for (uint32_t k = insn_at(v, t, m->block.v[b].from); v->insn.v[k].off < m->block.v[b].end;
		k++) {
		switch (v->insn.v[k].kind) {
		case INSN_CALL:
		case INSN_CALL_IND:
		case INSN_TRAP:
		case INSN_SYSCALL: return true;
		default: break;
		}
		if (v->insn.v[k].flags & INSN_MEM && !loads_of_frame(v, &v->insn.v[k]))
			return true;
		if (k + 1 == t->first + t->n)
			break;
	}
	return false;
}

/*
 * A block may take its count from what leaves it only if control cannot end in it; an edge may take
 * its count from its target only if it comes from such a block or is the target's only edge.
 */
static void check_next(struct mapread *m)
{
	uint32_t *in = calloc(m->block.n, sizeof *in);
	if (!in)
		fatal("out of memory");
	for (size_t i = 0; i < m->edge.n; i++)
		in[m->edge.v[i].to]++;
	for (uint32_t b = 1; b < m->block.n; b++)
		if (m->block.v[b].by_next && (m->block.v[b].counted || may_end(m, b)))
			bad_edges(m, b, "a wrongly derived count for");
	for (size_t i = 0; i < m->edge.n; i++) {
		const struct medge *e = &m->edge.v[i];
		if (e->flags & LDX_EDGE_NEXT && !m->block.v[e->from].by_next && in[e->to] > 1)
			bad_edges(m, e->to, "a derived count for one of several edges into");
	}
	free(in);
}

/* Is edge i the only one out of its block, or of a branch the only one to outside? */
static bool is_only_way(const struct mapread *m, size_t i)
{
	const struct medge *e = &m->edge.v[i];
	bool branch = is_conditional(last_insn(m, e->from));
	return (!i || e[-1].from != e->from || (branch && e[-1].to)) &&
		(i + 1 == m->edge.n || e[1].from != e->from || (branch && e[1].to));
}

/*
 * The counter of an edge to outside is in front of the block's last instruction, so it counts all
 * edges of the block, but for branches, behind which it is; that of a table jump's edge may stand
 * beside those of others that lead to its target.
 */
static void check_counted(struct mapread *m)
{
	uint32_t *in = calloc(m->block.n, sizeof *in);
	if (!in)
		fatal("out of memory");
	for (size_t i = 0; i < m->edge.n; i++) {
		const struct medge *e = &m->edge.v[i];
		in[e->to] += !e->from || last_insn(m, e->from)->kind == INSN_JUMP_IND;
	}
	for (size_t i = 0; i < m->edge.n; i++) {
		const struct medge *e = &m->edge.v[i];
		if (!(e->flags & LDX_EDGE_COUNTED))
			continue;
		if (!e->to && !is_only_way(m, i))
			bad_edges(m, e->from, "a counter for one of several edges out of");
		if (e->to && in[e->to] > 1 && e->counter < m->v->count.n)
			m->v->count.v[e->counter].shared = true;
	}
	free(in);
}

/* Union-find over places where counts are conserved, joined by edges and blocks not counted. */
static uint32_t find_root(uint32_t *up, uint32_t x)
{
	while (up[x] != x)
		x = up[x] = up[up[x]];
	return x;
}

static bool link_up(uint32_t *up, uint32_t a, uint32_t b)
{
	a = find_root(up, a);
	b = find_root(up, b);
	up[a] = b;
	return a != b;
}

/* Block b is two places: 2b, where control enters it, and 2b + 1, where it leaves. */
static void check_derived(struct mapread *m)
{
	enum { OUTSIDE };
	uint32_t n = (uint32_t)m->block.n * 2, *up = malloc(array_bytes(n, sizeof *up));
	if (!up)
		fatal("out of memory");
	for (uint32_t i = 0; i < n; i++)
		up[i] = i;
	bool good = true;
	for (int unknown = 1; unknown >= 0; unknown--)
		for (size_t i = 0; i < m->edge.n; i++) {
			const struct medge *e = &m->edge.v[i];
			if (!(e->flags & LDX_EDGE_UNKNOWN) == !unknown &&
				!(e->flags & (LDX_EDGE_COUNTED | LDX_EDGE_CALLS)))
				good &= link_up(up, e->from ? e->from * 2 + 1 : OUTSIDE,
						e->to * 2) ||
					unknown;
		}
	for (uint32_t b = 1; b < m->block.n; b++)
		if (!m->block.v[b].counted)
			good &= link_up(up, b * 2, b * 2 + 1);
	free(up);
	if (!good)
		bad_edges(m, 1, "counts that cannot be derived, in the function of");
}

void check_edges(struct mapread *m)
{
	if (!m->edge.n || m->block.n < 2 || m->r.bad || m->text == UINT32_MAX ||
		m->v->text.v[m->text].broken)
		return;
	sort(m->edge.v, m->edge.n, sizeof *m->edge.v, edge_cmp);
	check_successors(m);
	check_entries(m);
	check_derived(m);
	check_next(m);
	check_counted(m);
}
