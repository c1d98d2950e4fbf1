/* SPDX-License-Identifier: Apache-2.0 */
/* op.c - instructions as the jump-table analysis sees them: only that a jump goes to a register */
#include "targets/mips/mips.h"

void mips_describe(struct decoder *d, const uint8_t *p, const struct insn *in, struct operation *op)
{
	uint32_t w = mips_word(p);

	(void)d;
	*op = (struct operation){.op = OP_OTHER,
		.dst = -1,
		.src = -1,
		.base = -1,
		.index = -1,
		.scale = 1};
	if (in->kind != INSN_JUMP_IND && in->kind != INSN_CALL_IND)
		return;
	op->op = in->kind == INSN_JUMP_IND ? OP_JUMP_REG : OP_CALL_REG;
	op->src = (int)mips_bits(w, 21, 5);
	op->size = 4;
}
