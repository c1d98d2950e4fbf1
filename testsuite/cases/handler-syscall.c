/* A handler is installed by a system call instruction, and left by siglongjmp(3). */
//# targets: x86_64; its system calls are assembly
//# each: -O1 | -O2
//# stdout: 201
//# opaque: restorer
//# report: inner 3
//# report: outer 3
//# stats: counters are .*one for each block$
//# oracle: step skip=inner
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf back;
struct action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};
void restorer(void);
__asm__(".text; .type restorer, @function; restorer: mov $15, %eax; syscall; .size restorer, .-restorer");

static void handler(int s) { siglongjmp(back, s); }

static void install(int sig, void (*f)(int))
{
	struct action a = {f, 0x04000000, restorer, 0};
	register long r10 __asm__("r10") = 8;
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "0"(13), "D"(sig), "S"(&a), "d"(0), "r"(r10) : "rcx", "r11", "memory");
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

int main(void)
{
	static long list[10];
	volatile long sum = 0;
	install(SIGSEGV, handler);
	for (volatile int i = 0; i < 3; i++) {
		if (!sigsetjmp(back, 1))
			sum += outer(i == 1 ? list : (long *)8, 10);
		else
			sum += 100;
	}
	printf("%ld\n", sum);
	return 0;
}
