/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endless.c - functions of the old code that never return
 *
 * Control leaves a function by a return, by an indirect jump, by a branch to another function, by
 * running past its last instruction, or by an exception that it catches elsewhere.  A function with
 * none of these never returns.  Branches to such functions, and calls of them at the very end, do
 * no harm; so functions that lead to a removed one are removed, until the set is stable.
 */
#include "verify/branches.h"
#include "verify/flow.h"

#include "base/leads.h"

#include <stdlib.h>

/* ISO C, POSIX, the C++ ABI: not by a return. */
static bool is_last(const char *name)
{
	static const char *const last[] = {"_Exit", "_Unwind_Resume", "__assert_fail", "__chk_fail",
		"__cxa_rethrow", "__cxa_throw", "__longjmp_chk", "__stack_chk_fail", "_exit",
		"_longjmp", "abort", "exit", "longjmp", "siglongjmp"};
	for (size_t i = 0; i < sizeof last / sizeof *last; i++)
		if (!strcmp(name, last[i]))
			return true;
	return false;
}

bool is_last_call(const struct flow *w, const struct vtext *t, uint32_t k)
{
	const struct verify *v = w->v;
	const struct insn *in = &v->insn.v[k];
	const struct reloc *r = target_reloc(v, t, in);
	const struct vbranch *b = branch_at(v, k);
	if (in->kind != INSN_CALL && in->kind != INSN_CALL_IND)
		return false;
	return (r && is_last(v->a->sym.v[r->sym].name)) ||
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

/* Strike off the functions that catch exceptions. */
static void strike_catching(struct flow *w)
{
	for (size_t i = 0; i < w->pad.n; i++) {
		uint32_t func = w->part.v[part_of(w, w->pad.v[i].from)].func;
		bit_clear(w->endless, w->part.v[func].first);
	}
}

/* The instructions outside to which the function that begins with the part leads: it is judged by
 * them. */
static void find_leads(const struct flow *w, uint32_t part, lead_vec *all)
{
	const struct verify *v = w->v;
	uint32_t from = w->part.v[part].first;
	uint32_t to = unpadded(v, from, w->part.v[w->part.v[part].func_end].first);
	size_t i;
	BISECT(i, 0, v->branch.n, v->branch.v[i].insn < from);
	for (; i < v->branch.n && v->branch.v[i].insn < to; i++) {
		const struct vbranch *b = &v->branch.v[i];
		enum insn_kind kind = v->insn.v[b->insn].kind;
		bool calls = kind == INSN_CALL || kind == INSN_CALL_IND;
		if ((b->target < from || b->target >= to) && (!calls || b->insn == to - 1))
			vec_push(all, (struct lead){b->target, part});
	}
}

void find_endless(struct flow *w)
{
	struct verify *v = w->v;
	w->endless = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	lead_todo todo = {0};
	lead_vec lead = {0};
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		const struct part *p = &w->part.v[i];
		if (p->func != i || !bit_get(v->text.v[p->text].start, v->insn.v[p->first].off))
			continue;
		bit_set(w->endless, p->first);
		find_leads(w, i, &lead);
		vec_push(&todo, i);
	}
	strike_catching(w);
	leads_sort(&lead);
	while (todo.n) {
		const struct part *p = &w->part.v[todo.v[--todo.n]];
		if (!bit_get(w->endless, p->first) ||
			!is_left(w, &v->text.v[p->text], p->first, w->part.v[p->func_end].first))
			continue;
		bit_clear(w->endless, p->first);
		leads_to(&lead, p->first, &todo);
	}
	vec_free(&todo);
	vec_free(&lead);
}
