/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - the routines of ldx/open.h are called where calls begin and end: ldx_follow_calls() */
#include "instr/tool/calls.h"

struct following {
	const struct ldx_follow *how;
	bool *jumps;	/* by function: jumps that are followed end with the calls of it */
	ldx_arg groups; /* by block, 4 bytes of group_of(), the least significant first */
	bool nested;	/* calls_nest() */
};

/* The same for a function and the parts of it that a compiler puts elsewhere. */
static uint32_t group_of(const ldx_func *f)
{
	const char *name = ldx_func_name(f), *end = strstr(name, ".cold");
	uint32_t sum = 2166136261u; /* FNV-1a */
	for (; *name && name != end; name++)
		sum = (sum ^ (uint8_t)*name) * 16777619u;
	return sum;
}

static ldx_arg find_groups(const ldx_object *o)
{
	size_t size = 4 * (size_t)ldx_block_ids(o);
	uint8_t *v = arena_array(asking->g->arena, uint8_t, size + 1);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		const uint32_t group = group_of(f);
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (unsigned k = 0; k < 4; k++)
				v[4 * ldx_block_id(b) + k] = (uint8_t)(group >> 8 * k);
	}
	return ldx_bytes(v, size, 1);
}

static bool leaves_out(const struct following *w, const ldx_insn *i)
{
	return w->how->derives && ldx_call_is_derived(i);
}

static bool jumps(const struct following *w, const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *i = kind_at(b) == LDX_CALL_JUMP ? ldx_last_insn(b) : NULL;
		if (i && (!leaves_out(w, i) || w->jumps[func_number(ldx_insn_callee(i))]))
			return true;
	}
	return false;
}

static void find_jumps(struct following *w, const ldx_object *o)
{
	for (bool more = true; more;) {
		more = false;
		for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
			if (!w->jumps[func_number(f)] && jumps(w, f)) {
				w->jumps[func_number(f)] = true;
				more = true;
			}
	}
}

/* A predicate that is too long to be copied on this CPU is called. */
static void ask_if(ldx_site site, const char *predicate, const char *routine, unsigned n,
	const ldx_arg *arg)
{
	if (ldx_is_copied(predicate))
		ldx_call_if(site, predicate, 1, arg, routine, n, arg);
	else if (ldx_call(site, predicate, 1, arg))
		ldx_call(site, routine, n, arg);
}

/* Has the tool routines of its own for the call, as it needs no stack? */
static bool is_simple(const struct following *w, const ldx_insn *call)
{
	const ldx_func *to = ldx_insn_callee(call);
	return w->how->begin && to && is_safe(to) && !w->jumps[func_number(to)] &&
		!ldx_call_recurs(call);
}

static bool is_found(const struct following *w, const ldx_insn *i)
{
	return w->how->begin_found && ldx_calls_by_address(i);
}

/* In front of what the clock adds there. */
static void ask_return(const struct following *w, const ldx_insn *call)
{
	const ldx_func *to = ldx_insn_callee(call);
	const ldx_site site = ldx_after(call);
	const bool safe = to && is_safe(to), left_open = to && w->jumps[func_number(to)];
	ldx_arg arg[] = {ldx_stack(), ldx_number(ldx_block_id(ldx_insn_block(call))), w->groups};
	if (is_found(w, call)) {
		ask_if(site, w->how->leave_found, w->how->returned_found, 3, arg);
		return;
	}
	if (leaves_out(w, call) ? !safe || left_open : safe && left_open)
		ask_if(site, "ldx_is_over", "ldx_end_over", 1, arg);
	if (leaves_out(w, call))
		return;
	if (!safe)
		ask_if(site, "ldx_is_other", "ldx_returned", 3, arg);
	ldx_call(site,
		is_simple(w, call)	     ? w->how->end
			: w->nested || !safe ? "ldx_end_call"
					     : "ldx_end_known",
		1, &arg[1]);
}

static void ask_ends(const struct following *w, const ldx_func *f)
{
	ldx_arg arg[] = {ldx_stack(), ldx_number(group_of(f)), w->groups};
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (kind_at(b) == LDX_CALL_SEEN && !is_exit(b))
			ask_return(w, ldx_last_insn(b));
	bool lands = clock_lands(f, NULL);
	for (const ldx_block *b = NULL; lands && (b = ldx_next_block(f, b));)
		if (clock_lands(f, b))
			ask_if(ldx_at_block(b), "ldx_is_astray", "ldx_landed", 3, arg);
}

static void ask_begin(const struct following *w, const ldx_insn *i)
{
	const bool jump = ldx_call_kind(i) == LDX_CALL_JUMP;
	const ldx_site site = ldx_at_call(i);
	ldx_arg arg[] = {ldx_number(ldx_block_id(ldx_insn_block(i))), ldx_stack()};
	if (leaves_out(w, i))
		return;
	if (!jump && is_simple(w, i))
		ldx_call(site, w->how->begin, 1, arg);
	else if (!is_found(w, i) || !w->how->begin_found(i, site))
		ldx_call(site, jump ? "ldx_open_jump" : "ldx_open_call", 2, arg);
}

static void ask_begins(const struct following *w, const ldx_func *f)
{
	for (enum ldx_call_kind kind = LDX_CALL_SEEN; kind <= LDX_CALL_JUMP; kind++)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			if (kind_at(b) == kind)
				ask_begin(w, ldx_last_insn(b));
}

static void ask_events(const struct following *w)
{
	ldx_arg nested = ldx_number(w->nested);
	ldx_call(ldx_at_event(LDX_EVENT_END), "ldx_ended", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_END), "ldx_ended", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "ldx_began", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_CHILD), "ldx_forked", 1, &nested);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_BEGIN), "ldx_thread_began", 0, NULL);
}

void ldx_follow_calls(const ldx_object *o, const struct ldx_follow *how)
{
	struct following w = {how, arena_array(asking->g->arena, bool, asking->g->func.n + 1),
		find_groups(o), calls_nest()};
	find_jumps(&w, o);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		ask_ends(&w, f);
		if (how->clock)
			ldx_clock(f, how->clock, 0);
		ask_begins(&w, f);
	}
	ask_events(&w);
}
