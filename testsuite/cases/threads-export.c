/* Threads of a library enter the program by a name: one that it refers to, one that it looks up. */
/* hazard: unseen thread start. */
//# each: -O1 | -O2 -no-pie | -O2 -Wl,-E
//# lib: libthr.so -DLIB -- -pthread
//# libs: -l:libthr.so
//# ldflags: -Wl,--export-dynamic-symbol=looked_up
//# report: named 4
//# report: looked_up 4
//# report: step 2400000
//# oracle: no, threads
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

void run_threads(void);
void named(long n);
void looked_up(long n);

#ifdef LIB
static pthread_barrier_t all;

static void *by_name(void *n)
{
	pthread_barrier_wait(&all);
	named((long)n);
	return NULL;
}

static void *by_lookup(void *n)
{
	void (*f)(long) = (void (*)(long))dlsym(RTLD_DEFAULT, "looked_up");

	pthread_barrier_wait(&all);
	f((long)n);
	return NULL;
}

void run_threads(void)
{
	pthread_t t[8];

	pthread_barrier_init(&all, NULL, 8);
	for (int i = 0; i < 8; i++)
		if (pthread_create(&t[i], NULL, i % 2 ? by_name : by_lookup, (void *)300000L))
			abort();
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
}
#else
__attribute__((noinline)) static void step(long x) { __asm__ volatile("" : : "r"(x)); }

void named(long n)
{
	for (long i = 0; i < n; i++)
		step(i);
}

void looked_up(long n)
{
	for (long i = 0; i < n; i++)
		step(i + 1);
}

int main(void)
{
	run_threads();
	return 0;
}
#endif
