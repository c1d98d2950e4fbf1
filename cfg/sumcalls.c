/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sumcalls.c - does a function call an address that may be a sum?
 */
#include "cfg/origins.h"
#include "cfg/refs.h"
#include "cfg/tables.h"

/*
 * Does block b call an address in a register?
 *
 * hazard: row of code called.  lea row-64(%rip); add; call leads to one of several rows by
 * arithmetic, and the label may even be that of the function in front.
 */
static bool calls_register(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	const struct code_section *c = &g->text.v[g->func.v[bl->func].text];
	uint32_t i = bl->insn + bl->ninsn - 1;
	return bl->end == END_CALL && g->insn.v[i].kind == INSN_CALL_IND &&
		!(g->insn.v[i].flags & INSN_MEM) && !cfg_callee_symbol(g, c, i);
}

static regset asks(const struct values *v, uint32_t b, uint32_t i)
{
	regset reads = insn_effects(&v->g->insn.v[i])->reads & REGSET_GENERAL;
	return calls_register(v->g, b) ? reads : 0;
}

static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	struct operation op;
	(void)ctx;
	if (!at->leads || !calls_register(at->v->g, at->b))
		return false;
	step_describe(at, &op);
	return op.op == OP_CALL_REG && origins(origin_in(s, op.src)) & (FROM_SUM | FROM_OTHER);
}

bool calls_sum(struct values *v, uint32_t f)
{
	const struct func *func = &v->g->func.v[f];
	bool calls = false;
	for (uint32_t b = func->block; b < func->block + func->nblock && !calls; b++)
		calls = calls_register(v->g, b);
	v->kinds = KIND(ORIGIN);
	v->asks = asks;
	v->enter = enter_from_outside;
	v->lead = lead_to_taken;
	v->seek = look;
	return calls && values_walk(v, f);
}
