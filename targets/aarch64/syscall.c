/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - system calls that counters depend on
 *
 * By the numbers of Linux, which are in x8.  No counter is found by a thread's base here, and none
 * is at a constant address.
 */
#include "targets/aarch64/aarch64.h"

const int64_t a64_forks[] = {220 /* clone */, 435 /* clone3 */, 0};
const int64_t a64_installs[] = {134 /* rt_sigaction */, 0};
const int64_t a64_leaves[] = {93 /* exit */, 139 /* rt_sigreturn */, 0};
const int64_t a64_exits[] = {93 /* exit */, 94 /* exit_group */, 0};

/* mov x8, a constant. */
bool a64_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr)
{
	const struct insn *set = last_set(in, n - 1, A64_X8);
	uint32_t w = set ? get_u32(text + set->off) : 0;

	(void)d;
	*nr = a64_bits(w, 5, 16);
	return (w & 0x7fe0001f) == (0x52800000 | A64_X8);
}
