/*
 * hazard: constant table of functions.  A tail call by it leads only to these: what another function takes in flags from
 * whoever jumps there is not live in front of it, what one of these takes is.
 */
#include <stdio.h>
#ifdef __x86_64__
__asm__(".text\n.globl take, pass\n.type take, %function\n.type pass, %function\n"
	"take: sete %al\n movzbl %al, %eax\n ret\n.size take, . - take\n"
	"pass: lea taking(%rip), %rax\n cmp $3, %rdi\n jmp *(%rax, %rsi, 8)\n.size pass, . - pass\n"
	".section .data.rel.ro.taking,\"aw\"\n.balign 8\ntaking: .quad 0, take\n.previous\n");
int take(void), pass(long number, long entry);
#else
__attribute__((noipa)) static int take(void) { return 1; }
__attribute__((noipa)) static int pass(long number, long entry) { return number == 3 && entry == 1 && take(); }
#endif
int (*volatile taken)(void) = take;

#define FN(n) __attribute__((noipa)) static const char *item##n(void) { return #n; }
FN(0) FN(1) FN(2) FN(3)
static const char *(*const items[])(void) = {item0, item1, 0, item2, item3};
__attribute__((noipa)) static const char *get(unsigned long i)
{
	if (i >= sizeof items / sizeof *items)
		return "none";
	return items[i]();
}

int main(void)
{
	for (unsigned long i = 0; i < 7; i++)
		puts(i == 2 ? "-" : get(i));
	return pass(3, 1) != 1 || pass(4, 1) || !taken;
}
