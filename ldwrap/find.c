/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - finding ldx itself, and the real linkers
 *
 * ldx is installed under the names of linkers in directories that are searched for linkers, so each
 * file found is compared with the file that ldx runs from.
 */
#include "ldwrap/ldwrap.h"

#include "targets/platform.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where ldx is ---------------------------------------------------------- */

/* Cuts the last part off an absolute path. */
static char *parent(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	return path;
}

void installation_find(struct arena *a, struct installation *p)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n <= 0)
		fatal("cannot read /proc/self/exe: %s", strerror(errno));
	exe[n] = 0;
	p->exe = arena_printf(a, "%s", exe);
	parent(exe);
	const char *lib = getenv("LDX_LIBDIR");
	if (lib && *lib)
		p->libdir = lib;
	else if (*LDX_LIBDIR == '/')
		p->libdir = LDX_LIBDIR;
	else
		p->libdir = arena_printf(a, "%s/" LDX_LIBDIR, parent(exe));
	p->bindir = arena_printf(a, "%s/bin", p->libdir);
}

/* Finding --------------------------------------------------------------- */

bool is_program(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool is_self(const struct installation *p, const char *path)
{
	struct stat a, b;
	return !stat(path, &a) && !stat(p->exe, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static const char *search_in(struct arena *a, const struct installation *p, const char *dirs,
	const char *name)
{
	while (*dirs) {
		size_t n = strcspn(dirs, ":");
		char *path = arena_printf(a, "%.*s/%s", (int)n, dirs, name);
		if (n && is_program(path) && !is_self(p, path))
			return path;
		dirs += n + (dirs[n] == ':');
	}
	return NULL;
}

static const char *search(struct arena *a, const struct installation *p, const char *name)
{
	const char *dirs = getenv("PATH");
	const char *path = dirs ? search_in(a, p, dirs, name) : NULL;
	return path ? path : search_in(a, p, "/usr/local/bin:/usr/bin:/bin", name);
}

/* A script called ld may have called ldx: ld.bfd and the like come first. */
static const char *const program_names[][3] = {
	[LINKER_BFD] = {"ld.bfd", "ld"},
	[LINKER_GOLD] = {"ld.gold", "gold"},
	[LINKER_MOLD] = {"ld.mold", "mold"},
	[LINKER_LLD] = {NULL},
};

/* The cross linker for what is linked comes before those of what ldx runs on. */
static const char *search_linker(struct link *l, const char *name)
{
	const char *triple = l->platform ? l->platform->triple : NULL, *path = NULL;
	if (triple)
		path = search(&l->arena, &l->ldx, arena_printf(&l->arena, "%s-%s", triple, name));
	return path ? path : search(&l->arena, &l->ldx, name);
}

bool linker_find(struct link *l, enum linker_kind kind, struct linker *found)
{
	*found = (struct linker){.kind = kind};
	for (const char *const *n = program_names[kind]; *n && !found->path; n++)
		found->path = search_linker(l, *n);
	return kind == LINKER_LLD || found->path;
}

bool kind_of_name(const char *path, enum linker_kind *kind)
{
	static const struct {
		const char *end;
		enum linker_kind kind;
	} ends[] = {{"bfd", LINKER_BFD}, {"gold", LINKER_GOLD}, {"mold", LINKER_MOLD},
		{"lld", LINKER_LLD}};
	const char *base = base_name(path);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const char *at = strstr(base, ends[i].end);
		if (at && (at == base || at[-1] == '.')) {
			*kind = ends[i].kind;
			return true;
		}
	}
	return false;
}

struct linker linker_named(struct link *link, const char *name)
{
	const struct installation *p = &link->ldx;
	struct linker l = {.kind = LINKER_BFD};
	if (!strchr(name, '/')) {
		if (!kind_of_name(name, &l.kind) && strcmp(name, "ld"))
			fatal("there is no linker %s: bfd, gold, lld, mold or a path is expected",
				name);
		if (!linker_find(link, l.kind, &l))
			fatal("the linker %s is not installed", name);
		return l;
	}
	char *real = realpath(name, NULL);
	if (!is_program(name) || is_self(p, name))
		fatal("there is no linker %s", name);
	/* the target of a symbolic link such as /usr/bin/ld may say more */
	if (!kind_of_name(name, &l.kind) && real)
		kind_of_name(real, &l.kind);
	free(real);
	l.path = name;
	return l;
}
