/*
 * Routines in the place of functions: called, jumped to, by address, by themselves, with arguments
 * on the stack; they call the functions, or do not.  What the program has not is not replaced.
 */
//# flags: -O2 -fno-toplevel-reorder
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		const char *name = ldx_func_name(f);
		static const char *const all[] = {"work", "fact", "many", "instead", "local", "behind"};
		for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
			if (!strcmp(name, all[i]) && !ldx_replace(f, all[i]))
				ldx_fail("%s: %s", name, ldx_refused());
	}
	/* what it begins with does not tell on other CPUs */
	if (!strcmp(ldx_object_cpu(o), "x86_64") && ldx_replace(ldx_find_func(o, "add"), "work"))
		ldx_fail("arguments of add() are lost");
	if (ldx_replace_outside(o, "no_such_function", "missing"))
		ldx_fail("there is a no_such_function");
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "replace", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[6], sums[5];

unsigned original_work(unsigned a, unsigned b) LDX_ORIGINAL("work");
unsigned original_fact(unsigned n) LDX_ORIGINAL("fact");
unsigned original_behind(unsigned n) LDX_ORIGINAL("behind");
unsigned original_local(unsigned n) LDX_ORIGINAL("local");
unsigned original_missing(unsigned n) LDX_ORIGINAL("no_such_function");
unsigned long original_many(unsigned long a, unsigned long b, unsigned long c, unsigned long d,
	unsigned long e, unsigned long f, unsigned long g, unsigned long h, unsigned long i,
	unsigned long j) LDX_ORIGINAL("many");

LDX_ROUTINE unsigned work(unsigned a, unsigned b)
{
	ldx_add(calls, [0], 1);
	unsigned r = original_work(a, b);
	ldx_add(sums, [0], r);
	return r;
}
LDX_ROUTINE unsigned missing(unsigned n)
{
	ldx_add(calls, [0], 1);
	return original_missing(n) + 1;
}
LDX_ROUTINE unsigned fact(unsigned n)
{
	ldx_add(calls, [1], 1);
	ldx_add(sums, [1], n);
	return original_fact(n);
}
LDX_ROUTINE unsigned long many(unsigned long a, unsigned long b, unsigned long c, unsigned long d,
	unsigned long e, unsigned long f, unsigned long g, unsigned long h, unsigned long i,
	unsigned long j)
{
	ldx_add(calls, [2], 1);
	ldx_add(sums, [2], g + 3 * h + 5 * i + 7 * j);
	return original_many(a, b, c, d, e, f, g, h, i, j) + 1;
}
LDX_ROUTINE unsigned instead(unsigned n)
{
	ldx_add(calls, [3], 1);
	return n * 1000;
}
LDX_ROUTINE unsigned behind(unsigned n)
{
	ldx_add(calls, [5], 1);
	return original_behind(n) + 1;
}
LDX_ROUTINE unsigned local(unsigned n)
{
	ldx_add(calls, [4], 1);
	return original_local(n) + original_local(n + 1);
}
#else
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noipa)) double add(unsigned n, ...)
{
	va_list ap;
	double all = 0;
	va_start(ap, n);
	while (n--)
		all += va_arg(ap, double);
	va_end(ap);
	return all;
}
__attribute__((noipa)) unsigned work(unsigned a, unsigned b)
{
	return (a ^ b << 3) + 7;
}
/* Compilers do not make loops of these calls. */
__attribute__((noipa)) unsigned fact(unsigned n)
{
	unsigned a = n < 2 ? 1 : fact(n - 1), b;
	__asm__ volatile("" : "+r"(a));
	b = n < 2 ? 0 : fact(n - 2);
	__asm__ volatile("" : "+r"(b));
	return n < 2 ? 1 : a * 3 + b;
}
__attribute__((noipa)) unsigned long many(unsigned long a, unsigned long b, unsigned long c,
	unsigned long d, unsigned long e, unsigned long f, unsigned long g, unsigned long h,
	unsigned long i, unsigned long j)
{
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10;
}
__attribute__((noipa)) unsigned instead(unsigned n)
{
	abort();
	return n;
}
/* Behind a call that does not return. */
__attribute__((noipa, noreturn)) void dies(int n)
{
	puts("dies");
	exit(n);
}
__attribute__((noipa)) void fails(int n)
{
	if (n > 1000)
		dies(n + 1);
	puts("fails");
	dies(n);
}
__attribute__((noipa)) unsigned behind(unsigned n)
{
	return n * 3;
}
/* On some CPUs it finds other functions by its own address. */
__attribute__((noipa)) static unsigned local(unsigned n)
{
	return n * n + !!getenv("NO SUCH");
}
/* Tail calls, on some CPUs by a conditional branch. */
__attribute__((noipa)) unsigned tail(unsigned n)
{
	if (n % 3)
		return work(n, 1);
	return n + 5;
}
__attribute__((noipa)) unsigned by_address(unsigned (*f)(unsigned, unsigned), unsigned n)
{
	return f(n, 2);
}
unsigned (*const pointer)(unsigned, unsigned) = work;
/* A direct call might rely on what a function leaves alone. */
unsigned (*volatile other)(unsigned) = instead, (*volatile third)(unsigned) = behind;

int main(void)
{
	unsigned long sum = 0, works = 0, all = 0, on_stack = 0;
	unsigned long wrong = pointer != work;
	if (getenv("NO SUCH"))
		fails(1);
	for (unsigned i = 0; i < 30; i++) {
		sum += work(i, i), works++, all += (i ^ i << 3) + 7;
		sum += tail(i), works += i % 3 != 0, all += i % 3 ? (i ^ 8) + 7 : 0;
		sum += by_address(i % 2 ? work : pointer, i), works++, all += (i ^ 16) + 7;
		wrong += many(i, 1, 2, 3, 4, 5, 6, i + 7, 8, i) !=
			i + 2 + 6 + 12 + 20 + 30 + 42 + (i + 7ul) * 8 + 72 + i * 10ul + 1;
		on_stack += 6 + 3 * (i + 7) + 40 + 7 * i;
		wrong += other(i) != i * 1000;
		wrong += third(i) != i * 3 + 1;
		wrong += local(i) != i * i + (i + 1) * (i + 1);
	}
	unsigned facts = fact(7), f[8] = {1, 1}, n[8] = {1, 1}, ns[8] = {0, 1};
	for (unsigned i = 2; i < 8; i++) {
		f[i] = f[i - 1] * 3 + f[i - 2];
		n[i] = n[i - 1] + n[i - 2] + 1;
		ns[i] = ns[i - 1] + ns[i - 2] + i;
	}
	wrong += facts != f[7] || add(3, 1.0, 2.0, 4.0) != 7.0;
	fprintf(stderr, "%lu\n", sum);
	printf("calls 0 %lu\nsums 0 %lu\ncalls 1 %u\nsums 1 %u\ncalls 2 30\nsums 2 %lu\ncalls 3 30\n"
	       "calls 4 %lu\ncalls 5 30\n",
		works, all, n[7], ns[7], on_stack, 30 + wrong);
	return 0;
}
#endif
