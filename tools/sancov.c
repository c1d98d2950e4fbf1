/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sancov.c - coverage for libFuzzer, of code that was not compiled for it
 *
 * What clang's -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp gives libFuzzer: a
 * counter of 8 bits for each block, and for each edge that is not known by its blocks; where each
 * is; and what is compared.
 */
#include <ldx/tool.h>

#include <stdlib.h>
#include <string.h>

static const struct ldx_option options[] = {
	{"compare", "YES", "yes", "no: what is compared is not told"},
	{0},
};

/* What libFuzzer defines, in the order of sancov-routines.c. */
static const char *const called[] = {"__sanitizer_cov_8bit_counters_init",
	"__sanitizer_cov_pcs_init", "__sanitizer_cov_trace_cmp1", "__sanitizer_cov_trace_cmp2",
	"__sanitizer_cov_trace_cmp4", "__sanitizer_cov_trace_cmp8"};
enum { CALLED = sizeof called / sizeof *called };
static const char target[] = "LLVMFuzzerTestOneInput";

/* Sites with a counter, and for each two words: its address, and 1 if a function begins there. */
static ldx_site *site;
static ldx_arg *word;
static size_t places, room;

static void add(ldx_site at, const ldx_insn *i, bool entry)
{
	if (!at.place)
		return;
	if (places == room) {
		room = room ? 2 * room : 1024;
		site = realloc(site, room * sizeof *site);
		word = realloc(word, 2 * room * sizeof *word);
	}
	word[2 * places] = ldx_insn_address(i);
	word[2 * places + 1] = ldx_number(entry);
	site[places++] = at;
}

static void add_edges(const ldx_func *f, uint32_t first, uint32_t n)
{
	unsigned *out = calloc(2 * n + 1, sizeof *out), *in = out + n;
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		if (from)
			out[ldx_block_id(from) - first]++;
		if (to)
			in[ldx_block_id(to) - first]++;
	}
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		if (from && to && ldx_edge_kind(e) != LDX_EDGE_TABLE &&
			out[ldx_block_id(from) - first] > 1 && in[ldx_block_id(to) - first] > 1)
			add(ldx_at_edge(e), ldx_next_insn(to, NULL), false);
	}
	free(out);
}

/* Values of the same size, in registers, constant or one of them in memory. */
static void compare(const ldx_insn *i)
{
	unsigned size = ldx_compare_size(i);
	int memory = ldx_compare_memory(i);
	ldx_arg arg[] = {ldx_number(size), ldx_compare_value(i, memory == 0),
		ldx_compare_value(i, 1)};
	if (memory >= 0)
		arg[2] = ldx_access_address(i, 0);
	if (size)
		ldx_call(ldx_before(i), memory < 0 ? "compare" : "compare_memory", 3, arg);
}

static void walk(const ldx_func *f, bool compares)
{
	uint32_t first = 0, n = 0;
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b)); n++) {
		first = n ? first : ldx_block_id(b);
		add(ldx_at_block(b), ldx_next_insn(b, NULL), !n);
		for (const ldx_insn *i = NULL; compares && (i = ldx_next_insn(b, i));)
			compare(i);
	}
	if (n)
		add_edges(f, first, n);
}

static void instrument(const ldx_object *o)
{
	ldx_arg to[CALLED], begin[4];
	for (int i = 0; i < CALLED; i++) {
		const ldx_func *f = ldx_find_func(o, called[i]);
		if (!f)
			ldx_fail("there is no libFuzzer in the link: clang++ -fsanitize=fuzzer");
		to[i] = ldx_func_address(f);
	}
	const ldx_func *one = ldx_find_func(o, target);
	if (!one || !ldx_replace(one, "run_one"))
		ldx_fail("%s: %s", target, one ? ldx_refused() : "there is no such function");
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		if (!strstr(ldx_func_input(f), "clang_rt"))
			walk(f, !strcmp(ldx_option("compare"), "yes"));
	if (!places)
		ldx_fail("there is nothing to count");
	ldx_arg counters = ldx_bytes(calloc(places, 1), places, 64);
	for (size_t k = 0; k < places; k++) {
		ldx_arg at = ldx_bytes_at(counters, k);
		ldx_call(site[k], "executed", 1, &at);
	}
	begin[0] = ldx_words(to, CALLED);
	begin[1] = counters;
	begin[2] = ldx_words(word, 2 * places);
	begin[3] = ldx_number(places);
	if (!ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "begin", 4, begin))
		ldx_fail("%s", ldx_refused());
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "sancov",
	"coverage and comparisons for libFuzzer", options, instrument};
