// A function with an unwind entry for each of its halves, as glibc's clone has them; one throws.
// hazard: FDE inside a function.
//# targets: x86_64; its unwind information is in assembly
//# stdout: caught 7
#include <cstdio>
extern "C" void thrower(int n)
{
	if (n > 2)
		throw n;
}
extern "C" void halves(int n);
__asm__(".text\n .globl halves\n .type halves, @function\n"
	"halves: .cfi_startproc\n pushq %rbx\n .cfi_def_cfa_offset 16\n .cfi_offset %rbx, -16\n"
	"movl %edi, %ebx\n 1: movl $1, %edi\n call thrower@PLT\n decl %ebx\n cmpl $7, %ebx\n jg 1b\n"
	".cfi_endproc\n .cfi_startproc\n .cfi_def_cfa_offset 16\n .cfi_offset %rbx, -16\n"
	"movl %ebx, %edi\n call thrower@PLT\n testl %ebx, %ebx\n jne 1b\n popq %rbx\n"
	".cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n .size halves, .-halves\n");
int main()
{
	try {
		halves(12);
	} catch (int n) {
		printf("caught %d\n", n);
	}
	return 0;
}
