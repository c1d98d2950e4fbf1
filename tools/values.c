/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - where indirect calls and jumps lead, and the values of an argument of a function */
#include <ldx/tool.h>
#include <string.h>

static const struct ldx_option options[] = {
	{"function", "NAME", "", "of calls of this function, the values of an argument, too"},
	{"argument", "N", "1", "which one: 1 is the first"},
	{"bits", "N", "64", "how long it is: 32 or 64"},
	{"entries", "N", "0", "room for so many values, by thread; 0: 1024, and 32 for each site"},
	{0},
};
enum {
	IS_INT = 2,
	IS_ARGUMENT = 4,
	IS_CALL = 8,
	SITE = 16
}; /* site: the number of a block and these */
static uint64_t sites, entries;

/* Addresses differ by process: what is counted is their distance from the first function. */
static void walk(const ldx_object *o, bool asks)
{
	const ldx_func *first = ldx_next_func(o, NULL);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
				if (!ldx_calls_by_address(i))
					continue;
				sites++;
				if (!asks)
					continue;
				ldx_arg arg[] = {ldx_number(ldx_block_id(b) * SITE + SITE),
					ldx_target(i), ldx_func_address(first),
					ldx_number(entries)};
				ldx_call(ldx_before(i), "see", 4, arg);
			}
}

static void watch(ldx_site at, const ldx_block *b, unsigned kind)
{
	uint64_t n = ldx_option_number("argument"), bits = ldx_option_number("bits");
	if (!n || (bits != 32 && bits != 64))
		ldx_fail("argument=1 is the first, bits are 32 or 64");
	kind |= IS_ARGUMENT + (bits == 32 ? IS_INT : 0);
	ldx_arg arg[] = {ldx_number(ldx_block_id(b) * SITE + SITE + kind),
		ldx_call_arg((unsigned)n - 1), ldx_number(1), ldx_number(entries)};
	if (!ldx_call(at, "see", 4, arg))
		ldx_fail("%s, block %u: %s", ldx_func_name(ldx_block_func(b)), ldx_block_id(b),
			ldx_refused());
}

/* A function of another object is watched where it is called by its name. */
static void watch_calls(const ldx_object *o, const char *name)
{
	for (const ldx_insn *i = NULL; (i = ldx_next_call(o, name, i));)
		watch(ldx_at_call(i), ldx_insn_block(i), IS_CALL);
}

static void instrument(const ldx_object *o)
{
	const char *name = ldx_option("function");
	const ldx_func *f = *name ? ldx_find_func(o, name) : NULL;
	const ldx_block *b = f ? ldx_next_block(f, NULL) : NULL;
	if (*name && !b && !ldx_next_call(o, name, NULL))
		ldx_fail("there is no function %s, and no call of it", name);
	walk(o, false);
	for (const ldx_insn *i = NULL; *name && !b && (i = ldx_next_call(o, name, i));)
		sites++;
	entries = ldx_option_number("entries");
	entries = entries ? entries : 1024 + 32 * sites;
	ldx_set_size("seen", entries * 3 * 8);
	walk(o, true);
	if (b)
		watch(ldx_at_entry(f), b, 0);
	else if (*name)
		watch_calls(o, name);
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "values",
	"where indirect calls and jumps lead, and the values of an argument", options, instrument};
