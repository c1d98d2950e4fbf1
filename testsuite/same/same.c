/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same.c - print every difference between two linked files, as ldx's own comparison sees them
 *
 *     same [--none] REFERENCE OUTPUT
 *
 * --none: the output has no runtime.  Exit status 1: there are differences; 2: a file cannot be
 * read.
 */
#include "base/shown.h"
#include "ldwrap/ldwrap.h"
#include "ldwrap/lld.h"

#include <stdlib.h>

/* Not called here; the real one needs LLD. */
char *lld_demangle(const char *name)
{
	return strdup(name);
}

/* Do its threads find their counters by words? */
static bool has_row(const char *path)
{
	static const char name[] = "__ldx_row";
	struct bytes file;
	if (!file_map(path, &file))
		return false;
	bool found = memmem(file.p, file.n, name, sizeof name);
	file_unmap(file);
	return found;
}

int main(int argc, char **argv)
{
	bool none = argc > 1 && !strcmp(argv[1], "--none");
	struct arena a = {0};
	strings said = {0};
	if (argc != 3 + none) {
		fputs("usage: same [--none] REFERENCE OUTPUT\n", stderr);
		return 2;
	}
	const char *output = argv[2 + none];
	bool read = check_all(&a, argv[1 + none], output, !none, has_row(output), &said);
	if (!read)
		fputs("same: a file cannot be read\n", stderr);
	for (size_t i = 0; i < said.n; i++)
		puts(shown(said.v[i]));
	int status = !read ? 2 : said.n != 0;
	vec_free(&said);
	arena_free(&a);
	return status;
}
