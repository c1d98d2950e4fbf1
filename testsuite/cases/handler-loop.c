/* Handlers are installed in a loop with calls that cannot know the structure in the frame, as xz does. */
//# each: -O2 | -O2 -fno-pie -no-pie | -O1
//# stdout: 3 0
//# report: note 3
//# report: complain 2
//# stats.x86_64: counters are .*(?<!one for each block)$
//# stats.aarch64: counters are .*(?<!one for each block)$
//# stats.riscv64: counters are .*(?<!one for each block)$
//# oracle: qemu
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t seen;
static jmp_buf back;
static const int signals[] = {SIGUSR1, SIGKILL, SIGUSR2, SIGSTOP};

static void note(int s) { seen += s != 0; }

__attribute__((noinline, noipa)) static void complain(int sig) { seen += sig == 0; }

/* By its address only; no handler. */
static void leave(void) { longjmp(back, 1); }
static void (*volatile table[])(void) = {leave};

__attribute__((noinline, noipa)) static void install(void)
{
	struct sigaction old, sa;
	sa.sa_handler = note;
	sa.sa_flags = 0;
	sigemptyset(&sa.sa_mask);
	for (int i = 0; i < 4; i++) {
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_IGN)
			continue;
		if (sigaction(signals[i], &sa, NULL))
			complain(signals[i]);
	}
}

int main(void)
{
	install();
	raise(SIGUSR1);
	raise(SIGUSR2);
	raise(SIGUSR1);
	if (!setjmp(back))
		table[0]();
	printf("%d %d\n", seen, 0);
	return 0;
}
