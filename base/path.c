/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - names of files */
#include "base/base.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

void simplify_path(char *path)
{
	bool absolute = *path == '/';
	char *start = path + absolute, *to = start;
	size_t names = 0; /* kept so far, up to to */
	for (const char *part = start; *part;) {
		size_t n = strcspn(part, "/");
		bool up = n == 2 && part[0] == '.' && part[1] == '.';
		if (up && names) {
			names--;
			while (to > start && *--to != '/')
				;
		} else if (n && !(n == 1 && *part == '.') && !(up && absolute)) {
			if (to > start)
				*to++ = '/';
			memmove(to, part, n);
			to += n;
			names += !up;
		}
		part += n;
		part += *part == '/';
	}
	*to = '\0';
}

bool own_path(char *path)
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (n > 0)
		path[n] = '\0';
	return n > 0 || realpath((const char *)getauxval(AT_EXECFN), path);
}
