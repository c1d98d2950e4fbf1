/*
 * hazard: data behind a call.  Calls of labels in the same function are there for their return address, behind which
 * is a constant.  A subroutine in the function that saves it, and returns, is counted.
 */
//# targets: mips mipsel mips64el aarch64 riscv64; it is assembly
//# each: -O2 | -O2 -static
//# stdout: 1 1 13 16
//# opaque: over back
//# report: inside 1
//# report: held 1
#include <stdio.h>

#define FUNCTION(name, code) \
	".section .text." #name ", \"ax\"\n.balign 4\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" code ".size " #name ", . - " #name "\n"
#if defined __mips__
#ifdef __mips64
#define PUSH "daddiu $29, $29, -16\nsd $31, 0($29)\n"
#define POP "ld $31, 0($29)\njr $31\ndaddiu $29, $29, 16\n"
#else
#define PUSH "addiu $29, $29, -16\nsw $31, 0($29)\n"
#define POP "lw $31, 0($29)\njr $31\naddiu $29, $29, 16\n"
#endif
#define WORD 0x24420000
__asm__(".set push\n.set noreorder\n.set noat\n"
	FUNCTION(over, "move $1, $31\nbal 1f\nnop\naddiu $2, $2, 0\n1: lw $2, 0($31)\nmove $31, $1\njr $31\nnop\n")
	FUNCTION(back, "b 2f\nmove $1, $31\n1: lw $2, 0($31)\nmove $31, $1\njr $31\nnop\n2: bal 1b\nnop\naddiu $2, $2, 0\n")
	FUNCTION(inside, "move $3, $31\nbal 1f\nli $2, 5\nbal 1f\nnop\nmove $31, $3\njr $31\nnop\n"
		 "1:" PUSH "addiu $2, $2, 3\nbltz $4, 2f\nnop\naddiu $2, $2, 2\n2: addiu $2, $2, -1\n" POP)
	/* $at is live over labels */
	FUNCTION(held, "li $1, 1\n1: addu $1, $1, $1\naddiu $4, $4, -1\nbnez $4, 1b\nnop\njr $31\nmove $2, $1\n")
	".set pop\n.text\n");
#elif defined __aarch64__
#define WORD 0x11000000
__asm__(FUNCTION(over, "mov x1, x30\nbl 1f\nadd w0, w0, 0\n1: ldr w0, [x30]\nmov x30, x1\nret\n")
	FUNCTION(back, "mov x1, x30\nb 2f\n1: ldr w0, [x30]\nmov x30, x1\nret\n2: bl 1b\nadd w0, w0, 0\n")
	FUNCTION(inside, "mov x3, x30\nmov x2, 5\nbl 1f\nbl 1f\nmov x0, x2\nmov x30, x3\nret\n"
		 "1: str x30, [sp, -16]!\nadd x2, x2, 3\ntbnz w0, 31, 2f\nadd x2, x2, 2\n2: sub x2, x2, 1\nldr x30, [sp], 16\nret\n")
	FUNCTION(held, "mov x16, 1\n1: add x16, x16, x16\nsub x0, x0, 1\ncbnz x0, 1b\nmov x0, x16\nret\n")
	".text\n");
#else
#define WORD 0x00050513
__asm__(".option push\n.option norvc\n"
	FUNCTION(over, "mv a1, ra\njal 1f\nmv a0, a0\n1: lw a0, 0(ra)\nmv ra, a1\nret\n")
	FUNCTION(back, "mv a1, ra\nj 2f\n1: lw a0, 0(ra)\nmv ra, a1\nret\n2: jal 1b\nmv a0, a0\n")
	FUNCTION(inside, "mv a3, ra\nli a2, 5\njal 1f\njal 1f\nmv a0, a2\nmv ra, a3\nret\n"
		 "1: addi sp, sp, -16\nsd ra, 0(sp)\naddi a2, a2, 3\nbltz a0, 2f\naddi a2, a2, 2\n"
		 "2: addi a2, a2, -1\nld ra, 0(sp)\naddi sp, sp, 16\nret\n")
	FUNCTION(held, "li t0, 1\n1: add t0, t0, t0\naddi a0, a0, -1\nbnez a0, 1b\nmv a0, t0\nret\n")
	".option pop\n.text\n");
#endif
int over(void), back(void), inside(int n), held(int n);

int main(void)
{
	printf("%d %d ", over() == WORD, back() == WORD);
	printf("%d %d\n", inside(0), held(4));
	return 0;
}
