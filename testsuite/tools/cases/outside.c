/*
 * Functions of a shared C library in whose place routines are called, from the program and where
 * the assembler has named them; in a static program they are functions of the object.
 */
//# flags: -O2 -pthread -fno-builtin
//# static: no
#if defined ASKS
#include <ldx/tool.h>

static void replace(const ldx_object *o, const char *name, const char *routine)
{
	if (!ldx_replace_outside(o, name, routine))
		ldx_fail("%s: %s", name, ldx_refused());
}

static void instrument(const ldx_object *o)
{
	replace(o, "labs", "count_labs");
	replace(o, "pthread_mutex_lock", "count_lock");
	replace(o, "toascii", "count_toascii");
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "outside", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t calls[3];

long original_labs(long) LDX_ORIGINAL(""); /* the one that is replaced */
int original_lock(void *) LDX_ORIGINAL("pthread_mutex_lock");
int original_toascii(int) LDX_ORIGINAL("toascii");

LDX_ROUTINE long count_labs(long n)
{
	ldx_add(calls, [0], 1);
	return original_labs(n) + 1;
}
LDX_ROUTINE int count_lock(void *mutex)
{
	ldx_add(calls, [1], 1);
	return original_lock(mutex);
}
LDX_ROUTINE int count_toascii(int c)
{
	ldx_add(calls, [2], 1);
	return original_toascii(c);
}
#else
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#undef toascii

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int (*const in_data)(int) = toascii;
static long sum;

__attribute__((noipa)) long tail(long n)
{
	return labs(n);
}

static void *run(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		sum += tail(-i) - i;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

int main(void)
{
	int (*volatile by_address)(int) = toascii;
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	unsigned wrong = in_data != by_address;
	for (int i = 0; i < 10; i++)
		wrong += toascii(i + 128) != i;
	printf("calls 0 %ld\ncalls 1 4000\ncalls 2 %u\n", sum, 10 + wrong);
	return 0;
}
#endif
