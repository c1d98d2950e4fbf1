/* Loops are entered as often as they are left, also by break, and round calls that may not return.
 */
//# flags: -O2
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void ask(const ldx_loop *l, const char *variable, unsigned n)
{
	unsigned sites = 0;
	if (!ldx_add_to(ldx_at_loop_head(l), "rounds", n, 1))
		ldx_fail("head of %s: %s", variable, ldx_refused());
	for (const ldx_edge *e = NULL; (e = ldx_next_entering(l, e)); sites++)
		if (!ldx_add_to(ldx_at_edge(e), "entered", n, 1))
			ldx_fail("into %s: %s", variable, ldx_refused());
	for (const ldx_edge *e = NULL; (e = ldx_next_leaving(l, e)); sites++)
		if (!ldx_add_to(ldx_at_edge(e), "left", n, 1))
			ldx_fail("out of %s: %s", variable, ldx_refused());
	if (sites < 2)
		ldx_fail("%s has %u edges", variable, sites);
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_loop *l = NULL; (l = ldx_next_loop(f, l));)
			if (!strncmp(ldx_func_name(f), "work", 4))
				ask(l, ldx_func_name(f),
					2 * (unsigned)(ldx_func_name(f)[4] - '0') +
						(ldx_loop_parent(l) != NULL));
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "loops", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t rounds[8], entered[8], left[8];
#else
#include <stdio.h>
#include <stdlib.h>

static int table[100];

__attribute__((noipa)) int work0(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++) {
			table[j] += i;
			__asm__ volatile("");
		}
		sum += table[i];
		__asm__ volatile("");
	}
	return sum;
}
/* May not return: then it ends the process. */
__attribute__((noipa)) void check(int n)
{
	if (n > 1000)
		exit(n);
}
__attribute__((noipa)) int work1(int n)
{
	do {
		check(n);
		if (n == 13)
			break;
	} while (--n > 0);
	return n;
}
/* The function is a loop. */
__attribute__((noipa)) unsigned work2(unsigned n)
{
	do {
		n = n / 2 + (n & 1) * 3;
		__asm__ volatile("" : "+r"(n));
	} while (n > 7);
	return n;
}

int main(void)
{
	int sum = work0(10) + work1(20) + work1(5);
	for (unsigned n = 0; n < 9; n++)
		sum += (int)work2(n * 1000);
	printf("rounds 1 45\nentered 0 1\nleft 0 1\nentered 1 9\nleft 1 9\nrounds 2 13\nentered 2 2\nleft 2 2\n"
	       "entered 4 9\nleft 4 9\n");
	return sum == 12345;
}
#endif
