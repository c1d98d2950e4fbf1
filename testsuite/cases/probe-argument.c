/* A probe's argument, in a register that nothing reads: no counter in front of the probe changes it. */
/* hazard: arguments of a probe. */
//# targets: aarch64; the effect of a register on a debugger is seen in the instructions, one CPU's will do
//# cc: gcc
//# cflags: -O2
//# stdout: 2
//# insn: add\s+w9, w1, #0x3\n(?:(?!.*\b[xw]9,).*\n)*?.*\sret
#include <stdio.h>

__attribute__((noinline)) static int probed(int n, int m)
{
	register int x __asm__("w9") = m + 3;

	__asm__ volatile("" : "+r"(x));
	if (n > 5)
		__asm__ volatile("nop" ::: "memory");
	__asm__ volatile("1: nop\n"
		"	.pushsection .note.stapsdt, \"\", @note\n"
		"	.balign 4\n"
		"	.4byte 8, 3f - 2f, 3\n"
		"	.asciz \"stapsdt\"\n"
		"2:	.8byte 1b, 0, 0\n"
		"	.asciz \"ldx\", \"argument\", \"-4@%0\"\n"
		"3:	.balign 4\n"
		"	.popsection" ::"r"(x));
	return n + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", probed(argc, 4 * argc));
	return 0;
}
