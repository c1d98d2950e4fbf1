/* A thread ends the process by _exit() while another one, which waits for it, has not returned. */
//# libs: -pthread
//# each: -O2
//# status: 3
//# oracle: stays=4 atomic skip=wait_for,run
#include <pthread.h>
#include <unistd.h>

#define N __attribute__((noinline, noipa))

static volatile int waits;

/* returns, if it is not killed */
N static int wait_for(int n)
{
	waits = 1;
	while (waits)
		n++;
	return n;
}

N static int begin(int n)
{
	return n > 1 ? wait_for(n) : n;
}

static void *run(void *arg)
{
	while (!waits)
		;
	_exit(3);
	return arg;
}

int main(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, run, NULL))
		return 1;
	return begin(begin(1) + 1) + begin(1) * 5;
}
