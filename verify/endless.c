/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endless.c - functions of the old code that never return
 *
 * Control leaves a function by a return, by an indirect jump, by a branch to another function, by
 * running past its last instruction, or by an exception that it catches elsewhere.  The rewriter
 * states which functions have none of these, but branches to such functions, and calls of them at
 * the very end: each is looked at once.
 */
#include "verify/branches.h"
#include "verify/flow.h"

#include "verify/places.h"

#include "program/library.h"
#include "targets/stated.h"

bool is_last_call(const struct flow *w, const struct vtext *t, uint32_t k)
{
	const struct verify *v = w->v;
	const struct insn *in = &v->insn.v[k];
	const struct reloc *r = target_reloc(v, t, in);
	const struct vbranch *b = branch_at(v, k);
	if (in->kind != INSN_CALL && in->kind != INSN_CALL_IND)
		return false;
	return (r && callee_by_name(v->a->sym.v[r->sym].name) >= CALLEE_DIES) ||
		(b && b->sure == VBRANCH_SURE && bit_get(w->endless, b->target));
}

/* May control leave the function [from, to) at instruction k other than by a call? */
static bool leaves(const struct flow *w, uint32_t k, uint32_t from, uint32_t to)
{
	const struct verify *v = w->v;
	const struct vbranch *b;
	switch (v->insn.v[k].kind) {
	case KIND_RAW:
	case KIND_CHANGED:
	case INSN_RET: return true;
	case INSN_JUMP_IND:
	case INSN_JUMP:
	case INSN_BRANCH:
		b = branch_of(v, k);
		return !b || b->sure != VBRANCH_SURE ||
			((b->target < from || b->target >= to) && !bit_get(w->endless, b->target));
	default: return false;
	}
}

/* The end of function [from, to) without the padding behind it. */
static uint32_t unpadded(const struct verify *v, uint32_t from, uint32_t to)
{
	while (to > from && is_padding(&v->insn.v[to - 1]))
		to--;
	return to;
}

/* May control run past the end of function [from, to)? */
static bool runs_out(const struct flow *w, const struct vtext *t, uint32_t from, uint32_t to)
{
	const struct verify *v = w->v;
	to = unpadded(v, from, to);
	if (to == from)
		return true;
	enum insn_kind last = v->insn.v[to - 1].kind;
	return last != INSN_JUMP && last != INSN_JUMP_IND && last != INSN_TRAP &&
		!is_last_call(w, t, to - 1);
}

static bool is_left(const struct flow *w, const struct vtext *t, uint32_t from, uint32_t to)
{
	for (uint32_t k = from; k < to; k++)
		if (leaves(w, k, from, to))
			return true;
	return runs_out(w, t, from, to);
}

/* Does the function that begins with insn k catch exceptions? */
static bool catches(const struct flow *w, uint32_t k)
{
	for (size_t i = 0; i < w->pad.n; i++)
		if (w->part.v[w->part.v[part_of(w, w->pad.v[i].from)].func].first == k)
			return true;
	return false;
}

/* The part with which a function begins there; NO_PART: none does. */
enum { NO_PART = UINT32_MAX };
static uint32_t func_at(const struct flow *w, const struct place_at *at)
{
	const struct verify *v = w->v;
	const struct vtext *t = text_at(v, at->sec);
	if (!t || at->off >= t->a->size || !bit_get(t->start, at->off))
		return NO_PART;
	uint32_t i = part_of(w, insn_at(v, t, at->off));
	const struct part *p = &w->part.v[i];
	return p->func == i && v->insn.v[p->first].off == at->off ? i : NO_PART;
}

void check_endless(struct flow *w)
{
	struct verify *v = w->v;
	const struct stated *all = v->opt.stated;
	size_t n = all ? all->endless.n : 0;
	uint32_t i;
	w->endless = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	for (size_t k = 0; k < n; k++)
		if ((i = func_at(w, &all->endless.v[k])) != NO_PART)
			bit_set(w->endless, w->part.v[i].first);
	for (size_t k = 0; k < n; k++) {
		if ((i = func_at(w, &all->endless.v[k])) == NO_PART)
			continue;
		const struct part *p = &w->part.v[i];
		const struct vtext *t = &v->text.v[p->text];
		/* what is behind it may have lost its name */
		bool left = is_left(w, t, p->first, w->part.v[p->func_end].first) &&
			is_left(w, t, p->first, p[1].first);
		if (left || catches(w, p->first))
			vfail(v, t->a, v->insn.v[p->first].off,
				"is said never to return, which is not what follows");
	}
}
