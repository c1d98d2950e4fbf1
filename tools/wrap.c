/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - how often, from where and for how long a function is called: routines around its calls
 */
#include <ldx/tool.h>

static const struct ldx_option options[] = {{"function", "NAME", "", "the function"}, {0}};

/* A tail call returns to another place: it is only counted. */
static void measure(const ldx_insn *call)
{
	uint32_t id = ldx_block_id(ldx_insn_block(call));
	ldx_arg arg[] = {ldx_stack(), ldx_number(id)};
	ldx_add_to(ldx_at_call(call), "calls", id, 1);
	if (ldx_insn_class(call) & LDX_CLASS_CALL)
		ldx_wrap(call, "enter", 1, arg, "leave", 2, arg);
}

static void instrument(const ldx_object *o)
{
	static const char *const variables[] = {"calls", "returns", "time"};
	const char *name = ldx_option("function");
	uint32_t sites = 0;
	if (!*name)
		ldx_fail("it needs the name of a function: wrap:function=NAME");
	for (const ldx_insn *i = NULL; (i = ldx_next_call(o, name, i));)
		sites = ldx_block_id(ldx_insn_block(i)) + 1;
	/* in a build, some links may have no call of it: one word says so to the report */
	for (int i = 0; sites && i < 3; i++)
		ldx_set_size(variables[i], (sites + 1) * sizeof(uint64_t));
	for (const ldx_insn *i = NULL; (i = ldx_next_call(o, name, i));)
		measure(i);
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "wrap",
	"calls of a function and how long they take", options, instrument};
