/* Only the library refers to pthread_create: its thread and the program's count in the same function at once. */
//# each: -O2 | -O0
//# lib: liba.so -DLIB -pthread
//# libs: -l:liba.so
//# report: step 200000
//# stdout: 0
//# oracle: atomic
#include <pthread.h>
#include <stdio.h>
long both(long (*of)(long));
#ifdef LIB
static void *run(void *of)
{
	long s = 0;
	for (long i = 0; i < 100000; i++)
		s += ((long (*)(long))of)(i & 1);
	return (void *)s;
}

long both(long (*of)(long))
{
	pthread_t t;
	void *s;
	pthread_create(&t, NULL, run, (void *)of);
	long mine = (long)run((void *)of);
	pthread_join(t, &s);
	return mine - (long)s;
}
#else
static long step(long n) { return n ? 3 : -2; }

int main(void)
{
	printf("%ld\n", both(step));
	return 0;
}
#endif
