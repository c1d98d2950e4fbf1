/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - ldx-run: run a command with ldx in place of every linker
 *
 * Compilers look for ld in COMPILER_PATH.  For those that do not, a preloaded library (wrap.c)
 * replaces the linker when they start it.
 */
#include "base/base.h"
#include "ldwrap/start.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

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
	if (!own_path(prefix))
		fail("its own file", strerror(errno));
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
		"usage: ldx-run [--instrument=MODE] [--ldx-OPTION[=VALUE]]... [--] COMMAND "
		"[ARGUMENT]...\n"
		"Runs a command with ldx in place of every linker that it starts:\n"
		"  ldx-run make\n"
		"  ldx-run --instrument=edges cargo build --release\n"
		"\n"
		"The options apply to all links; ldx --help lists them.\n"
		"  --help, --version  print help or the version, and exit\n");
}

/* Quotes a word for LDX_OPTIONS. */
static void put_quoted(FILE *f, const char *word)
{
	for (; *word; word++) {
		if (strchr("\\'\"", *word) || isspace((unsigned char)*word))
			fputc('\\', f);
		fputc(*word, f);
	}
}

/* The file name in an option; NULL: it has none. */
static const char *find_file_name(const char *option)
{
	static const char *const with_file[] = {
		"--ldx-log=", "--ldx-keep=", "--ldx-use-profile=", "--ldx-linker="};
	for (size_t i = 0; i < sizeof with_file / sizeof *with_file; i++) {
		size_t n = strlen(with_file[i]);
		if (!strncmp(option, with_file[i], n))
			return i < 3 || strchr(option, '/') ? option + n : NULL;
	}
	return NULL;
}

/* Links run in many directories, so file names are made absolute. */
static void put_option(FILE *f, const char *option)
{
	const char *file = find_file_name(option);
	char *here = file && *file && *file != '/' ? getcwd(NULL, 0) : NULL;
	fputc(' ', f);
	if (here) {
		fprintf(f, "%.*s", (int)(file - option), option);
		put_quoted(f, here);
		fputc('/', f);
		option = file;
		free(here);
	}
	put_quoted(f, option);
}

/* ldx's options on our command line reach it through the environment. */
static char **take_options(char **argv)
{
	char *all = NULL;
	size_t size;
	const char *old = getenv("LDX_OPTIONS");
	FILE *f = open_memstream(&all, &size);
	if (!f)
		fail("LDX_OPTIONS", strerror(errno));
	fputs(old ? old : "", f);
	for (argv++; *argv && **argv == '-'; argv++) {
		if (!strcmp(*argv, "--")) {
			argv++;
			break;
		}
		if (!strcmp(*argv, "--help")) {
			usage(stdout);
			exit(0);
		}
		if (!strcmp(*argv, "--version")) {
			puts("ldx-run " LDX_VERSION);
			exit(0);
		}
		if (!strncmp(*argv, "--ldx-print", 11))
			fail(*argv, "an option of ldx itself");
		if (strncmp(*argv, "--ldx-", 6) && strncmp(*argv, "--instrument", 12))
			fail(*argv, "no such option; see ldx-run --help");
		put_option(f, *argv);
	}
	if (fclose(f) || (size && setenv("LDX_OPTIONS", all, 1)))
		fail("LDX_OPTIONS", strerror(errno));
	free(all);
	return argv;
}

/* Let ldx check its options now, and not in the middle of a build. */
static void check_options(char *ldx)
{
	char *argv[] = {"ldx", "--ldx-print=version", NULL};
	posix_spawn_file_actions_t quiet;
	pid_t pid;
	int status;
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	int error = posix_spawn(&pid, ldx, &quiet, NULL, argv, environ);
	if (error)
		fail(ldx, strerror(error));
	posix_spawn_file_actions_destroy(&quiet);
	if (waitpid(pid, &status, 0) != pid || status)
		exit(1);
}

int main(int argc, char **argv)
{
	char prefix[PATH_MAX];
	struct start s;
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
	check_options(ldx);
	prepend("COMPILER_PATH", below(prefix, LDX_LIBDIR "/bin"));
	prepend("LD_PRELOAD", wrapper);
	setenv("LDX_RUN", ldx, 1);
	start_make(&s, *command, command);
	execvp(s.file, s.argv);
	fprintf(stderr, "ldx-run: error: %s: %s\n", *command, strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
