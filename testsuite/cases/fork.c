/* A hundred children at once: each has its own counts from the fork on, and all are added. */
//# stdout: 4950
//# report: child 100
//# report: step 4950
//# oracle: children
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static int step(int n) { return n ^ 1; }

__attribute__((noinline, noipa)) static int child(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += step(i) >= 0;
	return s;
}

int main(void)
{
	int s = 0, st;

	for (int i = 0; i < 100; i++)
		if (fork() == 0)
			_exit(child(i));
	while (wait(&st) > 0)
		s += WEXITSTATUS(st);
	printf("%d\n", s);
	return 0;
}
