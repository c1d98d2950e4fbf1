/* Thread-local storage in every model, in programs and in a shared library. */
/* hazard: TLS sequence. */
//# lib: libtls.so -DLIB
//# libs: -l:libtls.so
//# each: -O2 | -O2 -fPIC | -O2 -ftls-model=global-dynamic -fPIC
//# each: -O2 -ftls-model=initial-exec | -O0 -fPIC | -O2 -fPIC -fno-plt | -O2 -fno-pie -no-pie
//# stdout: 9 4 24 2
#include <stdio.h>

extern __thread int shared_var;
int *address(void);
int bump(int n);
#ifdef LIB
__thread int shared_var = 4;
static __thread int local_var, other_var = 3;
int *address(void) { return &shared_var; }
__attribute__((noinline)) int bump(int n)
{
	for (int i = 0; i < n; i++)
		local_var += other_var;
	return local_var;
}
#else
static __thread int a = 2;
__thread int b;
__attribute__((noinline)) static int mine(int n) { b += n; return a + b; }
int main(void)
{
	int r = mine(7);

	printf("%d %d %d %d\n", r, *address() == shared_var ? shared_var : -1, bump(8), a);
	return 0;
}
#endif
