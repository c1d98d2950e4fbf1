/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branches.c - direct branches and calls of the old code
 */
#include "verify/branches.h"
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
