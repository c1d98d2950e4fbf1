/* SPDX-License-Identifier: Apache-2.0 */
/* values-report.c - targets by indirect call or jump, and values of an argument */
#define _GNU_SOURCE
#include <ldx/report.h>
#include <stdio.h>

static const struct ldx_column columns[] = {
	{.name = "function", .kind = LDX_TEXT},
	{.name = "at", .kind = LDX_TEXT},
	{.name = "value", .kind = LDX_TEXT},
	{.name = "line", .kind = LDX_TEXT},
	{.name = "count", .kind = LDX_NUMBER},
	{.name = NULL},
};
static const struct ldx_table table = {
	.name = "values", .rows = LDX_ROWS_ADDED, .columns = columns, .sort = 4, .total = 1};
static const struct ldx_table *const tables[] = {&table, NULL};

enum {
	IS_ZERO = 1,
	IS_INT = 2,
	IS_ARGUMENT = 4,
	IS_CALL = 8,
	SITE = 16
}; /* as in the other parts */
struct entry {
	uint64_t site, value, count;
};

static const char *place_of(const ldx_insn *i)
{
	const char *place = i ? ldx_insn_place(i) : NULL;
	char *text;
	if (place || !i || asprintf(&text, "block %u", ldx_block_id(ldx_insn_block(i))) < 0)
		return place;
	return text;
}

static void show_number(struct ldx_value *row, const struct entry *e)
{
	char text[32];
	long long word = e->site & IS_ZERO ? 0 : (long long)e->value;
	snprintf(text, sizeof text, "%lld", e->site & IS_INT ? (int32_t)word : word);
	row[2].text = text;
	ldx_add_row(&table, row);
}

/* False: it is not in the object. */
static bool show_target(struct ldx_value *row, const struct entry *e, const ldx_object *o)
{
	uint64_t at = ldx_func_start(ldx_next_func(o, NULL)) + e->value - 1;
	at = ldx_func_at(o, at) ? at : (uint32_t)at; /* sums of CPUs of 32 bits */
	const ldx_func *f = ldx_func_at(o, at);
	const ldx_block *to = f ? ldx_block_at(o, at) : NULL;
	row[2].text = f ? ldx_func_demangled(f) : NULL;
	row[3].text = to ? place_of(ldx_next_insn(to, NULL)) : NULL;
	if (f)
		ldx_add_row(&table, row);
	return f;
}

/* The entries of a block, which are adjacent. */
static const struct entry *show(const ldx_block *b, const struct entry *e, const struct entry *end,
	const ldx_object *o)
{
	const ldx_insn *last = NULL;
	uint64_t outside = 0;
	if (e < end && e->site / SITE == ldx_block_id(b) + 1)
		last = ldx_last_insn(b);
	for (; last && e < end && e->site / SITE == ldx_block_id(b) + 1; e++) {
		bool number = e->site & IS_ARGUMENT, called = number && !(e->site & IS_CALL);
		struct ldx_value row[5] = {{.text = ldx_func_demangled(ldx_block_func(b))},
			{.text = place_of(called ? ldx_next_insn(b, NULL) : last)},
			[4] = {.number = e->count}};
		if (number)
			show_number(row, e);
		else if (!show_target(row, e, o))
			outside += e->count;
	}
	if (outside)
		ldx_add_row(&table,
			(struct ldx_value[5]){{.text = ldx_func_demangled(ldx_block_func(b))},
				{.text = place_of(last)}, {.text = "(outside)"}, [4] = {outside}});
	return e;
}

static void run(void)
{
	for (const ldx_object *o = NULL; (o = ldx_next_object(o));) {
		size_t n = 0;
		const struct entry *e = (const void *)ldx_variable(o, "seen", &n), *end = e + n / 3;
		if (e && e++->count)
			ldx_add_row(&table,
				(struct ldx_value[5]){{.text = "(no room)"}, [4] = {e[-1].count}});
		for (const ldx_func *f = NULL; e && (f = ldx_next_func(o, f));)
			for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
				e = show(b, e, end, o);
	}
}

LDX_API const struct ldx_report ldx_report = {
	.version = LDX_REPORT_VERSION,
	.name = "values",
	.summary = "where indirect calls and jumps lead, and the values of an argument",
	.tables = tables,
	.run = run,
};
