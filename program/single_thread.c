/* SPDX-License-Identifier: Apache-2.0 */
/*
 * single_thread.c - is the program a single process with one thread?
 *
 * The program is if it needs no library but the C library, makes no system call itself, and uses no
 * function of that library that makes a thread (pthread_create, thrd_create), may call back in a
 * new thread (timer_create, mq_notify, aio_read, getaddrinfo_a), forks or loads code (dlopen).  The
 * processes of system() and popen() run other programs.
 */
#include "cfg/libc.h"
#include "program/handlers.h"

static bool is_linkers(const struct target *t, const char *name)
{
	const char *const *s = t->linker_names;
	while (s && *s && strcmp(*s, name))
		s++;
	return s && *s;
}

/* Do calls install all handlers, by functions of the C library that are known, and none of them? */
static bool has_no_handlers(const struct cfg *g, const uint8_t *kinds)
{
	uint8_t *handler = arena_array(g->arena, uint8_t, g->func.n + 1);
	return g->outside && !cfg_handlers(g, kinds, handler).text &&
		!memchr(handler, 1, g->func.n);
}

static bool symbol_is_harmless(const struct cfg *g, const struct symbol *s, unsigned kinds)
{
	/* an unwinder calls back in the same thread (Itanium C++ ABI: Exception Handling, 1.3) */
	return (kinds & NAME_HANDLES) || (name_does(s->name) & NAME_ALONE) ||
		!strncmp(s->name, "_Unwind_", 8) || is_helper(g, s) ||
		is_linkers(g->target, s->name);
}

/* Does s name a function or data of the C library?  A weak name that nothing defines is 0. */
static bool is_outside(const struct cfg *g, const struct symbol *s, bool dynamic)
{
	if (s->sec == SEC_UNDEF)
		return dynamic || symbol_bind(s) != STB_WEAK;
	return is_libcs(g, s);
}

bool cfg_is_single_thread(const struct cfg *g, bool dynamic, bool *interrupted)
{
	const struct object *o = g->obj;
	uint8_t *kinds = arena_array(g->arena, uint8_t, o->sym.n + 1);
	*interrupted = false;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].why == OPAQUE_UNDECODED && !in_libc(g, f))
			return false;
	for (size_t b = 0; b < g->block.n; b++)
		if (g->block.v[b].end == END_SYSCALL && !in_libc(g, g->block.v[b].func))
			return false;
	for (size_t i = 1; i < o->sym.n; i++)
		kinds[i] = (uint8_t)name_kinds(o->sym.v[i].name);
	for (size_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		for (uint32_t r = 0; may_refer(g, s) && r < s->nrel; r++) {
			uint32_t n = s->rel[r].sym;
			if (!n || !is_outside(g, &o->sym.v[n], dynamic))
				continue;
			if (!symbol_is_harmless(g, &o->sym.v[n], kinds[n]))
				return false;
			*interrupted |= kinds[n] & NAME_HANDLES;
		}
	}
	*interrupted = *interrupted && !has_no_handlers(g, kinds);
	return true;
}
