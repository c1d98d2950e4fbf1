/* A program that executes itself four times: the counts of all are added. */
//# targets: x86_64; the emulator starts no other program
//# stdout: 5
//# report: main 5
//# report: once 5
//# oracle: no, it executes another program
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static int once(int n) { return n + 1; }

int main(int argc, char **argv)
{
	char text[16];
	int n = once(argc > 1 ? atoi(argv[1]) : 0);

	snprintf(text, sizeof text, "%d", n);
	if (n < 5)
		execl("/proc/self/exe", argv[0], text, (char *)NULL);
	printf("%d\n", n);
	return 0;
}
