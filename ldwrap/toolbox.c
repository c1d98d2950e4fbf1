/* SPDX-License-Identifier: Apache-2.0 */
/* toolbox.c - where ldxtool is installed */
#include "ldwrap/toolbox.h"

#include <libgen.h>
#include <limits.h>
#include <unistd.h>

const char *tool_place(struct arena *a, const char *path)
{
	char exe[PATH_MAX];
	if (!own_path(exe))
		*exe = '\0';
	const char *up = dirname(dirname(exe));
	return arena_printf(a, "%s/%s", up, path);
}
