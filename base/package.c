/* SPDX-License-Identifier: Apache-2.0 */
/* package.c - files of tools; see package.h */
#include "base/package.h"

#include <ar.h>
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const suffixes[] = {PACKAGE_SUFFIX, ".so"};
enum { NSUFFIXES = sizeof suffixes / sizeof *suffixes };

/* The length of a file's name without the ending of a tool; 0: it has none. */
static size_t stem(const char *file)
{
	size_t n = strlen(file);
	for (size_t k = 0; k < NSUFFIXES; k++) {
		size_t end = strlen(suffixes[k]);
		if (n > end && !strcmp(file + n - end, suffixes[k]))
			return n - end;
	}
	return 0;
}

const char *tool_name(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	size_t n = stem(file);
	return n ? arena_printf(a, "%.*s", (int)n, file) : file;
}

const char *tool_folder(struct arena *a, size_t k, const char *own)
{
	const char *p = getenv("LDX_TOOLPATH");
	for (p = p ? p : ""; *(p += strspn(p, ":")); p += strcspn(p, ":"))
		if (!k--)
			return arena_printf(a, "%.*s", (int)strcspn(p, ":"), p);
	return k ? NULL : own;
}

const char *tool_find(struct arena *a, const char *name, const char *own)
{
	const char *dir;
	if (strchr(name, '/'))
		return name;
	for (size_t i = 0; (dir = tool_folder(a, i, own)); i++)
		for (size_t k = 0; k < NSUFFIXES; k++) {
			const char *path = arena_printf(a, "%s/%s%s", dir, name, suffixes[k]);
			if (!access(path, F_OK))
				return path;
		}
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *tool_files(struct arena *a, const char *folder)
{
	VEC(const char *) v = {0};
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));)
		if (stem(e->d_name))
			vec_push(&v, arena_printf(a, "%s", e->d_name));
	if (d)
		closedir(d);
	sort(v.v, v.n, sizeof *v.v, compare_names);
	const char **names = arena_array(a, const char *, v.n + 1);
	if (v.n)
		memcpy(names, v.v, v.n * sizeof *v.v);
	vec_free(&v);
	return names;
}

/* Parts --------------------------------------------------------------------- */

bool is_package(const void *data, size_t n)
{
	return n >= SARMAG && !memcmp(data, ARMAG, SARMAG);
}

/* ldxtool writes all names in front of the data, and NULs behind them: #1/LENGTH. */
bool package_next(const void *data, size_t n, size_t *at, struct part *out)
{
	struct ar_hdr h;
	char size[sizeof h.ar_size + 1] = "", name[sizeof h.ar_name + 1] = "";
	if (!*at && is_package(data, n))
		*at = SARMAG;
	if (!*at || *at > n || n - *at < sizeof h)
		return false;
	memcpy(&h, (const char *)data + *at, sizeof h);
	memcpy(size, h.ar_size, sizeof h.ar_size);
	memcpy(name, h.ar_name, sizeof h.ar_name);
	*at += sizeof h;
	out->size = strtoul(size, NULL, 10);
	out->nname = strncmp(name, "#1/", 3) ? 0 : strtoul(name + 3, NULL, 10);
	if (memcmp(h.ar_fmag, ARFMAG, sizeof h.ar_fmag) || out->size > n - *at ||
		out->nname > out->size)
		return false;
	out->name = (const char *)data + *at;
	out->data = (const uint8_t *)data + *at + out->nname;
	*at += out->size + out->size % 2;
	out->size -= out->nname;
	out->nname = strnlen(out->name, out->nname);
	return true;
}

bool package_part(const void *data, size_t n, const char *name, struct part *out)
{
	size_t at = 0;
	while (package_next(data, n, &at, out))
		if (out->nname == strlen(name) && !memcmp(out->name, name, out->nname))
			return true;
	return false;
}
