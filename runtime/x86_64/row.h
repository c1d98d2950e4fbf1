/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.h - where a thread's row is: the base of %gs
 *
 * row_begin: before the others.  row_base: the distance from the program's cells to the row.
 * row_set: changes it; false: it cannot.  row_self: the thread pointer, or 0; certain: there is
 * one.  ROW_ABOVE: bases are not negative, as the kernel accepts only the user's half of addresses.
 */
#ifndef LDX_RUNTIME_ROW_H
#define LDX_RUNTIME_ROW_H

#include "runtime/bases.h"
#include "runtime/sys.h"

#include <asm/hwcap2.h>
#include <asm/prctl.h>

enum { ROW_ABOVE = 1 };

static bool by_insn; /* rdgsbase and wrgsbase may be used */

static inline void row_begin(const struct rt_start *s)
{
	by_insn = s->hwcap2 & HWCAP2_FSGSBASE;
}

static inline uint64_t row_base(void)
{
	uint64_t base = 0;
	if (by_insn)
		__asm__ volatile("rdgsbase %0" : "=r"(base));
	else
		sys_arch_prctl(ARCH_GET_GS, (uint64_t)&base);
	return base;
}

static inline bool row_set(uint64_t base)
{
	if (!by_insn)
		return !sys_failed(sys_set_base(base));
	__ldx_base_set(base);
	return true;
}

/* ELF Handling for Thread-Local Storage, 3.4.2: %fs:0 holds the thread pointer itself. */
static inline uint64_t row_self(bool certain)
{
	uint64_t self = 0;
	if (certain)
		__asm__ volatile("mov %%fs:0, %0" : "=r"(self));
	else if (by_insn)
		__asm__ volatile("rdfsbase %0" : "=r"(self));
	return self;
}

#endif
