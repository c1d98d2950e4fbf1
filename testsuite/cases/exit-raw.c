/* A system call that ends the process, with nothing behind it in its section. */
//# targets: aarch64 mips mipsel mips64el riscv64; a system call's number and registers are the CPU's
//# each: -O2 | -O1 -fno-pie -no-pie
//# stdout: 55
//# status: 7
//# report: quit 1
#include <stdio.h>

#if defined __aarch64__
#define CALL(nr) "mov x8," nr "\nsvc #0"
#define NR "94"
#elif defined __riscv
#define CALL(nr) "li a7," nr "\necall"
#define NR "94"
#elif _MIPS_SIM == _ABI64
#define CALL(nr) "li $2," nr "\nsyscall"
#define NR "5205"
#elif defined __mips__
#define CALL(nr) "li $2," nr "\nsyscall"
#define NR "4246"
#endif

asm(".section .text.quit,\"ax\"\n.globl quit\n.type quit,%function\nquit:\n" CALL(NR)
    "\n.size quit,.-quit\n.text");
void quit(int status);

__attribute__((noinline, noipa)) static int sum(int n)
{
	int s = 0;
	for (int i = 1; i <= n; i++)
		s += i;
	return s;
}

int main(void)
{
	printf("%d\n", sum(10));
	fflush(stdout);
	quit(7);
	return 0;
}
