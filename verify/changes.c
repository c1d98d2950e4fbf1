/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.c - registers that calls of functions change, as it is stated
 *
 * A compiler keeps values over a call in registers of callees, too, if it sees that the function
 * changes none of these, nor any that it calls.  What is stated of a function must include what
 * its instructions change, and what is stated of the functions that it leads to: of others, all
 * that the psABI lets a callee change.
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/places.h"

#include "targets/stated.h"

#include <stdlib.h>

static int changes_cmp(const void *a, const void *b)
{
	const struct vchanges *x = a, *y = b;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static regset changed_by(const struct flow *w, uint32_t k)
{
	const struct vchanges *x = w->changes.v;
	size_t i;
	BISECT(i, 0, w->changes.n, x[i].insn < k);
	bool known = i < w->changes.n && x[i].insn == k;
	return known ? x[i].set : w->v->target->abi.call_clobbers;
}

regset call_changes(const struct flow *w, uint32_t k)
{
	const struct vbranch *b = branch_at(w->v, k);
	bool sure = w->v->insn.v[k].kind == INSN_CALL && b && b->sure == VBRANCH_SURE;
	return sure ? changed_by(w, b->target) : w->v->target->abi.call_clobbers;
}

/* What instruction k of function [from, to) changes, and what it leads to. */
static regset changes_at(const struct flow *w, uint32_t k, uint32_t from, uint32_t to)
{
	const struct verify *v = w->v;
	const struct insn *in = &v->insn.v[k];
	const struct vbranch *b;
	if (in->kind == KIND_RAW || (in->flags & INSN_VAGUE))
		return ~(regset)0;
	regset set = insn_effects(in)->clobbers;
	switch ((enum insn_kind)in->kind) {
	case INSN_CALL: return set | call_changes(w, k);
	case INSN_JUMP:
	case INSN_BRANCH:
		b = branch_of(v, k);
		if (b && b->sure == VBRANCH_SURE && b->target >= from && b->target < to)
			return set;
		return b && b->sure == VBRANCH_SURE ? set | changed_by(w, b->target) : ~(regset)0;
	case INSN_RET:
	case INSN_TRAP:
	case INSN_OTHER:
	case INSN_NOP: return set;
	default: return ~(regset)0;
	}
}

/* May control fall out of function [from, to)?  Not behind a call. */
static bool falls_behind(const struct verify *v, uint32_t from, uint32_t to)
{
	while (to > from && is_padding(&v->insn.v[to - 1]))
		to--;
	enum insn_kind kind = v->insn.v[to - 1].kind;
	return to == from ||
		!(stops(&v->insn.v[to - 1]) || kind == INSN_CALL || kind == INSN_CALL_IND);
}

static void check_function(const struct flow *w, const struct vchanges *x)
{
	struct verify *v = w->v;
	const struct part *p = &w->part.v[part_of(w, x->insn)];
	const struct vtext *t = &v->text.v[p->text];
	uint32_t to = w->part.v[p->func_end].first;
	regset set = p->first == x->insn && w->part.v[p->func].first == x->insn ? 0 : ~(regset)0;
	for (uint32_t k = x->insn; k < to; k++)
		set |= changes_at(w, k, x->insn, to);
	if (falls_behind(v, x->insn, to))
		set |= to < t->first + t->n ? changed_by(w, to) : ~(regset)0;
	if (set & v->target->abi.call_clobbers & ~x->set)
		vfail(v, t->a, v->insn.v[x->insn].off, "changes other registers than is stated");
}

void check_changes(struct flow *w)
{
	const struct verify *v = w->v;
	const struct stated *all = v->opt.stated;
	size_t n = 0;
	for (size_t i = 0; all && i < all->changes.n; i++) {
		const struct changes_at *at = &all->changes.v[i];
		const struct vtext *t = text_at(v, at->sec);
		uint32_t k = t && at->off < t->a->size ? insn_at(v, t, at->off) : NO_INSN;
		if (k != NO_INSN && v->insn.v[k].off == at->off)
			vec_push(&w->changes, ((struct vchanges){k, at->set}));
	}
	struct vchanges *x = w->changes.v;
	if (w->changes.n)
		sort(x, w->changes.n, sizeof *x, changes_cmp);
	for (size_t i = 0; i < w->changes.n; i++)
		if (n && x[n - 1].insn == x[i].insn)
			x[n - 1].set &= x[i].set;
		else
			x[n++] = x[i];
	w->changes.n = n;
	for (size_t i = 0; i < n; i++)
		check_function(w, &x[i]);
}
