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
 * addresses, and the ways alone are in a register.
 */
static inline unsigned long choose(void)
{
	unsigned long way = ldx_data(ways, [0]);
	__asm__("" : "+r"(way)); /* it stays in one register */
	return way;
}
#define ROW(place)                                                                                 \
	__extension__({                                                                            \
		__typeof__(&ldx_data(shared, [0])) row_ =                                          \
			&ldx_data(shared, [(place) % PLACES * WAYS]);                              \
		__asm__("" : "+r"(row_));                                                          \
		row_;                                                                              \
	})
#ifdef STEP_OWN
#define STEP_SHARED(code, row)                                                                     \
	__asm__ volatile(code "1:"                                                                 \
			 : "+m"((row)[way]), "+m"(ldx_data(branches, [branch + 1]))                \
			 :                                                                         \
			 : "cc")
#endif

LDX_ROUTINE void shared_taken(unsigned long branch, unsigned long place)
{
	unsigned long way = choose();
#ifdef STEP_SHARED
	STEP_SHARED("cmpb $2, %0; ja 1f; adcq $0, %1; addb $1, %0; ", ROW(place));
#else
	unsigned long n = ROW(place)[way];
	if (n < 3) {
		ldx_add(branches, [branch + 1], n < 2);
		ROW(place)[way] = (uint8_t)(n + 1);
	}
#endif
	ldx_data(ways, [0]) = (uint8_t)(2 * way + 2);
}

LDX_ROUTINE void shared_passed(unsigned long branch, unsigned long place)
{
	unsigned long way = choose();
#ifdef STEP_SHARED
	STEP_SHARED("cmpb $0, %0; je 1f; cmpb $2, %0; sbbq $-1, %1; subb $1, %0; ", ROW(place));
#else
	unsigned long n = ROW(place)[way];
	if (n) {
		ldx_add(branches, [branch + 1], n > 1);
		ROW(place)[way] = (uint8_t)(n - 1);
	}
#endif
	ldx_data(ways, [0]) = (uint8_t)(2 * way);
}

LDX_ROUTINE void shared_either(unsigned long branch, unsigned long taken, unsigned long place)
{
	if (taken)
		shared_taken(branch, place);
	else
		shared_passed(branch, place);
}
