// Branches between a load-exclusive and its store: out of the pair, and to two arms
// that share the store: these have no place for a counter.
// hazard: exclusive pair.
//# targets: mips mipsel mips64el aarch64 riscv64; it is assembly
//# each: -O2 | -O2 -static
//# stdout: 7 7 9 6 8
//# report: swap 2
//# opaque: nearer
#include <stdio.h>

#define FUNCTION(name, code) \
	".section .text." #name ", \"ax\"\n.balign 4\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" code ".size " #name ", . - " #name "\n"
#if defined __mips__
__asm__(".set push\n.set noreorder\n"
	FUNCTION(swap, "1: ll $2, 0($4)\nbne $2, $5, 2f\nmove $3, $6\nsc $3, 0($4)\nbeqz $3, 1b\nnop\n2: jr $31\nnop\n")
	FUNCTION(nearer, "1: ll $2, 0($4)\nslt $3, $2, $5\nbeqz $3, 2f\nnop\nb 3f\naddiu $2, $2, 1\n"
		 "2: addiu $2, $2, -1\n3: move $3, $2\nsc $3, 0($4)\nbeqz $3, 1b\nnop\njr $31\nnop\n")
	".set pop\n.text\n");
#elif defined __aarch64__
__asm__(FUNCTION(swap, "mov x3, x0\n1: ldxr w0, [x3]\ncmp w0, w1\nb.ne 2f\nstxr w4, w2, [x3]\ncbnz w4, 1b\n2: ret\n")
	FUNCTION(nearer, "mov x3, x0\n1: ldxr w0, [x3]\ncmp w0, w1\nb.ge 2f\nadd w0, w0, 1\nb 3f\n"
		 "2: sub w0, w0, 1\n3: stxr w4, w0, [x3]\ncbnz w4, 1b\nret\n")
	".text\n");
#else
__asm__(FUNCTION(swap, "mv a3, a0\n1: lr.w a0, (a3)\nbne a0, a1, 2f\nsc.w a4, a2, (a3)\nbnez a4, 1b\n2: ret\n")
	FUNCTION(nearer, "mv a3, a0\n1: lr.w a0, (a3)\nbge a0, a1, 2f\naddiw a0, a0, 1\nj 3f\n"
		 "2: addiw a0, a0, -1\n3: sc.w a4, a0, (a3)\nbnez a4, 1b\nret\n")
	".text\n");
#endif
int swap(int *p, int old, int new), nearer(int *p, int to);

int main(void)
{
	int word = 7, was = swap(&word, 7, 9), not = swap(&word, 7, 1), other = 5;
	printf("%d %d %d ", was, word == 9 ? was : 0, not);
	printf("%d ", nearer(&other, 9));
	printf("%d\n", nearer(&word, 1));
	return 0;
}
