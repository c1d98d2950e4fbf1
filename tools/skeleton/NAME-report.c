/* NAME-report.c - what `ldxprof tool' shows: see ldx-report(7) and <ldx/report.h> */
#include <ldx/report.h>

static const struct ldx_column columns[] = {{.name = "object", .kind = LDX_TEXT},
	{.name = "calls", .kind = LDX_NUMBER}, {.name = NULL}};
static const struct ldx_table table = {.name = "calls",
	.title = "calls of functions",
	.rows = LDX_ROWS_ADDED,
	.columns = columns,
	.sort = 1};
static const struct ldx_table *const tables[] = {&table, NULL};

static void run(void)
{
	for (const ldx_object *o = NULL; (o = ldx_next_object(o));) {
		size_t n;
		const uint64_t *calls = ldx_variable(o, "calls", &n);
		struct ldx_value row[] = {{.text = ldx_object_name(o)},
			{.number = calls ? *calls : 0}};
		ldx_add_row(&table, row);
	}
}

const struct ldx_report ldx_report = {.version = LDX_REPORT_VERSION,
	.name = "NAME",
	.summary = "calls of functions",
	.tables = tables,
	.run = run};
