/* SIGKILL cannot be caught, and no count is lost. */
//# status: 137
//# report: work 99
//# unfinished: 1
//# says: 1 process ended without leaving main, by a signal, execve or _exit: if by a signal,
//# oracle.x86_64: step
//# oracle.emulated: no, the emulator tells nothing of a process that is killed
#include <signal.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static int work(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

int main(void)
{
	for (int i = 0; i < 99; i++)
		work(i);
	kill(getpid(), SIGKILL);
	return 0;
}
