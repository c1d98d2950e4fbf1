/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls-found.h - calls by address: which functions they lead to
 *
 * A callee is an entry of a table.  An open call to it has a negative number: how many words in
 * front of ldx_inclusive the entry's word is that is added to.
 */
static inline __attribute__((always_inline)) uint64_t passed(uint16_t top)
{
	return ldx_data(clock, [0]) - ldx_data(starts, [top]);
}

static inline __attribute__((always_inline)) void end_found(uint16_t top)
{
	add(passed(top), (long)ldx_loaded(ldx_data(ldx_sums, [top])) - 1);
}

/* Of each site that calls by address, the last callees: where they are, and the number and 1. */
LDX_THREAD struct {
	uint64_t to, sum;
} found[1][WAYS];		 /* calls.c sets the size */
LDX_THREAD uint64_t found_by[1]; /* where code is in the process that has found them */

/* Not 0: the callee is to be found, the call is not counted, and its sum is wrong. */
static inline __attribute__((always_inline)) unsigned long count(unsigned long site,
	unsigned long to, uint64_t *sum)
{
#ifdef LDX_SHARED /* another thread may change what is found */
	*sum = 0;
	return (void)site, (void)to, 1;
#else
	__typeof__(&ldx_data(found, [0][0])) of = ldx_data(found, [site]);
	unsigned long other = to, way = to / 16 % WAYS;
	__asm__("" : "+r"(of), "+r"(other)); /* a constant, and a copy */
	*sum = of[way].sum;
	__asm__("" : "+r"(of)); /* nor is the sum with a constant computed */
	other ^= (unsigned long)of[way].to;
	__asm__("" : "+r"(other)); /* and done with its registers */
	ldx_data(ldx_inclusive, [*sum - 2]) += !other;
	return other;
#endif
}

LDX_ROUTINE unsigned long count_found(unsigned long site, unsigned long to)
{
	uint64_t sum;
	return count(site, to, &sum);
}

static inline __attribute__((always_inline)) unsigned long begin_found(unsigned long site,
	unsigned long to, unsigned long stack)
{
	uint64_t sum;
	unsigned long other = count(site, to, &sum);
	uint16_t top = ldx_push(sum, stack);
	ldx_data(starts, [top]) = ldx_data(clock, [0]);
	return other;
}

LDX_ROUTINE unsigned long call_found(unsigned long site, unsigned long to, unsigned long stack)
{
	return begin_found(site, to, stack);
}

LDX_ROUTINE unsigned long jump_found(unsigned long site, unsigned long to, unsigned long stack)
{
	return begin_found(site, to, stack - 1);
}

LDX_ROUTINE void find(unsigned long site, unsigned long to, unsigned long from, unsigned long block)
{
#ifndef LDX_SHARED
	const unsigned long way = to / 16 % WAYS;
	if (ldx_data(found, [site][way].to) == to)
		return;
#endif
	long distance = (long)(to - from);
	unsigned long key = distance == (int32_t)distance ? 2 * (unsigned long)distance + 1 : 2;
	size_t arc = ldx_find(ldx_arcs, ARCS, block + 1, key);
	long sum = ((long)((uintptr_t)&ldx_data(ldx_arcs, [arc].inclusive) -
			    (uintptr_t)&ldx_data(ldx_inclusive, [0])) >>
			   3) +
		1;
#ifndef LDX_SHARED
	ldx_data(found, [site][way].to) = to;
	ldx_data(found, [site][way].sum) = (uint64_t)sum;
#else
	(void)site;
#endif
	ldx_add(ldx_arcs, [arc].calls, 1);
	if (ldx_data(ldx_open_calls, [0]))
		ldx_data(ldx_sums, [ldx_last_open()]) = (uint64_t)sum;
}

/* Not 0: what ends is not the call that returns. */
LDX_ROUTINE unsigned long leave_found(unsigned long stack)
{
	uint16_t top = ldx_last_open();
	unsigned long other = ldx_loaded(ldx_data(ldx_stacks, [top])) ^ stack;
	__asm__("" : "+r"(other)); /* done with its registers */
	end_found(top);
	ldx_data(ldx_open_calls, [0])--;
	return other;
}

/* A call by address returns, in whose place another one has ended. */
LDX_ROUTINE void returned_found(unsigned long stack, unsigned long block, const uint8_t *groups)
{
	ldx_data(ldx_open_calls, [0])++;
	add(-passed(ldx_last_open()), (long)ldx_loaded(ldx_data(ldx_sums, [ldx_last_open()])) - 1);
	ldx_returned(stack, block, groups);
	ldx_end_last();
}

/* Addresses that another process has found are forgotten. */
LDX_ROUTINE void begin_finding(unsigned long sites)
{
	uint64_t here = (uintptr_t)&find;
	if (ldx_data(found_by, [0]) == here)
		return;
	ldx_data(found_by, [0]) = here;
	for (unsigned long k = 0; k < sites; k++)
		for (unsigned long way = 0; way < WAYS; way++) {
			__asm__("" : "+r"(k)); /* compilers know of one */
			ldx_data(found, [k][way].to) = 0;
		}
}
