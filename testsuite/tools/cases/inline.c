/* Short routines are pasted: with live flags, registers, threads; and one that is called, beside. */
//# flags: -pthread
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_arg entry[] = {ldx_number(3), ldx_call_arg(0), ldx_stack(), ldx_call_arg(1)};
		ldx_arg twice[] = {ldx_call_arg(1), ldx_call_arg(0)};
		if (!strcmp(ldx_func_name(f), "work") &&
			(!ldx_call(ldx_at_entry(f), "enter", 4, entry) ||
				!ldx_call(ldx_at_entry(f), "empty", 2, twice) ||
				!ldx_call(ldx_at_entry(f), "swapped", 2, twice) ||
				!ldx_call(ldx_at_entry(f), "called", 2, twice)))
			ldx_fail("%s", ldx_refused());
		if (strcmp(ldx_func_name(f), "work") != 0)
			continue;
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
				ldx_call(ldx_before(i), "step", 0, NULL);
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "inline", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t sums[8], steps[1];

LDX_ROUTINE void enter(unsigned long k, unsigned long a, unsigned long sp, unsigned long b)
{
	ldx_add(sums, [k], a);
	ldx_add(sums, [4], b + (sp & sizeof sp / 2));
}
LDX_ROUTINE void swapped(unsigned long b, unsigned long a)
{
	ldx_add(sums, [5], b * 3 + a);
}
LDX_ROUTINE void empty(unsigned long b, unsigned long a)
{
	(void)b, (void)a;
}
LDX_ROUTINE void called(unsigned long b, unsigned long a)
{
	while (b--)
		ldx_add(sums, [6], a);
}
LDX_ROUTINE void step(void)
{
	ldx_add(steps, [0], 1);
}
#else
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 2000 };

__attribute__((noipa)) unsigned work(unsigned a, unsigned b)
{
	return a < b ? a - 1 : a == b ? b * 3 : a > 2 * b ? 7 : a ^ b;
}

static void *run(void *arg)
{
	unsigned *sum = arg;
	for (unsigned i = 0; i < ROUNDS; i++)
		*sum += work(i, 10);
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	unsigned sum[THREADS] = {0}, a = ROUNDS * (ROUNDS - 1) / 2, want = 0;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, run, &sum[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (unsigned i = 0; i < ROUNDS; i++)
		want += i < 10 ? i - 1 : i == 10 ? 30 : i > 20 ? 7 : i ^ 10;
	printf("sums 3 %u\nsums 4 %u\nsums 5 %u\nsums 6 %u\n", THREADS * a, THREADS * ROUNDS * 10,
		THREADS * (a + ROUNDS * 30), THREADS * a * 10);
	return sum[0] != want || sum[1] != want || sum[2] != want;
}
#endif
