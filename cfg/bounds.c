/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounds.c - how large a number may be: values of the kinds BOUND and COMPARED
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
 * it: size bytes of each.
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
			size[op.dst] = op.size;
		else if (op.dst == from && !(settled & REG_BIT(op.src)))
			size[op.src] = op.size;
	}
}

/*
 * The number of values that an index can have behind a compare with that number and a branch; 0:
 * any.
 */
static uint32_t values(int64_t with, const struct operation *branch)
{
	int64_t n = with + !branch->imm;
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
			return values(op.imm, &branch);
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
		return is_bound(s->reg[op->src]) ? s->reg[op->src] : bound(UINT64_MAX, UINT32_MAX);
	uint64_t most = largest_made(at->in, op);
	if (op->op == OP_MOVE && op->size == 4)
		most = low_of(s->reg[op->src]);
	return bound(most, UINT32_MAX);
}

regset bounds_depend(const struct operation *op)
{
	return op->op == OP_MOVE ? bit_of(op->src) : op->op == OP_LOAD ? bit_of(op->base) : 0;
}

/* Is nothing known of v but how large it may be? */
static bool may_be_bounded(struct value v)
{
	return v.what == ANYTHING || is_bound(v);
}

void forget_compared(const struct values *v, struct state *s)
{
	for (regset some = state_holds(s, COMPARED); some; some &= some - 1)
		state_set(v, s, (int)lowest_reg(some), not_compared(s->reg[lowest_reg(some)]));
}

/*
 * hazard: compare in front of several branches.  Where gcc divides many cases, a signed branch may
 * stand between the compare of an index and the branch that bounds it.
 */
void step_compare(const struct step_at *at, struct state *s, const struct operation *op)
{
	const struct values *v = at->v;
	uint8_t size[REGS] = {0};
	if (!may_change_flags(at->in))
		return;
	forget_compared(v, s);
	if (op->op != OP_CMP_IMM || op->size < 4 || op->imm < 0 || op->imm > MOST_ENTRIES)
		return;
	size[op->dst] = 8;
	find_copies(&(struct before){v->g, v->decoder, v->t, v->g->block.v[at->b].insn}, at->i,
		op->dst, size);
	for (int r = 0; r < REGS; r++) {
		struct value old = s->reg[r];
		if (size[r] && may_be_bounded(old))
			state_set(v, s, r,
				(struct value){COMPARED,
					.reg = size[r] < op->size ? size[r] : op->size,
					.n = (int64_t)most_of(old), .base = (uint32_t)low_of(old),
					.lo = (int32_t)op->imm});
	}
}

/* The branch at the end of block b, if flags that it uses say how large a number is; or OP_OTHER.
 */
static struct operation bounding_branch(const struct values *v, uint32_t b)
{
	const struct block *bl = &v->g->block.v[b];
	const struct insn *in = &v->g->insn.v[bl->insn + bl->ninsn - 1];
	struct operation op = {.op = OP_OTHER};
	if (bl->end == END_BRANCH && bl->target != bl->fall)
		v->g->target->describe(v->decoder, insn_bytes(v->t, in), in, &op);
	if (op.op != OP_BRANCH_UP_TO && op.op != OP_BRANCH_ABOVE)
		op.op = OP_OTHER;
	return op;
}

bool bounds_by_flags(const struct values *v, uint32_t b)
{
	return bounding_branch(v, b).op != OP_OTHER;
}

/* What is COMPARED, and has one of n values; 0: any. */
static struct value narrowed(struct value v, uint32_t n)
{
	bool whole = v.reg == 8 || most_of(v) <= UINT32_MAX;
	v.n = n && whole && n - 1 < most_of(v) ? (int64_t)(n - 1) : v.n;
	v.base = n && n - 1 < v.base ? n - 1 : v.base;
	return v;
}

void bound_edge(const struct values *v, uint32_t b, bool taken, struct state *s)
{
	const struct block *bl = &v->g->block.v[b];
	uint32_t to = taken ? bl->target : bl->fall;
	regset some = state_holds(s, COMPARED);
	if (!some || !func_has_block(v->f, to))
		return;
	struct operation op = bounding_branch(v, b);
	bool says = op.op == (taken ? OP_BRANCH_UP_TO : OP_BRANCH_ABOVE);
	for (regset all = some; says && all; all &= all - 1) {
		struct value old = s->reg[lowest_reg(all)];
		state_set(v, s, (int)lowest_reg(all), narrowed(old, values(old.lo, &op)));
	}
	if (!(asked_at(v, to) & REGSET_FLAGS))
		forget_compared(v, s);
}
