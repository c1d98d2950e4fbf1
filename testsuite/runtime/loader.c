/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain program that loads the instrumented objects named, works in them,
 * forks, works in the child, unloads them, forks again.  -C: go to that folder.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fork_and(void (*work)(long), long n)
{
	int status = 0;
	pid_t p = fork();
	if (p == 0) {
		if (work)
			work(n);
		_exit(0);
	}
	if (waitpid(p, &status, 0) != p || status)
		exit(5);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-C")) {
			if (chdir(argv[++i]))
				return 8;
			continue;
		}
		void *h = dlopen(argv[i], RTLD_NOW);
		void (*work)(long) = h ? (void (*)(long))dlsym(h, "object_work") : NULL;
		if (!work)
			return fprintf(stderr, "%s\n", dlerror()), 6;
		work(10);
		fork_and(work, 100);
		work(1000);
		dlclose(h);
		if (dlopen(argv[i], RTLD_NOW | RTLD_NOLOAD))
			return 7;
		fork_and(NULL, 0);
	}
	return 0;
}
