/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks.c - may the program make threads, processes and handlers of signals?
 *
 * It makes no thread if it makes no system call itself, and neither it nor a library that it needs
 * uses a function of the C library that makes a thread (pthread_create, thrd_create), may call back
 * in a new thread (timer_create, mq_notify, aio_read, getaddrinfo_a) or loads code (dlopen).
 * libstdc++ makes threads in std::thread::_M_start_thread() alone, libc++ in the object (seen in
 * their references to pthread_create and syscall).  An unwinder calls back in the same thread
 * (Itanium C++ ABI: Exception Handling, 1.3).  The processes of system() and popen() run other
 * programs.
 */
#include "cfg/libc.h"
#include "program/handlers.h"
#include "reloc/outside.h"

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

static bool symbol_is_harmless(const struct cfg *g, const struct symbol *s)
{
	return name_is_harmless(s->name) || is_helper(g, s) || is_linkers(g->target, s->name);
}

/* Does s name a function or data of the C library?  A weak name that nothing defines is 0. */
static bool is_outside(const struct cfg *g, const struct symbol *s, bool dynamic)
{
	return is_libcs(g, s) && (s->sec != SEC_UNDEF || dynamic || symbol_bind(s) != STB_WEAK);
}

/* The kinds of the names outside that the object refers to; false: one of them may make a thread.
 */
static bool find_kinds(const struct cfg *g, bool dynamic, const uint8_t *kinds, unsigned *all)
{
	const struct object *o = g->obj;
	for (size_t i = 1; i < o->sec.n; i++) {
		const struct section *s = &o->sec.v[i];
		for (uint32_t r = 0; may_refer(g, s) && r < s->nrel; r++) {
			uint32_t n = s->rel[r].sym;
			if (!n || !is_outside(g, &o->sym.v[n], dynamic))
				continue;
			if (!(kinds[n] & NAME_SYSCALL) && !symbol_is_harmless(g, &o->sym.v[n]))
				return false;
			*all |= kinds[n];
		}
	}
	return !(*all & NAME_SYSCALL) || syscalls_are_quiet(g, kinds);
}

static bool has_unknown_code(const struct cfg *g)
{
	for (uint32_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].why == OPAQUE_UNDECODED && !in_libc(g, f))
			return true;
	for (size_t b = 0; b < g->block.n; b++)
		if (g->block.v[b].end == END_SYSCALL && !in_libc(g, g->block.v[b].func))
			return true;
	return false;
}

struct tasks cfg_tasks(const struct cfg *g, bool dynamic, bool shared)
{
	const struct object *o = g->obj;
	const struct outside *out = g->outside;
	const struct tasks any = {.threads = true, .processes = true, .interrupted = true};
	uint8_t *kinds = arena_array(g->arena, uint8_t, o->sym.n + 1);
	unsigned all = 0;
	if (shared || !out || !out->complete || out->threads || has_unknown_code(g))
		return any;
	for (size_t i = 1; i < o->sym.n; i++)
		kinds[i] = (uint8_t)name_kinds(o->sym.v[i].name);
	if (!find_kinds(g, dynamic, kinds, &all))
		return any;
	return (struct tasks){.processes = (all | out->kinds) & NAME_FORKS,
		.interrupted = (out->kinds & NAME_HANDLES) ||
			((all & NAME_HANDLES) && !has_no_handlers(g, kinds))};
}
