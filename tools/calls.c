/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - which functions indirect calls lead to, and what is executed until calls return */
#include <ldx/tool.h>
#include <stdlib.h>
#include <string.h>

enum { JUMP = 1, INDIRECT = 2 }; /* as in calls-routines.c */

static const struct ldx_option options[] = {
	{"inclusive", "YES", "yes", "no: only count calls and find the callees of indirect ones"},
	{.name = NULL}};

static ldx_arg lacks; /* of the clock, by block */
static bool copied;   /* the routine leave() */
static bool inclusive;

static const ldx_insn *last_of(const ldx_block *b)
{
	const ldx_insn *last = NULL;
	for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
		last = i;
	return last;
}
/* Functions of the C library that call nothing, so that nothing is executed until they return. */
static bool is_closed(const ldx_insn *call)
{
	static const char *const name[] = {"memchr", "memcmp", "memcpy", "memmove", "memset",
		"strchr", "strcmp", "strcpy", "strlen", "strncmp", "strncpy", "strrchr", "malloc",
		"free", "pthread_mutex_lock", "pthread_mutex_unlock"};
	const char *callee = ldx_insn_callee(call) ? NULL : ldx_insn_callee_name(call);
	for (size_t i = 0; callee && i < sizeof name / sizeof *name; i++)
		if (!strcmp(name[i], callee))
			return true;
	return false;
}

/* Is the callee chosen when the program runs? */
static bool is_indirect(const ldx_insn *i)
{
	return ldx_insn_class(i) & LDX_CLASS_INDIRECT && !ldx_insn_callee(i) &&
		!ldx_insn_callee_name(i);
}

static void ask_returns(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		ldx_arg arg[] = {ldx_stack(), ldx_number((uint64_t)ldx_clock_lacks(b)), lacks};
		const ldx_insn *last = last_of(b);
		bool wanted = ldx_block_end(b) == LDX_END_CALL && !is_closed(last);
		if (wanted && copied && !is_indirect(last))
			ldx_call_if(ldx_after(last), "leave", 1, arg, "returned", 3, arg);
		else if (wanted)
			ldx_call(ldx_after(last), "returned", 3, arg);
	}
}

static void ask_landings(const ldx_func *f)
{
	uint32_t first = UINT32_MAX, end = 0;
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b)); end = ldx_block_id(b) + 1)
		first = first == UINT32_MAX ? ldx_block_id(b) : first;
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		ldx_arg arg[] = {ldx_stack(), ldx_number(first), ldx_number(end), lacks};
		if (ldx_clock_lands(b))
			ldx_call(ldx_at_block(b), "landed", 4, arg);
	}
}

/* An indirect one passes its kind above the block: see calls-routines.c. */
static void ask_call(const ldx_block *b, const ldx_insn *call, ldx_site site, bool jumps)
{
	uint64_t kind = inclusive ? INDIRECT | (jumps ? JUMP : 0) : 0;
	bool by_address = is_indirect(call);
	ldx_arg arg[] = {ldx_stack(), ldx_number(ldx_block_id(b) | (by_address ? kind << 30 : 0)),
		ldx_target(call), ldx_func_address(ldx_block_func(b))};
	if (by_address)
		ldx_call(site, "indirect", 4, arg);
	else if (inclusive && !is_closed(call))
		ldx_call(site, jumps ? "jump" : "call", 2, arg);
}

/* A computed goto leads to a label of its function, where control may come from elsewhere, too. */
static bool has_labels(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (ldx_clock_lands(b))
			return true;
	return false;
}

static void ask_calls(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (ldx_block_end(b) == LDX_END_CALL)
			ask_call(b, last_of(b), ldx_before(last_of(b)), false);
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));) {
		enum ldx_exit_kind kind = ldx_exit_kind(x);
		const ldx_block *b = ldx_exit_block(x);
		if (kind == LDX_EXIT_JUMP || kind == LDX_EXIT_BRANCH ||
			(kind == LDX_EXIT_INDIRECT && !has_labels(f)))
			ask_call(b, last_of(b), ldx_at_exit(x), true);
	}
}

/* A table of numbers of 32 bits, the least significant byte first, by block. */
static uint32_t find_lacks(const ldx_object *o)
{
	uint8_t *v = NULL;
	uint32_t n = 0;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b)); n++) {
			v = n & (n - 1) ? v : realloc(v, (n ? 2 * n : 1) * sizeof(int32_t));
			if (!v)
				ldx_fail("out of memory");
			for (unsigned k = 0; k < 4; k++)
				v[4 * n + k] = (uint8_t)(ldx_clock_lacks(b) >> 8 * k);
		}
	lacks = ldx_bytes(v, n * sizeof(int32_t), 1);
	free(v);
	return n;
}
static void ask_events(void)
{
	ldx_call(ldx_at_event(LDX_EVENT_END), "ended", 1, &lacks);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_END), "ended", 1, &lacks);
	ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "began", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_CHILD), "began", 0, NULL);
	ldx_call(ldx_at_event(LDX_EVENT_THREAD_BEGIN), "began_thread", 0, NULL);
}

static void instrument(const ldx_object *o)
{
	copied = ldx_is_copied("leave");
	inclusive = strcmp(ldx_option("inclusive"), "no") != 0;
	if (inclusive) {
		ldx_set_size("ldx_inclusive", find_lacks(o) * sizeof(uint64_t));
		ask_events();
	}
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f)); ask_calls(f)) {
		if (!inclusive)
			continue;
		ask_returns(f);
		ask_landings(f);
		ldx_clock(f, "clock", 0);
	}
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "calls",
	"callees of indirect calls, and what is executed until calls return", options, instrument};
