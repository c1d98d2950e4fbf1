// RISC-V: halves of an address in different blocks, one of them at the head of a loop; a compare and swap; a compressed
// branch that just reaches.
// hazard: label of the other half.
// hazard: symbols of code that is relaxed.
// hazard: exclusive pair.
//# targets: riscv64; it is assembly
//# cc: gcc
//# each: -O2 | -O2 -ffunction-sections
//# stdout: 101 1 5
//# stdout: 7 9 9
//# stdout: 0 64
#include <stdio.h>

long numbers[4] = {1, 2, 3, 4};
long halves(long n), loop(long n), swap(long *p, long old, long new), reaches(long n);

#define FUNCTION(name, code) \
	__asm__("\t.text\n\t.globl " #name "\n\t.type " #name ", @function\n" #name ":\n" code "\t.size " #name ", . - " #name "\n")

FUNCTION(halves, "1:	auipc a5, %pcrel_hi(numbers)\n"
		 "	beqz a0, 2f\n"
		 "	ld a0, %pcrel_lo(1b)(a5)\n"
		 "	ret\n"
		 "2:	addi a5, a5, %pcrel_lo(1b)\n"
		 "	ld a0, 0(a5)\n"
		 "	addi a0, a0, 100\n"
		 "	ret\n");
FUNCTION(loop, "	li a4, 0\n"
	       "1:	auipc a5, %pcrel_hi(numbers)\n"
	       "	ld a5, %pcrel_lo(1b)(a5)\n"
	       "	add a4, a4, a5\n"
	       "	addi a0, a0, -1\n"
	       "	bnez a0, 1b\n"
	       "	mv a0, a4\n"
	       "	ret\n");
FUNCTION(swap, "1:	lr.d a3, (a0)\n"
	       "	bne a3, a1, 2f\n"
	       "	sc.d a4, a2, (a0)\n"
	       "	bnez a4, 1b\n"
	       "2:	mv a0, a3\n"
	       "	ret\n");
FUNCTION(reaches, "	c.beqz a0, 1f\n"
		  "	.option push\n"
		  "	.option norvc\n"
		  "	.rept 63\n"
		  "	addi a0, a0, 1\n"
		  "	.endr\n"
		  "	.option pop\n"
		  "1:	ret\n");
int main(void)
{
	long v = 7;
	printf("%ld %ld %ld\n", halves(0), halves(1), loop(5));
	printf("%ld", swap(&v, 7, 9));
	printf(" %ld", swap(&v, 7, 1));
	printf(" %ld\n", v);
	printf("%ld %ld\n", reaches(0), reaches(1));
	return 0;
}
