/* SPDX-License-Identifier: Apache-2.0 */
/* stack.c - do parts of the old code use their stack as compiled code does? */
#include "verify/flow.h"
#include "verify/places.h"

regset stack_copies(const struct flow *w, uint32_t part)
{
	const struct verify *v = w->v;
	const struct vtext *t = &v->text.v[w->part.v[part].text];
	regset copies = 0, before, sp = v->target->no_scratch;
	do {
		before = copies;
		for (uint32_t k = w->part.v[part].first; k < w->part.v[part + 1].first; k++) {
			const struct insn *in = &v->insn.v[k];
			struct operation op;
			if (in->kind != INSN_OTHER || !(insn_effects(in)->reads & (sp | copies)))
				continue;
			v->target->describe(v->decoder, t->a->data + in->off, in, &op);
			bool sum = op.op == OP_LEA && op.index < 0;
			int from = op.op == OP_MOVE		      ? op.src
				: op.op == OP_LEA || op.op == OP_LOAD ? op.base
								      : -1;
			regset of = op.op == OP_MOVE || sum ? sp | copies : sp;
			if (from >= 0 && (of & REG_BIT(from)))
				copies |= REG_BIT(op.dst);
		}
	} while (copies != before);
	return copies;
}

/* Does instruction in set its destination from one of copies? */
static bool is_copy(const struct verify *v, const struct vtext *t, const struct insn *in,
	regset copies)
{
	struct operation op;
	describe_change(v, t, in, v->target->no_scratch, &op);
	int from = op.op == OP_MOVE ? op.src : op.op == OP_LEA && op.index < 0 ? op.base : -1;
	return from >= 0 && (copies & REG_BIT(from));
}

/* Does instruction in store what that one loads, and there? */
static bool stores_loaded(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct operation *load)
{
	struct insn part[INSN_PARTS];
	struct operation op;
	bool stores = false;
	if (in->kind == KIND_RAW || !(in->flags & INSN_MEM))
		return false;
	for (unsigned k = vparts(v, t, in, part); k-- > 0;) {
		v->target->describe(v->decoder, t->a->data + part[k].off, &part[k], &op);
		stores |= op.op == OP_STORE && op.src == load->dst && op.index < 0 &&
			op.base == load->base && op.disp == load->disp;
	}
	return stores;
}

/* Does instruction in load the stack pointer from where the part stores it, in its frame? */
static bool is_saved_copy(const struct flow *w, uint32_t part, const struct insn *in, regset copies)
{
	const struct verify *v = w->v;
	const struct vtext *t = &v->text.v[w->part.v[part].text];
	struct operation load;
	describe_change(v, t, in, v->target->no_scratch, &load);
	if (load.op != OP_LOAD || load.index >= 0 || load.base < 0 ||
		!(copies & REG_BIT(load.base)))
		return false;
	for (uint32_t k = w->part.v[part].first; k < w->part.v[part + 1].first; k++)
		if (stores_loaded(v, t, &v->insn.v[k], &load))
			return true;
	return false;
}

/* Does instruction in push a word, or access the one on top of the stack without popping it? */
static bool makes_top(const struct verify *v, const struct vtext *t, const struct insn *in,
	enum stack_use use)
{
	regset clobbers = insn_effects(in)->clobbers;
	struct operation op;
	if (use == STACK_TOP)
		return !(clobbers & v->target->no_scratch);
	v->target->describe(v->decoder, t->a->data + in->off, in, &op);
	return v->target->link_reg < 0 && use == STACK_FRAME &&
		(op.op == OP_PUSH ||
			(op.op == OP_OTHER && clobbers == REG_BIT(v->target->stack_reg)));
}

bool is_stack_odd(const struct flow *w, uint32_t part)
{
	const struct verify *v = w->v;
	const struct vtext *t = &v->text.v[w->part.v[part].text];
	uint32_t first = w->part.v[part].first;
	bool top = bit_get(w->open, first) || bit_get(t->called, v->insn.v[first].off);
	bool pushed = false;
	regset copies = 0;
	for (uint32_t k = first; k < w->part.v[part + 1].first; k++) {
		const struct insn *in = &v->insn.v[k];
		const struct effects *e = insn_effects(in);
		if (!bit_get(w->reached, k))
			continue;
		if (in->kind == INSN_RET && pushed)
			return true;
		pushed &= in->kind == INSN_OTHER || in->kind == INSN_NOP;
		if (in->kind == KIND_RAW || in->kind == INSN_NOP || in->kind == INSN_TRAP ||
			!((e->reads | e->clobbers) & v->target->no_scratch))
			continue;
		enum stack_use use = v->target->stack_use(t->a->data + in->off, in);
		if (use == STACK_UNUSED)
			continue;
		copies = use == STACK_ODD && !copies ? stack_copies(w, part) : copies;
		if (use == STACK_TOP ? top
				     : use == STACK_ODD && !is_copy(v, t, in, copies) &&
					!is_saved_copy(w, part, in, copies))
			return true;
		top &= use != STACK_FRAME;
		pushed = in->kind == INSN_OTHER && makes_top(v, t, in, use);
	}
	return false;
}
