/* vfork and exec, posix_spawn, system: the child borrows the parent's memory. */
/* hazard: shared memory of vfork. */
//# targets: x86_64; the emulator starts no other program
//# stdout: 10 0 5
//# oracle: no, it executes another program
//# report: spawn 10
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline, noipa)) static int spawn(void)
{
	pid_t p = vfork();
	int st;

	if (p == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(p, &st, 0);
	return st == 0;
}

int main(void)
{
	char *argv[] = { "false", NULL };
	int n = 0, st, r;
	pid_t p;

	for (int i = 0; i < 10; i++)
		n += spawn();
	r = posix_spawn(&p, "/bin/false", NULL, NULL, argv, environ);
	waitpid(p, &st, 0);
	printf("%d %d %d\n", n, r, WEXITSTATUS(system("exit 5")));
	return 0;
}
