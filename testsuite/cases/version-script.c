/* A library with symbol versions, old and new, used through its versioned names. */
//# cflags: -D_GNU_SOURCE
//# lib: libver.so -DLIB -- -Wl,--version-script=@/version-script.map
//# libs: -l:libver.so
//# stdout: 2 1
#include <dlfcn.h>
#include <stdio.h>
int f(void);
#ifdef LIB
int f_old(void);
int f_new(void);
__asm__(".symver f_old, f@V1\n.symver f_new, f@@V2");
int f_old(void) { return 1; }
int f_new(void) { return 2; }
#else
int main(void)
{
	int (*old)(void) = (int (*)(void))dlvsym(RTLD_DEFAULT, "f", "V1");

	printf("%d %d\n", f(), old ? old() : -1);
	return 0;
}
#endif
