/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrap.c - ldxwrap.so: start ldx in place of a linker
 *
 * Preloaded by ldx-run, which names ldx in LDX_RUN.  Every function that starts a program is
 * replaced by one that checks the program's name.  These run in children of vfork(2), so they keep
 * no state between calls.
 */
#include "ldwrap/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>

#define NEXT(fn) ((__typeof__(&fn))dlsym(RTLD_NEXT, #fn))

static int start_end(struct start *s, int result)
{
	int saved = errno;
	free(s->copy);
	errno = saved;
	return result;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	struct start s;
	start_make(&s, path, argv);
	return start_end(&s, NEXT(execve)(s.file, s.argv, envp));
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	struct start s;
	start_make(&s, file, argv);
	return start_end(&s, NEXT(execvpe)(s.file, s.argv, envp));
}

int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* The arguments of an execl function as a vector; envp gets what follows the NULL. */
static char **collect(const char *first, va_list ap, char ***envp)
{
	va_list count;
	size_t n = 1;
	va_copy(count, ap);
	while (va_arg(count, char *))
		n++;
	va_end(count);
	char **argv = malloc((n + 1) * sizeof *argv);
	if (!argv)
		return NULL;
	argv[0] = (char *)first;
	for (size_t i = 1; i <= n; i++)
		argv[i] = va_arg(ap, char *);
	if (envp)
		*envp = va_arg(ap, char **);
	return argv;
}

#define EXECL(envp, call)                                                                          \
	va_list ap;                                                                                \
	va_start(ap, arg);                                                                         \
	char **argv = collect(arg, ap, envp);                                                      \
	va_end(ap);                                                                                \
	if (!argv)                                                                                 \
		return -1;                                                                         \
	int result = call;                                                                         \
	int saved = errno;                                                                         \
	free(argv);                                                                                \
	errno = saved;                                                                             \
	return result

int execl(const char *path, const char *arg, ...)
{
	EXECL(NULL, execve(path, argv, environ));
}

int execlp(const char *file, const char *arg, ...)
{
	EXECL(NULL, execvpe(file, argv, environ));
}

int execle(const char *path, const char *arg, ...)
{
	char **envp = NULL;
	EXECL(&envp, execve(path, argv, envp));
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	struct start s;
	start_make(&s, path, argv);
	return start_end(&s, NEXT(posix_spawn)(pid, s.file, actions, attr, s.argv, envp));
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
	const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	struct start s;
	start_make(&s, file, argv);
	return start_end(&s, NEXT(posix_spawnp)(pid, s.file, actions, attr, s.argv, envp));
}
