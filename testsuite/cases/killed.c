/* SIGKILL: nobody can catch it, and nothing is lost. */
//# status: 137
//# report: work 99
//# oracle: no
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
