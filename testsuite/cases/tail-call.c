/* Tail calls: direct, through a pointer, through memory, and mutual recursion. */
//# each: -O2 | -O2 -fno-pie -no-pie | -O2 -fPIC -fno-plt
//# stdout: 1 500 0
//# report: odd 502
#include <stdio.h>

static int even(int n);
__attribute__((noinline, noipa)) static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__attribute__((noinline, noipa)) static int even(int n)
{
	__asm__ volatile("" ::: "memory");
	return n == 0 ? 1 : odd(n - 1);
}
static int add(int x) { return x + 500; }
static int (*volatile op)(int) = add;
__attribute__((noinline, noipa)) static int indirect(int x) { return op(x); }

struct ops {
	int (*f)(int);
};
__attribute__((noinline, noipa)) static int memory(struct ops *o, int x) { return o->f(x); }

int main(void)
{
	struct ops o = { odd };

	printf("%d %d %d\n", odd(1001), indirect(0), memory(&o, 0));
	return 0;
}
