/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - how Linux is called on AArch64
 */
#ifndef LDX_RUNTIME_CALL_H
#define LDX_RUNTIME_CALL_H

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

enum { SYS_SIGNALS = 64 };

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}

#define SYS_MEMORY static inline __attribute__((used))

/* The generic timer, which the kernel lets programs read; cycles it does not: Arm ARM, D13.8. */
static inline uint64_t sys_ticks(void)
{
	uint64_t n;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(n));
	return n;
}

static inline uintptr_t sys_thread(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

#endif
