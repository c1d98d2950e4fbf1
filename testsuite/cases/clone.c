/* A thread made by clone() has its creator's thread pointer: both count at once. */
//# each: -O1 | -O1 -static
//# stdout: 400000
//# report: step 400000
//# stats: counters are atomic
//# oracle: atomic skip=wait_for
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

static int first, second;
static volatile int alive = 1;
static char stack[65536] __attribute__((aligned(16)));

__attribute__((noinline)) static void step(int *p)
{
	__atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}

static int run(void *p)
{
	for (int i = 0; i < 200000; i++)
		step(p);
	return 0;
}

__attribute__((noinline)) static void wait_for(void)
{
	while (alive)
		;
}

int main(void)
{
	clone(run, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID, &second, NULL, NULL, (int *)&alive);
	run(&first);
	wait_for();
	printf("%d\n", first + second);
	return 0;
}
