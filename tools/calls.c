/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - which functions indirect calls lead to, and what is executed until calls return */
#include "calls-functions.h"

static const struct ldx_option options[] = {
	{"inclusive", "YES", "yes", "no: only count calls and find the callees of indirect ones"},
	{.name = NULL}};

enum { JUMP = 1, KEPT = 2, BY_ADDRESS = 4, KINDS = 8 }; /* as in calls-routines.c */

static bool inclusive;
static uint64_t found; /* calls by address */

/* A predicate that is too long on this CPU is left out. */
static bool ask_if(ldx_site site, const char *predicate, unsigned np, const ldx_arg *parg,
	const char *routine, unsigned n, const ldx_arg *arg)
{
	return ldx_is_copied(predicate) ? ldx_call_if(site, predicate, np, parg, routine, n, arg)
					: ldx_call(site, routine, n, arg);
}

/* A call or jump by address; false: its callee cannot be found. */
static bool ask_found(const ldx_insn *i, ldx_site site, bool opens, uint64_t kind)
{
	const ldx_block *b = ldx_insn_block(i);
	ldx_arg n = ldx_number(found), to = ldx_target(i),
		from = ldx_func_address(ldx_block_func(b));
	ldx_arg is_new[] = {n, to}, find[] = {n, to, from, ldx_number(ldx_block_id(b))};
	ldx_arg call[] = {n, ldx_stack(), ldx_number(kind | BY_ADDRESS)};
	if (!ask_if(site, "is_new", 2, is_new, "find", 4, find))
		return false;
	ldx_call(site, opens ? "call_found" : "count_found", opens ? 3 : 1, call);
	found++;
	return true;
}

static void ask_start(const ldx_insn *i, ldx_site site, uint64_t kind, bool kept)
{
	uint64_t block = ldx_block_id(ldx_insn_block(i));
	ldx_arg arg[] = {ldx_number(block), ldx_number(block * KINDS | kind), ldx_stack()};
	if (!is_indirect(i) || !ask_found(i, site, true, kind))
		ldx_call(site, kept ? "call_kept" : "call", kept ? 3 : 2, arg);
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
	const bool safe = to && has(to, SAFE), jumps = to && has(to, JUMPS);
	const bool by_address = is_indirect(call), one = !by_address && (!jumps || !safe);
	ldx_arg stack = ldx_stack(), n = ldx_number(block);
	ldx_arg arg[] = {stack, ldx_number(block * KINDS | KEPT), facts};
	if (!safe && (jumps || by_address))
		ldx_call(ldx_after(call), "leave_jumps", 0, NULL);
	if (!safe)
		ask_if(ldx_after(call), "is_other", 1, &stack, "returned", 3, arg);
	ldx_call(ldx_after(call), is_simple(call) ? "end" : one ? "leave" : "leave_all", one, &n);
}

static void ask_call(const ldx_func *f, const ldx_insn *call)
{
	const ldx_func *to = ldx_insn_callee(call);
	bool kept = !to || !has(to, SAFE) || is_left(f) || is_left(to) ||
		ldx_func_rank(to) >= ldx_func_rank(f);
	ldx_arg block = ldx_number(ldx_block_id(ldx_insn_block(call)));
	if (is_simple(call))
		ldx_call(ldx_before(call), "begin", 1, &block);
	else
		ask_start(call, ldx_before(call), kept ? KEPT : 0, kept);
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
		if (i && inclusive && is_measured(i))
			ask_call(f, i);
		else if (i && is_indirect(i))
			ask_found(i, ldx_before(i), false, 0);
	}
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));) {
		const ldx_insn *i = last_of(ldx_exit_block(x));
		const ldx_func *to = ldx_insn_callee(i);
		bool recurs = to && ldx_func_rank(to) >= ldx_func_rank(f);
		if (is_jump(x) && inclusive)
			ask_start(i, ldx_at_exit(x), JUMP, recurs);
		else if (is_jump(x) && is_indirect(i))
			ask_found(i, ldx_at_exit(x), false, 0);
	}
}

static void ask_landings(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		ldx_arg arg[] = {ldx_stack(), ldx_number(group_of(f)), facts};
		if (ldx_clock_lands(b))
			ask_if(ldx_at_block(b), "is_astray", 1, arg, "landed", 3, arg);
	}
}

static void ask_events(void)
{
	ldx_call(ldx_at_event(LDX_EVENT_END), "ended", 1, &facts);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_END), "ended", 1, &facts);
	ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "began", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_CHILD), "began", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_BEGIN), "began_thread", 0, NULL);
}

static void instrument(const ldx_object *o)
{
	inclusive = strcmp(ldx_option("inclusive"), "no") != 0;
	find_functions(o);
	if (inclusive) {
		uint64_t size = find_facts(o) * sizeof(uint64_t);
		ldx_set_size("ldx_inclusive", size);
		ldx_set_size("begun", size);
		ask_events();
	}
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f)); ask_calls(f))
		if (inclusive) {
			ask_returns(f);
			ask_landings(f);
			ldx_clock(f, "clock", 0);
		}
	ldx_set_size("last", 2 * (found + 1) * sizeof(uint64_t));
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "calls",
	"callees of indirect calls, and what is executed until calls return", options, instrument};
