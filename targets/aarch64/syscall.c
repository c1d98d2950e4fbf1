/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - system calls that counters depend on
 *
 * By the numbers of Linux, which are in x8.  No counter is found by a thread's base here, and none
 * is at a constant address.
 */
#include "targets/aarch64/aarch64.h"

enum { NR_CLONE = 220, NR_CLONE3 = 435 };

/* The constant that mov puts in x8 behind the n instructions; false: unknown. */
static bool number(const uint8_t *text, const struct insn *in, uint32_t n, uint32_t *value)
{
	while (n-- > 0) {
		uint32_t w = get_u32(text + in[n].off);
		if (in[n].kind == INSN_CALL || in[n].kind == INSN_CALL_IND)
			return false;
		if (!(insn_effects(&in[n])->clobbers & REG_BIT(A64_X8)))
			continue;
		*value = a64_bits(w, 5, 16);
		return (w & 0x7fe0001f) == (0x52800000 | A64_X8);
	}
	return false;
}

bool a64_may_fork(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n)
{
	uint32_t nr;

	(void)d;
	if (!n || !number(text, in, n - 1, &nr))
		return true;
	return nr == NR_CLONE || nr == NR_CLONE3;
}
