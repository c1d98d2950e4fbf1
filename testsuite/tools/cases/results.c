/* In front of calls and behind them: arguments, results; the stack pointer is what it was. */
//# flags: -fno-inline -fno-optimize-sibling-calls
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void ask(const ldx_insn *i)
{
	const ldx_func *f = ldx_insn_callee(i);
	ldx_arg before[] = {ldx_call_arg(1), ldx_call_arg(0), ldx_stack()};
	ldx_arg after[] = {ldx_stack(), ldx_result()};
	bool computed = !strcmp(ldx_func_name(ldx_block_func(ldx_insn_block(i))), "computed") &&
		ldx_insn_class(i) & LDX_CLASS_CALL;
	if (!computed && (!f || strcmp(ldx_func_name(f), "work") != 0))
		return;
	if (!ldx_call(ldx_before(i), "before", 3, before) ||
		!ldx_call(ldx_after(i), "after", 2, after))
		ldx_fail("%s", ldx_refused());
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
				ask(i);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "results", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[1], args[2], results[1], stack[1], other[1];

LDX_ROUTINE void before(unsigned long second, unsigned long first, unsigned long sp)
{
	ldx_add(calls, [0], 1);
	ldx_add(args, [0], first);
	ldx_add(args, [1], second);
	ldx_data(stack, [0]) = sp;
}
LDX_ROUTINE void after(unsigned long sp, unsigned long result)
{
	ldx_add(results, [0], (unsigned)result);
	ldx_add(other, [0], sp != ldx_data(stack, [0]));
}
#else
#include <stdio.h>

__attribute__((noipa)) unsigned work(unsigned a, unsigned b)
{
	return (a ^ b << 3) + 7;
}

/* Else a register or a word of the stack may hold the address of work() for a loop. */
__attribute__((noipa)) unsigned once(unsigned a, unsigned b)
{
	return work(a, b) + 1;
}

/* Behind a call of two bytes there is an instruction of its own: it is in no delay slot. */
#ifdef __riscv
unsigned computed(unsigned a, unsigned b);
__asm__(".text\n.globl computed\n.type computed, @function\n"
	"computed: addi sp, sp, -16\nsd ra, 8(sp)\nlla a5, work\n"
	".option push\n.option rvc\nc.jalr a5\nc.nop\n.option pop\nli a1, 77\n"
	"ld ra, 8(sp)\naddi sp, sp, 16\nret\n.size computed, . - computed\n");
#else
static unsigned (*volatile call)(unsigned, unsigned) = work;
__attribute__((noipa)) unsigned computed(unsigned a, unsigned b)
{
	return call(a, b) | 0x100;
}
#endif

int main(void)
{
	unsigned long first = 9, second = 4;
	unsigned long long results = (9 ^ 4 << 3) + 7;
	computed(9, 4);
	for (unsigned i = 0; i < 30; i++) {
		unsigned r = once(i, i * i) - 1;
		first += i, second += i * i, results += (i ^ i * i << 3) + 7;
		if (r % 3 == 0) {
			once(r, 1);
			first += r, second += 1, results += (r ^ 8) + 7;
		} else {
			first += 0;
		}
	}
	unsigned long calls = 31;
	for (unsigned i = 0; i < 30; i++)
		calls += ((i ^ i * i << 3) + 7) % 3 == 0;
	printf("calls 0 %lu\nargs 0 %lu\nargs 1 %lu\nresults 0 %llu\nother 0 0\n", calls, first, second,
		results);
	return 0;
}
#endif
