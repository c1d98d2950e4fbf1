/* Link-time optimisation: the code is generated once, by the first link. */
//# targets: x86_64 aarch64 mips; GNU ld, which makes the program, must be 2.41 or later for RISC-V
//# cflags: -flto
//# obj: -DPART2
//# each: -O2 -flto | -O3 -flto -fno-pie -no-pie
//# stdout: 332833500
//# oracle: qemu
#include <stdio.h>
int square(int x);
int cube(int x);
#ifdef PART2
int square(int x) { return x * x; }
int cube(int x) { return x * square(x); }
#else
__attribute__((noinline)) static int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += square(i);
	return s;
}
int main(void)
{
	printf("%d\n", sum(1000) + cube(0));
	return 0;
}
#endif
