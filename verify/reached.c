/* SPDX-License-Identifier: Apache-2.0 */
/* reached.c - which bytes of the old code control may come to, and which are data between it */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/places.h"
#include "verify/tables.h"

#include <stdlib.h>

/* Is k behind the end of its function, by the size of its symbol? */
static bool is_behind_end(const struct verify *v, const struct vtext *t, uint32_t k)
{
	for (; k > t->first && !starts_function(v, t, k); k--)
		if (bit_get(t->ends, v->insn.v[k].off))
			return true;
	return false;
}

/* Does jump k, which is behind the end of a function, lead to what is in front of label from? */
static bool leads_back(const struct verify *v, const struct vtext *t, uint32_t k, uint32_t from)
{
	const struct vbranch *b = branch_of(v, k);
	return b && is_behind_end(v, t, k) && b->target >= t->first && b->target < from &&
		!starts_function(v, t, b->target) &&
		function_of(v, t, b->target) == function_of(v, t, k);
}

bool looks_like_code(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t x)
{
	uint32_t from = k;
	if (v->insn.v[k].off != x)
		return false;
	for (; k < t->first + t->n && !starts_function(v, t, k); k++) {
		const struct insn *in = &v->insn.v[k];
		bool branch = in->kind != KIND_RAW && in->pc_size && !(in->flags & INSN_OPERAND_PC);
		if (in->kind == KIND_RAW || (in->flags & INSN_VAGUE) ||
			(branch && !insn_reloc(t, in, in->pc_off) && is_odd(v, t, in)))
			return false;
		if (in->kind == INSN_RET || in->kind == INSN_JUMP || in->kind == INSN_JUMP_IND)
			return !leads_back(v, t, k, from);
	}
	return false;
}

static void lead_to(struct flow *w, uint32_t k)
{
	bit_set(w->led_to, k);
}

static void lead_by(struct flow *w, const struct vtable *table)
{
	const struct verify *v = w->v;
	struct vwords x = vtable_words(v, table);
	uint32_t sec;
	uint64_t to;
	while (vtable_next(v, &x, &sec, &to))
		if (to < text_at(v, sec)->a->size)
			lead_to(w, insn_at(v, text_at(v, sec), to));
}

void find_led_to(struct flow *w)
{
	const struct verify *v = w->v;
	w->led_to = arena_array(&w->v->arena, uint64_t, v->insn.n / 64 + 1);
	for (size_t i = 0; i < v->branch.n; i++)
		if (bit_get(w->reached, v->branch.v[i].insn))
			lead_to(w, v->branch.v[i].target);
	for (size_t i = 0; i < w->pad.n; i++)
		lead_to(w, w->pad.v[i].pad);
	for (size_t i = 0; i < v->table.n; i++)
		lead_by(w, &v->table.v[i]);
	for (size_t i = 0; i < w->across.n; i++)
		lead_to(w, w->across.v[i].label);
	for (uint32_t i = 0; i + 1 < w->part.n; i++)
		if (!w->part.v[i].idle)
			lead_to(w, w->part.v[i].first);
}

bool stops(const struct insn *in)
{
	return in->kind == INSN_JUMP || in->kind == INSN_JUMP_IND || in->kind == INSN_RET ||
		in->kind == KIND_RAW || (in->kind == INSN_TRAP && !(in->flags & INSN_VAGUE));
}

typedef VEC(uint32_t) insn_vec;

/* Mark k and what follows it as reached; append the targets of branches and calls to todo. */
static void reach(struct flow *w, uint32_t k, insn_vec *todo)
{
	const struct verify *v = w->v;
	const struct vtext *t = &v->text.v[w->part.v[part_of(w, k)].text];
	for (; k < t->first + t->n && !bit_get(w->reached, k); k++) {
		const struct insn *in = &v->insn.v[k];
		bool leads = in->kind != INSN_OTHER && in->kind != INSN_NOP && in->kind != KIND_RAW;
		const struct vbranch *b = leads ? branch_at(v, k) : NULL;
		bit_set(w->reached, k);
		if (b)
			vec_push(todo, b->target);
		if (stops(in))
			break;
	}
}

/* Does control come to k from elsewhere?  Not to data that is taken for code. */
static bool is_entered(const struct flow *w, const struct vtext *t, uint32_t k)
{
	const struct verify *v = w->v;
	const struct part *p = w->part.v;
	uint32_t x = v->insn.v[k].off;
	bool named = bit_get(t->named, x) || (starts_function(v, t, k) && !bit_get(t->loose, x));
	return named || k == t->first || bit_get(w->open, k) ||
		(bit_get(w->taken, k) &&
			(p[p[part_of(w, k)].func].func_jumps || looks_like_code(v, t, k, x)));
}

void find_reached(struct flow *w)
{
	const struct verify *v = w->v;
	insn_vec todo = {0};
	w->reached = arena_array(&w->v->arena, uint64_t, v->insn.n / 64 + 1);
	for (size_t i = 0; i < v->text.n; i++)
		for (uint32_t k = v->text.v[i].first; k < v->text.v[i].first + v->text.v[i].n; k++)
			if (is_entered(w, &v->text.v[i], k))
				vec_push(&todo, k);
	for (size_t i = 0; i < w->pad.n; i++)
		vec_push(&todo, w->pad.v[i].pad);
	for (size_t i = 0; i < w->across.n; i++)
		vec_push(&todo, w->across.v[i].label);
	while (todo.n)
		reach(w, todo.v[--todo.n], &todo);
	vec_free(&todo);
}
