/* A program that closes every descriptor, changes its directory and lowers its limits. */
//# status: 3
//# report: work 500
//# oracle.x86_64: step
//# oracle.emulated: no, the emulator tells nothing of a process that is killed
#include <sys/resource.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static int work(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

int main(void)
{
	struct rlimit none = { 0, 0 };

	for (int i = 0; i < 1024; i++)
		close(i);
	if (chdir("/"))
		return 1;
	setrlimit(RLIMIT_NOFILE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	for (int i = 0; i < 500; i++)
		work(i);
	return 3;
}
