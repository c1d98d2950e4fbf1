/*
 * How deep functions recur, and how many bytes are allocated in calls of them: by open calls, which returns, longjmp,
 * exceptions, jumps to other functions and the ends of threads end.
 */
//# compiler: g++
//# flags: -pthread
#if defined ASKS
#include <ldx/tool.h>

static void instrument(const ldx_object *o)
{
	static const struct ldx_follow all;
	ldx_arg size = ldx_call_arg(0);

	ldx_follow_calls(o, &all);
	ldx_call(ldx_at_entry(ldx_find_func(o, "allocate")), "allocate", 1, &size);
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		const char *name = ldx_func_name(f);
		ldx_arg arg[] = {ldx_number((uint64_t)name[1] - '0'), ldx_stack()};
		if (*name == 'f' && name[1] > '0' && name[1] <= '9' && name[2] == '_')
			ldx_call(ldx_at_entry(f), "enter", 2, arg);
	}
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "open", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/open.h>

LDX_THREAD uint64_t function[LDX_OPEN_CALLS]; /* by open call; 0: none of these */
LDX_THREAD uint64_t depth[10], bytes[10], allocated[1];
LDX_THREAD_BY(maximum) uint64_t deepest[10];

LDX_ROUTINE void allocate(unsigned long size)
{
	ldx_data(allocated, [0]) += size;
}

LDX_BEGINS(call)
{
	ldx_data(function, [ldx_last_open()]) = 0;
}

LDX_ENDS(call)
{
	uint64_t f = ldx_data(function, [ldx_last_open()]);
	if (f && !--ldx_data(depth, [f]))
		ldx_data(bytes, [f]) += ldx_data(allocated, [0]);
}

LDX_ROUTINE void enter(unsigned long f, unsigned long stack)
{
	if (!ldx_is_callee(stack))
		return;
	ldx_data(function, [ldx_last_open()]) = f;
	if (!ldx_data(depth, [f])++)
		ldx_data(bytes, [f]) -= ldx_data(allocated, [0]);
	ldx_maximum(deepest, [f], (unsigned long)ldx_data(depth, [f]));
}
#else
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* What the tool must find, of this thread; kept where control may land. */
static __thread struct state {
	unsigned depth[10];
	size_t entered[10]; /* what was allocated then, by the outermost call */
} now;
static __thread size_t allocated;
static size_t bytes[10]; /* of all threads */
static unsigned deepest[10];

static void enter(unsigned f)
{
	if (!now.depth[f]++)
		now.entered[f] = allocated;
	for (unsigned d = deepest[f]; d < now.depth[f];)
		if (__atomic_compare_exchange_n(&deepest[f], &d, now.depth[f], 0, 0, 0))
			break;
}

static void leave_to(const struct state *before)
{
	for (unsigned f = 0; f < 10; f++)
		if (now.depth[f] && !before->depth[f])
			__atomic_fetch_add(&bytes[f], allocated - now.entered[f], 0);
	now = *before;
}

#define FN extern "C" __attribute__((noipa)) unsigned
#define BEGIN(f) struct state before = now; enter(f)
#define END(value) return leave_to(&before), (value)

FN allocate(unsigned n)
{
	void *volatile p = malloc(n);
	allocated += n;
	free(p);
	return n & 1;
}

FN f1_recurs(unsigned n)
{
	BEGIN(1);
	unsigned sum = allocate(n) + (n < 2 ? n : f1_recurs(n - 1) + f1_recurs(n - 2));
	END(sum);
}

static __thread jmp_buf back;
FN f2_jumps(unsigned n)
{
	BEGIN(2);
	if (f1_recurs(n % 5) + n > 7)
		longjmp(back, 1);
	unsigned sum = f2_jumps(n + 1) + allocate(n);
	END(sum);
}
FN f3_sets(unsigned n)
{
	BEGIN(3);
	for (volatile unsigned i = 0; i < n; i++) {
		struct state at = now;
		if (!setjmp(back))
			f2_jumps(i);
		else
			leave_to(&at);
		allocate(3);
	}
	END(n);
}

FN f4_throws(unsigned n)
{
	BEGIN(4);
	if (f1_recurs(n % 4) + n > 6)
		throw n;
	unsigned sum = f4_throws(n + 1) + 1;
	END(sum);
}
struct guard {
	unsigned n;
	struct state at;
	~guard()
	{
		leave_to(&at);
		allocate(n + f1_recurs(3));
	}
};
FN f5_passes(unsigned n)
{
	BEGIN(5);
	guard g = {n, now};
	unsigned sum = f4_throws(n) + allocate(2);
	END(sum);
}
FN f6_catches(unsigned n)
{
	BEGIN(6);
	for (unsigned i = 0; i < n; i++) {
		struct state at = now;
		try {
			f5_passes(i);
		} catch (unsigned k) {
			leave_to(&at);
			allocate(k);
		}
	}
	END(n);
}

FN f7_called(unsigned n);
static unsigned (*volatile callees[])(unsigned) = {f1_recurs, f7_called};
FN f7_called(unsigned n)
{
	BEGIN(7);
	unsigned sum = n ? callees[n % 3 == 0](n - 1) + f7_called(n / 2) : allocate(5);
	END(sum);
}

/* Jumps end with the call around them: f8 is open while f1 runs in its place. */
FN __attribute__((optimize("optimize-sibling-calls"))) f8_jumps(unsigned n)
{
	return callees[0](n + 1);
}
FN f9_all(unsigned n)
{
	BEGIN(9);
	struct state at = now;
	enter(8);
	f8_jumps(n);
	leave_to(&at);
	f3_sets(n);
	f6_catches(n + 2);
	f7_called(n + 6);
	END(n);
}

static void *thread(void *n)
{
	f9_all(*(unsigned *)n);
	return NULL;
}

int main(void)
{
	unsigned n[] = {4, 6, 5};
	pthread_t t[3];
	thread(&n[0]);
#ifdef __x86_64__ /* elsewhere threads share the tool's data */
	for (int i = 1; i < 3; i++)
		pthread_create(&t[i], NULL, thread, &n[i]);
	for (int i = 1; i < 3; i++)
		pthread_join(t[i], NULL);
#else
	(void)t;
#endif
	for (unsigned f = 1; f < 10; f++)
		printf("depth %u 0\nbytes %u %zu\ndeepest %u %u\n", f, f, bytes[f], f, deepest[f]);
	puts("ldx_open_calls 0 0\nldx_inexact 0 0\nldx_sums 0 0");
	return 0;
}
#endif
