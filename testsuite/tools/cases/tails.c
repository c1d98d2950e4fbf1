/* Each call of a function, also by jumps and branches out of others; and jumps by addresses. */
//# flags: -O2
#if defined ASKS
#include <ldx/tool.h>

static void ask(const ldx_insn *i, unsigned k)
{
	ldx_arg arg[] = {ldx_number(k), ldx_call_arg(0)};
	if (!ldx_call(ldx_at_call(i), "call", 2, arg))
		ldx_fail("%s: %s", ldx_insn_text(i), ldx_refused());
}

static void instrument(const ldx_object *o)
{
	for (const ldx_insn *i = NULL; (i = ldx_next_call(o, "named", i));)
		ask(i, 0);
	const ldx_func *chosen = ldx_find_func(o, "chosen");
	for (const ldx_block *b = NULL; (b = ldx_next_block(chosen, b));)
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
			if (ldx_insn_class(i) & LDX_CLASS_INDIRECT && ldx_insn_class(i) & LDX_CLASS_JUMP)
				ask(i, 1);
	const ldx_func *named = ldx_find_func(o, "named");
	if (ldx_at_call(ldx_next_insn(ldx_next_block(named, NULL), NULL)).place)
		ldx_fail("the first instruction of named is no call");
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "tails", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[2], firsts[2];

LDX_ROUTINE void call(unsigned long k, unsigned long first)
{
	ldx_add(calls, [k], 1);
	ldx_add(firsts, [k], (uint32_t)first);
}
#else
#include <stdio.h>

#define FN __attribute__((noipa)) unsigned long
static unsigned long count, sum;
FN named(unsigned long n)
{
	__asm__("" : "+r"(n));
	count++, sum += n;
	return n + 1;
}
FN calls(unsigned long n) { return named(n) + named(n + 1); }
FN jumps(unsigned long n) { return named(n + 2); }
FN branches(unsigned long n) { return n & 1 ? named(n) : 7; }
FN chosen(unsigned long (*f)(unsigned long), unsigned long n) { return f(n + 3); }

int main(void)
{
	for (unsigned long n = 0; n < 20; n++)
		calls(n), jumps(n), branches(n);
	unsigned long (*volatile f)(unsigned long) = jumps;
	unsigned long firsts = 0;
	for (unsigned long n = 0; n < 20; n++)
		chosen(f, n), firsts += n + 3;
	printf("calls 0 %lu\nfirsts 0 %lu\ncalls 1 20\nfirsts 1 %lu\n", count, sum, firsts);
	return 0;
}
#endif
