/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.c - how large a number may be: values of the kind BOUND
 */
#include "cfg/bounds.h"

#include "cfg/refs.h"

uint64_t largest_made(const struct insn *in, const struct operation *op)
{
	if (op->op == OP_IMM && !op->pc_rel && !in->has_rel && op->imm >= 0)
		return (uint64_t)op->imm;
	return op->max ? op->max : UINT64_MAX;
}

/* Compares ---------------------------------------------------------------- */

/* The code in front of a compare, or of a branch. */
struct before {
	const struct cfg *g;
	struct decoder *d;
	const struct code_section *c;
	uint32_t first;
};

static void describe(const struct before *w, uint32_t i, struct operation *op)
{
	const struct insn *in = &w->g->insn.v[i];
	w->g->target->describe(w->d, insn_bytes(w->c, in), in, op);
}

/* The registers that insn i may change. */
static regset changed(const struct before *w, uint32_t i)
{
	const struct insn *in = &w->g->insn.v[i];
	bool calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	return in->flags & INSN_VAGUE
		? ~(regset)0
		: insn_effects(in)->clobbers | (calls ? w->g->target->abi.call_clobbers : 0);
}

/*
 * Registers that have the value of register `from', which insn i compares, by copies in front of
 * it: size bytes of each.  A copy of four bytes to another register has no more.
 */
static void find_copies(const struct before *w, uint32_t i, int from, uint8_t size[REGS])
{
	regset settled = 0;
	struct operation op;
	while (i-- > w->first && !(settled & REG_BIT(from))) {
		regset change = changed(w, i) & ~settled;
		settled |= change;
		describe(w, i, &op);
		if (op.op != OP_MOVE || op.size < 4 || op.dst >= REGS || op.src >= REGS)
			continue;
		if (op.src == from && change & REG_BIT(op.dst))
			size[op.dst] = 8;
		else if (op.dst == from && !(settled & REG_BIT(op.src)))
			size[op.src] = op.size;
	}
}

/* The number of values that an index can have behind a compare with imm and a branch; 0: any. */
static uint32_t values(const struct operation *compare, const struct operation *branch)
{
	int64_t n = compare->imm + !branch->imm;
	return n > 0 && n <= MOST_ENTRIES ? (uint32_t)n : 0;
}

uint32_t compared(const struct cfg *g, struct decoder *d, const struct code_section *c,
	uint32_t first, uint32_t i, bool taken, uint8_t size[REGS])
{
	const struct before w = {g, d, c, first};
	struct operation op, branch;
	regset lost = 0;
	memset(size, 0, REGS);
	describe(&w, i, &branch);
	if (branch.op != (taken ? OP_BRANCH_UP_TO : OP_BRANCH_ABOVE))
		return 0;
	while (i-- > first) {
		describe(&w, i, &op);
		if (op.op == OP_CMP_IMM) {
			size[op.dst] = 8;
			find_copies(&w, i, op.dst, size);
			for (int r = 0; r < REGS; r++)
				size[r] = lost & REG_BIT(r) ? 0
					: size[r] < op.size ? size[r]
							    : op.size;
			return values(&op, &branch);
		}
		lost |= changed(&w, i);
		if (lost & REGSET_FLAGS)
			return 0;
	}
	return 0;
}

/* Values ------------------------------------------------------------------ */

struct value step_bound(const struct step_at *at, const struct state *s, const struct operation *op)
{
	if (op->op == OP_MOVE && op->size == 8)
		return s->reg[op->src].what == BOUND ? s->reg[op->src]
						     : bound(UINT64_MAX, UINT32_MAX);
	uint64_t most = largest_made(at->in, op);
	if (op->op == OP_MOVE && op->size == 4)
		most = low_of(s->reg[op->src]);
	return bound(most, UINT32_MAX);
}

regset bounds_depend(const struct operation *op)
{
	return op->op == OP_MOVE ? bit_of(op->src) : op->op == OP_LOAD ? bit_of(op->base) : 0;
}

void bound_edge(const struct values *v, uint32_t b, bool taken, struct state *s)
{
	const struct block *bl = &v->g->block.v[b];
	uint8_t size[REGS];
	uint32_t n = bl->end != END_BRANCH || bl->target == bl->fall
		? 0
		: compared(v->g, v->decoder, v->t, bl->insn, bl->insn + bl->ninsn - 1, taken, size);
	for (int r = 0; n && r < REGS; r++) {
		struct value old = s->reg[r];
		bool whole = size[r] == 8 || most_of(old) <= UINT32_MAX;
		if (!size[r] || (old.what != ANYTHING && old.what != BOUND))
			continue;
		uint64_t most = whole && n - 1 < most_of(old) ? n - 1 : most_of(old);
		state_set(v, s, r, bound(most, n - 1 < low_of(old) ? n - 1 : low_of(old)));
	}
}
