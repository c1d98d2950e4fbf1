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

static inline long sys_call4(long nr, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

static inline long sys_call3(long nr, long a, long b, long c)
{
	return sys_call4(nr, a, b, c, 0);
}

static inline long sys_call2(long nr, long a, long b)
{
	return sys_call4(nr, a, b, 0, 0);
}

static inline long sys_call1(long nr, long a)
{
	return sys_call4(nr, a, 0, 0, 0);
}

static inline long sys_call0(long nr)
{
	return sys_call4(nr, 0, 0, 0, 0);
}

/* What gcc calls for structures and arrays: the program's own may be counted, or not usable yet. */
static inline __attribute__((used)) void *memset(void *to, int byte, size_t n)
{
	for (char *p = to; n; n--)
		*p++ = (char)byte;
	return to;
}

static inline __attribute__((used)) void *memcpy(void *to, const void *from, size_t n)
{
	const char *q = from;
	for (char *p = to; n; n--)
		*p++ = *q++;
	return to;
}

/* No counters are found by a base. */
static inline void sys_set_base(uint64_t distance)
{
	(void)distance;
}

#endif
