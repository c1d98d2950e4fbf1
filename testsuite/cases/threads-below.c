/* Memory is mapped below the program, as with an unlimited stack, where no base leads: threads are counted even so. */
//# targets: x86_64; only there a base may not be negative
//# each: -O1 -DN=1 | -O2 -DN=40
//# libs: -pthread
//# stdout: 200
//# report: step 200
//# oracle: no, threads
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

static pthread_barrier_t all;
static pthread_t thread[N];

__attribute__((noinline, noipa)) static long step(long x) { return x % 3 ? x / 3 : x * 5 + 1; }

static void *run(void *arg)
{
	pthread_barrier_wait(&all);
	return (void *)step((long)arg);
}

int main(int argc, char **argv)
{
	int n = 0;

	if (argc == 1) {
		personality(ADDR_COMPAT_LAYOUT);
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
	}
	/* By this call ldx leaves the counters in the program. */
	mmap((void *)0x10000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_barrier_init(&all, NULL, N);
	for (int round = 0; round < 200 / N; round++) {
		for (int i = 0; i < N; i++)
			n += !pthread_create(&thread[i], NULL, run, NULL);
		for (int i = 0; i < N; i++)
			pthread_join(thread[i], NULL);
	}
	printf("%d\n", n);
	return 0;
}
