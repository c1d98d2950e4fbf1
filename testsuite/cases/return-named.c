// Code compares the label behind a call with the return address: nothing may be inserted between.
//# targets: x86_64; the hardening is this CPU's
//# cc: clang-19
//# cflags: -O1 -mspeculative-load-hardening -fno-pie -no-pie
//# opaque: __llvm_retpoline_r11
//# stdout: 4 3
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int v[4] = { 1, 2, 3, 4 };
__attribute__((noinline)) static int above(int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		if (p[i] > 3)
			s += p[i];
	return s;
}
__attribute__((noinline)) static int called(void)
{
	long r = syscall(SYS_getpid);
	return v[(r > 0) + 1];
}
int main(void)
{
	int a = above(v, 4);
	printf("%d %d\n", a, called());
}
