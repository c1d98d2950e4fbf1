/* A thread ends the process by _exit() while two frames of the first one, and its own, have not returned. */
//# libs: -pthread
//# each: -O0 | -O2
//# status: 3
//# oracle: stays=4 atomic
#include <pthread.h>
#include <unistd.h>

#define N __attribute__((noinline, noipa))

N static int last(int n)
{
	if (n)
		_exit(n);
	return n + 1;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *run(void *arg)
{
	/* free as soon as the other one waits */
	pthread_mutex_lock(&mutex);
	return last(0) + last(3) ? arg : NULL;
}

N static int wait_for(void)
{
	if (pthread_cond_wait(&never, &mutex))
		return 1;
	return 2;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&mutex);
	if (pthread_create(&t, NULL, run, NULL))
		return 1;
	return wait_for() ? 4 : 5;
}
