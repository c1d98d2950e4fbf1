/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that counts what it does, then ends in many ways.  Counter 0: main,
 * 1: work(), 2: forked children, 3: grandchildren, 4: early code.
 */
#include "count.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a static program the rewriter puts the call behind the system call. */
#ifdef CALL_FORKED
static pid_t do_fork(void)
{
	pid_t p = fork();
	__asm__ volatile("lea -128(%%rsp), %%rsp; call __ldx_forked; lea 128(%%rsp), %%rsp" ::
				 : "memory");
	return p;
}
#else
#define do_fork fork
#endif

static int (*resolve(void))(void);
static int early(void) __attribute__((ifunc("resolve")));

static int early_body(void)
{
	return 0;
}

static int (*resolve(void))(void)
{
	COUNT(4);
	return early_body;
}

static void work(long n)
{
	while (n--)
		COUNT(1);
}

static void wait_all(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* n children, each with a child of its own, all alive at once. */
static void tree(int n)
{
	int gate[2];
	char c;
	if (pipe(gate))
		_exit(9);
	for (int i = 0; i < n; i++) {
		if (do_fork())
			continue;
		COUNT(2);
		work(1000);
		close(gate[1]);
		if (do_fork() == 0) {
			COUNT(3);
			work(10);
			while (read(gate[0], &c, 1) > 0)
				;
			if (i % 2)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		while (read(gate[0], &c, 1) > 0)
			;
		wait(NULL);
		work(1);
		abort();
	}
	work(5);
	close(gate[1]);
	wait_all();
}

static void *fork_in_thread(void *arg)
{
	for (int i = 0; i < 5; i++) {
		pid_t p = do_fork();
		if (p == 0) {
			COUNT(2);
			_exit(0);
		}
		waitpid(p, NULL, 0);
	}
	return arg;
}

static void threads(void)
{
	pthread_t t[8];
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, fork_in_thread, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
}

/* System call nr fails from here on. */
static void forbid(unsigned nr, unsigned error)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof f / sizeof f[0], f};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &prog))
		_exit(77);
}

static void fork_once(void)
{
	if (do_fork() == 0) {
		COUNT(2);
		work(100);
		_exit(0);
	}
	wait_all();
}

/*
 * n children one after the other, while two live on; each third is killed.  All but the first few
 * find slots by the calls that a child makes at most.
 */
static void series(long n)
{
	static const unsigned others[] = {SYS_prlimit64, SYS_pread64, SYS_pwrite64, SYS_fallocate,
		SYS_munmap, SYS_mremap, SYS_getpid, SYS_madvise, SYS_nanosleep};
	int gate[2], up[2];
	char c = 0;
	if (pipe(gate) || pipe(up))
		_exit(9);
	for (long i = 0; i < n; i++) {
		pid_t p = do_fork();
		if (!p) {
			COUNT(2);
			work(10);
			close(gate[1]);
			if (i < 2 && write(up[1], &c, 1) != 1)
				_exit(9);
			while (i < 2 && read(gate[0], &c, 1) > 0)
				;
			if (i % 3 == 2)
				kill((pid_t)syscall(SYS_gettid), SIGKILL);
			_exit(0);
		}
		if (i >= 2)
			waitpid(p, NULL, 0);
		else if (read(up[0], &c, 1) != 1)
			_exit(9);
		for (unsigned k = 0; i == 3 && k < sizeof others / sizeof *others; k++)
			forbid(others[k], EPERM);
	}
	close(gate[1]);
	wait_all();
}

/* A descriptor must not have been taken, nor registers or memory changed. */
static void check_start(char **argv)
{
	int fd = open("/dev/null", O_RDONLY);
	if (fd >= 0 && getenv("LOWEST_FD") && fd != atoi(getenv("LOWEST_FD")))
		_exit(8);
	close(fd);
	if (!argv[0] || early())
		_exit(8);
}

static void *vfork_and_exec(const char *self)
{
	pid_t p = vfork();
	if (p == 0) {
		COUNT(2);
		execl(self, self, "exit", (char *)NULL);
		_exit(9);
	}
	waitpid(p, NULL, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	long n = argc > 2 ? atol(argv[2]) : 1000;
	check_start(argv);
	COUNT(0);
	work(n);
	if (!strcmp(how, "exit"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(4);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "tree"))
		tree((int)n);
	if (!strcmp(how, "series"))
		series(n);
	if (!strcmp(how, "threads"))
		threads();
	if (!strcmp(how, "seccomp"))
		forbid(SYS_openat, EPERM), fork_once();
	if (!strcmp(how, "no-fallocate"))
		forbid(SYS_fallocate, EOPNOTSUPP), execl(argv[0], argv[0], "tree", argv[2], NULL);
	if (!strcmp(how, "no-madvise"))
		forbid(SYS_madvise, EINVAL), execl(argv[0], argv[0], "tree", argv[2], NULL);
	if (!strcmp(how, "chdir") && !chdir("/"))
		fork_once();
	if (!strcmp(how, "chroot"))
		return chroot(argv[3]) || chdir("/") ? 77 : (fork_once(), 0);
	if (!strcmp(how, "close"))
		syscall(SYS_close_range, 0, ~0U, 0), fork_once();
	if (!strcmp(how, "vfork"))
		vfork_and_exec(argv[0]);
	if (!strcmp(how, "pause"))
		puts("up"), fflush(stdout), pause();
	return 0;
}
