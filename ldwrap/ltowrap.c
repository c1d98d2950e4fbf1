/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ltowrap.c - what gcc's link-time optimizer makes, kept
 *
 * GNU ld's LTO plugin runs the lto-wrapper it was told of, reads the names of the
 * objects it made from its output, and removes them at the end of the link.  ldx
 * puts itself there under that name.
 */
#include "ldwrap/ldwrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static bool copy_file(const char *from, const char *to)
{
	struct bytes b;
	if (!file_map(from, &b))
		return false;
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t done = 0;
	for (ssize_t k; fd >= 0 && done < b.n; done += (size_t)k)
		if ((k = write(fd, b.p + done, b.n - done)) <= 0)
			break;
	bool whole = fd >= 0 && done == b.n;
	if (fd >= 0)
		whole = !close(fd) && whole;
	file_unmap(b);
	return whole;
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
	int n = 0;
	for (char *name; (name = strsep(&lines, "\n"));)
		if (*name && !copy_file(name, arena_printf(&a, "%s%d", prefix, n++)))
			fatal("cannot keep %s: %s", name, strerror(errno));
	return r.status;
}
