/* A handler of SIGTRAP lets the program go on behind a trap of debuggers. */
/* hazard: trap that continues. */
//# targets: x86_64 aarch64; other CPUs have one instruction for these traps and those of __builtin_trap()
//# cflags: -fno-ipa-cp
//# stdout: 185 10
//# opaque: sum
//# oracle: qemu
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

static volatile int hits;

static void skip(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)sig;
	(void)info;
	(void)u;
	hits++;
#ifdef __aarch64__
	u->uc_mcontext.pc += 4;
#endif
}

__attribute__((noinline)) static int step(int x)
{
	__asm__ volatile("");
	return x + 1;
}

__attribute__((noinline)) static int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		if (i % 3 == 1) {
#ifdef __aarch64__
			__asm__ volatile("brk #0xf000" ::: "memory");
#else
			__asm__ volatile("int3" ::: "memory");
#endif
			s += step(i);
		} else {
			s ^= i;
		}
	}
	return s;
}

int main(int argc, char **argv)
{
	struct sigaction a = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};

	(void)argv;
	sigaction(SIGTRAP, &a, NULL);
	printf("%d", sum(29 + argc));
	printf(" %d\n", hits);
	return 0;
}
