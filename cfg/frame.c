/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.c - words of the frame to which nothing has an address but the stack pointer
 *
 * hazard: address of a table in the frame.  Compilers keep registers in the frame: such a word is
 * the compiler's own, and has what was stored there.
 */
#include "cfg/refs.h"
#include "cfg/values.h"

static bool overlap(const struct cfg *g, int64_t word, int64_t at, unsigned size)
{
	int64_t end = word + g->target->word;
	return size ? at < end && word < at + size : at < end && at > word - g->target->word;
}

/*
 * May something access the frame's word by an address that insn i makes?  The address of
 * another object, and an index to that, lead to no word in which the compiler keeps a register; but
 * a copy of the stack pointer that is kept over calls may be the frame pointer.
 */
static bool may_share_by(const struct values *v, const struct insn *in, int64_t word)
{
	const struct cfg *g = v->g;
	const uint8_t *p = insn_bytes(v->t, in);
	int sp = g->target->stack_reg;
	struct operation op;
	int64_t at;
	unsigned size;
	bool store;
	if (!(insn_effects(in)->reads & REG_BIT(sp)))
		return false;
	g->target->describe(v->decoder, p, in, &op);
	if (op.op == OP_MOVE && op.src == sp)
		return !(g->target->abi.call_clobbers & REG_BIT(op.dst)) || overlap(g, word, 0, 0);
	if (g->target->frame_access(p, in, &at, &size, &store))
		return !size && overlap(g, word, at, size);
	if (in->kind != INSN_OTHER)
		return false; /* it passes the stack on */
	if (in->flags & INSN_MEM && insn_effects(in)->clobbers & REG_BIT(sp))
		return false; /* the frame begins or ends */
	bool adds = op.op == OP_LEA && (op.base == sp) != (op.index == sp);
	return !adds || (op.index < 0 && op.dst != sp && overlap(g, word, op.disp, 0));
}

static bool may_share(const struct values *v, uint32_t i, int64_t word)
{
	struct insn part[INSN_PARTS];
	bool may = false;
	for (unsigned k = 0, n = cfg_parts(v->g, v->decoder, v->t, &v->g->insn.v[i], part); k < n;
		k++)
		may |= may_share_by(v, &part[k], word);
	return may;
}

bool owns_word(const struct values *v, int64_t disp)
{
	const struct cfg *g = v->g;
	const struct block *last = &g->block.v[v->f->block + v->f->nblock - 1];
	if (!v->own)
		return false;
	for (size_t k = 0; k < v->own->word.n; k++)
		if (v->own->word.v[k].at == disp)
			return v->own->word.v[k].own;
	bool own = true;
	for (uint32_t i = g->block.v[v->f->block].insn; own && i < last->insn + last->ninsn; i++)
		own = !may_share(v, i, disp);
	vec_reserve(&v->own->word, v->own->word.n + 1);
	v->own->word.v[v->own->word.n].at = disp;
	v->own->word.v[v->own->word.n++].own = own;
	return own;
}
