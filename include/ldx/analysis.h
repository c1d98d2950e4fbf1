/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx/analysis.h - the part of a tool that is linked into the program: routines without a C library
 *
 * A routine is an ordinary function with up to four arguments, each a word of the CPU.  It runs on
 * the stack of the program at any point of it, perhaps in a signal handler, so it must not
 *  - use floating point or vectors without LDX_VECTORS (below), thread-local variables, or names
 *    that it does not define;
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
 * In front of each function that uses floating point or vectors, LDX_ROUTINE or not.  A call of it
 * saves and restores those vector registers that it changes and the program still needs, and the
 * control and status of floating point: it runs as a program begins, rounds to nearest and traps
 * nothing, and the program sees no exception that it raises.  So it is slower to call.
 *
 *	LDX_VECTORS LDX_ROUTINE void measure(unsigned long x)
 *	{
 *		ldx_data(sum, ) += (double)x * (double)x;
 *	}
 *
 * Of x86-64, x87 (long double), MMX and AVX are not possible, of AArch64 SVE, of RISC-V vectors, of
 * MIPS MSA.  It is no predicate of ldx_call_if(), is never copied, and the runtime does not call it
 * (ldx_at_event() in ldx/tool.h).  In a function that uses SVE, sites have no such calls.
 */
#define LDX_VECTORS __attribute__((section(".text.ldx_vectors"))) LDX_VECTORS_OF_CPU_
#ifndef LDX_VECTORS_OF_CPU_ /* ldxtool says how the CPU's compiler is told */
#define LDX_VECTORS_OF_CPU_
#endif

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
 * It is an error of the link if a routine that is asked for, or its callee, calls an original that
 * nothing replaces; of others, the program need not have the originals.
 *
 * Nothing in C passes on the arguments of a function with a variable number of them, or of an
 * unknown type: calls of such functions are wrapped by ldx_wrap().
 */
#ifndef LDX_CHECK
#define LDX_ORIGINAL(name) __asm__("ldx_original_" name)
#else /* ldxtool looks for names that nothing defines */
#define LDX_ORIGINAL(name) __asm__("ldx_original_" name) __attribute__((weak))
#endif

/*
 * In front of a variable without an initialiser: data of the tool, zero at first, that the profile
 * keeps as it keeps counters, also when the process is killed.  Where counters are counted by
 * thread, each thread has a copy.  A copy of a thread or process that has ended goes to a new one
 * as it is, and ldxprof merges all copies, by the aligned word of 64 bits:
 *
 *	LDX_THREAD		adds them
 *	LDX_THREAD_BY(or)	has the bits that any has
 *	LDX_THREAD_BY(maximum)	has the greatest
 *	LDX_THREAD_BY(minimum)	has the least that is not 0
 *	LDX_THREAD_BY(first)	has one that is not 0, of the first copy in the profile that has one
 *	LDX_THREAD_BY(tool)	calls merge() of the tool's report with all words of the variable;
 *				what is counted before the program begins (by IFUNC resolvers) may
 *				be lost
 *	LDX_THREAD_TABLE(K, S)	has a table: see ldx_find() below
 *
 * The variable is accessed by these only:
 *
 *	ldx_data(x, a)		x a, a scalar, which may be changed: ldx_data(x, .a[3]) = 1
 *	ldx_add(x, a, n)	x a += n, in which no other thread's addition is lost:
 *				ldx_add(hits, [3], 1)
 *	ldx_or(x, a, n), ldx_maximum(x, a, n), ldx_minimum(x, a, n), ldx_first(x, a, n)
 *				the same for the other rules: x a is of 64 bits, n a word of the CPU
 *
 * What ldx_data() changes is lost now and then if threads share the variable and change it at once.
 *
 * LDX_PROCESS, LDX_PROCESS_BY(rule) and LDX_PROCESS_TABLE(K, S) are the same for a variable of
 * which all threads of a process have one copy.  Without counters by thread (LDX_SHARED) that is so
 * for all of them.
 */
#define LDX_THREAD LDX_DATA_(".bss.ldx_thread")
#define LDX_THREAD_BY(rule) LDX_DATA_(".bss.ldx_thread." #rule)
#define LDX_THREAD_TABLE(keys, sums) LDX_DATA_(".bss.ldx_thread.table." #keys "." #sums)
#define LDX_PROCESS volatile LDX_DATA_(".bss.ldx_process")
#define LDX_PROCESS_BY(rule) volatile LDX_DATA_(".bss.ldx_process." #rule)
#define LDX_PROCESS_TABLE(keys, sums) volatile LDX_DATA_(".bss.ldx_process.table." #keys "." #sums)
#define LDX_DATA_(section_) __attribute__((used, section(section_)))

/* Variables of the process are known by their type. */
#define LDX_IS_PROCESS_(x) __builtin_types_compatible_p(__typeof__(&(x)), volatile __typeof__(x) *)

#ifdef LDX_OWN /* each thread has a copy, at the same distance from %gs */
extern const uintptr_t ldx_process_ __asm__("__ldx_process") __attribute__((visibility("hidden")));
#define LDX_PLACE_(x, a)                                                                           \
	(__extension__({                                                                           \
		uintptr_t ldx_x_;                                                                  \
		__asm__("movq $" #x ", %q0" : "=r"(ldx_x_));                                       \
		ldx_x_ + (uintptr_t) & ((*(__typeof__(x) *)0)a);                                   \
	}))
#define LDX_DATA_OWN_(x, a) (*(__seg_gs __typeof__((x)a) *)LDX_PLACE_(x, a))
#define LDX_DATA_ALL_(x, a) (*(__typeof__((x)a) *)(ldx_process_ + LDX_PLACE_(x, a)))
#define ldx_data(x, a)                                                                             \
	__builtin_choose_expr(LDX_IS_PROCESS_(x), LDX_DATA_ALL_(x, a), LDX_DATA_OWN_(x, a))
#define LDX_ALL_(x) LDX_IS_PROCESS_(x)
#else
#define LDX_DATA_ALL_(x, a) ((x)a)
#define LDX_DATA_OWN_(x, a) ((x)a)
#define ldx_data(x, a) ((x)a)
#ifdef LDX_SHARED
#define LDX_ALL_(x) 1
#else
#define LDX_ALL_(x) 0
#endif
#endif

/* LDX_ALL_: several threads may change it at once. */
#if __SIZEOF_POINTER__ == 4
/* There is no atomic addition of 64 bits: who makes the low word wrap increments the high one. */
static inline __attribute__((unused)) void ldx_add_wide_(volatile void *p, uint64_t n)
{
	volatile uint32_t *word = (volatile uint32_t *)p;
	uint32_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint32_t old = __atomic_fetch_add(&word[low], (uint32_t)n, __ATOMIC_RELAXED);
	uint32_t high = (uint32_t)(n >> 32) + (old + (uint32_t)n < old);
	if (high)
		__atomic_fetch_add(&word[!low], high, __ATOMIC_RELAXED);
}
#define LDX_ADD_ALL_(x, a, n)                                                                      \
	__builtin_choose_expr(sizeof((x)a) == 8, ldx_add_wide_(&(x)a, n),                          \
		(void)__atomic_fetch_add((volatile unsigned long *)(volatile void *)&(x)a, n,      \
			__ATOMIC_RELAXED))
#else
#define LDX_ADD_ALL_(x, a, n) (void)__atomic_fetch_add(&LDX_DATA_ALL_(x, a), n, __ATOMIC_RELAXED)
#endif
#define ldx_add(x, a, n)                                                                           \
	__builtin_choose_expr(LDX_ALL_(x), LDX_ADD_ALL_(x, a, n),                                  \
		(void)(LDX_DATA_OWN_(x, a) += (n)))

/*
 * Words of the CPU in cells of 64 bits, by what their address is, and their change from a known
 * value as one step.  all: see LDX_ALL_.
 */
typedef volatile unsigned long __attribute__((may_alias)) ldx_word_;
#ifdef LDX_OWN
typedef __seg_gs ldx_word_ ldx_own_word_;
#else
typedef ldx_word_ ldx_own_word_;
#endif
enum {
	LDX_CELL_ = 8,
	LDX_LOW_ = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? LDX_CELL_ - sizeof(ldx_word_) : 0
};
#define LDX_INLINE_ static inline __attribute__((always_inline, unused))

LDX_INLINE_ unsigned long ldx_word_at_(uintptr_t at, int all)
{
	return all ? *(ldx_word_ *)at : *(ldx_own_word_ *)at;
}

LDX_INLINE_ int ldx_swap_(uintptr_t at, int all, unsigned long *old, unsigned long to)
{
	if (all)
		return __atomic_compare_exchange_n((ldx_word_ *)at, old, to, 0, __ATOMIC_RELAXED,
			__ATOMIC_RELAXED);
#ifdef LDX_OWN /* a handler of signals may come between, but no other thread */
	unsigned char same;
	__asm__ volatile("cmpxchgq %3, %0"
			 : "+m"(*(ldx_own_word_ *)at), "+a"(*old), "=@ccz"(same)
			 : "r"(to));
	return same;
#else
	*(ldx_word_ *)at = to;
	return 1;
#endif
}

enum { LDX_OR_, LDX_MAXIMUM_, LDX_MINIMUM_, LDX_FIRST_ };
LDX_INLINE_ void ldx_merge_(uintptr_t at, int all, unsigned long n, int rule)
{
	unsigned long old = ldx_word_at_(at, all), to;
	do
		to = rule == LDX_OR_	       ? old | n
			: rule == LDX_FIRST_   ? old ? old : n
			: rule == LDX_MAXIMUM_ ? (n > old ? n : old)
					       : (n && (!old || n < old) ? n : old);
	while (to != old && !ldx_swap_(at, all, &old, to));
}
#define LDX_MERGE_(x, a, n, rule)                                                                  \
	__extension__({                                                                            \
		_Static_assert(sizeof((x)a) == 8, #x " is not of 64 bits");                        \
		ldx_merge_((uintptr_t)&ldx_data(x, a) + LDX_LOW_, LDX_ALL_(x), n, rule);           \
	})
#define ldx_or(x, a, n) LDX_MERGE_(x, a, n, LDX_OR_)
#define ldx_maximum(x, a, n) LDX_MERGE_(x, a, n, LDX_MAXIMUM_)
#define ldx_minimum(x, a, n) LDX_MERGE_(x, a, n, LDX_MINIMUM_)
#define ldx_first(x, a, n) LDX_MERGE_(x, a, n, LDX_FIRST_)

/*
 * A table is an array of entries, each some keys, then some sums, words of 64 bits:
 *
 *	LDX_THREAD_TABLE(2, 1) struct {
 *		uint64_t site, value, count;
 *	} seen[4096];
 *
 * ldx_find(x, entries, key, ...) is the number of the entry with these keys, words of the CPU, in
 * the table x of so many entries, which takes a free one if there is none:
 *
 *	ldx_add(seen, [ldx_find(seen, 4096, site, value)].count, 1);
 *
 * It is 0, the first entry, which has no keys, if there is no room nearby or if a key is 0: so
 * nothing is lost, and the first entry says how much was not told apart.  A table should have twice
 * as many entries as there are keys.  ldxprof adds entries with the same keys.
 */
#define ldx_find(x, entries, ...)                                                                  \
	ldx_find_((uintptr_t)&ldx_data(x, [0]) + LDX_LOW_, LDX_ALL_(x), sizeof((x)[0]), entries,   \
		(const unsigned long[]){__VA_ARGS__},                                              \
		sizeof((const unsigned long[]){__VA_ARGS__}) / sizeof(unsigned long))

LDX_INLINE_ size_t ldx_find_(uintptr_t table, int all, size_t size, size_t entries,
	const unsigned long *key, size_t keys)
{
	uint32_t hash = 0;
	for (size_t k = 0; k < keys; k++) {
		uint32_t high = (uint32_t)((uint64_t)key[k] >> 32);
		hash = (hash ^ (uint32_t)key[k] ^ high) * 2654435761u;
		if (!key[k])
			return 0;
	}
	size_t i = 1 + (size_t)((uint64_t)hash * (uint32_t)(entries - 1) >> 32), k;
	for (unsigned left = entries > 1 ? 64 : 0; left; left--) {
		uintptr_t entry = table + i * size;
		for (k = 0; k < keys; k++, entry += LDX_CELL_) {
			unsigned long old = ldx_word_at_(entry, all);
			if (!old && ldx_swap_(entry, all, &old, key[k]))
				continue;
			if (old != key[k])
				break;
		}
		if (k == keys)
			return i;
		i = i + 1 < entries ? i + 1 : 1;
	}
	return 0;
}

/* The address in a word of ldx_words(), which has the distance to it: less than 2 GB. */
LDX_INLINE_ uintptr_t ldx_word(const uint64_t *p)
{
	return (uintptr_t)p + (uintptr_t)(intptr_t)(int32_t)*p;
}

/* The program's threads have no variables of a tool but those above. */
#pragma GCC poison __thread _Thread_local thread_local

#endif
