/* One of two handlers is chosen by a conditional move in a loop, as diffutils does: both are known, and both return. */
//# each: -O2 | -O2 -fno-pie -no-pie
//# stdout: 3 1 4
//# report: on_any 3
//# report: on_stop 1
//# stats.x86_64: counters are .*(?<!one for each block)$
//# stats.aarch64: counters are atomic where handlers of signals count, else plain$
//# stats.riscv64: counters are atomic where handlers of signals count, else plain$
//# oracle: qemu
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static const int sig[] = {SIGALRM, SIGUSR1, SIGUSR2, SIGTERM};
static volatile sig_atomic_t any, stops;
static sigset_t caught;
static jmp_buf back;

static void on_any(int s) { any += s != 0; }
static void on_stop(int s) { stops += s != 0; }

/* its address is taken, but it is no handler */
static void leap(int n) { longjmp(back, n); }
static void (*volatile pointer)(int) = leap;

__attribute__((noinline, noipa)) static void set_all(void)
{
	struct sigaction act;
	sigemptyset(&caught);
	for (int k = 0; k < 4; k++) {
		sigaction(sig[k], NULL, &act);
		if (act.sa_handler != SIG_IGN)
			sigaddset(&caught, sig[k]);
	}
	act.sa_mask = caught;
	act.sa_flags = SA_RESTART;
	for (int k = 0; k < 4; k++)
		if (sigismember(&caught, sig[k])) {
			act.sa_handler = sig[k] == SIGALRM ? on_stop : on_any;
			sigaction(sig[k], &act, NULL);
		}
}

int main(void)
{
	int n = setjmp(back);
	if (!n) {
		set_all();
		for (int k = 0; k < 4; k++)
			raise(sig[k]);
		pointer(4);
	}
	printf("%d %d %d\n", (int)any, (int)stops, n);
	return 0;
}
