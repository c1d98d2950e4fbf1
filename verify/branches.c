/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branches.c - direct branches and calls of the old code
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/sites.h"

uint32_t leaving_branch(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint32_t i = before_padding(v, t, k == NO_INSN ? t->first + t->n : k);
	return i > t->first && is_conditional(&v->insn.v[i - 1]) ? i - 1 : NO_INSN;
}

const struct reloc *callee_of(const struct verify *v, const struct vtext *t, const struct insn *in)
{
	bool indirect = in->kind == INSN_CALL_IND || in->kind == INSN_JUMP_IND;
	const struct reloc *r = indirect ? insn_reloc(t, in, 0) : NULL;
	return r && v->target->reloc_info(r->type)->callee ? r : NULL;
}

const struct reloc *target_reloc(const struct verify *v, const struct vtext *t,
	const struct insn *in)
{
	return in->pc_size ? insn_reloc(t, in, in->pc_off) : callee_of(v, t, in);
}

bool is_branch(const struct insn *in)
{
	return in->kind == INSN_JUMP || in->kind == INSN_BRANCH;
}

const struct vbranch *branch_at(const struct verify *v, uint32_t k)
{
	size_t i;
	BISECT(i, 0, v->branch.n, v->branch.v[i].insn < k);
	return i < v->branch.n && v->branch.v[i].insn == k ? &v->branch.v[i] : NULL;
}

const struct vbranch *branch_of(const struct verify *v, uint32_t k)
{
	const struct vbranch *b = is_branch(&v->insn.v[k]) ? branch_at(v, k) : NULL;
	return b && b->sure == VBRANCH_SURE ? b : NULL;
}

/* Finding them -------------------------------------------------------------- */

bool is_odd(const struct verify *v, const struct vtext *t, const struct insn *in)
{
	uint32_t sec;
	uint64_t x;
	insn_target(v, t, in, NULL, &sec, &x);
	return !is_boundary(v, sec, x) &&
		!(x && x < t->a->size && (v->insn.v[insn_at(v, t, x)].flags & INSN_LOCK_SPLIT));
}

/* Preemptible: another module's definition of the same name may be used instead. */
static bool is_preemptible(const struct verify *v, const struct symbol *s)
{
	return v->opt.shared && symbol_bind(s) != STB_LOCAL && (s->other & 3) == STV_DEFAULT;
}

/* Does a call, or a jump of another function, to x of text to lead to a routine of a tool? */
static bool is_replaced(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct vtext *to, uint64_t x)
{
	uint8_t kind = v->insn.v[k].kind;
	bool call = kind == INSN_CALL || kind == INSN_CALL_IND;
	return to->replaced && bit_get(to->replaced, x) &&
		(call || t != to || v->insn.v[function_of(v, t, k)].off != x);
}

static void find_replaced(struct verify *v)
{
	for (size_t i = 0; i < v->asked.n; i++) {
		const struct vcount *c = &v->asked.v[i];
		struct vtext *t = &v->text.v[c->text];
		if (c->kind != COUNTS_CALLS)
			continue;
		if (!t->replaced)
			t->replaced = arena_array(&v->arena, uint64_t, t->a->size / 64 + 1);
		bit_set(t->replaced, c->from);
	}
}

static void add_branch(struct verify *v, const struct vtext *t, uint32_t k, const struct reloc *r)
{
	const struct insn *in = &v->insn.v[k];
	const struct symbol *s = r ? &v->a->sym.v[r->sym] : NULL;
	uint32_t sec;
	uint64_t x;
	struct vtext *to;
	if (!r && is_odd(v, t, in))
		bit_set(t->raw, v->insn.v[function_of(v, t, k)].off);
	if ((in->pc_size ? !insn_target(v, t, in, r, &sec, &x) : !place_of(v->a, r, 0, &sec, &x)) ||
		!(to = text_at(v, sec)) || x >= to->a->size)
		return;
	uint32_t target = insn_at(v, to, x);
	uint8_t sure = VBRANCH_SURE;
	if (s && symbol_type(s) == STT_GNU_IFUNC)
		sure = VBRANCH_CHOSEN;
	else if ((s && is_preemptible(v, s)) || is_replaced(v, t, k, to, x))
		sure = VBRANCH_PREEMPTED;
	vec_push(&v->branch, (struct vbranch){k, target, sure});
	/* a call of what follows it only pushes the address */
	if ((in->kind == INSN_CALL || in->kind == INSN_CALL_IND) && sure != VBRANCH_CHOSEN &&
		target != k + 1)
		bit_set(to->called, x);
}

static void collect_branches(struct verify *v)
{
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		const struct section *s = t->a;
		uint32_t r = 0;
		for (uint32_t k = t->first; k < t->first + t->n; k++) {
			const struct insn *in = &v->insn.v[k];
			const struct reloc *callee = callee_of(v, t, in);
			if (callee)
				add_branch(v, t, k, callee);
			if (in->kind == KIND_RAW || !in->pc_size || (in->flags & INSN_OPERAND_PC))
				continue;
			uint64_t field = in->off + in->pc_off;
			while (r < s->nrel &&
				(s->rel[r].off < field ||
					(s->rel[r].off == field && s->rel[r].type == R_NONE)))
				r++;
			bool has = r < s->nrel && s->rel[r].off == field;
			add_branch(v, t, k, has ? &s->rel[r] : NULL);
		}
	}
}

void verify_branches(struct verify *v)
{
	find_replaced(v);
	collect_branches(v);
}
