// MIPS, as written by hand: low halves of addresses without high ones; the GOT's address from where a bal leads, as in
// crt1.o; the assembler's register live over labels, where counters must not use it.
// hazard: halves of an address.
// hazard: bal of the next instruction.
//# targets: mips mipsel; it is assembly
//# each: -O2 | -O2 -static | -O2 -fno-pie -no-pie -mno-abicalls -static
//# stdout: 5 7 7 5 5
//# stdout: 42 0 0
//# opaque: behind
//# report: reserved 5
#include <stdio.h>

#define FUNCTION(name, code) \
	".globl " #name "\n.type " #name ", @function\n.ent " #name "\n" #name ":\n" code ".end " #name "\n.size " #name ", . - " #name "\n"
__asm__(".data\n.align 2\nnumber: .word 42\n.text\n.set push\n.set noreorder\n.set noat\n"
	FUNCTION(reserved, "li $1, 5\nbgtz $4, 1f\nsltu $2, $0, $4\nli $1, 6\n2: bnez $2, 1f\nnop\naddiu $1, $1, 1\n1: jr $31\nmove $2, $1\n")
#ifdef __mips_abicalls
	FUNCTION(behind, "move $14, $28\nmove $13, $31\nbal 1f\nnop\n1: lui $28, %hi(_gp_disp)\naddiu $28, $28, %lo(_gp_disp)\n"
		 "addu $28, $28, $31\nlw $2, %got(number)($28)\nlw $2, %lo(number)($2)\nmove $31, $13\njr $31\nmove $28, $14\n")
	FUNCTION(low, "jr $31\nmove $2, $4\n") FUNCTION(low_code, "jr $31\nmove $2, $4\n")
#else
	FUNCTION(behind, "move $13, $31\nbal 1f\nlui $2, %hi(number)\n1: jr $13\nlw $2, %lo(number)($2)\n")
	FUNCTION(low, "jr $31\naddiu $2, $0, %lo(number)\n") FUNCTION(low_code, "jr $31\naddiu $2, $0, %lo(low)\n")
#endif
	".set pop\n");
extern int number;
int reserved(int n), behind(void);
unsigned low(unsigned at), low_code(unsigned at);

int main(void)
{
	printf("%d %d ", reserved(1), reserved(0));
	printf("%d %d %d\n", reserved(0), reserved(7), reserved(2));
	unsigned at = (unsigned)(long)&number, code = (unsigned)(long)low;
	printf("%d %u %u\n", behind(), (at - low(at)) & 0xffff, (code ^ low_code(code)) & 0xffff);
	return 0;
}
