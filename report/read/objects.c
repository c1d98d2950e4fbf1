/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - find programs and shared objects that ran elsewhere
 */
#include "report/read/objects.h"

#include "report/read/program.h"
#include "report/common/progress.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

struct found {
	uint64_t build;
	char *path;
};

static struct {
	const char *sysroot;
	char *const *objects;
	size_t nobjects;
	struct found *v; /* instrumented files among objects */
	size_t n;
} places;

void objects_in(const char *sysroot, char *const *objects, size_t n)
{
	places.sysroot = sysroot;
	places.objects = objects;
	places.nobjects = n;
}

static void add_object(const char *path)
{
	uint64_t build;
	if (!program_build(path, &build))
		return;
	places.v = realloc(places.v, (places.n + 1) * sizeof *places.v);
	if (!places.v)
		die("out of memory");
	places.v[places.n++] = (struct found){build, new_string("%s", path)};
	progress("looking for objects", places.n, 0);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void read_objects(void)
{
	char **roots = NEW_ARRAY(char *, places.nobjects + 1);
	for (size_t i = 0; i < places.nobjects; i++)
		roots[i] = places.objects[i];
	FTS *t = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, by_name);
	for (FTSENT *e; t && (e = fts_read(t));) {
		if (e->fts_info == FTS_F)
			add_object(e->fts_path);
		else if (e->fts_level == FTS_ROOTLEVEL && e->fts_errno)
			die("cannot open %s: %s", e->fts_path, strerror(e->fts_errno));
	}
	if (!t)
		die("cannot open %s: %s", roots[0], strerror(errno));
	fts_close(t);
	progress_clear();
	places.nobjects = 0;
}

static const char *if_build(const char *path, uint64_t build)
{
	uint64_t is;
	return program_build(path, &is) && is == build ? path : NULL;
}

const char *object_of_build(const char *path, uint64_t build)
{
	if (places.nobjects)
		read_objects();
	for (size_t i = 0; i < places.n; i++)
		if (places.v[i].build == build)
			return places.v[i].path;
	const char *in_root =
		places.sysroot ? if_build(new_string("%s/%s", places.sysroot, path), build) : NULL;
	return in_root ? in_root : if_build(path, build);
}
