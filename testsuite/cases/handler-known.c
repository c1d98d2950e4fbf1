/* Handlers that are proved to return: few counters suffice for all blocks. */
//# each: -O2 | -O2 -fno-pie -no-pie | -O1 -fPIE -pie
//# stdout: 5 7 1
//# report: on_usr1 5
//# report: on_usr2 2
//# report: inner 10
//# stats.x86_64: counters are .*(?<!one for each block)$
//# stats.aarch64: counters are atomic where handlers of signals count, else plain$
//# stats.riscv64: counters are atomic where handlers of signals count, else plain$
//# oracle: qemu
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t first, second;
static jmp_buf back;

static void set(int sig, void (*handler)(int))
{
	struct sigaction sa;
	sa.sa_handler = handler;
	sa.sa_flags = 0;
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static void note(int n) { first += n; }

static void on_usr1(int s)
{
	set(s, SIG_DFL);
	note(1);
	set(s, on_usr1);
}

static void on_usr2(int s) { second += s == SIGUSR2; }

__attribute__((noinline, noipa)) static int inner(int n)
{
	if (n & 1)
		raise(SIGUSR1);
	else
		second++;
	return n;
}

/* By its address only, as functions of an interpreter; no handler. */
static void leave(void) { longjmp(back, 1); }
static void (*volatile table[])(void) = {leave};

__attribute__((noinline)) static int jumps(void)
{
	if (setjmp(back))
		return 1;
	table[0]();
	return 0;
}

int main(void)
{
	void (*old)(int) = signal(SIGUSR2, on_usr2);
	set(SIGUSR1, on_usr1);
	for (int i = 0; i < 10; i++)
		inner(i);
	raise(SIGUSR2);
	raise(SIGUSR2);
	signal(SIGUSR2, old);
	printf("%d %d %d\n", first, second, jumps());
	return 0;
}
