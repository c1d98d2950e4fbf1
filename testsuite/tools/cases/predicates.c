/* A routine is called, or copied, if a predicate says so. */
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	ldx_arg first = ldx_call_arg(0);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_arg when[] = {ldx_call_arg(1), ldx_call_arg(0), ldx_stack()};
		ldx_arg arg[] = {ldx_string("seen"), ldx_call_arg(1), ldx_call_arg(0)};
		if (strcmp(ldx_func_name(f), "work") != 0)
			continue;
		if (!ldx_call_if(ldx_at_entry(f), "less", 2, when, "called", 3, arg) ||
			!ldx_call_if(ldx_at_entry(f), "less", 3, when, "pasted", 1, &first))
			ldx_fail("%s", ldx_refused());
		ldx_arg number[] = {ldx_number(4), ldx_call_arg(0)}, more[] = {ldx_number(6)};
		if (ldx_is_copied("differs"))
			ldx_call_if(ldx_at_entry(f), "differs", 2, number, "change", 2, number);
		else /* it is long on this CPU */
			ldx_call(ldx_at_entry(f), "change", 2, number);
		ldx_call_if(ldx_at_entry(f), "is_even", 1, more, "even", 0, NULL);
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
				ldx_arg at[] = {ldx_number(i != ldx_next_insn(b, NULL)), ldx_number(1)};
				ldx_call_if(ldx_before(i), "less", 2, at, "other", 1, at);
				ldx_call_if(ldx_before(i), "less", 2, at, "step", 0, NULL);
			}
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "predicates", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t sums[7];

/* The second argument of the site is less than the first one. */
LDX_ROUTINE unsigned long less(unsigned long b, unsigned long a)
{
	return b < a;
}
/* Is another argument here than the last time? */
LDX_ROUTINE unsigned long differs(unsigned long word, unsigned long a)
{
	return (unsigned long)ldx_data(sums, [word]) ^ a;
}
LDX_ROUTINE void change(unsigned long word, unsigned long a)
{
	ldx_add(sums, [word + 1], (unsigned long)ldx_data(sums, [word]) != a);
	ldx_data(sums, [word]) = a;
}
LDX_ROUTINE unsigned long is_even(unsigned long n)
{
	return ~n & 1;
}
LDX_ROUTINE void even(void)
{
	ldx_add(sums, [6], 1);
}
static __attribute__((noinline)) unsigned long length(const char *s)
{
	return *s ? length(s + 1) + 1 : 0;
}
LDX_ROUTINE void called(const char *name, unsigned long b, unsigned long a)
{
	if (b < a)
		ldx_add(sums, [0], a - b + length(name));
}
LDX_ROUTINE void pasted(unsigned long a)
{
	ldx_add(sums, [1], a);
}
static __attribute__((noinline)) unsigned long twice(unsigned long n)
{
	return n ? twice(n - 1) + 2 : 0;
}
LDX_ROUTINE void other(unsigned long n)
{
	ldx_add(sums, [3], twice(n) + 1);
}
LDX_ROUTINE void step(void)
{
	ldx_add(sums, [2], 1);
}
#else
#include <stdio.h>

__attribute__((noipa)) unsigned work(unsigned a, unsigned b)
{
	return a < b ? a - 1 : a == b ? b * 3 : a > 2 * b ? 7 : a ^ b;
}

int main(void)
{
	unsigned long sum = 0, called = 0, pasted = 0;
	for (unsigned a = 0; a < 40; a++) {
		unsigned want = a < 10 ? a - 1 : a == 10 ? 30 : a > 20 ? 7 : a ^ 10;
		sum += work(a, 10) != want;
		if (a > 10)
			called += a - 10 + 4, pasted += a;
	}
	printf("sums 0 %lu\nsums 1 %lu\nsums 4 39\nsums 5 39\nsums 6 40\n", called, pasted);
	return sum != 0;
}
#endif
