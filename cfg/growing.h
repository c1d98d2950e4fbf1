/* SPDX-License-Identifier: Apache-2.0 */
/* growing.h - sets of registers that several threads read while one adds to them */
#ifndef LDX_CFG_GROWING_H
#define LDX_CFG_GROWING_H

#include "targets/insn.h"

/*
 * Threads read each other's sets while these grow, half by half.  A function that has read a set
 * too early is due again when the set has grown.
 */
typedef uint64_t __attribute__((may_alias)) half;
enum { HALF = 64, LOW = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

static inline regset peek(const regset *set)
{
	const half *h = (const half *)set;
	return __atomic_load_n(&h[LOW], __ATOMIC_RELAXED) |
		(regset)__atomic_load_n(&h[!LOW], __ATOMIC_RELAXED) << HALF;
}

static inline void put(regset *set, regset to)
{
	half *h = (half *)set;
	__atomic_store_n(&h[LOW], (uint64_t)to, __ATOMIC_RELAXED);
	__atomic_store_n(&h[!LOW], (uint64_t)(to >> HALF), __ATOMIC_RELAXED);
}

static inline void grow(regset *set, regset by)
{
	half *h = (half *)set;
	by &= ~peek(set);
	if ((uint64_t)by)
		__atomic_fetch_or(&h[LOW], (uint64_t)by, __ATOMIC_RELAXED);
	if (by >> HALF)
		__atomic_fetch_or(&h[!LOW], (uint64_t)(by >> HALF), __ATOMIC_RELAXED);
}

#endif
