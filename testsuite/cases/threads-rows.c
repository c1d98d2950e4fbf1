/* Counters of several pages, each of which has a thread-local word: in loops, alone, and in a handler. */
//# each: -O1 | -O2 -fno-pie -no-pie
//# libs: -pthread
//# stdout: 59 59 59 60
//# stats.aarch64: counters are by thread
//# stats.riscv64: counters are by thread
//# oracle: atomic
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static int n[4];

#define PIECE(f) static __attribute__((noinline)) int f(int x) \
	{ for (int i = 0; i < x % 3; i++) if (x & (i + 1)) x += i; return x % 7 > 2 ? x + 1 : x; }
#define PIECES(f) PIECE(f##0) PIECE(f##1) PIECE(f##2) PIECE(f##3) PIECE(f##4) PIECE(f##5) PIECE(f##6) PIECE(f##7)
#define CALLS(f, x) f##0(x) + f##1(x) + f##2(x) + f##3(x) + f##4(x) + f##5(x) + f##6(x) + f##7(x)
#define MANY(f) PIECES(f##0) PIECES(f##1) PIECES(f##2) PIECES(f##3) PIECES(f##4) PIECES(f##5) PIECES(f##6) PIECES(f##7) \
	static int f(int x) { return CALLS(f##0, x) + CALLS(f##1, x) + CALLS(f##2, x) + CALLS(f##3, x) \
		+ CALLS(f##4, x) + CALLS(f##5, x) + CALLS(f##6, x) + CALLS(f##7, x); }
MANY(a) MANY(b) MANY(c) MANY(d)

static void handle(int s)
{
	(void)s;
	__atomic_fetch_add(&n[3], 1, __ATOMIC_SEQ_CST);
}

static void *work(void *to)
{
	for (int i = 0; i < 60; i++)
		*(int *)to += a(i) + b(i) + c(i) + d(i) > 0;
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	signal(SIGUSR1, handle);
	for (int k = 0; k < 3; k++)
		pthread_create(&t[k], NULL, work, &n[k]);
	for (int k = 0; k < 60; k++)
		raise(SIGUSR1);
	for (int k = 0; k < 3; k++)
		pthread_join(t[k], NULL);
	printf("%d %d %d %d\n", n[0], n[1], n[2], n[3]);
	return 0;
}
