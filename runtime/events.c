/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - routines of tools that are called when something happens to the process
 *
 * Linked beside the runtime if a tool wants to know.  A libc outside the object does not report
 * threads: one is noticed where it first enters a function that may be a thread's first, by the
 * runtime if it gives threads counters of their own, and its end by the destructor of a key of
 * pthread_key_create(3).  In a static program the rewriter
 * inserts calls behind system calls that make threads, and in front of those that end them.
 */
#define SYS_BORROWS
#include "runtime/rt.h"
#include "runtime/sys.h"

#pragma GCC visibility push(hidden)
extern const struct ldx_event_row __ldx_events[];
RT_ENTRY void __ldx_event(uint64_t event, const struct rt_start *s);
/* Called by inserted code: behind a system call that makes a thread or process, with its result; */
RT_ENTRY void __ldx_event_cloned(long result);
/* in front of one that ends a thread or the process, with its number; */
RT_ENTRY void __ldx_event_exit(long number);
/* at functions that may be the first of a thread. */
RT_ENTRY void __ldx_event_thread(void);
#pragma GCC visibility pop

static long process; /* that has begun, and of which no child was reported; 0: none */
static bool ended;

static uintptr_t argument(const struct ldx_event_row *e, unsigned n)
{
	return (uint32_t)e->addresses >> n & 1 ? (uintptr_t)rt_at(&e->arg[n])
					       : (uintptr_t)e->arg[n];
}

static void tell(uint64_t event)
{
	typedef void routine(uintptr_t, uintptr_t, uintptr_t, uintptr_t);
	for (const struct ldx_event_row *e = __ldx_events; e->routine; e++)
		if (e->event == event)
			((routine *)(uintptr_t)rt_at(&e->routine))(argument(e, 0), argument(e, 1),
				argument(e, 2), argument(e, 3));
}

static bool wants(uint64_t event)
{
	for (const struct ldx_event_row *e = __ldx_events; e->routine; e++)
		if (e->event == event)
			return true;
	return false;
}

/* Threads of a libc outside the object -------------------------------------- */

/*
 * What the key has in a thread.  The destructor sets it again to be called once more: at the last
 * time, destructors of other keys have mostly been called.
 */
enum { OVER = 1, ROUNDS = 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */, LIVES = OVER + ROUNDS, FIRST };
enum { KEYS_EASY = 32 }; /* values of these need no memory, in any libc */

static struct {
	void *(*get)(unsigned key);
	int (*set)(unsigned key, const void *value);
	int (*remove)(unsigned key);
	unsigned key;
	bool of_library;
} keys;

static void thread_over(void *value)
{
	uintptr_t n = (uintptr_t)value;
	n -= n > OVER && n != FIRST;
	keys.set(keys.key, (void *)n);
	if (n == OVER && (uintptr_t)value != OVER)
		tell(LDX_AT_THREAD_END);
}

static void keys_begin(const struct rt_start *s)
{
	typedef int create_fn(unsigned *key, void (*end)(void *));
	create_fn *create = (create_fn *)(uintptr_t)__ldx_find(s, "pthread_key_create");
	keys.get = (void *(*)(unsigned))(uintptr_t)__ldx_find(s, "pthread_getspecific");
	keys.set = (int (*)(unsigned, const void *))(uintptr_t)__ldx_find(s, "pthread_setspecific");
	keys.remove = (int (*)(unsigned))(uintptr_t)__ldx_find(s, "pthread_key_delete");
	keys.of_library = s->dso;
	if (!create || !keys.get || !keys.set || !keys.remove || create(&keys.key, thread_over)) {
		keys.get = NULL;
	} else if (keys.key >= KEYS_EASY || keys.set(keys.key, (void *)FIRST)) {
		keys.remove(keys.key);
		keys.get = NULL;
	}
}

static void keys_end(void)
{
	if (keys.get && keys.of_library)
		keys.remove(keys.key);
	if (keys.of_library)
		keys.get = NULL;
}

void __ldx_event_thread(void)
{
	void *(*get)(unsigned) = keys.get;
	if (get && !get(keys.key) && !keys.set(keys.key, (void *)LIVES))
		tell(LDX_AT_THREAD);
}

/* Others -------------------------------------------------------------------- */

void __ldx_event(uint64_t event, const struct rt_start *s)
{
	if (event == LDX_AT_BEGIN) {
		process = sys_getpid();
		if (wants(LDX_AT_THREAD) || wants(LDX_AT_THREAD_END))
			keys_begin(s);
	} else if (!process) {
		return;
	} else if (event == LDX_AT_THREAD) {
		__ldx_event_thread();
		return;
	} else if (event == LDX_AT_CHILD) {
		process = sys_getpid();
		ended = false;
	} else if (ended || !wants(event) || process != sys_getpid()) {
		return; /* the child of a vfork is in its parent's memory */
	} else {
		ended = true;
	}
	tell(event);
	if (event == LDX_AT_END)
		keys_end();
}

static bool is_thread(void)
{
	return process && sys_gettid() != sys_getpid();
}

void __ldx_event_cloned(long result)
{
	if (!result && is_thread())
		tell(LDX_AT_THREAD);
}

void __ldx_event_exit(long number)
{
	if (number == __NR_exit_group)
		__ldx_event(LDX_AT_EXIT, NULL);
	else if (number == __NR_exit && is_thread())
		tell(LDX_AT_THREAD_END);
}
