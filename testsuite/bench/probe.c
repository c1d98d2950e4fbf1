/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - what requests of tools cost: at blocks, or at entries and exits, by one of these ways
 */
#include <ldx/tool.h>
#include <string.h>

static const struct ldx_option options[] = {
	{"at", "SITES", "blocks", "blocks; entries: of functions, and exits"},
	{"by", "WAY", "add", "add, mark, pasted, called"}, {0}};

static void ask(ldx_site site, uint64_t id, uint64_t n)
{
	const char *by = ldx_option("by");
	ldx_arg arg[] = {ldx_number(id % 4096), ldx_number(n)};

	if (!site.place)
		return;
	if (!strcmp(by, "add"))
		ldx_add_to(site, "executed", id % 4096, (int64_t)n);
	else if (!strcmp(by, "mark"))
		ldx_mark(site, "executed", id % 32768);
	else
		ldx_call(site, by, 2, arg);
}

static void ask_blocks(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		uint64_t n = 0;
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
			n++;
		ask(ldx_at_block(b), ldx_block_id(b), n);
	}
}

static void instrument(const ldx_object *o)
{
	uint64_t id = 0;

	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f)); id++) {
		if (!strcmp(ldx_option("at"), "blocks")) {
			ask_blocks(f);
			continue;
		}
		ask(ldx_at_entry(f), id, 1);
		for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));)
			ask(ldx_at_exit(x), id, 1);
	}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "probe", "what requests cost", options,
	instrument};
