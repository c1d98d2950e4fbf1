/* SPDX-License-Identifier: Apache-2.0 */
/*
 * where.c - ldxprof where: the files of the profiles of a program and of its shared objects
 */
#include "report/common/output.h"
#include "report/read/place.h"
#include "report/verbs/verbs.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_line(FILE *out, const char *key, const char *text)
{
	fprintf(out, "%-11s", key);
	put_shown(out, text);
	fputc('\n', out);
}

static void put_file(const struct program *p, const char *path, FILE *out)
{
	struct profile_set s = {0};
	profile_add(&s, path, p->map.build);
	const struct profile *own = profile_find(&s, p->map.build);
	uint64_t n = own ? own->runs : 0;
	put_line(out,
		"there:", new_string("%s, %" PRIu64 " process%s", path, n, n == 1 ? "" : "es"));
}

static void put_build(const struct program *p, const char *key, FILE *out)
{
	char *real = realpath(p->path, NULL);
	put_line(out, key, real ? real : p->path);
	fprintf(out, "build:     %016" PRIx64 "\n", p->map.build);
	free(real);
}

static void put_place(const struct program *p, FILE *out)
{
	struct place pl;
	place_find(&pl, p);
	if (pl.name)
		put_line(out, "profile:", pl.name);
	if (pl.taken)
		put_line(out, "because:", pl.taken);
	for (size_t i = 0; i < pl.n; i++)
		put_file(p, pl.file[i], out);
	if (!pl.n)
		put_line(out, "not there:", pl.problem);
}

/* Run ldxprof's own dynamic linker: the one that a file names may be any program. */
static int find_interpreter(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(const char **)arg =
				(const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 1;
}

/* The dynamic linker's list of the shared objects that a program needs; NULL: none. */
static FILE *list_needed(char *path, pid_t *pid)
{
	char *interpreter = NULL, *argv[] = {NULL, "--list", path, NULL};
	int fd[2];
	posix_spawn_file_actions_t a;
	dl_iterate_phdr(find_interpreter, &interpreter);
	if (!interpreter || pipe2(fd, O_CLOEXEC))
		return NULL;
	argv[0] = interpreter;
	posix_spawn_file_actions_init(&a);
	posix_spawn_file_actions_adddup2(&a, fd[1], 1);
	posix_spawn_file_actions_addopen(&a, 2, "/dev/null", O_WRONLY, 0);
	bool started = !posix_spawn(pid, interpreter, &a, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&a);
	close(fd[1]);
	if (started)
		return fdopen(fd[0], "r");
	close(fd[0]);
	return NULL;
}

/* A line is: a tab, a name, " => ", a path, " (0x", an address. */
static char *needed_path(char *line)
{
	char *path = strstr(line, " => "), *end = strrchr(line, '(');
	if (!path || !end || end <= path + 4)
		return NULL;
	end[-1] = '\0';
	return path + 4;
}

/* Prints an instrumented library; has_profile: it counts in the program's profile. */
static void put_library(const char *path, bool has_profile, FILE *out)
{
	struct program lib;
	if (access(path, R_OK) || !program_open(&lib, path))
		return;
	fputc('\n', out);
	put_build(&lib, "object:", out);
	if (has_profile)
		put_line(out, "profile:", "that of the program");
	else
		put_place(&lib, out);
}

static void put_needed(const char *path, bool counts, FILE *out)
{
	size_t size = 0;
	char *real = realpath(path, NULL), *line = NULL, *lib;
	pid_t pid = 0;
	FILE *f = real ? list_needed(real, &pid) : NULL;
	while (f && getline(&line, &size, f) > 0)
		if ((lib = needed_path(line)))
			put_library(lib, counts, out);
	if (f) {
		fclose(f);
		waitpid(pid, NULL, 0);
	}
	free(line);
	free(real);
}

static void view_where(const char *path, FILE *out)
{
	struct program p;
	bool counts = program_open(&p, path);
	if (counts) {
		put_build(&p, p.library ? "object:" : "program:", out);
		put_place(&p, out);
	} else {
		put_line(out, "program:", path);
		put_line(out, "profile:", "none: it is not instrumented by ldx");
	}
	if (!p.library || !counts)
		put_needed(path, counts, out);
}

static int run_where(const struct arguments *a)
{
	arguments_need(a, &verb_where, 1, 1, "which program?");
	struct output out = output_open(a->output);
	view_where(a->v[0], out.f);
	output_close(&out);
	return 0;
}

const struct verb verb_where = {
	.name = "where",
	.summary = "print the file that a run of a program counts in",
	.synopsis = "[options] PROG",
	.shared = SHARE_OUTPUT,
	.run = run_where,
};
