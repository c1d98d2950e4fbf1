/* hazard: list of dropped sections.  A library's sections are dropped, and threads enter the others. */
//# lib: liba.so -DLIB -ffunction-sections -- -Wl,--gc-sections
//# libs: -l:liba.so -pthread
//# stdout: 12
//# report: used 4
//# report: inner 12
#include <pthread.h>
#include <stdio.h>
int used(int n);
#ifdef LIB
__attribute__((visibility("hidden"))) int dropped(int n);
int dropped(int n) { return n > 3 ? used(n) : n; }
__attribute__((noinline, noipa)) static int inner(int n) { return n - n / 8 + 1; }
int used(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += inner(i) > 0;
	return s;
}
#else
static void *run(void *n) { return (void *)(long)used((int)(long)n); }
int main(void)
{
	pthread_t t[3];
	int sum = used(3);
	void *one;

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, (void *)3L);
	for (int i = 0; i < 3; i++, sum += (int)(long)one)
		pthread_join(t[i], &one);
	printf("%d\n", sum);
	return 0;
}
#endif
