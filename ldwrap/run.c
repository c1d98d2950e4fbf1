/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - ldx-run: run a command with ldx in the place of every linker
 *
 * Compilers look for ld in COMPILER_PATH.  Those that do not are caught by a
 * preloaded library (wrap.c) when they start a linker.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "ldx-run: error: %s: %s\n", what, why);
	exit(1);
}

static void prepend(const char *name, const char *first)
{
	char *list;
	const char *old = getenv(name);
	if (asprintf(&list, old && *old ? "%s:%s" : "%s", first, old) < 0 || setenv(name, list, 1))
		fail(name, strerror(ENOMEM));
	free(list);
}

/* The directory above the one ldx-run is in. */
static void find_prefix(char *prefix)
{
	ssize_t n = readlink("/proc/self/exe", prefix, PATH_MAX - 1);
	if (n <= 0)
		fail("/proc/self/exe", strerror(errno));
	prefix[n] = 0;
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(prefix, '/');
		if (slash)
			*slash = 0;
	}
}

static char *below(const char *prefix, const char *path)
{
	char *s;
	if (*path == '/')
		return strdup(path);
	if (asprintf(&s, "%s/%s", prefix, path) < 0)
		fail(path, strerror(ENOMEM));
	return s;
}

static void usage(FILE *f)
{
	fprintf(f,
		"usage: ldx-run [--instrument=MODE] [--ldx-OPTION]... [--] COMMAND [ARGUMENT]...\n"
		"Runs a command, and ldx wherever it would start a linker.\n");
}

/* ldx's options on our command line reach it through the environment. */
static char **take_options(char **argv)
{
	for (argv++; *argv && **argv == '-'; argv++) {
		const char *old = getenv("LDX_OPTIONS");
		char *all;
		if (!strcmp(*argv, "--"))
			return argv + 1;
		if (!strcmp(*argv, "--help")) {
			usage(stdout);
			exit(0);
		}
		if (!strcmp(*argv, "--version")) {
			puts("ldx-run " LDX_VERSION);
			exit(0);
		}
		if (strncmp(*argv, "--ldx-", 6) && strncmp(*argv, "--instrument=", 13))
			fail(*argv, "no such option");
		if (asprintf(&all, "%s %s", old ? old : "", *argv) < 0 ||
			setenv("LDX_OPTIONS", all, 1))
			fail(*argv, strerror(ENOMEM));
		free(all);
	}
	return argv;
}

int main(int argc, char **argv)
{
	char prefix[PATH_MAX];
	(void)argc;
	char **command = take_options(argv);
	if (!*command) {
		usage(stderr);
		return 1;
	}
	find_prefix(prefix);
	char *ldx = below(prefix, "bin/ldx"), *wrapper = below(prefix, LDX_LIBDIR "/ldxwrap.so");
	if (access(ldx, X_OK))
		fail(ldx, strerror(errno));
	if (access(wrapper, R_OK))
		fail(wrapper, strerror(errno));
	prepend("COMPILER_PATH", below(prefix, LDX_LIBDIR "/bin"));
	prepend("LD_PRELOAD", wrapper);
	setenv("LDX_RUN", ldx, 1);
	execvp(*command, command);
	fprintf(stderr, "ldx-run: error: %s: %s\n", *command, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
