/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall.c - system calls that counters depend on
 *
 * By the numbers of Linux, which are in a7.  No counter is found by a thread's base here, and none
 * is at a constant address.
 */
#include "targets/riscv64/riscv64.h"

const int64_t rv_forks[] = {220 /* clone */, 435 /* clone3 */, 0};
const int64_t rv_installs[] = {134 /* rt_sigaction */, 0};
const int64_t rv_leaves[] = {93 /* exit */, 139 /* rt_sigreturn */, 0};
const int64_t rv_exits[] = {93 /* exit */, 94 /* exit_group */, 0};

/* li a7, the number. */
bool rv_syscall_number(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr)
{
	const struct insn *set = last_set(in, n - 1, RV_A7);
	uint32_t w = set ? rv_word(text + set->off) : 0;

	(void)d;
	*nr = rv_imm(w);
	return (w & 0xfffff) == (RV_OP_IMM | RV_A7 << 7);
}
