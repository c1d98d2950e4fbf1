/* SPDX-License-Identifier: Apache-2.0 */
/*
 * returns.c - which functions return just once from every call
 *
 * A call may end otherwise: by exit, longjmp, an exception, a thread's end, or in
 * a new process; and one of setjmp ends several times.  A function does none of
 * that when it is understood, makes no system call, jumps to no unknown place,
 * treats the stack as compiled code does and calls only functions of that kind.
 * All are taken for such until something in them says no.
 */
#include "cfg/cfg.h"

#include <stdlib.h>

static int name_cmp(const void *key, const void *elem)
{
	return strcmp(key, *(const char *const *)elem);
}

/* names: sorted. */
static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	return bsearch(name, names, n, sizeof *names, name_cmp);
}

/* Of a libc: they touch memory, and return.  ISO C 7.24, 7.12; POSIX strings.h. */
static bool is_simple_name(const char *name)
{
	static const char *const simple[] = {
		"abs", "atan", "atan2", "bcmp", "ceil", "cos", "exp", "fabs", "floor", "fmod",
		"labs", "log", "log10", "memchr", "memcmp", "memcpy", "memmove", "mempcpy",
		"memrchr", "memset", "pow", "rawmemchr", "rint", "round", "sin", "sqrt", "stpcpy",
		"strcasecmp", "strcat", "strchr", "strchrnul", "strcmp", "strcpy", "strcspn",
		"strlen", "strncasecmp", "strncat", "strncmp", "strncpy", "strnlen", "strpbrk",
		"strrchr", "strspn", "strstr", "tan", "trunc",
	};
	return is_one_of(name, simple, sizeof simple / sizeof *simple);
}

static bool is_ending_name(const char *name)
{
	static const char *const ending[] = {
		"_Exit", "_Unwind_Resume", "__assert_fail", "__chk_fail", "__cxa_bad_cast",
		"__cxa_rethrow", "__cxa_throw", "__cxa_throw_bad_array_new_length",
		"__fortify_fail", "__longjmp_chk", "__stack_chk_fail", "_exit", "_longjmp",
		"abort", "exit", "longjmp", "pthread_exit", "quick_exit", "siglongjmp",
	};
	return is_one_of(name, ending, sizeof ending / sizeof *ending);
}

struct asking {
	const struct cfg *g;
	bool *returns;
	bool preemptible;
};

/* May the linker or the loader bind a reference to s to another definition? */
static bool is_preemptible(const struct asking *a, const struct symbol *s)
{
	return a->preemptible && symbol_bind(s) != STB_LOCAL &&
	       ELF64_ST_VISIBILITY(s->other) == STV_DEFAULT;
}

/* A call or a jump to another function, by the last instruction of block bl. */
static bool goes_well(const struct asking *a, const struct block *bl)
{
	const struct cfg *g = a->g;
	uint32_t last = bl->insn + bl->ninsn - 1, sec;
	uint64_t off;
	const struct reloc *r;
	const struct text *c = &g->text.v[g->func.v[bl->func].text];
	if (!cfg_target(g, c, last, &sec, &off, &r))
		return false;
	if (r) {
		const struct symbol *s = &g->obj->sym.v[r->sym];
		if (s->sec == SEC_UNDEF || symbol_type(s) == STT_GNU_IFUNC)
			return is_simple_name(s->name);
		if (is_preemptible(a, s))
			return false;
	}
	if (bl->target == NO_BLOCK)
		return false;
	uint32_t to = g->block.v[bl->target].func;
	return g->func.v[to].block == bl->target && a->returns[to];
}

static bool block_well(const struct asking *a, const struct block *bl)
{
	const struct cfg *g = a->g;
	bool out = bl->target == NO_BLOCK || g->block.v[bl->target].func != bl->func;
	switch ((enum block_end)bl->end) {
	case END_CALL:
		if (!goes_well(a, bl))
			return false;
		break;
	case END_JUMP: case END_BRANCH:
		if (out && !goes_well(a, bl))
			return false;
		break;
	case END_FALL: case END_TABLE:
		break;
	case END_RET:
		return true;
	case END_LEAVE: case END_TRAP: case END_SYSCALL:
		return false;
	}
	if (bl->end == END_JUMP || bl->end == END_TABLE)
		return true;
	return bl->fall != NO_BLOCK && g->block.v[bl->fall].func == bl->func;
}

/* Neither sets its stack pointer to something else nor touches its return address. */
static bool keeps_stack(const struct cfg *g, const struct func *f)
{
	const struct text *t = &g->text.v[f->text];
	bool framed = false;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; !bl->gap && i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &g->insn.v[i];
			enum stack_use use = g->target->stack_use(insn_bytes(t, in), in);
			if (use == STACK_ODD || (use == STACK_TOP && !framed))
				return false;
			framed |= use == STACK_FRAME && in->kind == INSN_OTHER;
		}
	}
	return true;
}

static bool func_well(const struct asking *a, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (!a->g->block.v[b].gap && !block_well(a, &a->g->block.v[b]))
			return false;
	return true;
}

bool *cfg_returns(const struct cfg *g, bool preemptible)
{
	struct asking a = { .g = g, .preemptible = preemptible,
		.returns = arena_array(g->arena, bool, g->func.n + 1) };
	bool changed = true;
	for (size_t f = 0; f < g->func.n; f++) {
		const struct func *fn = &g->func.v[f];
		a.returns[f] = fn->is_code && fn->nblock && fn->why == OPAQUE_NOT;
	}
	for (size_t f = 0; f < g->func.n; f++)
		a.returns[f] = a.returns[f] && func_well(&a, &g->func.v[f]) &&
			       keeps_stack(g, &g->func.v[f]);
	while (changed) {
		changed = false;
		for (size_t f = g->func.n; f-- > 0;)
			if (a.returns[f] && !func_well(&a, &g->func.v[f]))
				a.returns[f] = false, changed = true;
	}
	return a.returns;
}

bool cfg_call_returns(const struct cfg *g, const bool *returns, bool preemptible, uint32_t b)
{
	struct asking a = { g, (bool *)returns, preemptible };
	return goes_well(&a, &g->block.v[b]);
}

bool cfg_call_ends(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	uint32_t sec;
	uint64_t off;
	const struct reloc *r;
	return cfg_target(g, &g->text.v[g->func.v[bl->func].text], bl->insn + bl->ninsn - 1, &sec,
		       &off, &r) && r && is_ending_name(g->obj->sym.v[r->sym].name);
}
