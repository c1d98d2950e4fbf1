// Functions that are only called: their entries follow from the blocks that call them.  Others are entered otherwise, too.
//# each: -O1 -fno-inline -fno-optimize-sibling-calls | -O0 | -O2 -fPIC -fvisibility=hidden
//# stats: functions whose entries are counted where they are called: [0-9]
//# stats.aarch64: functions whose entries are counted where they are called: [2-9]
//# stats.riscv64: functions whose entries are counted where they are called: [2-9]
//# stdout: 2584 9 100 8 3
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static int (*volatile by_address)(int);

__attribute__((noinline, noclone)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__attribute__((noinline, noclone)) static int half(int n)
{
	if (n > 100)
		longjmp(back, 3);
	return n / 2;
}
__attribute__((noinline, noclone)) static int also_by_address(int n) { return n + 1; }
__attribute__((noinline, noclone)) static int tail(int n) { return n * 2; }
__attribute__((noinline, noclone)) static int calls_last(int n) { return tail(n + 1); }
__attribute__((noinline, noclone)) static int never(int n) { return half(n) + 1; }

int main(int argc, char **argv)
{
	int sum = 0, left;
	by_address = also_by_address;
	for (int i = 0; i < 10; i++)
		sum += i & 1 ? half(i) + calls_last(i) : tail(i) - i + 2;
	left = setjmp(back);
	if (!left)
		half(argc > 5 ? 1 : 200);
	if (argc > 5)
		never(argc);
	printf("%d %d %d %d %d\n", fib(18), also_by_address(by_address(7)), sum, calls_last(3), left);
}
