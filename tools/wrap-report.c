/* SPDX-License-Identifier: Apache-2.0 */
/* wrap-report.c - the calls of a function, by call site */
#include <ldx/report.h>

static const struct ldx_column columns[] = {
	{.name = "caller", .kind = LDX_TEXT},
	{.name = "at", .kind = LDX_TEXT},
	{.name = "calls", .kind = LDX_NUMBER},
	{.name = "timed", .kind = LDX_NUMBER},
	{.name = "nanoseconds", .kind = LDX_NUMBER},
	{.name = "each", .kind = LDX_RATIO, .a = 4, .b = 3},
	{.name = NULL},
};
static const struct ldx_table table = {
	.name = "calls", .rows = LDX_ROWS_ADDED, .columns = columns, .sort = 4, .total = 1};
static const struct ldx_table *const tables[] = {&table, NULL};

static const char *place_of(const ldx_block *b)
{
	const ldx_insn *last = ldx_last_insn(b);
	return last ? ldx_insn_place(last) : NULL;
}

static void run(void)
{
	bool called = false;
	for (const ldx_object *o = NULL; (o = ldx_next_object(o));) {
		size_t n = 0;
		const uint64_t *calls = ldx_variable(o, "calls", &n),
			       *returns = ldx_variable(o, "returns", &n),
			       *time = ldx_variable(o, "time", &n);
		called |= n > 1;
		for (const ldx_func *f = NULL; time && (f = ldx_next_func(o, f));)
			for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
				uint32_t id = ldx_block_id(b);
				struct ldx_value row[] = {{.text = ldx_func_demangled(f)},
					{.text = place_of(b)}, {.number = id < n ? calls[id] : 0},
					{.number = id < n ? returns[id] : 0},
					{.number = id < n ? time[id] : 0}, {0}};
				if (row[2].number)
					ldx_add_row(&table, row);
			}
	}
	if (!called)
		ldx_fail("nothing calls the function by its name");
}

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "wrap",
	.summary = "calls of a function and how long they take, by call site",
	.tables = tables,
	.run = run,
};
