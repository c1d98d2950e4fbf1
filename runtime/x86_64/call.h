/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.h - how Linux is called on x86-64, and the base that counters of a thread are found by
 */
#ifndef LDX_RUNTIME_CALL_H
#define LDX_RUNTIME_CALL_H

#include <asm/prctl.h>
#include <asm/unistd.h>
#include <stdint.h>

#define SYS_SHORTER

static inline long sys_call0(long nr)
{
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr) : "rcx", "r11", "memory");
	return ret;
}

static inline long sys_call1(long nr, long a)
{
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a) : "rcx", "r11", "memory");
	return ret;
}

static inline long sys_call2(long nr, long a, long b)
{
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return ret;
}

static inline long sys_call3(long nr, long a, long b, long c)
{
	long ret;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

static inline long sys_call4(long nr, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long ret;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

enum { SYS_SIGNALS = 64 };

static inline long sys_call6(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define SYS_BASE

static inline long sys_arch_prctl(int code, uint64_t addr)
{
	return sys_call2(__NR_arch_prctl, code, (long)addr);
}

/* The counters are this much farther than the code says. */
static inline long sys_set_base(uint64_t distance)
{
	int code = ARCH_SET_GS + 1;
	__asm__("" : "+r"(code)); /* libraries look for code with that number: hinders.c */
	return sys_arch_prctl(code - 1, distance);
}

/* The time-stamp counter: Intel SDM, volume 2, RDTSC. */
static inline uint64_t sys_ticks(void)
{
	uint32_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

/* The thread pointer; 0: there is none yet, when %fs:0 cannot be read. */
static inline uintptr_t sys_thread(void)
{
	uint64_t base = 0;
	sys_arch_prctl(ARCH_GET_FS, (uint64_t)(uintptr_t)&base);
	return base;
}

#endif
