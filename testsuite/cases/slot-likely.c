/*
 * hazard: delay slot.  The slot of a branch-likely is executed only if it branches: a register that it steps counts
 * the branches, not the block.  bal calls nothing, where the address is not returned to.
 */
//# targets: mips mipsel mips64el; other CPUs have no delay slots
//# each: -O2 | -O2 -static
//# stdout: 7 9 500 6
//# report: likely 2
//# report: over 1
#include <stdio.h>

#ifdef __mips64
#define STEP "daddiu"
#else
#define STEP "addiu"
#endif
#define FUNCTION(name, code) ".section .text." #name ", \"ax\"\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" code "jr $31\nnop\n.size " #name ", . - " #name "\n"
__asm__(".set push\n.set noreorder\n"
	FUNCTION(likely, "li $2, 9\nbeql $4, $0, 1f\nli $2, 7\n1:")
	FUNCTION(over, "move $3, $31\nbal 1f\nli $2, 5\nli $2, 0\n1: addiu $2, $2, 1\nmove $31, $3\n")
	".set pop\n.text\n");
int likely(int n), over(void);

__attribute__((noinline, noipa)) static long half(int n)
{
	long steps = 0;
	int i = 0, odd;
	__asm__(".set push\n.set noreorder\n"
		"1: andi %1, %0, 1\naddiu %0, %0, 1\nbeql %1, $0, 2f\n" STEP " %2, %2, 1\nxori %1, %0, 1\n"
		"2: bne %0, %3, 1b\nnop\n.set pop" : "+r"(i), "=&r"(odd), "+r"(steps) : "r"(n));
	return steps;
}

int main(void)
{
	printf("%d %d ", likely(0), likely(1));
	printf("%ld ", half(1000));
	printf("%d\n", over());
	return 0;
}
