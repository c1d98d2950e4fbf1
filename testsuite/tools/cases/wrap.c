/*
 * Calls that are wrapped: of functions with a variable number of arguments, of local ones, of the
 * C library; registers that compilers know to be kept are kept.  On MIPS some arguments are made in delay slots.
 */
//# flags: -O2 -fno-builtin
#if defined ASKS
#include <ldx/tool.h>

static void instrument(const ldx_object *o)
{
	static const char *const names[] = {"sum", "local", "labs"};
	for (unsigned k = 0; k < 3; k++) {
		ldx_arg first[] = {ldx_number(k), ldx_call_arg(0)}, result[] = {ldx_number(k), ldx_result()};
		unsigned n = 0;
		for (const ldx_insn *i = NULL; (i = ldx_next_call(o, names[k], i));) {
			const ldx_func *f = ldx_block_func(ldx_insn_block(i));
			bool jumps = !(ldx_insn_class(i) & LDX_CLASS_CALL);
			if (!strcmp(ldx_func_name(f), "tail") && !jumps)
				continue; /* on some CPUs */
			if (ldx_wrap(i, "before", 2, first, "after", 2, result) == jumps)
				ldx_fail("%s: %s", names[k], jumps ? "a jump returns" : ldx_refused());
			n++;
		}
		if (!n)
			ldx_fail("nothing calls %s", names[k]);
	}
	if (ldx_next_call(o, "no_such_function", NULL))
		ldx_fail("something calls no_such_function");
	const ldx_insn *call = ldx_next_call(o, "sum", NULL);
	ldx_arg behind = ldx_branch_taken(call);
	if (ldx_wrap(call, "before", 0, NULL, "after", 1, &behind))
		ldx_fail("no branch is there");
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "wrap", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[3], firsts[3], returns[3], results[3];

LDX_ROUTINE void before(unsigned long k, unsigned long first)
{
	ldx_add(calls, [k], 1);
	ldx_add(firsts, [k], (uint32_t)first);
}
LDX_ROUTINE void after(unsigned long k, unsigned long result)
{
	ldx_add(returns, [k], 1);
	ldx_add(results, [k], (uint32_t)result);
}
#else
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noipa)) unsigned sum(unsigned n, ...)
{
	va_list ap;
	unsigned all = 0;
	va_start(ap, n);
	for (unsigned i = 0; i < n; i++)
		all += i % 2 ? (unsigned)va_arg(ap, double) : va_arg(ap, unsigned);
	va_end(ap);
	return all;
}
/* Callers know which registers it leaves alone. */
__attribute__((noinline)) static unsigned local(unsigned n)
{
	return n / 3 ^ 5;
}
__attribute__((noipa)) long tail(long n)
{
	return labs(n);
}

static unsigned long long results[3], firsts[3], wrong;

/* In a loop, code for MIPS gets the functions' addresses once, and does not name them. */
__attribute__((noipa)) void once(unsigned i)
{
	unsigned a = sum(9, i, 2.0, 3, 4.0, 5, 6.0, 7, 8.0, 9), b = local(i + 7);
	unsigned c = (unsigned)labs(-(long)i);
	wrong += a != i + 44 || b != ((i + 7) / 3 ^ 5) || c != i || tail(-5) != 5;
	results[0] += a, results[1] += b, results[2] += c;
	firsts[0] += 9, firsts[1] += i + 7, firsts[2] += (unsigned)-i;
}

int main(void)
{
	for (unsigned i = 0; i < 50; i++)
		once(i);
	for (int k = 0; k < 3; k++)
		printf("calls %d %llu\nreturns %d 50\nfirsts %d %llu\nresults %d %llu\n", k, 50 + wrong, k, k,
			firsts[k], k, results[k]);
	return 0;
}
#endif
