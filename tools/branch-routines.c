/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branch-routines.c - predictors of branches: counters of two bits, which predict `taken' from 2 on
 *
 * `own': each branch has a counter.  `shared': one is chosen by the last seven branches and by
 * seven bits of the branch's address, as valgrind's cachegrind does.
 */
#include <ldx/analysis.h>

enum { PLACES = 1 << 7, WAYS = 1 << 8 };

/* Of each branch two words: its own counter, and how often it was predicted wrongly. */
LDX_THREAD uint64_t branches[2]; /* branch.c sets its size */
LDX_THREAD uint8_t shared[PLACES * WAYS];
LDX_THREAD uint8_t ways[8]; /* in the first: of the last seven branches, times 2 */

/*
 * branch: the number of the first of its words.  Most executions find a counter that stays as it
 * is, and end there.  Instructions that compare and add in memory need no register besides;
 * compilers do not find them: a carry is set if the counter is below the number that it is compared
 * with.
 */
#if defined __SEG_GS && !defined LDX_SHARED
#define STEP_OWN(code)                                                                             \
	__asm__ volatile(code "1:"                                                                 \
			 : "+m"(ldx_data(branches, [branch])),                                     \
			 "+m"(ldx_data(branches, [branch + 1]))                                    \
			 :                                                                         \
			 : "cc")
#endif

LDX_ROUTINE void own_taken(unsigned long branch)
{
#ifdef STEP_OWN
	STEP_OWN("cmpq $2, %0; ja 1f; adcq $0, %1; addq $1, %0; ");
#else
	unsigned long n = (unsigned long)ldx_data(branches, [branch]);
	if (n < 3) {
		ldx_add(branches, [branch + 1], n < 2);
		ldx_data(branches, [branch]) = n + 1;
	}
#endif
}

LDX_ROUTINE void own_passed(unsigned long branch)
{
#ifdef STEP_OWN
	STEP_OWN("cmpq $0, %0; je 1f; cmpq $2, %0; sbbq $-1, %1; subq $1, %0; ");
#else
	unsigned long n = (unsigned long)ldx_data(branches, [branch]);
	if (n) {
		ldx_add(branches, [branch + 1], n > 1);
		ldx_data(branches, [branch]) = n - 1;
	}
#endif
}

LDX_ROUTINE void own_either(unsigned long branch, unsigned long taken)
{
	if (taken)
		own_taken(branch);
	else
		own_passed(branch);
}

/*
 * The place is constant where it is known in the link: then its row is part of the instructions'
 * addresses, and the ways alone are in a register.  adds, step: as above.
 */
#ifdef LDX_OWN
#define STEP_SHARED(below, adds, more, step, next)                                                 \
	__asm__ volatile("movzbl %%gs:ways, %k0; cmpb $" below ", %%gs:shared(%q0,%1); " adds      \
			 ", %%gs:branches+8(,%2,8); cmpb $" more                                   \
			 ", %%gs:shared(%q0,%1); adcb $" step ", %%gs:shared(%q0,%1); " next       \
			 : "=&r"(way)                                                              \
			 : "r"(place % PLACES * WAYS), "r"(branch)                                 \
			 : "cc", "memory")
#else
static inline unsigned long choose(unsigned long place, unsigned long taken)
{
	unsigned long way = ldx_data(ways, [0]);
	ldx_data(ways, [0]) = (uint8_t)(2 * way + 2 * taken);
	return place % PLACES * WAYS + way;
}
#endif

LDX_ROUTINE void shared_taken(unsigned long branch, unsigned long place)
{
#ifdef LDX_OWN
	unsigned long way;
	STEP_SHARED("2", "adcq $0", "3", "0", "lea 2(%q0,%q0), %k0; movb %b0, %%gs:ways");
#else
	unsigned long i = choose(place, 1), n = ldx_data(shared, [i]);
	ldx_add(branches, [branch + 1], n < 2);
	ldx_data(shared, [i]) = (uint8_t)(n + (n < 3));
#endif
}

LDX_ROUTINE void shared_passed(unsigned long branch, unsigned long place)
{
#ifdef LDX_OWN
	unsigned long way;
	STEP_SHARED("2", "sbbq $-1", "1", "-1", "addb %b0, %%gs:ways");
#else
	unsigned long i = choose(place, 0), n = ldx_data(shared, [i]);
	ldx_add(branches, [branch + 1], n > 1);
	ldx_data(shared, [i]) = (uint8_t)(n - (n > 0));
#endif
}

LDX_ROUTINE void shared_either(unsigned long branch, unsigned long taken, unsigned long place)
{
	if (taken)
		shared_taken(branch, place);
	else
		shared_passed(branch, place);
}
