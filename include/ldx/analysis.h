/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx/analysis.h - the part of a tool that is linked into the program: routines without a C library
 *
 * A routine is an ordinary function with up to four arguments, each a word of the CPU.  It runs on
 * the stack of the program at any point of it, perhaps in a signal handler, so it must not
 *  - use floating point, vectors, thread-local variables, or names that it does not define;
 *  - use more than some hundred bytes of stack, or expect it to be aligned to more than a word;
 *  - call the program, or wait for anything.
 * A routine that a signal interrupts may run again in the handler.
 *
 * `ldxtool build' compiles it, for each CPU once for each way in which threads count (below).
 */
#ifndef LDX_ANALYSIS_H
#define LDX_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>

/* In front of a function that ldx_call() names. */
#define LDX_ROUTINE __attribute__((used, visibility("default")))

/*
 * Routines that take the place of a function (ldx_replace() in ldx/tool.h) have its type, and are
 * ordinary functions of the program's ABI: its caller passes the arguments, on the stack, too, and
 * saves what functions may change.  They must not wait for what their callers hold, nor call other
 * functions of the program than originals, which are declared by the symbol's name, or by ""
 * whatever it is:
 *
 *	void *original_malloc(size_t n) LDX_ORIGINAL("malloc");
 *
 *	LDX_ROUTINE void *count_malloc(size_t n)
 *	{
 *		ldx_add(bytes, [0], n);
 *		return original_malloc(n);
 *	}
 *
 * Nothing in C passes on the arguments of a function with a variable number of them, or of an
 * unknown type: calls of such functions are watched by ldx_before() and ldx_after().
 */
#ifndef LDX_CHECK
#define LDX_ORIGINAL(name) __asm__("ldx_original_" name)
#else /* ldxtool looks for names that nothing defines */
#define LDX_ORIGINAL(name) __asm__("ldx_original_" name) __attribute__((weak))
#endif

/*
 * In front of a variable without an initialiser: data of the tool, zero at first, that the profile
 * keeps as it keeps counters, also when the process is killed.  Where counters are counted by
 * thread, each thread has a copy, and ldxprof has the sum of each aligned word of 64 bits over all
 * threads and processes.  The variable is accessed by these only:
 *
 *	ldx_data(x, a)		x a, a scalar, which may be changed: ldx_data(x, .a[3]) = 1
 *	ldx_add(x, a, n)	x a += n, in which no other thread's addition is lost:
 *				ldx_add(hits, [3], 1)
 *
 * What ldx_data() changes is lost now and then if threads share the variable (LDX_SHARED) and
 * change it at once.
 */
#define LDX_THREAD __attribute__((used, section(".bss.ldx_thread")))

#ifdef LDX_OWN /* each thread has a copy, at the same distance from %gs */
#define ldx_data(x, a)                                                                             \
	(*({                                                                                       \
		uintptr_t ldx_x_;                                                                  \
		__asm__("movq $" #x ", %q0" : "=r"(ldx_x_));                                       \
		(__seg_gs __typeof__((x)a) *)(ldx_x_ +                                             \
			(uintptr_t)((char *)&((x)a) - (char *)&(x)));                              \
	}))
#else
#define ldx_data(x, a) ((x)a)
#endif

#ifdef LDX_SHARED /* threads share the variable */
#if __SIZEOF_POINTER__ == 4
/* There is no atomic addition of 64 bits: who makes the low word wrap increments the high one. */
static inline __attribute__((unused)) void ldx_add_wide_(void *p, uint64_t n)
{
	uint32_t *word = (uint32_t *)p, low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint32_t old = __atomic_fetch_add(&word[low], (uint32_t)n, __ATOMIC_RELAXED);
	uint32_t high = (uint32_t)(n >> 32) + (old + (uint32_t)n < old);
	if (high)
		__atomic_fetch_add(&word[!low], high, __ATOMIC_RELAXED);
}
#define ldx_add(x, a, n)                                                                           \
	__builtin_choose_expr(sizeof(ldx_data(x, a)) == 8, ldx_add_wide_(&ldx_data(x, a), n),      \
		(void)__atomic_fetch_add((unsigned long *)(void *)&ldx_data(x, a), n,              \
			__ATOMIC_RELAXED))
#else
#define ldx_add(x, a, n) ((void)__atomic_fetch_add(&ldx_data(x, a), n, __ATOMIC_RELAXED))
#endif
#else
#define ldx_add(x, a, n) ((void)(ldx_data(x, a) += (n)))
#endif

/* The program's threads have no variables of a tool but those with LDX_THREAD. */
#pragma GCC poison __thread _Thread_local thread_local

#endif
