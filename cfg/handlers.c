/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handlers.c - may control leave a function for good behind any instruction?
 *
 * So it does when a signal handler jumps out of what it interrupted, ends the thread or throws
 * an exception, and where a thread is cancelled asynchronously.  In a new process that a handler
 * makes, what was interrupted goes on a second time.  What a call may do is known where the call
 * stands; this is not, and only counters of their own tell how often blocks were entered.
 *
 * By the names of the functions that do such things, of the C library (POSIX, glibc) and of the
 * unwinder (Itanium C++ ABI: Exception Handling).
 */
#include "cfg/cfg.h"

#include "cfg/cfg_priv.h"
#include "reloc/outside.h"

static const char *const handles[] = {
	"__sigaction", "__sysv_signal", "bsd_signal", "sigaction", "signal", "sigset", "sigvec",
	"ssignal", "syscall", "sysv_signal",
};

static const char *const leaves[] = {
	"_Unwind_ForcedUnwind", "_Unwind_RaiseException", "__cxa_rethrow", "__cxa_throw",
	"__longjmp_chk", "_longjmp", "longjmp", "pthread_exit", "setcontext", "siglongjmp",
	"swapcontext", "thrd_exit",
};

static const char *const forks[] = {
	"_Fork", "clone", "daemon", "fork", "forkpty", "vfork",
};

unsigned name_kinds(const char *name)
{
	if (!strncmp(name, "_Z", 2)) /* std::__throw_out_of_range() and the like */
		return strncmp(name, "_ZSt", 4) || !strstr(name, "__throw_") ? 0 : NAME_LEAVES;
	return (IS_ONE_OF(name, handles) ? NAME_HANDLES : 0) |
	       (IS_ONE_OF(name, leaves) ? NAME_LEAVES : 0) |
	       (IS_ONE_OF(name, forks) ? NAME_FORKS : 0) |
	       (strcmp(name, "pthread_setcanceltype") ? 0 : NAME_CANCELS);
}

bool kinds_break_off(unsigned kinds)
{
	return (kinds & NAME_CANCELS) || ((kinds & NAME_HANDLES) && (kinds & NAME_LEAVES));
}

/* Of all names that something loaded refers to. */
static unsigned object_kinds(const struct cfg *g)
{
	const struct object *o = g->obj;
	uint8_t *kinds = arena_array(g->arena, uint8_t, o->sym.n + 1);
	unsigned seen = 0;
	for (size_t i = 1; i < o->sym.n; i++)
		kinds[i] = (uint8_t)name_kinds(o->sym.v[i].name);
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t r = 0; (o->sec.v[i].flags & SHF_ALLOC) && r < o->sec.v[i].nrel; r++)
			seen |= kinds[o->sec.v[i].rel[r].sym];
	return seen;
}

bool cfg_breaks_off(const struct cfg *g)
{
	const struct outside *out = g->outside;
	unsigned own = object_kinds(g), all = own | (out ? out->kinds & NAME_LEAVES : 0);
	if (out && (!out->complete || out->breaks_off))
		return true;
	return kinds_break_off(all) || ((own & NAME_HANDLES) && (own & NAME_FORKS));
}
