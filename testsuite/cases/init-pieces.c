/* Pieces of .init and .fini, glued into one function with the C library's, and old .ctors. */
/* hazard: pieces of one function. */
//# targets: x86_64; the pieces are assembly
//# each: -O2 | -O2 -static
//# stdout: init ctor main fini
#include <stdio.h>
__attribute__((used)) static void say(const char *what)
{
	fputs(what, stdout);
}
__asm__(".section .init, \"ax\", @progbits\n leaq 1f(%rip), %rdi\n call say\n"
	".section .fini, \"ax\", @progbits\n leaq 2f(%rip), %rdi\n call say\n"
	".section .rodata.say, \"a\", @progbits\n 1: .string \"init \"\n 2: .string \"fini\\n\"\n .text\n");
__attribute__((constructor)) static void ctor(void)
{
	say("ctor ");
}
int main(void)
{
	say("main ");
	return 0;
}
