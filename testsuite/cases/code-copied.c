/* The length of copied code is a number of the assembler, in an instruction or in data; memcpy() does not show it. */
/* hazard: code copied by its size. */
//# targets: x86_64; what is copied is assembly
//# cflags: -fno-pie
//# ldflags: -no-pie
//# stdout: 1155 1155
//# opaque: stencil stencil_size other
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__asm__(".section .text.stencil, \"ax\", @progbits\n .type stencil, @function\n"
	"stencil: xorl %eax, %eax\n testl %edi, %edi\n jle 2f\n"
	"1: addl %edi, %eax\n decl %edi\n jne 1b\n addl $100, %eax\n 2: addl $1000, %eax\n ret\n"
	".size stencil, .-stencil\n stencil_end:\n .globl stencil_size\n"
	".type stencil_size, @function\n"
	"stencil_size: movl $(stencil_end - stencil), %eax\n ret\n .size stencil_size, .-stencil_size\n"
	".section .text.other, \"ax\", @progbits\n .type other, @function\n"
	"other: xorl %eax, %eax\n testl %edi, %edi\n jle 2f\n"
	"1: addl %edi, %eax\n addl $100000, %eax\n decl %edi\n jne 1b\n subl $1000000, %eax\n"
	"addl $100, %eax\n 2: addl $1000, %eax\n ret\n .size other, .-other\n other_end:\n"
	".section .rodata\n .balign 8\n other_size: .quad other_end - other\n .text\n");
extern int stencil(int), other(int);
extern const long stencil_size(void), other_size;

static int run(int (*code)(int), long size)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(p, 0xcc, 4096);
	memcpy(p, (void *)code, size);
	return ((int (*)(int))p)(10);
}

int main(void)
{
	printf("%d", run(stencil, stencil_size()));
	printf(" %d\n", run(other, other_size));
	return 0;
}
