/* SPDX-License-Identifier: Apache-2.0 */
/* state_live.c - what the liveness analysis has found, as facts that the verifier checks */
#include "cfg/live.h"

#include "targets/stated.h"

static void state_block(const struct cfg *g, const struct code_section *c, uint32_t b,
	const struct live *live)
{
	const struct block *bl = &g->block.v[b];
	const struct func *f = &g->func.v[bl->func];
	struct fact at = {.use = live->use,
		.pass = f->why != OPAQUE_NOT ? ~(regset)0 : live->pass,
		.ret = f->ret_live | g->target->abi.ret_live};
	at.pass |= at.use;
	stated_add(g->stated, c->sec->index, g->insn.v[bl->insn].off, &at);
}

void state_liveness(const struct cfg *g, const struct live *live_in)
{
	stated_clear(g->stated);
	for (size_t i = 0; i < g->text.n; i++) {
		const struct code_section *c = &g->text.v[i];
		for (uint32_t b = c->block; b < c->block + c->nblock; b++)
			if (!g->block.v[b].gap)
				state_block(g, c, b, &live_in[b]);
	}
}
