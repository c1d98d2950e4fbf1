/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endless.c - functions of the old code that never return
 *
 * Control leaves a function by a return, by an indirect jump, by a branch to another function, by
 * running past its last instruction, or by an exception that it catches elsewhere.  A function with
 * none of these never returns.  Branches to such functions, and calls of them at the very end, do
 * no harm; so functions are struck off until none is left that leads to a struck one.
 */
#include "verify/flow.h"

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

/* May control run past the end of function [from, to)? */
static bool runs_out(const struct flow *w, const struct vtext *t, uint32_t from, uint32_t to)
{
	const struct verify *v = w->v;
	while (to > from && is_padding(&v->insn.v[to - 1]))
		to--;
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

void find_endless(struct flow *w)
{
	struct verify *v = w->v;
	w->endless = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	VEC(uint32_t) left = {0};
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		const struct part *p = &w->part.v[i];
		if (p->func != i || !bit_get(v->text.v[p->text].start, v->insn.v[p->first].off))
			continue;
		bit_set(w->endless, p->first);
		vec_push(&left, i);
	}
	strike_catching(w);
	size_t before, n;
	do {
		before = left.n;
		n = 0;
		for (size_t i = 0; i < left.n; i++) {
			const struct part *p = &w->part.v[left.v[i]];
			if (!bit_get(w->endless, p->first))
				continue;
			if (is_left(w, &v->text.v[p->text], p->first, w->part.v[p->func_end].first))
				bit_clear(w->endless, p->first);
			else
				left.v[n++] = left.v[i];
		}
		left.n = n;
	} while (n < before);
	vec_free(&left);
}
