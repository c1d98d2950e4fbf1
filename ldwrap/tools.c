/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - the packages of the tools that a link has: ldxtool(1)
 */
#include "ldwrap/ldwrap.h"

#include "targets/platform.h"
#include "targets/target.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Ways to count, as the names of a package's objects have them. */
static const char *const ways[ACCESS_KINDS] = {
	[ACCESS_PLAIN] = "alone", [ACCESS_ATOMIC] = "shared", [ACCESS_THREAD] = "own"};

/* NAME, as in NAME:OPTION=VALUE...; a file's name without its folders and ending. */
static const char *tool_name(struct arena *a, const char *word)
{
	const char *base = word;
	size_t n = strcspn(word, ":");
	for (const char *p = word; p < word + n; p++)
		if (*p == '/')
			base = p + 1;
	n -= (size_t)(base - word);
	const char *end = memmem(base, n, ".ldxtool", 8);
	return arena_printf(a, "%.*s", (int)(end ? (size_t)(end - base) : n), base);
}

static const char *if_there(const char *path)
{
	return access(path, R_OK) ? NULL : path;
}

/* A path, or the file NAME.ldxtool in a folder of LDX_TOOLPATH or where ldx is installed. */
static const char *find_package(struct link *l, const char *word, const char *name)
{
	size_t n = strcspn(word, ":");
	const char *dirs = getenv("LDX_TOOLPATH"), *path;
	if (memchr(word, '/', n))
		return arena_printf(&l->arena, "%.*s", (int)n, word);
	for (dirs = dirs ? dirs : ""; *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		path = arena_printf(&l->arena, "%.*s/%s.ldxtool", (int)n, dirs, name);
		if (if_there(path))
			return path;
	}
	path = arena_printf(&l->arena, "%s/tools/%s.ldxtool", l->ldx.libdir, name);
	if (!if_there(path))
		fatal("there is no tool %s: %s does not exist", name, path);
	return path;
}

/* A member of the package, as a file; NULL: there is none. */
static const char *extract(struct link *l, const struct archive *ar, const char *tool,
	const char *member)
{
	for (size_t i = 0; i < ar->members.n; i++) {
		const struct member *m = &ar->members.v[i];
		if (strcmp(m->name, member) != 0)
			continue;
		const char *path = in_dir(l, arena_printf(&l->arena, "tool-%s-%s", tool, member));
		FILE *f = fopen(path, "we");
		if (!f || fwrite(m->data.p, 1, m->data.n, f) != m->data.n || fclose(f))
			fatal("cannot write %s: %s", path, strerror(errno));
		return path;
	}
	return NULL;
}

static bool has_routines(const struct archive *ar)
{
	for (size_t i = 0; i < ar->members.n; i++)
		if (strstr(ar->members.v[i].name, "-alone.o"))
			return true;
	return false;
}

static struct tool_use open_tool(struct link *l, const char *word)
{
	const char *name = tool_name(&l->arena, word), *options = strchr(word, ':');
	const char *package = find_package(l, word, name);
	const struct target *t =
		target_find(l->platform->machine, l->platform->word, l->platform->big);
	struct tool_use use = {.name = name,
		.options = options ? options + 1 : "",
		.package = package};
	struct archive *ar = archive_open(&l->arena, package);
	if (!ar || !(use.asks = extract(l, ar, name, "asks.so")))
		fatal("%s: not the package of a tool", package);
	for (int way = 0; has_routines(ar) && way < ACCESS_KINDS; way++) {
		const char *member = arena_printf(&l->arena, "%s-%s.o", t->name, ways[way]);
		use.routines[way] = extract(l, ar, name, member);
		if (!use.routines[way] && (way != ACCESS_THREAD || t->base_setter))
			fatal("%s: the tool has no routines for %s", package, t->name);
	}
	archive_free(ar);
	use.linked = in_dir(l, arena_printf(&l->arena, "tool-%s.o", name));
	return use;
}

void tools_open(struct link *l)
{
	struct rewrite_options *opt = &l->set.rewrite;
	if (!l->platform)
		return; /* no link that ldx can instrument */
	struct tool_use *use = arena_array(&l->arena, struct tool_use, l->set.tools.n + 1);
	for (size_t i = 0; i < l->set.tools.n; i++) {
		use[i] = open_tool(l, l->set.tools.v[i]);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(use[k].name, use[i].name))
				fatal("--ldx-tool=%s: there is a tool %s already",
					l->set.tools.v[i], use[i].name);
	}
	opt->tool = use;
	opt->ntools = l->set.tools.n;
}
