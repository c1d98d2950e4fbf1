/*
 * Processes that do not leave main: each is told, and not those that they become by exec.  A child
 * that counts for its parent, or not at all, says nothing for it.
 */
//# targets: x86_64; the emulator starts no other program
//# each: -O2 | -O2 -no-pie
//# stdout: 7
//# unfinished: 7
//# oracle: no, it executes another program
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* No file can be opened from here on: who is forked off has no place to count in. */
static void forbid_open(void)
{
	struct sock_filter f[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog p = { 4, f };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		exit(2);
}

static void way(int i, char **argv)
{
	switch (i) {
	case 0: kill(getpid(), SIGKILL); break;
	case 1: abort(); break;
	case 2: _exit(0); break;
	case 3: quick_exit(0); break;
	case 4: execl("/proc/self/exe", argv[0], "again", (char *)NULL); break;
	case 5:
		if (!_Fork())
			exit(0);
		wait(NULL);
		raise(SIGTERM);
		break;
	case 6:
		forbid_open();
		if (!fork())
			exit(0);
		wait(NULL);
		raise(SIGTERM);
	}
}

int main(int argc, char **argv)
{
	int n = 0, status;

	for (int i = 0; argc == 1 && i < 7; i++) {
		if (!fork())
			way(i, argv);
		n += wait(&status) > 0 && !(WIFEXITED(status) && WEXITSTATUS(status));
	}
	if (argc == 1)
		printf("%d\n", n);
	return 0;
}
