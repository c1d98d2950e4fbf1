/* The length of copied code is in a delay slot, or in data of the machine's byte order. */
//# targets: mips mipsel mips64el; other CPUs have no delay slots
//# cc: gcc
//# stdout: 1155 2155
//# opaque: stencil stencil_size other
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define CODE(name, more)                                                                            \
	".section .text." #name ",\"ax\",@progbits\n .set noreorder\n .globl " #name "\n .type " #name  \
	", @function\n" #name ": move $2, $0\n blez $4, 2f\n nop\n 1: addu $2, $2, $4\n"             \
	"addiu $4, $4, -1\n bnez $4, 1b\n nop\n addiu $2, $2, 100\n"                                 \
	"2: addiu $2, $2, 1000\n " more " jr $31\n nop\n .size " #name ", .-" #name "\n" #name "_end:\n"

__asm__(CODE(stencil, "")
	".globl stencil_size\n .type stencil_size, @function\n"
	"stencil_size: jr $31\n li $2, stencil_end - stencil\n .size stencil_size, .-stencil_size\n"
	CODE(other, "addiu $2, $2, 1000\n")
	".section .rodata\n .balign 8\n .globl other_size\n other_size: .word other_end - other\n .text\n .set reorder\n");
extern int stencil(int), other(int), stencil_size(void);
extern const int other_size;

static int run(int (*code)(int), int size)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(p, 0xff, 4096);
	memcpy(p, (void *)code, (size_t)size);
	__builtin___clear_cache(p, p + 4096);
	return ((int (*)(int))p)(10);
}

int main(void)
{
	printf("%d", run(stencil, stencil_size()));
	printf(" %d\n", run(other, other_size));
	return 0;
}
