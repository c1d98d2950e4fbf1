/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltowrap.c - keep the objects that gcc's link-time optimizer makes
 *
 * GNU ld's LTO plugin runs the lto-wrapper that an option names, reads the names of the objects it
 * made from its output, and removes them at the end of the link.  ldx takes the wrapper's place.
 */
#include "ldwrap/ldwrap.h"

#include <errno.h>
#include <stdlib.h>

static bool copy_file(const char *from, const char *to)
{
	struct bytes b;
	bool done = file_map(from, &b) && file_write(to, b);
	file_unmap(b);
	return done;
}

int lto_wrapper_main(char **argv)
{
	const char *real = getenv("LDX_LTO_WRAPPER"), *prefix = getenv("LDX_LTO_PREFIX");
	if (!real || !prefix)
		fatal("called as %s, but not by ldx", argv[0]);
	struct arena a = {0};
	struct child_result r;
	argv[0] = (char *)real;
	child_exec(&r, real, (const char *const *)argv);
	fputs((char *)r.err.v, stderr);
	fputs((char *)r.out.v, stdout);
	char *lines = (char *)r.out.v;
	/* GNU ld's trace has these names */
	if (!file_write(arena_printf(&a, "%s" LTO_NAMES, prefix),
		    (struct bytes){r.out.v, strlen(lines)}))
		fatal("cannot write in %s: %s", prefix, strerror(errno));
	int n = 0;
	for (char *name; (name = strsep(&lines, "\n"));)
		if (*name && !copy_file(name, arena_printf(&a, "%s%d", prefix, n++)))
			fatal("cannot keep %s: %s", name, strerror(errno));
	return r.status;
}
