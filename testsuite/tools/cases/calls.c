/* What is known of calls: which return, which recur, which call back. */
//# flags: -O2 -fno-inline -fno-optimize-sibling-calls -Wl,--no-as-needed -lstdc++
//# static: no
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static const ldx_insn *find(const ldx_object *o, const char *caller, const char *callee)
{
	const ldx_func *f = ldx_find_func(o, caller);
	for (const ldx_block *b = NULL; f && (b = ldx_next_block(f, b));)
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
			const ldx_func *to = ldx_insn_callee(i);
			const char *name = to ? ldx_func_name(to) : ldx_insn_callee_name(i);
			if (ldx_insn_class(i) & LDX_CLASS_CALL && name && !strcmp(name, callee))
				return i;
		}
	ldx_fail("%s does not call %s", caller, callee);
}

static void expect(const ldx_object *o, const char *caller, const char *callee, bool returns,
	bool recurs, bool calls_back)
{
	const ldx_insn *i = find(o, caller, callee);
	if (ldx_call_returns(i) != returns || ldx_call_recurs(i) != recurs ||
		ldx_call_calls_back(i) != calls_back)
		ldx_fail("%s calls %s: returns %d, recurs %d, calls back %d", caller, callee,
			ldx_call_returns(i), ldx_call_recurs(i), ldx_call_calls_back(i));
}

static void instrument(const ldx_object *o)
{
	expect(o, "work", "half", true, false, true);
	expect(o, "work", "even", true, false, true);
	expect(o, "even", "odd", true, true, true);
	expect(o, "odd", "even", true, true, true);
	expect(o, "work", "sort", false, true, true);
	expect(o, "work", "stops", false, true, true);
	expect(o, "sort", "qsort", false, true, true);
	expect(o, "half", "strlen", true, false, false);
	expect(o, "drop", "_ZdlPv", true, false, false);
	ldx_add_to(ldx_at_entry(ldx_find_func(o, "work")), "works", 0, 1);
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "calls", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>
LDX_THREAD uint64_t works[1];
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN __attribute__((noipa)) unsigned
FN even(unsigned n);
FN odd(unsigned n) { return n ? even(n - 1) + 1 : 0; }
FN even(unsigned n) { return n ? odd(n - 1) + 2 : 1; }
const char *volatile text = "four";
FN half(unsigned n) { return n / 2 + (unsigned)strlen(text); }
void operator_delete(void *) __asm__("_ZdlPv");
FN drop(unsigned n)
{
	operator_delete(malloc(n));
	return n;
}
FN stops(unsigned n)
{
	if (n > 100)
		exit(1);
	return n + 1;
}
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
FN sort(unsigned n)
{
	int v[3] = {(int)n, 5, 2};
	qsort(v, 3, sizeof *v, compare);
	return (unsigned)v[1];
}
FN work(unsigned n) { return half(n) + even(n) + sort(n) + stops(n) + drop(n); }

int main(void)
{
	fprintf(stderr, "%u\n", work(9));
	puts("works 0 1");
	return 0;
}
#endif
