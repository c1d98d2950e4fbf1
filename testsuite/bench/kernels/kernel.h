/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h - what the kernels share: how much to do, numbers that are the same everywhere */
#ifndef LDX_BENCH_KERNEL_H
#define LDX_BENCH_KERNEL_H

#include <stdint.h>

/* With an argument a kernel does an eighth of its work: enough for emulators. */
static inline int rounds(int argc, int n)
{
	return argc > 1 ? (n + 7) / 8 : n;
}

static inline uint32_t next_number(uint32_t *state)
{
	uint32_t x = *state;

	x ^= x << 13, x ^= x >> 17, x ^= x << 5;
	return *state = x;
}

#endif
