/* The local-dynamic model: one call of __tls_get_addr for several variables of a library. */
/* hazard: TLS sequence. */
//# cflags: -fPIC -ftls-model=local-dynamic
//# lib: libld.so -DLIB
//# libs: -l:libld.so
//# each: -O0 | -O2 | -O2 -fno-plt
//# stdout: 40 7
#include <stdio.h>

int run(int n);
#ifdef LIB
static __thread int a, b = 3, c;
__attribute__((noinline)) int run(int n)
{
	for (int i = 0; i < n; i++) {
		a += b;
		c += a & 1;
	}
	return a + b + c;
}
#else
static __thread int mine = 7;
int main(void)
{
	printf("%d %d\n", run(10) + 2, mine);
	return 0;
}
#endif
