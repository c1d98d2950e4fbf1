/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - system calls that counters depend on
 *
 * By the numbers of Linux, which are in $v0.  No counter is found by a thread's base here,
 * and none is at a constant address.
 */
#include "targets/mips/mips.h"

/* fork, clone, clone3; exit, exit_group; rt_sigaction, sigaction, signal; exit, rt_sigreturn,
 * sigreturn */
#if MIPS_WORD == 8
const int64_t mips_forks[] = {5056, 5055, 5435, 0};
const int64_t mips_exits[] = {5058, 5205, 0};
const int64_t mips_installs[] = {5013, 0};
const int64_t mips_leaves[] = {5058, 5211, 0};
#else
const int64_t mips_forks[] = {4002, 4120, 4435, 0};
const int64_t mips_exits[] = {4001, 4246, 0};
const int64_t mips_installs[] = {4194, 4067, 4048, 0};
const int64_t mips_leaves[] = {4001, 4193, 4119, 0};
#endif

/* addiu $v0, $0, the number. */
bool mips_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr)
{
	const struct insn *set = last_set(in, n - 1, MIPS_V0);
	uint32_t w = set ? mips_word(text + set->off) : 0;

	(void)d;
	*nr = w & 0xffff;
	return w >> 16 == 0x2402;
}
