/* SPDX-License-Identifier: Apache-2.0 */
/* branch-report.c - conditional branches that were predicted wrongly, by function and one by one */
#include <ldx/report.h>

enum { BRANCHES = 1, WRONG = 2 };
static const struct ldx_column function_columns[] = {
	{.name = "function", .kind = LDX_TEXT},
	{.name = "branches", .kind = LDX_NUMBER},
	{.name = "wrong", .kind = LDX_NUMBER},
	{.name = "rate", .kind = LDX_RATIO, .a = WRONG, .b = BRANCHES},
	{.name = "share", .kind = LDX_SHARE, .a = WRONG},
	{0},
};
static const struct ldx_column branch_columns[] = {
	{.name = "function", .kind = LDX_TEXT},
	{.name = "branches", .kind = LDX_NUMBER},
	{.name = "wrong", .kind = LDX_NUMBER},
	{.name = "rate", .kind = LDX_RATIO, .a = WRONG, .b = BRANCHES},
	{.name = "branch", .kind = LDX_TEXT},
	{.name = "at", .kind = LDX_TEXT},
	{0},
};
static const struct ldx_table functions = {.name = "functions",
	.rows = LDX_ROWS_ADDED,
	.columns = function_columns,
	.sort = WRONG,
	.total = 1};
static const struct ldx_table branches = {
	.name = "branches", .rows = LDX_ROWS_ADDED, .columns = branch_columns, .sort = WRONG};
static const struct ldx_table *const tables[] = {&functions, &branches, NULL};

/* Words of a function: those of its branches. */
static void add_function(const ldx_func *f, const uint64_t *word, size_t n)
{
	uint64_t executed = 0, wrong = 0;
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *branch = NULL;
		size_t k = 2 * (size_t)ldx_block_id(b) + 1;
		uint64_t count = ldx_block_count(b);
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
			if (ldx_insn_class(i) & LDX_CLASS_BRANCH)
				branch = i;
		if (!branch || k >= n || !count || (count == LDX_UNKNOWN && !word[k]))
			continue;
		struct ldx_value row[] = {{.text = ldx_func_demangled(f)}, {.number = count},
			{.number = word[k]}, {0}, {.text = ldx_insn_text(branch)},
			{.text = ldx_insn_place(branch)}};
		ldx_add_row(&branches, row);
		wrong += word[k];
		executed = count == LDX_UNKNOWN || executed == LDX_UNKNOWN ? LDX_UNKNOWN
									   : executed + count;
	}
	struct ldx_value row[] = {{.text = ldx_func_demangled(f)}, {.number = executed},
		{.number = wrong}, {0}, {0}};
	if (executed)
		ldx_add_row(&functions, row);
}

static void run(void)
{
	for (const ldx_object *o = NULL; (o = ldx_next_object(o));) {
		size_t n = 0;
		const uint64_t *word = ldx_variable(o, "branches", &n);
		for (const ldx_func *f = NULL; word && (f = ldx_next_func(o, f));)
			add_function(f, word, n);
	}
}

LDX_API const struct ldx_report ldx_report = {.version = LDX_REPORT_VERSION,
	.name = "branch",
	.summary = "conditional branches that are predicted wrongly",
	.tables = tables,
	.run = run};
