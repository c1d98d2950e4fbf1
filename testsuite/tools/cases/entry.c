/* Arguments at the entry of a function: numbers, strings, and what the program passes. */
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_arg arg[] = {ldx_string(ldx_func_name(f)), ldx_number(0x123456789),
			ldx_call_arg(0), ldx_call_arg(1)};
		if (!strncmp(ldx_func_name(f), "work", 4) &&
			!ldx_call(ldx_at_entry(f), "enter", 4, arg))
			ldx_fail("%s", ldx_refused());
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "entry", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[4], numbers[1], sums[2];

LDX_ROUTINE void enter(const char *name, unsigned long n, unsigned long first, unsigned long second)
{
	ldx_add(calls, [name[4] - '0'], 1);
	ldx_add(numbers, [0], n == (unsigned long)0x123456789);
	ldx_add(sums, [0], first);
	ldx_add(sums, [1], second);
}
#else
#include <stdio.h>

__attribute__((noinline)) unsigned work1(unsigned a, unsigned b)
{
	return b ? work1(b, a % b) + 1 : 0;
}
__attribute__((noinline)) unsigned work2(unsigned a, unsigned b)
{
	unsigned sum = 0;
	while (b--)
		sum += a ^ sum << 1;
	return sum + work1(a, sum & 63);
}

int main(void)
{
	unsigned long calls = 0, first = 0, second = 0;
	for (unsigned i = 0; i < 20; i++) {
		unsigned sum = 0, a = i, b;
		for (unsigned k = 0; k < 5; k++)
			sum += a ^ sum << 1;
		first += i, second += 5;
		calls++, first += a, second += b = sum & 63;
		while (b) {
			unsigned rest = a % b;
			a = b, b = rest;
			calls++, first += a, second += b;
		}
		work2(i, 5);
	}
	printf("calls 1 %lu\ncalls 2 20\nnumbers 0 %lu\nsums 0 %lu\nsums 1 %lu\n", calls, calls + 20,
		first, second);
	return 0;
}
#endif
