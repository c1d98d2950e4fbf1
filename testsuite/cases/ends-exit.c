/* Processes that leave main, or call exit: in any thread, with destructors that run, and forked off. */
//# each: -O2 | -O2 -no-pie
//# libs: -pthread
//# stdout: 4
//# report: way 5
//# unfinished: 0
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((destructor)) static void last(void) { fflush(NULL); }

static void *leave(void *arg)
{
	exit(arg != NULL);
}

__attribute__((noinline, noipa)) static int way(int i)
{
	pthread_t t;

	switch (i) {
	case 0: exit(0);
	case 1: pthread_create(&t, NULL, leave, NULL), pause();
	case 2: pthread_exit(NULL);
	}
	return 0;
}

int main(void)
{
	int good = 0, status;

	for (int i = 0; i < 4; i++) {
		if (!fork())
			return way(i);
		good += wait(&status) > 0 && !status;
	}
	printf("%d\n", good);
	return way(4);
}
