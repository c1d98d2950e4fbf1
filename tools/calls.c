/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - which functions indirect calls lead to, and what is executed until calls return */
#include <ldx/tool.h>
#include <stdlib.h>

static const struct ldx_option options[] = {
	{"inclusive", "YES", "yes", "no: only count calls and find the callees of indirect ones"},
	{.name = NULL}};

enum { WAYS = 16 }; /* as in calls-routines.c */

static uint64_t found; /* calls by address */

/* A predicate that is too long to be copied on this CPU is called. */
static bool ask_found(const ldx_insn *i, ldx_site site, const char *predicate, unsigned n)
{
	const ldx_block *b = ldx_insn_block(i);
	ldx_arg site_number = ldx_number(found), to = ldx_target(i),
		begin[] = {site_number, to, ldx_stack()},
		find[] = {site_number, to, ldx_func_address(ldx_block_func(b)),
			ldx_number(ldx_block_id(b))};
	bool asked = ldx_is_copied(predicate)
		? ldx_call_if(site, predicate, n, begin, "find", 4, find)
		: ldx_call(site, predicate, n, begin) && ldx_call(site, "find", 4, find);
	found += asked;
	return asked;
}

static bool begin_found(const ldx_insn *i, ldx_site site)
{
	bool jump = ldx_call_kind(i) == LDX_CALL_JUMP;
	return ask_found(i, site, jump ? "jump_found" : "call_found", 3);
}

static void count_found(const ldx_func *f, enum ldx_call_kind first, enum ldx_call_kind last)
{
	for (enum ldx_call_kind kind = first; kind <= last; kind++)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
			const ldx_insn *i = ldx_last_insn(b);
			if (ldx_call_kind(i) == kind && ldx_calls_by_address(i))
				ask_found(i, ldx_at_call(i), "count_found", 2);
		}
}

/* Two bits for each block: see ldxprof(5). */
static ldx_arg known_bits(const ldx_object *o, uint32_t words)
{
	ldx_arg *word = calloc(words, sizeof *word), all;
	if (!word)
		ldx_fail("out of memory");
	for (uint32_t k = 0; k < words; k++)
		word[k] = ldx_number(0);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
			uint64_t is = !ldx_call_is_derived(ldx_last_insn(b));
			if (b == ldx_next_block(f, NULL) && ldx_func_is_enclosed(f))
				is |= 2;
			word[ldx_block_id(b) / 32].number |= is << ldx_block_id(b) % 32 * 2;
		}
	all = ldx_words(word, words);
	free(word);
	return all;
}

static void measure(const ldx_object *o)
{
	static const struct ldx_follow how = {.clock = "clock",
		.derives = true,
		.begin = "begin",
		.end = "end",
		.begin_found = begin_found,
		.leave_found = "leave_found",
		.returned_found = "returned_found"};
	ldx_follow_calls(o, &how);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		count_found(f, LDX_CALL_UNSEEN, LDX_CALL_UNSEEN);
	uint32_t blocks = ldx_block_ids(o), words = blocks / 32 + 1;
	ldx_arg sites = ldx_number(found),
		begins[] = {known_bits(o, words), ldx_number(words), sites};
	ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "began", 3, begins);
	ldx_call(ldx_at_event(LDX_EVENT_CHILD), "begin_finding", 1, &sites);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_BEGIN), "begin_finding", 1, &sites);
	ldx_set_size("ldx_inclusive", blocks * sizeof(uint64_t));
	ldx_set_size("ldx_pending", blocks * sizeof(uint64_t));
	ldx_set_size("begun", blocks * sizeof(uint64_t));
	ldx_set_size("ldx_known", words * sizeof(uint64_t));
}

static void instrument(const ldx_object *o)
{
	if (strcmp(ldx_option("inclusive"), "no") != 0)
		measure(o);
	else
		for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
			count_found(f, LDX_CALL_UNSEEN, LDX_CALL_JUMP);
	ldx_set_size("found", 2 * WAYS * (found + 1) * sizeof(uint64_t));
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "calls",
	"callees of indirect calls, and what is executed until calls return", options, instrument};
