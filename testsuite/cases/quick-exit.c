/* _exit runs no handler of libc: the counts are in the file all the same. */
//# status: 7
//# report: work 12345
#include <unistd.h>

__attribute__((noinline, noipa)) static int work(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

int main(void)
{
	for (int i = 0; i < 12345; i++)
		work(i);
	_exit(7);
}
