/* A handler is left by a jump that the program makes itself: by its own longjmp, or the compiler's. */
//# cc: gcc
//# each: -O2 -DBUILTIN | -O2
//# stdout: 201
//# either: once jump_to
//# report: inner 3
//# report: outer 3
//# stats: counters are .*one for each block$
//# oracle: step skip=inner
#include <signal.h>
#include <stdio.h>

static void *where[16];

#ifdef BUILTIN
#define set_here() __builtin_setjmp(where)
#define jump() __builtin_longjmp(where, 1)
#else
int set_it(void **) __attribute__((returns_twice));
void jump_to(void **) __attribute__((noreturn));
#define set_here() set_it(where)
#define jump() jump_to(where)
__asm__(".text; .globl set_it, jump_to; .type set_it, %function; .type jump_to, %function;"
#if defined __x86_64__
	"set_it: mov %rbx, 0(%rdi); mov %rbp, 8(%rdi); mov %r12, 16(%rdi); mov %r13, 24(%rdi); mov %r14, 32(%rdi);"
	"mov %r15, 40(%rdi); lea 8(%rsp), %rax; mov %rax, 48(%rdi); mov (%rsp), %rax; mov %rax, 56(%rdi);"
	"xor %eax, %eax; ret; .size set_it, .-set_it;"
	"jump_to: mov 0(%rdi), %rbx; mov 8(%rdi), %rbp; mov 16(%rdi), %r12; mov 24(%rdi), %r13;"
	"mov 32(%rdi), %r14; mov 40(%rdi), %r15; mov 48(%rdi), %rsp; mov $1, %eax; jmp *56(%rdi);"
#elif defined __aarch64__
	"set_it: stp x19, x20, [x0, 0]; stp x21, x22, [x0, 16]; stp x23, x24, [x0, 32]; stp x25, x26, [x0, 48];"
	"stp x27, x28, [x0, 64]; stp x29, x30, [x0, 80]; mov x1, sp; str x1, [x0, 96]; mov w0, 0; ret;"
	".size set_it, .-set_it;"
	"jump_to: ldp x19, x20, [x0, 0]; ldp x21, x22, [x0, 16]; ldp x23, x24, [x0, 32]; ldp x25, x26, [x0, 48];"
	"ldp x27, x28, [x0, 64]; ldp x29, x30, [x0, 80]; ldr x1, [x0, 96]; mov sp, x1; mov w0, 1; ret;"
#elif defined __riscv
	"set_it: sd ra, 0(a0); sd sp, 8(a0); sd s0, 16(a0); sd s1, 24(a0); sd s2, 32(a0); sd s3, 40(a0);"
	"sd s4, 48(a0); sd s5, 56(a0); sd s6, 64(a0); sd s7, 72(a0); sd s8, 80(a0); sd s9, 88(a0); sd s10, 96(a0);"
	"sd s11, 104(a0); li a0, 0; ret; .size set_it, .-set_it;"
	"jump_to: ld ra, 0(a0); ld sp, 8(a0); ld s0, 16(a0); ld s1, 24(a0); ld s2, 32(a0); ld s3, 40(a0);"
	"ld s4, 48(a0); ld s5, 56(a0); ld s6, 64(a0); ld s7, 72(a0); ld s8, 80(a0); ld s9, 88(a0); ld s10, 96(a0);"
	"ld s11, 104(a0); li a0, 1; ret;"
#elif _MIPS_SIM == _ABIO32
	".set noreorder; set_it: sw $31, 0($4); sw $29, 4($4); sw $30, 8($4); sw $28, 12($4); sw $16, 16($4);"
	"sw $17, 20($4); sw $18, 24($4); sw $19, 28($4); sw $20, 32($4); sw $21, 36($4); sw $22, 40($4);"
	"sw $23, 44($4); jr $31; li $2, 0; .size set_it, .-set_it;"
	"jump_to: lw $31, 0($4); lw $29, 4($4); lw $30, 8($4); lw $28, 12($4); lw $16, 16($4); lw $17, 20($4);"
	"lw $18, 24($4); lw $19, 28($4); lw $20, 32($4); lw $21, 36($4); lw $22, 40($4); lw $23, 44($4); jr $31;"
	"li $2, 1; .set reorder;"
#else
	".set noreorder; set_it: sd $31, 0($4); sd $29, 8($4); sd $30, 16($4); sd $28, 24($4); sd $16, 32($4);"
	"sd $17, 40($4); sd $18, 48($4); sd $19, 56($4); sd $20, 64($4); sd $21, 72($4); sd $22, 80($4);"
	"sd $23, 88($4); jr $31; li $2, 0; .size set_it, .-set_it;"
	"jump_to: ld $31, 0($4); ld $29, 8($4); ld $30, 16($4); ld $28, 24($4); ld $16, 32($4); ld $17, 40($4);"
	"ld $18, 48($4); ld $19, 56($4); ld $20, 64($4); ld $21, 72($4); ld $22, 80($4); ld $23, 88($4); jr $31;"
	"li $2, 1; .set reorder;"
#endif
	".size jump_to, .-jump_to");
#endif

static void handler(int s)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, s);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	jump();
}

__attribute__((noinline, noipa)) static long inner(volatile long *s, long n)
{
	long k = 0;
	for (long i = 0; i != n; i++) {
		if (s[i] == 3)
			break;
		k += s[i];
	}
	return k;
}

__attribute__((noinline, noipa)) static long outer(volatile long *s, long n) { return inner(s, n) + 1; }

__attribute__((noinline, noipa)) static long once(volatile long *s, long n)
{
	if (!set_here())
		return outer(s, n);
	return 100;
}

int main(void)
{
	static long list[10];
	volatile long sum = 0;
	signal(SIGSEGV, handler);
	for (volatile int i = 0; i < 3; i++)
		sum += once(i == 1 ? list : (long *)8, 10);
	printf("%ld\n", sum);
	return 0;
}
