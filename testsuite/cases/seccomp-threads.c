/* A new thread needs no system call that the program does not make: each may be forbidden. */
//# targets: x86_64; the emulator knows no filters of system calls
//# each: -O1 | -O2 -no-pie
//# libs: -pthread
//# stdout: 26
//# report: step 104000
//# lost: 0 0
//# oracle: no, threads
#include <asm/hwcap2.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int calls[] = { SYS_openat, SYS_fcntl, SYS_fallocate, SYS_mremap, SYS_arch_prctl, SYS_tgkill,
	SYS_sched_yield, SYS_getpid, SYS_gettid, SYS_prlimit64, SYS_pread64, SYS_pwrite64, SYS_ftruncate };

__attribute__((noinline, noipa)) static long step(long x) { return x % 3 ? x / 3 : x * 5 + 1; }

static void *run(void *arg)
{
	for (int i = 0; i < 1000; i++)
		arg = (void *)step((long)arg ^ i);
	return arg;
}

static int child(int nr, int action)
{
	struct sock_filter f[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, (unsigned)action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog p = { 4, f };
	pthread_t t[4];

	/* without these instructions a thread's base is set by this call */
	if (nr == SYS_arch_prctl && !(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE))
		f[1].k = UINT32_MAX;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return 2;
	for (long i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i))
			return 3;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}

int main(void)
{
	int good = 0, status;

	for (unsigned i = 0; i < 2 * sizeof calls / sizeof calls[0]; i++) {
		if (!fork())
			_exit(child(calls[i / 2], i % 2 ? SECCOMP_RET_ERRNO | 1 : SECCOMP_RET_KILL_PROCESS));
		good += wait(&status) > 0 && !status;
	}
	printf("%d\n", good);
	return 0;
}
