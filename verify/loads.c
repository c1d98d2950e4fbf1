/* SPDX-License-Identifier: Apache-2.0 */
/* loads.c - loads of a register in two parts: the first one does not read the register */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/passes.h"
#include "verify/places.h"

/*
 * Do the instructions from k on load, before they use the register, the part of it that p does not?
 * Branches lead on both ways.
 */
static bool loads_rest(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct load_part *p, int branches)
{
	enum { FAR = 32 };
	const regset own = REG_BIT(p->reg) | REG_BIT(p->base);
	for (uint32_t i = k; i < t->first + t->n && i < k + FAR; i++) {
		const struct insn *in = &v->insn.v[i];
		const struct vbranch *b = in->kind == INSN_BRANCH ? branch_of(v, i) : NULL;
		struct load_part q;
		if ((in->kind != INSN_OTHER && !is_padding(in) && !b) || (in->flags & INSN_VAGUE))
			return false;
		if (!b && v->target->load_part(t->a->data + in->off, in->len, &q) &&
			q.reg == p->reg)
			return q.base == p->base && q.bytes == p->bytes && q.at == p->at &&
				q.left != p->left && !insn_reloc(t, in, 0);
		const struct effects *e = insn_effects(in);
		if ((e->clobbers & own) || (e->reads & REG_BIT(p->reg)))
			return false;
		if (b &&
			(!branches || b->target < t->first || b->target >= t->first + t->n ||
				!loads_rest(v, t, b->target, p, branches - 1)))
			return false;
	}
	return false;
}

/* The first of two such loads overwrites the register. */
void join_loads(struct verify *v)
{
	for (size_t i = 0; v->target->load_part && i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k < t->first + t->n; k++) {
			struct insn *in = &v->insn.v[k];
			struct load_part p;
			const struct vbranch *b = insn_is_likely(in) ? NULL : branch_of(v, k);
			if ((in->kind != INSN_OTHER && (in->kind != INSN_BRANCH || !b)) ||
				insn_reloc(t, in, 0) || insn_reloc(t, in, in->len / 2) ||
				!v->target->load_part(t->a->data + in->off, in->len, &p) ||
				p.reg == p.base || !loads_rest(v, t, k + 1, &p, 2) ||
				(b &&
					(b->target < t->first || b->target >= t->first + t->n ||
						!loads_rest(v, t, b->target, &p, 2))))
				continue;
			struct effects e = *insn_effects(in);
			e.reads &= ~REG_BIT(p.reg);
			in->effects = effects_number(&e);
		}
	}
}
