/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - what calls and jumps to other functions are: ldx_call_kind() in ldx/tool.h */
#include "instr/tool/calls.h"

bool is_exit(const ldx_block *b)
{
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(ldx_block_func(b), x));)
		if (ldx_exit_block(x) == b)
			return true;
	return false;
}

static bool is_closed(const ldx_insn *i)
{
	return ldx_call_returns(i) && !ldx_call_calls_back(i);
}

static enum ldx_call_kind kind_of_call(const ldx_block *b)
{
	const ldx_insn *i = ldx_last_insn(b);
	if (is_closed(i))
		return LDX_CALL_CLOSED;
	return ldx_before(i).place && (ldx_after(i).place || is_exit(b)) ? LDX_CALL_SEEN
									 : LDX_CALL_UNSEEN;
}

/* A computed goto leads to a label of its function, where control may come from elsewhere, too. */
static enum ldx_call_kind kind_of_exit(const ldx_exit *x)
{
	switch (ldx_exit_kind(x)) {
	case LDX_EXIT_INDIRECT:
		return clock_lands(ldx_block_func(ldx_exit_block(x)), NULL) ? LDX_CALL_NONE
									    : LDX_CALL_JUMP;
	case LDX_EXIT_JUMP:
	case LDX_EXIT_BRANCH:
		return is_closed(ldx_last_insn(ldx_exit_block(x))) ? LDX_CALL_CLOSED
								   : LDX_CALL_JUMP;
	default: return LDX_CALL_NONE;
	}
}

static void find_kinds(struct calls *c, const ldx_func *f)
{
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));)
		if (ldx_exit_kind(x) != LDX_EXIT_FALL)
			c->kind[block_number(ldx_exit_block(x))] = (uint8_t)kind_of_exit(x);
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (ldx_block_end(b) == LDX_END_CALL)
			c->kind[block_number(b)] = (uint8_t)kind_of_call(b);
}

/* What it jumps to returns in its place. */
static bool is_spoilt(const struct calls *c, const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		enum ldx_call_kind kind = (enum ldx_call_kind)c->kind[block_number(b)];
		const ldx_func *to = ldx_insn_callee(ldx_last_insn(b));
		if (kind == LDX_CALL_UNSEEN ||
			(kind == LDX_CALL_JUMP && (!to || !c->safe[func_number(to)])))
			return true;
	}
	return false;
}

static void find_safe(struct calls *c)
{
	bool more = true;
	for (const ldx_func *f = NULL; (f = ldx_next_func(NULL, f));)
		c->safe[func_number(f)] = !ldx_func_opaque(f) && func_of(f)->keeps_stack;
	while (more) {
		more = false;
		for (const ldx_func *f = NULL; (f = ldx_next_func(NULL, f));)
			if (c->safe[func_number(f)] && is_spoilt(c, f)) {
				c->safe[func_number(f)] = false;
				more = true;
			}
	}
}

const struct calls *calls_known(void)
{
	const struct cfg *g = asking->g;
	if (asking->calls)
		return asking->calls;
	struct calls *c = arena_new(g->arena, struct calls);
	c->kind = arena_array(g->arena, uint8_t, g->block.n + 1);
	c->safe = arena_array(g->arena, bool, g->func.n + 1);
	for (const ldx_func *f = NULL; (f = ldx_next_func(NULL, f));)
		find_kinds(c, f);
	find_safe(c);
	return asking->calls = c;
}

enum ldx_call_kind ldx_call_kind(const ldx_insn *i)
{
	const ldx_block *b = ldx_insn_block(i);
	return i == ldx_last_insn(b) ? kind_at(b) : LDX_CALL_NONE;
}
