/*
 * One of several functions that never return is called by way of a register, which is a number where
 * the code behind the call is from.
 * hazard: function that never returns.
 */
//# stdout: 7 fails 9
#include <stdio.h>
#include <stdlib.h>

__attribute__((used, noreturn)) static void fail(int n)
{
	printf("fails %d\n", n);
	exit(0);
}

__attribute__((used, noreturn)) static void die(int n)
{
	printf("dies %d\n", n);
	exit(0);
}

/* n + 5, or no return */
int work(int n);

#ifdef __x86_64__
__asm__("	.text\n	.globl work\n	.type work, @function\n"
	"work:	push %rbx\n	mov %edi, %ebx\n	cmp $9, %edi\n	jb 4f\n	je 1f\n"
	"	lea die(%rip), %rbx\n	jmp 3f\n"
	"1:	lea fail(%rip), %rbx\n"
	"3:	call *%rbx\n"
	"4:	add $5, %rbx\n	mov %ebx, %eax\n	pop %rbx\n	ret\n	.size work, . - work\n");
#elif defined __aarch64__
__asm__("	.text\n	.globl work\n	.type work, %function\n"
	"work:	stp x19, x30, [sp, -16]!\n	mov w19, w0\n	cmp w0, 9\n	b.lo 4f\n	b.eq 1f\n"
	"	adrp x19, die\n	add x19, x19, :lo12:die\n	b 3f\n"
	"1:	adrp x19, fail\n	add x19, x19, :lo12:fail\n"
	"3:	blr x19\n"
	"4:	add x19, x19, 5\n	mov w0, w19\n	ldp x19, x30, [sp], 16\n	ret\n	.size work, . - work\n");
#elif defined __riscv
__asm__("	.text\n	.globl work\n	.type work, @function\n"
	"work:	addi sp, sp, -16\n	sd s1, 0(sp)\n	sd ra, 8(sp)\n	mv s1, a0\n	li a1, 9\n"
	"	bltu a0, a1, 4f\n	beq a0, a1, 1f\n"
	"	lla s1, die\n	j 3f\n"
	"1:	lla s1, fail\n"
	"3:	jalr s1\n"
	"4:	addi s1, s1, 5\n	mv a0, s1\n	ld s1, 0(sp)\n	ld ra, 8(sp)\n	addi sp, sp, 16\n"
	"	ret\n	.size work, . - work\n");
#elif _MIPS_SIM == _ABI64
__asm__("	.text\n	.globl work\n	.ent work\n	.type work, @function\n"
	"work:	daddiu $sp, $sp, -32\n	.cpsetup $25, 0, work\n	sd $16, 8($sp)\n	sd $31, 16($sp)\n"
	"	move $16, $4\n	li $5, 9\n	bltu $4, $5, 4f\n	beq $4, $5, 1f\n"
	"	ld $16, %got_disp(die)($gp)\n	b 3f\n"
	"1:	ld $16, %got_disp(fail)($gp)\n"
	"3:	move $25, $16\n	jalr $25\n"
	"4:	daddiu $16, $16, 5\n	move $2, $16\n	ld $16, 8($sp)\n	ld $31, 16($sp)\n	.cpreturn\n"
	"	daddiu $sp, $sp, 32\n	jr $31\n	.end work\n	.size work, . - work\n");
#else
__asm__("	.text\n	.globl work\n	.ent work\n	.type work, @function\n"
	"work:	.set noreorder\n	.cpload $25\n	.set reorder\n	addiu $sp, $sp, -32\n	.cprestore 16\n"
	"	sw $16, 20($sp)\n	sw $31, 24($sp)\n"
	"	move $16, $4\n	li $5, 9\n	bltu $4, $5, 4f\n	beq $4, $5, 1f\n"
	"	lw $16, %got(die)($gp)\n	addiu $16, $16, %lo(die)\n	b 3f\n"
	"1:	lw $16, %got(fail)($gp)\n	addiu $16, $16, %lo(fail)\n"
	"3:	move $25, $16\n	jalr $25\n"
	"4:	addiu $16, $16, 5\n	move $2, $16\n	lw $16, 20($sp)\n	lw $31, 24($sp)\n"
	"	addiu $sp, $sp, 32\n	jr $31\n	.end work\n	.size work, . - work\n");
#endif

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d ", work(argc + 1));
	work(8 + argc);
	return 0;
}
