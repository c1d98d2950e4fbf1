/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - system calls that counters depend on
 *
 * By the numbers of Linux, which are in a7.  No counter is found by a thread's base here, and none
 * is at a constant address.
 */
#include "targets/riscv64/riscv64.h"

enum { NR_CLONE = 220, NR_CLONE3 = 435 };

/* The constant that li puts in a7 behind the n instructions; false: unknown. */
static bool number(const uint8_t *text, const struct insn *in, uint32_t n, int32_t *value)
{
	while (n-- > 0) {
		uint32_t w = rv_word(text + in[n].off);

		if (in[n].kind == INSN_CALL || in[n].kind == INSN_CALL_IND)
			return false;
		if (!(insn_effects(&in[n])->clobbers & REG_BIT(RV_A7)))
			continue;
		*value = rv_imm(w);
		return (w & 0xfffff) == (RV_OP_IMM | RV_A7 << 7);
	}
	return false;
}

bool rv_may_fork(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n)
{
	int32_t nr;

	(void)d;
	if (!n || !number(text, in, n - 1, &nr))
		return true;
	return nr == NR_CLONE || nr == NR_CLONE3;
}
