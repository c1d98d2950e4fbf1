/*
 * hazard: delay slot.  What is in slots is relocated: low halves, entries of the GOT for calls and data, TLS offsets.
 */
//# targets: mips mipsel mips64el; other CPUs have no delay slots
//# each: -O2 | -O2 -static
//# each.mips: -O2 -fno-pie -no-pie -mno-abicalls -static
//# each.mipsel: -O2 -fno-pie -no-pie -mno-abicalls -static
//# stdout: 5 6 13 0 40 7
//# report: half 2
//# report: call 2
//# report: thread 2
//# report: callee 1
#include <stdio.h>

#if !defined __mips_abicalls
#define START(name)
#define END "jr $31\n"
#define HIGH "lui $2, %hi(number)\n"
#define LOW "%lo(number)($2)\n"
#define CALL "lui $25, %hi(callee)\n"
#define AGAIN "addiu $25, $25, %lo(callee)\n"
#define TLS "lui $2, %tprel_hi(local)\n"
#define OFFSET "%tprel_lo(local)($2)\n"
#elif defined __mips64
#define START(name) ".cpsetup $25, $12, " #name "\n"
#define END "move $28, $12\njr $31\n"
#define HIGH "ld $2, %got_page(number)($28)\n"
#define LOW "%got_ofst(number)($2)\n"
#define CALL "ld $25, %call16(callee)($28)\n"
#define AGAIN
#define TLS "ld $2, %gottprel(local)($28)\n"
#define OFFSET "0($2)\n"
#else
#define START(name) ".cpload $25\n"
#define END "jr $31\n"
#define HIGH "lw $2, %got(number)($28)\n"
#define LOW "%lo(number)($2)\n"
#define CALL "lw $25, %call16(callee)($28)\n"
#define AGAIN
#define TLS "lw $2, %gottprel(local)($28)\n"
#define OFFSET "0($2)\n"
#endif
#ifdef __mips64
#define ADD "daddu "
#else
#define ADD "addu "
#endif
#define FUNCTION(name, code) \
	".globl " #name "\n.type " #name ", @function\n.ent " #name "\n" #name ":\n" START(name) code ".end " #name "\n.size " #name ", . - " #name "\n"
__asm__(".data\n.align 2\nnumber: .word 5\n.section .tdata, \"awT\", @progbits\n.align 2\nlocal: .word 7\n"
	".text\n.set push\n.set noreorder\n"
	FUNCTION(half, "bnez $4, 1f\n" HIGH END "lw $2, " LOW "1: lw $2, " LOW END "addiu $2, $2, 1\n")
	FUNCTION(call, "move $13, $31\nbeqz $4, 1f\n" CALL AGAIN "move $14, $12\njalr $25\nli $4, 3\naddiu $2, $2, 10\n"
		 "move $12, $14\nmove $31, $13\n" END "nop\n1:" END "li $2, 0\n")
	FUNCTION(thread, "rdhwr $3, $29\nbeqz $4, 1f\n" TLS ADD "$2, $2, $3\nlw $2, " OFFSET END "addiu $2, $2, 33\n"
		 "1:" ADD "$2, $2, $3\n" END "lw $2, " OFFSET)
	FUNCTION(callee, END "move $2, $4\n")
	".set pop\n");
int half(int n), call(int n), thread(int n);

int main(void)
{
	printf("%d %d ", half(0), half(1));
	printf("%d %d ", call(1), call(0));
	printf("%d %d\n", thread(1), thread(0));
	return 0;
}
