/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - how often, from where and for how long a function is called: routines around its calls
 */
#include <ldx/tool.h>
#include <string.h>

static const struct ldx_option options[] = {{"function", "NAME", "", "the function"}, {0}};
static const char *name;
static uint32_t sites;

/* Does the last instruction of a block lead to the function, in the program or in a library? */
static const ldx_insn *leads(const ldx_block *b)
{
	const ldx_insn *last = NULL;
	for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
		if (!last || ldx_insn_callee(i) || ldx_insn_callee_name(i))
			last = i;
	const ldx_func *f = ldx_insn_callee(last);
	const char *callee = f ? ldx_func_name(f) : ldx_insn_callee_name(last);
	return callee && !strcmp(callee, name) ? last : NULL;
}

static void measure(const ldx_block *b, const ldx_insn *call)
{
	ldx_arg arg[] = {ldx_stack(), ldx_number(ldx_block_id(b))};
	ldx_site before = ldx_before(call);
	ldx_add_to(before, "calls", ldx_block_id(b), 1);
	ldx_call(before, "enter", 1, arg);
	ldx_call(ldx_after(call), "leave", 2, arg);
}

/* Calls and tail calls; asks: else the numbers of their blocks are only looked at. */
static void walk(const ldx_func *f, bool asks)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *last = leads(b);
		if (last)
			sites = ldx_block_id(b) + 1;
		if (last && asks && ldx_insn_class(last) & LDX_CLASS_CALL)
			measure(b, last);
	}
	for (const ldx_exit *x = NULL; asks && (x = ldx_next_exit(f, x));) {
		enum ldx_exit_kind kind = ldx_exit_kind(x);
		if ((kind == LDX_EXIT_JUMP || kind == LDX_EXIT_BRANCH) && leads(ldx_exit_block(x)))
			ldx_add_to(ldx_at_exit(x), "calls", ldx_block_id(ldx_exit_block(x)), 1);
	}
}

static void instrument(const ldx_object *o)
{
	static const char *const variables[] = {"calls", "returns", "time"};
	name = ldx_option("function");
	if (!*name)
		ldx_fail("it needs the name of a function: wrap:function=NAME");
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		walk(f, false);
	/* in a build, some links may have no call of it: one word says so to the report */
	for (int i = 0; sites && i < 3; i++)
		ldx_set_size(variables[i], (sites + 1) * sizeof(uint64_t));
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		walk(f, true);
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "wrap",
	"calls of a function and how long they take", options, instrument};
