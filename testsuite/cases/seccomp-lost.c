/* More threads at once than counters are prepared for, under a filter: the lost counts are reported. */
//# targets: x86_64; the emulator knows no filters of system calls
//# libs: -pthread
//# stdout: done
//# report: step 32000
//# lost: 0 8
//# oracle: no, threads
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { N = 40 };
static pthread_barrier_t all;

__attribute__((noinline, noipa)) static long step(long x) { return x % 3 ? x / 3 : x * 5 + 1; }

static void *run(void *arg)
{
	pthread_barrier_wait(&all);
	for (int i = 0; i < 1000; i++)
		arg = (void *)step((long)arg ^ i);
	pthread_barrier_wait(&all);
	return arg;
}

int main(void)
{
	struct sock_filter f[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog p = { 4, f };
	pthread_t t[N];

	pthread_barrier_init(&all, NULL, N);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return 2;
	for (long i = 0; i < N; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i))
			return 3;
	for (int i = 0; i < N; i++)
		pthread_join(t[i], NULL);
	puts("done");
	return 0;
}
