// What a killed process would have called behind the call in which it ended was not called, though the blocks that call it
// may count one too many.
//# status: 137
//# report: deep 6
//# report: cleanup 0
//# report: never 0
//# unfinished: 1
//# oracle.x86_64: step stays=7
//# oracle.emulated: no, the emulator tells nothing of a process that is killed
#include <signal.h>
#include <unistd.h>

volatile int sink;
__attribute__((noinline, noipa)) static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		kill(getpid(), SIGKILL);
	sink = n;
}
__attribute__((noinline, noipa)) static void never(int n) { sink = n; }
__attribute__((noinline, noipa)) static void cleanup(int n)
{
	never(n);
	never(n + 1);
}

int main(void)
{
	deep(5);
	cleanup(1);
	cleanup(2);
	return 0;
}
