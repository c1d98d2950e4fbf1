/* hazard: second thread in a library.  The library makes it, and the first one counts on meanwhile. */
//# each: -O2 | -O0
//# lib: liba.so -DLIB -pthread
//# libs: -l:liba.so -pthread
//# report: work 12
//# stdout: 12
//# oracle: atomic
#include <pthread.h>
#include <stdio.h>
int both(int n);
#ifdef LIB
static volatile int wait_for;
__attribute__((noinline)) static int work(int n)
{
	int odd = 0;

	for (int i = 0; i < 100000; i++)
		odd += i * n % 3 == 1 ? 1 : 0;
	__asm__ volatile("");
	return odd != -1;
}
static void *other(void *n)
{
	long sum = 0;

	wait_for = 1;
	for (int i = 0; i < (int)(long)n; i++)
		sum += work(i);
	return (void *)sum;
}
int both(int n)
{
	pthread_t t;
	void *sum;

	if (pthread_create(&t, NULL, other, (void *)(long)n))
		return 0;
	int own = 0;
	for (int i = 0; i < n; i++)
		own += work(i);
	pthread_join(t, &sum);
	return own + (int)(long)sum;
}
#else
int main(void)
{
	printf("%d\n", both(6));
	return 0;
}
#endif
