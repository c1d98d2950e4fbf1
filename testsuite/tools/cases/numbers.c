/* Threads have small numbers of their own, which they keep; the CPU's clock goes on. */
//# flags: -pthread
#if defined ASKS
#include <ldx/tool.h>

static void instrument(const ldx_object *o)
{
	ldx_arg k = ldx_call_arg(0);
	if (!ldx_call(ldx_at_entry(ldx_find_func(o, "work")), "work", 1, &k))
		ldx_fail("%s", ldx_refused());
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "numbers", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/sys.h>

LDX_THREAD uint64_t seen[8], wrong[2];
static unsigned long of[8];
static uint64_t ticks[8];

LDX_THREAD_NUMBER(thread_number)

LDX_ROUTINE void work(unsigned long k)
{
	unsigned long n = thread_number();
	uint64_t now = ldx_ticks();
	ldx_add(seen, [n & 7], 1);
	ldx_add(wrong, [0], n > 4 || (of[k & 7] && of[k & 7] != n + 1));
#ifndef __mips__ /* there QEMU's register is always the same in user mode */
	ldx_add(wrong, [1], now == ticks[k & 7]);
#endif
	of[k & 7] = n + 1;
	ticks[k & 7] = now;
}
#else
#include <pthread.h>
#include <stdio.h>

volatile int n;
static pthread_barrier_t all;
__attribute__((noipa)) void work(unsigned long k)
{
	for (int i = 0; i < 1000; i++)
		n = (int)k;
}
static void *run(void *k)
{
	pthread_barrier_wait(&all); /* so that they live at once */
	for (int i = 0; i < 50; i++)
		work((unsigned long)k);
	pthread_barrier_wait(&all);
	return NULL;
}

int main(void)
{
	pthread_t thread[4];
	pthread_barrier_init(&all, NULL, 4);
	for (unsigned long k = 0; k < 50; k++)
		work(7);
	for (unsigned long k = 0; k < 4; k++)
		pthread_create(&thread[k], NULL, run, (void *)k);
	for (int k = 0; k < 4; k++)
		pthread_join(thread[k], NULL);
	for (int k = 0; k < 5; k++)
		printf("seen %d 50\n", k);
	puts("seen 5 0\nwrong 0 0\nwrong 1 0");
	return 0;
}
#endif
