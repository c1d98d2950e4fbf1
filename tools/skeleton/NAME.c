/* NAME.c - what NAME asks for while a program is linked: see ldx-tool(7) and <ldx/tool.h> */
#include <ldx/tool.h>
#include <string.h>

static const struct ldx_option options[] = {
	{"only", "FUNCTION", "", "measure this function, not all"}, {.name = NULL}};

static void instrument(const ldx_object *o)
{
	const char *only = ldx_option("only");

	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		if (ldx_func_opaque(f) || (*only && strcmp(only, ldx_func_name(f)) != 0))
			continue;
		ldx_call(ldx_at_entry(f), "enter", 0, NULL);
	}
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "NAME", "calls of functions", options,
	instrument};
