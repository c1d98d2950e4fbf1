/* TLS descriptors: gcc's and clang's -mtls-dialect=gnu2. */
//# cc: gcc
//# targets: x86_64 aarch64; other CPUs have none
//# cflags: -fPIC
//# cflags.x86_64: -mtls-dialect=gnu2
//# cflags.aarch64: -mtls-dialect=desc
//# lib: libdesc.so -DLIB
//# libs: -l:libdesc.so
//# stdout: 1003 6
#include <stdio.h>

int next(int);
#ifdef LIB
__thread int counter = 1000;
static __thread int second = 5;
int next(int k) { return k ? ++second : (counter += 3); }
#else
int main(void)
{
	int a = next(0);

	printf("%d %d\n", a, next(1));
	return 0;
}
#endif
