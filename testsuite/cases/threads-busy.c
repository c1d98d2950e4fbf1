/* Four threads at once, with mutexes and condition variables: nothing breaks. */
//# libs: -pthread
//# stdout: 40000 4
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int total, ready;

static void *run(void *arg)
{
	pthread_mutex_lock(&lock);
	ready++;
	pthread_cond_broadcast(&cond);
	while (ready < 4)
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 10000; i++) {
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d %d\n", total, ready);
	return 0;
}
