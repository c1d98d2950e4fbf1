/*
 * hazard: halves of an address.  The high halves of two functions with equal low halves are kept on
 * the stack, in words that were others' before.
 */
//# targets: mips mipsel; its addresses are in halves
//# stdout: 12
//# report: both 1
//# report: near 1
//# report: far 1
#include <stdio.h>

int both(void);
__asm__(".text\n.set noreorder\n.align 4\n"
	".type near, @function\nnear: jr $31\nli $2, 1\n.size near, .-near\n"
	".fill 65528 / 4, 4, 0\n"
	".type far, @function\nfar: jr $31\nli $2, 2\n.size far, .-far\n"
	".globl both\n.type both, @function\nboth:\n.cpload $25\n"
	"addiu $29, -48\nsw $31, 44($29)\nsw $28, 16($29)\nsw $16, 40($29)\n"
	"lw $2, %got(far)($28)\nsw $2, 24($29)\nlw $16, 24($29)\n"
	"lw $3, %got(near)($28)\nsw $3, 24($29)\nsw $16, 28($29)\n"
	"beqz $28, 1f\nlw $2, 24($29)\n"
	"addiu $25, $2, %lo(near)\njalr $25\nsll $16, $0, 0\n"
	"sll $16, $2, 3\naddu $16, $16, $2\naddu $16, $16, $2\n"
	"lw $2, 28($29)\naddiu $25, $2, %lo(far)\njalr $25\nnop\n"
	"addu $2, $2, $16\n"
	"1: lw $16, 40($29)\nlw $31, 44($29)\njr $31\naddiu $29, 48\n.size both, .-both\n"
	".set reorder\n");

int main(void)
{
	printf("%d\n", both());
	return 0;
}
