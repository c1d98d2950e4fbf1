/* The addresses of each instruction's first access, and how often branches are taken, summed: addresses.py */
#if defined ASKS
#include <ldx/tool.h>
#include <stdio.h>

static unsigned number;

static void ask(const ldx_insn *i, unsigned block, unsigned k)
{
	enum { ODD = LDX_ACCESS_PERHAPS | LDX_ACCESS_REPEATED | LDX_ACCESS_SCATTERED };
	ldx_arg arg[] = {ldx_number(number), ldx_access_address(i, 0)};
	if (!ldx_insn_accesses(i))
		return;
	const char *why = ldx_call(ldx_before(i), "access", 2, arg) ? NULL : ldx_refused();
	fprintf(stderr, "access %u %u %u %d %s\n", number, block, k, !(ldx_access_kind(i, 0) & ODD),
		why ? why : "");
	number += !why;
}

static void ask_branch(const ldx_insn *i, unsigned block, unsigned k)
{
	ldx_arg arg[] = {ldx_number(number), ldx_branch_taken(i)};
	if (!(ldx_insn_class(i) & LDX_CLASS_BRANCH))
		return;
	const char *why = ldx_call(ldx_before(i), "access", 2, arg) ? NULL : ldx_refused();
	fprintf(stderr, "branch %u %u %u 1 %s\n", number, block, k, why ? why : "");
	number += !why;
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
			unsigned k = 0;
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
				ask(i, ldx_block_id(b), k);
				ask_branch(i, ldx_block_id(b), k++);
			}
		}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "addresses", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t counts[1 << 17], sums[1 << 17];

LDX_ROUTINE void access(unsigned long number, unsigned long address)
{
	ldx_add(counts, [number & 0x1ffff], 1);
	ldx_add(sums, [number & 0x1ffff], address);
}
#elif defined REPORT
#include <ldx/report.h>

static uint64_t block(const ldx_insn *i)
{
	return ldx_block_id(ldx_insn_block(i));
}
static uint64_t place(const ldx_insn *i)
{
	uint64_t k = 0;
	for (const ldx_insn *x = NULL; (x = ldx_next_insn(ldx_insn_block(i), x)) && x != i;)
		k++;
	return k;
}
static uint64_t size(const ldx_insn *i)
{
	return ldx_insn_size(i);
}
static const struct ldx_column columns[] = {{.name = "block", .kind = LDX_FACT, .value = block},
	{.name = "k", .kind = LDX_FACT, .value = place},
	{.name = "size", .kind = LDX_FACT, .value = size}, {.name = NULL}};
static const struct ldx_table insns = {
	.name = "insns", .rows = LDX_ROWS_INSNS, .columns = columns, .sort = LDX_UNSORTED};
static const struct ldx_table *const tables[] = {&insns, NULL};
const struct ldx_report ldx_report = {.version = LDX_REPORT_VERSION,
	.name = "addresses",
	.summary = "a test",
	.tables = tables};
#else
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int main(void)
{
	char text[64][32];
	double sum = 0;
	for (int i = 0; i < 64; i++) {
		snprintf(text[i], sizeof text[i], "%d %.3f %s", i * 7919 % 64, i / 3.0, i % 2 ? "a" : "b");
		sum += strtod(text[i], NULL) + atof(text[i] + 2);
	}
	qsort(text, 64, sizeof *text, compare);
	printf("%s %s %g\n", text[0], text[63], sum);
	return 0;
}
#endif
