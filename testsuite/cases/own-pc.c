/* A function asks for its program counter: where that is, code is, and nothing else changes. */
#include <stdio.h>
#include <stdint.h>
#if defined __x86_64__
# define GET_PC(pc) asm volatile("lea 1f(%%rip), %0\n1:" : "=r"(pc))
#else
# define GET_PC(pc) asm volatile("adr %0, ." : "=r"(pc))
#endif
static uintptr_t seen[4];
__attribute__((noinline, noipa)) static int called(int n)
{
	uintptr_t pc;
	if (n & 1)
		n += 3;
	GET_PC(pc);
	seen[n & 3] = pc;
	return n * 2;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += called(i);
	int (*volatile f)(int) = called;
	printf("%d %d\n", sum, seen[0] - (uintptr_t)f < 4096 && seen[0] == seen[2]);
	return 0;
}
