/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.h - start a program, with ldx in place of a linker
 *
 * For ldx-run and for ldxwrap.so, which is loaded into every program of a build: all functions are
 * static, so that no name clashes with the program's.
 */
#ifndef LDX_LDWRAP_START_H
#define LDX_LDWRAP_START_H

#include "ldwrap/path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The length of a name without a version behind it, as in ld.lld-19. */
static size_t unversioned(const char *base)
{
	const char *dash = strrchr(base, '-');
	bool version = dash && dash[1] >= '0' && dash[1] <= '9' &&
		!dash[1 + strspn(dash + 1, "0123456789.")];
	return version ? (size_t)(dash - base) : strlen(base);
}

/* ld, ld.bfd and the like, and the same behind TRIPLET- and in front of -VERSION. */
static bool is_linker_name(const char *base)
{
	static const char *const names[] = {"ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold"};
	size_t n = unversioned(base);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t k = strlen(names[i]);
		if (n >= k && !memcmp(base + n - k, names[i], k) &&
			(n == k || base[n - k - 1] == '-'))
			return true;
	}
	return false;
}

/*
 * The file to execute and its arguments.  In place of a linker, file is ldx, which LDX_RUN names,
 * and argv[0] the full path of that linker; argv is then a copy, to be freed.
 */
struct start {
	const char *file;
	char *const *argv;
	char **copy;
	char linker[PATH_MAX];
};

static void start_make(struct start *s, const char *file, char *const *argv)
{
	const char *ldx = getenv("LDX_RUN");
	const char *slash = file ? strrchr(file, '/') : NULL;
	size_t n = 0;
	s->file = file;
	s->argv = argv;
	s->copy = NULL;
	if (!ldx || !file || !argv || !is_linker_name(slash ? slash + 1 : file) ||
		!find_program(file, s->linker))
		return;
	while (argv[n])
		n++;
	if (!n || !(s->copy = malloc((n + 1) * sizeof *argv)))
		return;
	memcpy(s->copy, argv, (n + 1) * sizeof *argv);
	s->copy[0] = s->linker;
	s->argv = s->copy;
	s->file = ldx;
}

#endif
