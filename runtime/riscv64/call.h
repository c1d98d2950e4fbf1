/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - how Linux is called on RISC-V
 */
#ifndef LDX_RUNTIME_CALL_H
#define LDX_RUNTIME_CALL_H

#include <asm/unistd.h>
#include <stddef.h>
#include <stdint.h>

enum { SYS_SIGNALS = 64 };

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = nr;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;
	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}

#define SYS_MEMORY static inline __attribute__((used))

/* Of time, as new kernels let no program read the register cycle. */
static inline uint64_t sys_ticks(void)
{
	uint64_t n;
	__asm__ volatile("rdtime %0" : "=r"(n));
	return n;
}

static inline uintptr_t sys_thread(void)
{
	return (uintptr_t)__builtin_thread_pointer();
}

#endif
