/* Traditional TLS: the call of __tls_get_addr and the no-op behind it are one with what is in front of them, which the
 * linker makes shorter in a program, and keeps in a library. */
/* hazard: TLS sequence. */
//# cc: gcc
//# targets: aarch64; other CPUs have no other one, or no no-op there
//# cflags: -fPIC -mtls-dialect=trad
//# lib: libtrad.so -DLIB
//# libs: -l:libtrad.so
//# stdout: 55 1009 10
//# report: add 5
//# report: own 5
#include <stdio.h>

#ifdef LIB
__thread int counter = 1000;
static __thread int second = 7;
int next(int k) { return k > 2 ? counter += k : (second -= k); }
#else
__thread int a = 3;
static __thread int b = 4;
int next(int k);
__attribute__((noinline)) int own(int n) { return n ? b : 0; }
__attribute__((noinline)) int add(int n)
{
	a += n;
	return a + (own(n) ? 4 : b);
}

int main(void)
{
	int sum = 0, lib = 0, low = 0;

	for (int i = 0; i < 5; i++)
		sum += add(i);
	lib = next(4) + next(5) - 1004;
	low = next(1) + next(2);
	printf("%d %d %d\n", sum, lib, low);
	return 0;
}
#endif
