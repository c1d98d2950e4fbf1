/* SPDX-License-Identifier: Apache-2.0 */
/*
 * platform.c - the table of platforms
 */
#include "targets/platform.h"

const struct platform *const platforms[] = {&platform_x86_64, &platform_aarch64, &platform_mips,
	&platform_mipsel, &platform_mips64el, &platform_riscv64};
const size_t nplatforms = sizeof platforms / sizeof platforms[0];

const struct platform *platform_find(uint16_t machine, uint8_t word, bool big)
{
	for (size_t i = 0; i < nplatforms; i++)
		if (platforms[i]->machine == machine && platforms[i]->word == word &&
			platforms[i]->big == big)
			return platforms[i];
	return NULL;
}

bool platform_relaxes(uint16_t machine)
{
	bool relaxes = false;

	for (size_t i = 0; i < nplatforms; i++)
		relaxes |= platforms[i]->machine == machine && platforms[i]->relaxes;
	return relaxes;
}
