/*
 * hazard: halves of an address.  near() and far() are 64 kB apart: the low halves of their addresses are equal,
 * and only data flow tells which high half each belongs to.  Several low halves of one high half, a low half of
 * two high ones, in delay slots, in another block, in another order, and in front of their high half in the file.
 */
//# targets: mips mipsel; its addresses are in halves
//# each: -O2 | -O2 -fno-pie -no-pie -mno-abicalls -static
//# stdout: 1 2 1 2 1 2 1 2 20 22
//# report: near 24
//# report: far 15
#include <stdio.h>

#ifdef __PIC__
#define START ".cpload $25\n"
#define HIGH(reg, f) "lw " #reg ", %got(" #f ")($28)\n"
#else
#define START
#define HIGH(reg, f) "lui " #reg ", %hi(" #f ")\n"
#endif
#define LOW(to, reg, f) "addiu " #to ", " #reg ", %lo(" #f ")\n"
#define FUNCTION(name, code) \
	".globl " #name "\n.type " #name ", @function\n.ent " #name "\n" #name ":\n" START code ".end " #name "\n.size " #name ", . - " #name "\n"
#define GO "jr $25\nnop\n"

int shared(int n), both(int n), arms(int n), likely(int n), loop(int n, int rounds);
__asm__(".text\n.set push\n.set noreorder\n.align 4\n"
	".type near, @function\nnear: jr $31\nli $2, 1\n.size near, . - near\n"
	".fill 65528 / 4, 4, 0\n"
	".type far, @function\nfar: jr $31\nli $2, 2\n.size far, . - far\n"
	/* one high half in front of a branch, low ones in a slot and in each arm */
	FUNCTION(shared, HIGH($2, far) "bltz $4, 1f\n" LOW($25, $2, far) HIGH($3, near) "blez $4, 2f\nnop\n"
		 GO "2:" LOW($25, $3, near) GO "1:" LOW($25, $2, far) GO)
	/* the high halves are in the order of their names, the low ones are not */
	FUNCTION(both, HIGH($2, near) HIGH($3, far) "beqz $4, 1f\nnop\n" LOW($25, $3, far) GO
		 "1:" LOW($25, $2, near) GO)
	/* one low half of two high ones of the same address, behind one of another address */
	FUNCTION(arms, HIGH($2, far) "bltz $4, 2f\nmove $5, $2\nbeqz $4, 1f\nnop\n" HIGH($3, near) "b 3f\nnop\n"
		 "1:" HIGH($3, near) "3:" LOW($25, $3, near) GO "2:" LOW($25, $5, far) GO)
	/* the second high half is skipped if the branch is not taken */
	FUNCTION(likely, HIGH($2, near) "bltzl $4, 1f\n" HIGH($2, far) LOW($25, $2, near) GO "1:" LOW($25, $2, far) GO)
	/* the loop is entered below its low halves */
	FUNCTION(loop, "addiu $29, -32\nsw $31, 28($29)\nsw $16, 24($29)\nsw $17, 20($29)\nsw $18, 16($29)\n"
		 "move $16, $5\nmove $18, $4\nb 2f\nmove $17, $0\n"
		 "1: bnez $18, 3f\n" LOW($25, $2, near) "jalr $25\nnop\nb 4f\nnop\n"
		 "3:" LOW($25, $3, far) "jalr $25\nnop\n4: addu $17, $17, $2\n"
		 "addiu $16, -1\n2:" HIGH($2, near) HIGH($3, far) "bgtz $16, 1b\nnop\n"
		 "move $2, $17\nlw $31, 28($29)\nlw $16, 24($29)\nlw $17, 20($29)\nlw $18, 16($29)\njr $31\naddiu $29, 32\n")
	".set pop\n");

int main(void)
{
	printf("%d %d ", shared(0), shared(-1));
	printf("%d %d ", both(0), both(1));
	printf("%d %d ", arms(0), arms(-1));
	printf("%d %d ", likely(0), likely(-1));
	printf("%d %d\n", loop(0, 20), loop(1, 11));
	return 0;
}
