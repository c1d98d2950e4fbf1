/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.c - the table of targets
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
