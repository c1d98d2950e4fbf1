/* Functions that end in a call that does not return: its return address is the next function. */
//# each: -O0 | -O2 | -O2 -fno-asynchronous-unwind-tables
//# status: 4
//# stdout: 3 8
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, noinline)) static void die(int n)
{
	fflush(stdout);
	exit(n);
}
__attribute__((noinline)) static int check(int x)
{
	if (x == 7)
		die(4);
	return x;
}
__attribute__((noinline)) void only(void) { die(4); }
__attribute__((noinline)) int after(int y) { return y * 2; }
__attribute__((noinline)) int maybe(int x)
{
	if (x)
		return 1;
	__builtin_unreachable();
}
void empty(void);
void empty(void) { __builtin_unreachable(); }
int after2(void);
__attribute__((noinline)) int after2(void) { return 3; }

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d %d\n", after2(), after(check(argc + 2)) + 2 * maybe(argc));
	if (argc == 1)
		only();
	return check(7);
}
