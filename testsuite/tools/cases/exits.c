/* Each way out of a function is a site: it is left as often as it is entered. */
//# flags: -O2
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void ask(const ldx_func *f, unsigned n)
{
	ldx_arg arg[] = {ldx_number(n), ldx_number(0)};
	if (!ldx_call(ldx_at_entry(f), "enter", 1, arg))
		ldx_fail("entry of %s: %s", ldx_func_name(f), ldx_refused());
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));) {
		arg[1] = ldx_number(ldx_exit_kind(x));
		if (!ldx_call(ldx_at_exit(x), "leave", 2, arg))
			ldx_fail("exit of %s, kind %d: %s", ldx_func_name(f), ldx_exit_kind(x),
				ldx_refused());
	}
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		if (!strncmp(ldx_func_name(f), "work", 4))
			ask(f, (unsigned)(ldx_func_name(f)[4] - '0'));
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "exits", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t entered[8], left[8], by_longjmp[1];

LDX_ROUTINE void enter(unsigned long f)
{
	ldx_add(entered, [f], 1);
}
LDX_ROUTINE void leave(unsigned long f, unsigned long kind)
{
	ldx_add(left, [f], 1);
	ldx_add(by_longjmp, [0], kind == 7);
}
#else
#include <setjmp.h>
#include <stdio.h>

static jmp_buf back;

__attribute__((noipa)) unsigned work1(unsigned n)
{
	return n * 7 + 1;
}
/* A tail call, on some CPUs by a conditional branch. */
__attribute__((noipa)) unsigned work2(unsigned n)
{
	if (n % 3)
		return work1(n);
	return n + 5;
}
__attribute__((noipa)) unsigned work3(unsigned n)
{
	if (n % 5 == 4)
		longjmp(back, 1);
	return n / 2 + work2(n);
}
__attribute__((noipa)) unsigned work4(unsigned n, unsigned (*f)(unsigned))
{
	return f(n + 1);
}

int main(void)
{
	volatile unsigned i, all = 0;
	unsigned one = 0;
	for (i = 0; i < 60; i++)
		if (!setjmp(back))
			all += work3(i) + work4(i, work2);
	fprintf(stderr, "%u\n", all);
	for (unsigned k = 0; k < 60; k++)
		one += k % 5 != 4 ? (k % 3 != 0) + ((k + 1) % 3 != 0) : 0;
	for (int k = 1; k <= 4; k++)
		printf("entered %d %u\nleft %d %u\n", k, k == 1 ? one : k == 2 ? 96 : k == 3 ? 60 : 48, k,
			k == 1 ? one : k == 2 ? 96 : k == 3 ? 60 : 48);
	puts("by_longjmp 0 12");
	return 0;
}
#endif
