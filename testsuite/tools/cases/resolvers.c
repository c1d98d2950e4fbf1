/*
 * A program with threads and a function that is chosen when it is loaded, so before the counters
 * would be mapped: routines do not have constant addresses of their data.
 */
//# flags: -O2 -pthread
#if defined ASKS
#include <ldx/tool.h>

static void instrument(const ldx_object *o)
{
	if (!ldx_call(ldx_at_entry(ldx_find_func(o, "work")), "enter", 0, NULL))
		ldx_fail("%s", ldx_refused());
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "resolvers", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[1];

LDX_ROUTINE void enter(void)
{
	ldx_add(calls, [0], 1);
}
#else
#include <pthread.h>
#include <stdio.h>

static int chosen(int n)
{
	return n + 1;
}
static int (*choose(void))(int)
{
	return chosen;
}
int work_of_cpu(int n) __attribute__((ifunc("choose")));

__attribute__((noipa)) int work(int n)
{
	return work_of_cpu(n);
}

static void *run(void *arg)
{
	for (int i = 0; i < 1000; i++)
		*(int *)arg += work(i);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int n[2] = {0};
	pthread_create(&t, NULL, run, &n[0]);
	run(&n[1]);
	pthread_join(t, NULL);
	printf("calls 0 %d\n", n[0] == n[1] && n[0] == 500500 ? 2000 : 0);
	return 0;
}
#endif
