/* SPDX-License-Identifier: Apache-2.0 */
/* calls-functions.h - what calls.c must know of functions and of their calls */
#include <ldx/tool.h>
#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);
	if (!p)
		ldx_fail("out of memory");
	return p;
}

static const ldx_insn *last_of(const ldx_block *b)
{
	const ldx_insn *last = NULL;
	for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
		last = i;
	return last;
}

/* Is the callee chosen when the program runs? */
static bool is_indirect(const ldx_insn *i)
{
	return ldx_insn_class(i) & LDX_CLASS_INDIRECT && !ldx_insn_callee(i) &&
		!ldx_insn_callee_name(i);
}

/* Is nothing of the object executed until the callee returns? */
static bool is_closed(const ldx_insn *i)
{
	return ldx_call_returns(i) && !ldx_call_calls_back(i);
}

static bool never_returns(const ldx_insn *call)
{
	const ldx_block *b = ldx_insn_block(call);
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(ldx_block_func(b), x));)
		if (ldx_exit_block(x) == b)
			return true;
	return false;
}

/* Calls between two pieces of code. */
static bool is_measured(const ldx_insn *call)
{
	return !is_closed(call) && ldx_before(call).place &&
		(ldx_after(call).place || never_returns(call));
}

/* A computed goto leads to a label of its function, where control may come from elsewhere, too. */
static bool has_labels(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		if (ldx_clock_lands(b))
			return true;
	return false;
}

/* Is it a jump to another function, in which instructions of the object are executed? */
static bool is_jump(const ldx_exit *x)
{
	enum ldx_exit_kind kind = ldx_exit_kind(x);
	const ldx_block *b = ldx_exit_block(x);
	if (kind == LDX_EXIT_INDIRECT)
		return !has_labels(ldx_block_func(b));
	return (kind == LDX_EXIT_JUMP || kind == LDX_EXIT_BRANCH) && !is_closed(last_of(b));
}

/* The same for a function and the parts of it that a compiler puts elsewhere. */
static uint32_t group_of(const ldx_func *f)
{
	const char *name = ldx_func_name(f), *end = strstr(name, ".cold");
	uint32_t sum = 2166136261u; /* FNV-1a */
	for (; *name && name != end; name++)
		sum = (sum ^ (uint8_t)*name) * 16777619u;
	return sum;
}

/*
 * SAFE: when it returns, only its jumps to others are open, as all that it calls is measured or
 * closed, or follows from others; JUMPS: it has such.
 */
enum { SAFE = 1, JUMPS = 2 };
static uint8_t *traits; /* by rank */
static uint32_t nfuncs;

static bool has(const ldx_func *f, unsigned trait)
{
	return traits[ldx_func_rank(f)] & trait;
}

static void find_function(const ldx_func *f)
{
	uint8_t *trait = &traits[ldx_func_rank(f)];
	*trait = !ldx_func_opaque(f) && ldx_func_keeps_stack(f) ? SAFE : 0;
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		const ldx_insn *i = ldx_block_end(b) == LDX_END_CALL ? last_of(b) : NULL;
		if (i && !is_closed(i) && !is_measured(i))
			*trait &= (uint8_t)~SAFE;
	}
}

/* What it jumps to returns in its place.  True: it is not safe, as was assumed. */
static bool is_spoilt(const ldx_func *f)
{
	bool spoilt = false;
	for (const ldx_exit *x = NULL; (x = ldx_next_exit(f, x));) {
		const ldx_func *to = ldx_insn_callee(last_of(ldx_exit_block(x)));
		spoilt |= is_jump(x) && (!to || !has(to, SAFE));
	}
	return spoilt && has(f, SAFE);
}

static void find_functions(const ldx_object *o)
{
	bool more = true;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		nfuncs = ldx_func_rank(f) >= nfuncs ? ldx_func_rank(f) + 1 : nfuncs;
	traits = zeroed(nfuncs, 1);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		find_function(f);
	while (more) {
		more = false;
		for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
			if (is_spoilt(f)) {
				traits[ldx_func_rank(f)] &= (uint8_t)~SAFE;
				more = true;
			}
	}
}
