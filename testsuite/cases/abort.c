/* abort: the counts up to the last block are in the file. */
//# status: 134
//# report: work 777
//# oracle.x86_64: step
//# oracle.emulated: no, the emulator tells nothing of a process that is killed
#include <stdlib.h>

__attribute__((noinline, noipa)) static int work(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

int main(void)
{
	for (int i = 0; i < 777; i++)
		work(i);
	abort();
}
