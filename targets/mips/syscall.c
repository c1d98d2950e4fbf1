/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - system calls that counters depend on
 *
 * By the numbers of Linux, which are in $v0.  No counter is found by a thread's base here,
 * and none is at a constant address.
 */
#include "targets/mips/mips.h"

enum {
	NR_FORK = MIPS_WORD == 8 ? 5056 : 4002,
	NR_CLONE = MIPS_WORD == 8 ? 5055 : 4120,
	NR_CLONE3 = MIPS_WORD == 8 ? 5435 : 4435
};

/* The constant that addiu $v0,$0,n puts there behind the n instructions; false: unknown. */
static bool number(const uint8_t *text, const struct insn *in, uint32_t n, uint32_t *value)
{
	while (n-- > 0) {
		uint32_t w = mips_word(text + in[n].off);

		if (in[n].kind != INSN_OTHER && in[n].kind != INSN_NOP)
			return false;
		if (!(insn_effects(&in[n])->clobbers & REG_BIT(MIPS_V0)))
			continue;
		*value = w & 0xffff;
		return w >> 16 == 0x2402;
	}
	return false;
}

bool mips_may_fork(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n)
{
	uint32_t nr;

	(void)d;
	if (!n || !number(text, in, n - 1, &nr))
		return true;
	return nr == NR_FORK || nr == NR_CLONE || nr == NR_CLONE3;
}
