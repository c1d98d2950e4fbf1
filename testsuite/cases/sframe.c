/*
 * Stack-trace tables of gas: rows of one and of two bytes, some of which have to become wider,
 * and rows for counting code that moves the stack pointer.
 * hazard: section of code distances.
 */
//# targets: x86_64; the assembler of this CPU makes the section
//# cc: gcc
//# cflags: -Wa,--gsframe
//# each: -O2 | -O0 -ffunction-sections
//# stdout: 5 200
#include <stdio.h>

/* the flags are alive, and no register is known to be free */
void tight(long *);
__asm__(".text\n.globl tight\n.type tight, @function\ntight: .cfi_startproc\n"
	"cmpq $0, (%rdi)\n jg 1f\n je 2f\n incq (%rdi)\n 1: decq (%rdi)\n 2: ret\n"
	".cfi_endproc\n.size tight, .-tight\n"
	/* who relies on it that this leaves %r11 alone: it is not free there */
	".type keeps, @function\nkeeps: .cfi_startproc\n call tight\n movq %r11, %rax\n ret\n"
	".cfi_endproc\n.size keeps, .-keeps\n");

#define FOUR(x) x x x x
__attribute__((noinline)) static int near(int n) { return n > 3 ? printf("%d ", n) + n : n; }
/* less than 256 bytes, and more with counters */
__attribute__((noinline)) static int middle(int n)
{
	FOUR(if (n & 1) n += near(n & 3); n++;)
	return n;
}
/* more than 256 bytes */
__attribute__((noinline)) static int far(int n)
{
	FOUR(FOUR(FOUR(if (n & 2) n -= near(n & 1); n += 3;)))
	return n;
}

int main(void)
{
	int n = near(5);
	long one = 1;

	tight(&one);
	n += (int)one;
	printf("%d\n", middle(n) + far(n));
	return 0;
}
