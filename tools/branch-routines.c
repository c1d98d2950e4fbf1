/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch-routines.c - predictors of branches: counters of two bits, which predict `taken' from 2 on
 *
 * `own': each branch has a counter.  `shared': one is chosen by the last seven branches and by
 * seven bits of the branch's address, as valgrind's cachegrind does.
 */
#include <ldx/analysis.h>

enum { COUNTERS = 1 << 14, PLACES = 1 << 7 };

/* Of each branch two words: its own counter, and how often it was predicted wrongly. */
LDX_THREAD uint64_t branches[2]; /* branch.c sets its size */
LDX_THREAD uint8_t shared[COUNTERS];
LDX_THREAD uint64_t history[1]; /* of the last branches, times PLACES */

/*
 * branch: the number of the first of its words.  In memory that is the thread's own, instructions
 * that add in memory need no register besides; compilers do not find them: a carry is set if the
 * counter is below the number that it is compared with.
 */
#ifdef LDX_OWN
#define STEP_OWN(below, adds, more, step)                                                          \
	__asm__ volatile("cmpq $" below ", %%gs:branches(,%0,8); " adds                            \
			 ", %%gs:branches+8(,%0,8); cmpq $" more                                   \
			 ", %%gs:branches(,%0,8); adcq $" step ", %%gs:branches(,%0,8)"            \
			 :                                                                         \
			 : "r"(branch)                                                             \
			 : "cc", "memory")
#endif

LDX_ROUTINE void own_taken(unsigned long branch)
{
#ifdef LDX_OWN
	STEP_OWN("2", "adcq $0", "3", "0");
#else
	unsigned long n = (unsigned long)ldx_data(branches, [branch]);
	ldx_add(branches, [branch + 1], n < 2);
	ldx_data(branches, [branch]) = n + (n < 3);
#endif
}

LDX_ROUTINE void own_passed(unsigned long branch)
{
#ifdef LDX_OWN
	STEP_OWN("2", "sbbq $-1", "1", "-1");
#else
	unsigned long n = (unsigned long)ldx_data(branches, [branch]);
	ldx_add(branches, [branch + 1], n > 1);
	ldx_data(branches, [branch]) = n - (n > 0);
#endif
}

LDX_ROUTINE void own_either(unsigned long branch, unsigned long taken)
{
	if (taken)
		own_taken(branch);
	else
		own_passed(branch);
}

static inline unsigned long choose(unsigned long place, unsigned long taken)
{
	unsigned long i = (unsigned long)ldx_data(history, [0]);
	ldx_data(history, [0]) = (2 * i + taken * PLACES) % COUNTERS;
	return i | place % PLACES;
}

LDX_ROUTINE void shared_taken(unsigned long branch, unsigned long place)
{
	unsigned long i = choose(place, 1), n = ldx_data(shared, [i]);
	ldx_add(branches, [branch + 1], n < 2);
	ldx_data(shared, [i]) = (uint8_t)(n + (n < 3));
}

LDX_ROUTINE void shared_passed(unsigned long branch, unsigned long place)
{
	unsigned long i = choose(place, 0), n = ldx_data(shared, [i]);
	ldx_add(branches, [branch + 1], n > 1);
	ldx_data(shared, [i]) = (uint8_t)(n - (n > 0));
}

LDX_ROUTINE void shared_either(unsigned long branch, unsigned long taken, unsigned long place)
{
	if (taken)
		shared_taken(branch, place);
	else
		shared_passed(branch, place);
}
