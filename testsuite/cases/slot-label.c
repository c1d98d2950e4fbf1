/* hazard: delay slot.  A branch leads to the instruction in the slot of another: the function is moved whole. */
//# targets: mips mipsel mips64el; other CPUs have no delay slots
//# each: -O2 | -O2 -static
//# opaque: into
//# stdout: 15 25
#include <stdio.h>

__asm__(".section .text.into, \"ax\"\n.set push\n.set noreorder\n.globl into\n.type into, @function\n"
	"into: bgtz $4, 1f\nli $2, 10\nli $2, 20\nb 2f\n1: addiu $2, $2, 5\n2: jr $31\nnop\n"
	".size into, . - into\n.set pop\n.text\n");
int into(int n);

int main(void)
{
	printf("%d %d\n", into(1), into(-1));
	return 0;
}
