/* Known handlers whose struct sigaction is filled by short stores, and by code in delay slots of calls. */
//# each: -O2 | -O2 -fno-pie -no-pie | -Os
//# stdout: 5
//# report: note 5
//# stats: counters are .*(?<!one for each block)$
//# oracle: qemu
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t sum;
static jmp_buf back;
static void *volatile kept;

static void note(int s) { sum += s == SIGUSR1; }

int main(int argc, char **argv)
{
	struct sigaction sa;
	printf("%s", argc > 1 ? argv[1] : "");
	sa.sa_handler = note;
	sigemptyset(&sa.sa_mask);
	sa.sa_flags = 0;
	kept = argv;
	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	sa.sa_handler = SIG_DFL;
	sigemptyset(&sa.sa_mask);
	sa.sa_flags = 0;
	sigaction(SIGUSR1, &sa, NULL);
	if (!sum)
		longjmp(back, 1);
	printf("%d\n", sum);
	return 0;
}
