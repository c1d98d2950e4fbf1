/* Probes: a note with the address of a no-op in the middle of a function. */
//# each: -O0 | -O2
//# stdout: 0 1 45
#include <stdio.h>

extern unsigned char *__start_probes[], *__stop_probes[];

__attribute__((noinline)) static int loop(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		if (i == 5)
			__asm__ volatile("1: nop\n\t.pushsection probes, \"aw\", @progbits\n\t.quad 1b\n\t.popsection");
		s += i;
	}
	return s;
}

int main(void)
{
	int bad = 0;

	for (unsigned char **p = __start_probes; p < __stop_probes; p++)
		bad += **p != 0x90;
	printf("%d %d %d\n", bad, (int)(__stop_probes - __start_probes), loop(10));
	return 0;
}
