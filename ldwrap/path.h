/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - programs in PATH; static, as in start.h */
#ifndef LDX_LDWRAP_PATH_H
#define LDX_LDWRAP_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The program a file names, as the exec functions with a p find it; false: none. */
static bool find_program(const char *file, char path[PATH_MAX])
{
	const char *dirs = getenv("PATH");
	if (strchr(file, '/')) {
		snprintf(path, PATH_MAX, "%s", file);
		return !access(path, X_OK);
	}
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs;) {
		size_t n = strcspn(dirs, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", (int)n, dirs, file);
		if (n && !access(path, X_OK))
			return true;
		dirs += n + (dirs[n] == ':');
	}
	return false;
}

#endif
