/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - the table of targets, and questions to any of them
 */
#include "targets/target.h"

static const struct target *const targets[] = {&target_x86_64, &target_aarch64, &target_mips,
	&target_mipsel, &target_mips64el, &target_riscv64};

const struct target *target_find(uint16_t machine, uint8_t word, bool big)
{
	for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
		if (targets[i]->machine == machine && targets[i]->word == word &&
			targets[i]->big == big)
			return targets[i];
	return NULL;
}

bool syscall_listed(const int64_t *list, int64_t nr)
{
	while (*list && *list != nr)
		list++;
	return *list;
}

bool syscall_may_fork(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n)
{
	int64_t nr;
	return !n || !t->syscall.number(d, text, in, n, &nr) ||
		syscall_listed(t->syscall.forks, nr);
}

bool syscall_may_install(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n)
{
	int64_t nr;
	return !n || !t->syscall.number(d, text, in, n, &nr) ||
		syscall_listed(t->syscall.installs, nr);
}

bool syscall_may_leave(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n)
{
	int64_t nr;
	return !n || !t->syscall.number(d, text, in, n, &nr) ||
		syscall_listed(t->syscall.forks, nr) || syscall_listed(t->syscall.leaves, nr);
}

bool syscall_ends(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n)
{
	int64_t nr;
	return n && t->syscall.exits && t->syscall.number(d, text, in, n, &nr) &&
		syscall_listed(t->syscall.exits, nr);
}

const struct insn *last_set(const struct insn *in, uint32_t n, unsigned reg)
{
	while (n-- > 0 && in[n].kind != INSN_CALL && in[n].kind != INSN_CALL_IND)
		if (insn_effects(&in[n])->clobbers & REG_BIT(reg))
			return &in[n];
	return NULL;
}
