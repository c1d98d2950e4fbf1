/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - which functions indirect calls lead to, and what is executed until calls return */
#include "calls-tree.h"

static const struct ldx_option options[] = {
	{"inclusive", "YES", "yes", "no: only count calls and find the callees of indirect ones"},
	{.name = NULL}};

enum { WAYS = 16 }; /* as in calls-routines.c */

static bool inclusive, nested;
static uint64_t found; /* calls by address */
static ldx_arg groups, known;
static uint32_t words; /* of what is known */

/* A predicate that is too long to be copied on this CPU is called. */
static bool ask_if(ldx_site site, const char *predicate, unsigned np, const ldx_arg *parg,
	const char *routine, unsigned n, const ldx_arg *arg)
{
	return ldx_is_copied(predicate)
		? ldx_call_if(site, predicate, np, parg, routine, n, arg)
		: ldx_call(site, predicate, np, parg) && ldx_call(site, routine, n, arg);
}

/* A call or jump by address; false: its callee cannot be found. */
static bool ask_found(const ldx_insn *i, ldx_site site, const char *how)
{
	ldx_arg n = ldx_number(found), to = ldx_target(i),
		from = ldx_func_address(ldx_block_func(ldx_insn_block(i)));
	ldx_arg begin[] = {n, to, ldx_stack()},
		find[] = {n, to, from, ldx_number(ldx_block_id(ldx_insn_block(i)))};
	bool asked = is_indirect(i) && ask_if(site, how, inclusive ? 3 : 2, begin, "find", 4, find);
	found += asked;
	return asked;
}

/* how: call, jump */
static void ask_start(const ldx_insn *i, ldx_site site, const char *how, const char *by_address)
{
	ldx_arg arg[] = {ldx_number(ldx_block_id(ldx_insn_block(i))), ldx_stack()};
	if (!ask_found(i, site, by_address))
		ldx_call(site, how, 2, arg);
}

/* Is the time of its start enough? */
static bool is_simple(const ldx_insn *call)
{
	const ldx_func *to = ldx_insn_callee(call);
	return to && has(to, SAFE) && !has(to, JUMPS) && !ldx_call_recurs(call);
}

/* In front of what the clock adds there. */
static void ask_return(const ldx_insn *call)
{
	const ldx_func *to = ldx_insn_callee(call);
	const uint64_t block = ldx_block_id(ldx_insn_block(call));
	const bool safe = to && has(to, SAFE), is_known = is_derived(call);
	ldx_arg arg[] = {ldx_stack(), ldx_number(block), groups};
	if (is_indirect(call)) {
		ask_if(ldx_after(call), "leave_found", 1, arg, "returned_found", 3, arg);
		return;
	}
	if (is_known ? !safe || has(to, JUMPS) : safe && has(to, JUMPS))
		ask_if(ldx_after(call), "is_over", 1, arg, "end_over", 1, arg);
	if (!is_known && !safe)
		ask_if(ldx_after(call), "is_other", 1, arg, "returned", 3, arg);
	if (!is_known)
		ldx_call(ldx_after(call),
			is_simple(call)		  ? "end"
				: nested || !safe ? "leave"
						  : "leave_known",
			1, &arg[1]);
}

static void ask_call(const ldx_insn *call)
{
	ldx_arg block = ldx_number(ldx_block_id(ldx_insn_block(call)));
	if (is_simple(call))
		ldx_call(ldx_before(call), "begin", 1, &block);
	else
		ask_start(call, ldx_before(call), "call", "call_found");
}

static void ask_returns(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (ldx_block_end(b) == LDX_END_CALL && is_measured(last_of(b)) &&
			!never_returns(last_of(b)))
			ask_return(last_of(b));
}

static void ask_calls(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *i = ldx_block_end(b) == LDX_END_CALL ? last_of(b) : NULL;
		if (i && inclusive && is_measured(i)) {
			if (!is_derived(i))
				ask_call(i);
		} else if (i) {
			ask_found(i, ldx_before(i), "count_found");
		}
	}
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));) {
		const ldx_insn *i = last_of(ldx_exit_block(x));
		if (is_jump(x) && is_derived(i))
			continue;
		if (is_jump(x) && inclusive)
			ask_start(i, ldx_at_exit(x), "jump", "jump_found");
		else if (is_jump(x))
			ask_found(i, ldx_at_exit(x), "count_found");
	}
}

static void ask_landings(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		ldx_arg arg[] = {ldx_stack(), ldx_number(group_of(f)), groups};
		if (ldx_clock_lands(b))
			ask_if(ldx_at_block(b), "is_astray", 1, arg, "landed", 3, arg);
	}
}

static void ask_events(void)
{
	ldx_arg sites = ldx_number(found), begins[] = {known, ldx_number(words), sites},
		forks[] = {ldx_number(nested), sites};
	ldx_call(ldx_at_event(LDX_EVENT_END), "ended", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_END), "ended", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "began", 3, begins);
	ldx_call(ldx_at_event(LDX_EVENT_CHILD), "forked", 2, forks);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_BEGIN), "began_thread", 1, &sites);
}

static uint32_t count_blocks(const ldx_object *o)
{
	uint32_t n = 0;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			n = ldx_block_id(b) + 1;
	return n;
}

static void prepare(const ldx_object *o)
{
	uint32_t nblocks = count_blocks(o);
	nested = ldx_calls_nest(o);
	if (nested)
		find_tree(o, nblocks);
	find_jumps(o);
	known = known_bits(o, &words, nblocks);
	groups = groups_of(o, nblocks);
	ldx_set_size("ldx_inclusive", nblocks * sizeof(uint64_t));
	ldx_set_size("ldx_pending", nblocks * sizeof(uint64_t));
	ldx_set_size("begun", nblocks * sizeof(uint64_t));
	ldx_set_size("ldx_known", words * sizeof(uint64_t));
}

static void instrument(const ldx_object *o)
{
	inclusive = strcmp(ldx_option("inclusive"), "no") != 0;
	find_functions(o);
	if (inclusive)
		prepare(o);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f)); ask_calls(f))
		if (inclusive) {
			ask_returns(f);
			ask_landings(f);
			ldx_clock(f, "clock", 0);
		}
	if (inclusive)
		ask_events();
	ldx_set_size("found", 2 * WAYS * (found + 1) * sizeof(uint64_t));
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "calls",
	"callees of indirect calls, and what is executed until calls return", options, instrument};
