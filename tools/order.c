/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - in which order functions are executed first: a routine at each function's entry */
#include <ldx/tool.h>

enum { BLOCKS = 1 << 21 }; /* as in order-routines.c */

static void instrument(const ldx_object *o)
{
	uint32_t blocks = 1;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		const ldx_block *first = ldx_next_block(f, NULL);
		ldx_arg id = ldx_number(first ? ldx_block_id(first) : 0);
		if (!first || id.number >= BLOCKS)
			continue;
		ldx_call(ldx_at_entry(f), "enter", 1, &id);
		blocks = (uint32_t)id.number + 1;
	}
	ldx_set_size("position", blocks * sizeof(uint64_t));
	ldx_set_size("processes", blocks * sizeof(uint64_t));
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "order",
	"functions in the order of their first executions", NULL, instrument};
