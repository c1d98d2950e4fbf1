/* A jump into rows of code, as many as its index has values, leads into the next function: what the rows are in
 * stays in one piece, the functions on both sides of it are counted. */
/* hazard: distance added to a label. */
//# stdout: 10 7 30
//# opaque: rows more
//# stats: held by rows: .*: an indirect jump or call to a computed place: 2 \(
#include <stdio.h>

#define FUNCTION(name) ".type " name ", %function\n" name ": "
#define END(name) ".size " name ", . - " name "\n"
#if defined __x86_64__
#define JUMP "and $3, %edi\n shl $4, %edi\n lea 1f(%rip), %rax\n add %rdi, %rax\n jmp *%rax\n .p2align 4\n 1:"
#define ROW(n) "mov $" #n ", %eax\n ret\n .p2align 4\n"
#elif defined __aarch64__
#define JUMP "and x0, x0, 3\n adr x1, 1f\n add x1, x1, x0, lsl 3\n br x1\n 1:"
#define ROW(n) "mov w0, " #n "\n ret\n"
#elif defined __riscv
#define JUMP ".option push\n .option norvc\n .option norelax\n andi a0, a0, 3\n slli a0, a0, 3\n lla t0, 1f\n" \
	"add t0, t0, a0\n jr t0\n 1:"
#define ROW(n) ".option norvc\n li a0, " #n "\n ret\n"
#else
#if __mips == 64
#define ADD "dadd"
#else
#define ADD "add"
#endif
#define JUMP ".set push\n .set noreorder\n andi $4, 3\n sll $4, 3\n " ADD "iu $2, $25, 1f - rows\n" \
	ADD "u $2, $4\n jr $2\n nop\n .set pop\n 1:"
#define ROW(n) ".set push\n .set noreorder\n jr $31\n li $2, " #n "\n .set pop\n"
#endif

__attribute__((noinline)) int before(int n) { return n % 2 ? n + 1 : n * 2; }
__asm__(".text\n.p2align 4\n.globl rows\n" FUNCTION("rows") JUMP ROW(1) ROW(2) END("rows") FUNCTION("more") ROW(3) ROW(4) END("more"));
__attribute__((noinline)) int behind(int n) { return n > 4 ? n - 1 : n + 1; }
extern int rows(int n);

int main(void)
{
	int sum = 0, all = 0;

	for (int i = 0; i < 4; i++)
		sum += rows(i);
	for (int i = 0; i < 8; i++)
		all += behind(i);
	printf("%d %d %d\n", sum, before(3) + before(1) + behind(0), all);
	return 0;
}
