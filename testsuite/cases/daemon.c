/* A daemon: two forks, a new session, the parent has ended; the grandchild's counts arrive too. */
//# stdout: done 300
//# report: work 300
//# oracle: children
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline, noipa)) static int work(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

int main(void)
{
	int p[2], n = 0;
	char c;

	if (pipe(p))
		return 1;
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			for (int i = 0; i < 300; i++)
				work(i);
			if (write(p[1], "x", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(p[1]);
	wait(NULL);
	while (read(p[0], &c, 1) == 1)
		n += 300;
	printf("done %d\n", n);
	return 0;
}
