/*
 * Addresses of functions are those that the program calls them by, those of instructions are where calls return to, at
 * sites, in predicates and at events.
 */
//# flags: -O1 -fno-inline -fno-optimize-sibling-calls -fno-toplevel-reorder
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void must(bool asked)
{
	if (!asked)
		ldx_fail("%s", ldx_refused());
}

static void ask(const ldx_object *o, const ldx_func *f, const ldx_insn *i)
{
	const ldx_func *callee = ldx_insn_callee(i);
	unsigned class = ldx_insn_class(i);
	ldx_arg at[] = {ldx_insn_address(i), ldx_number(3)};
	ldx_arg call[] = {ldx_func_address(ldx_find_func(o, "leaf2")), ldx_target(i), ldx_insn_address(i),
		ldx_func_address(ldx_find_func(o, "leaf1"))};
	if (callee && !strcmp(ldx_func_name(callee), "told") && class & LDX_CLASS_CALL) {
		must(ldx_call(ldx_before(i), "before", 2, at));
		must(ldx_call_if(ldx_before(i), "has", 1, at, "seen", 1, at));
	}
	if (!strcmp(ldx_func_name(f), "work") && class & LDX_CLASS_CALL && class & LDX_CLASS_INDIRECT)
		must(ldx_call(ldx_before(i), "call", 4, call));
}

static void instrument(const ldx_object *o)
{
	ldx_arg enter[] = {ldx_return_address(), ldx_call_arg(0), ldx_func_address(ldx_find_func(o, "leaf1"))};
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ldx_arg self = ldx_func_address(f);
		if (!strncmp(ldx_func_name(f), "leaf", 4))
			must(ldx_call(ldx_at_entry(f), "enter", 1, &self));
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
				ask(o, f, i);
	}
	must(ldx_call(ldx_at_entry(ldx_find_func(o, "told")), "told", 3, enter));
	must(ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "begin", 1, &enter[2]));
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "places", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t wrong[8], times[4], last[3];

LDX_ROUTINE void begin(unsigned long leaf1)
{
	ldx_data(last, [0]) = leaf1;
}
LDX_ROUTINE void before(unsigned long at, unsigned long three)
{
	ldx_data(last, [1]) = at;
	ldx_add(wrong, [0], three != 3);
}
LDX_ROUTINE unsigned long has(unsigned long at)
{
	return at | 1;
}
LDX_ROUTINE void seen(unsigned long at)
{
	ldx_add(wrong, [1], at != ldx_data(last, [1]));
	ldx_add(times, [0], 1);
}
/* A call with what is in its delay slot is of 12 bytes at most. */
LDX_ROUTINE void told(unsigned long back, unsigned long function, unsigned long leaf1)
{
	ldx_add(wrong, [2], back - ldx_data(last, [1]) - 1 > 11);
	ldx_add(wrong, [3], function != leaf1 || leaf1 != ldx_data(last, [0]));
	ldx_add(times, [1], 1);
}
LDX_ROUTINE void call(unsigned long leaf2, unsigned long target, unsigned long at, unsigned long leaf1)
{
	ldx_add(wrong, [4], target != leaf1 && target != leaf2);
	ldx_add(times, [2], target == leaf1);
	ldx_add(wrong, [5], leaf1 == leaf2 || at == leaf1);
	ldx_data(last, [2]) = target;
}
LDX_ROUTINE void enter(unsigned long self)
{
	ldx_add(times, [3], 1);
	ldx_add(wrong, [6], self != ldx_data(last, [2]));
}
#else
#include <stdio.h>

typedef long function(long);
__attribute__((noipa)) long leaf1(long n)
{
	return n + 1;
}
__attribute__((noipa, section(".text.far"))) long leaf2(long n)
{
	while (n > 5)
		n /= 2;
	return n;
}
function *volatile table[2] = {leaf1, leaf2};
__attribute__((noipa)) void told(function *f)
{
	__asm__ volatile("" : : "r"(f));
}
__attribute__((noipa)) long work(unsigned i)
{
	return table[i % 2](i);
}

int main(void)
{
	long sum = 0;
	for (unsigned i = 0; i < 20; i++) {
		told(leaf1);
		sum += work(i);
		if (i % 3 == 0)
			told(table[0]);
	}
	puts("times 0 27\ntimes 1 27\ntimes 2 10\ntimes 3 20");
	for (int i = 0; i < 7; i++)
		printf("wrong %d 0\n", i);
	return sum == 3;
}
#endif
