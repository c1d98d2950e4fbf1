/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools.c - the packages of the tools that a link has: ldxtool(1)
 */
#include "ldwrap/ldwrap.h"

#include "base/package.h"
#include "targets/platform.h"
#include "targets/target.h"

#include <errno.h>

/* Ways to count, as the names of a package's objects have them. */
static const char *const ways[ACCESS_KINDS] = {
	[ACCESS_PLAIN] = "alone", [ACCESS_ATOMIC] = "shared", [ACCESS_THREAD] = "own"};

/* A part of the package, as a file; NULL: there is none. */
static const char *extract(struct link *l, struct bytes package, const char *tool, const char *name)
{
	struct part part;
	if (!package_part(package.p, package.n, name, &part))
		return NULL;
	const char *path = in_dir(l, arena_printf(&l->arena, "tool-%s-%s", tool, name));
	if (!file_write(path, (struct bytes){part.data, part.size}))
		fatal("cannot write %s: %s", path, strerror(errno));
	return path;
}

static bool has_routines(struct bytes package)
{
	static const char end[] = "-alone.o";
	struct part part;
	for (size_t at = 0; package_next(package.p, package.n, &at, &part);)
		if (memmem(part.name, part.nname, end, strlen(end)))
			return true;
	return false;
}

static const char *find(struct link *l, const char *name)
{
	const char *own = arena_printf(&l->arena, "%s/tools", l->ldx.libdir);
	const char *path = tool_find(&l->arena, name, own);
	if (!path)
		fatal("there is no tool %s in LDX_TOOLPATH or %s", name, own);
	return path;
}

/* Is it a tool that only shows counts? */
static bool is_report(const char *path)
{
	const char *end = strrchr(path, '.');
	return end && !strcmp(end, ".so");
}

/* word: NAME, or NAME:OPTION=VALUE... */
static struct tool_use open_tool(struct link *l, const char *word)
{
	size_t n = strcspn(word, ":");
	const char *path = find(l, arena_printf(&l->arena, "%.*s", (int)n, word));
	const char *name = tool_name(&l->arena, path);
	const struct target *t =
		target_find(l->platform->machine, l->platform->word, l->platform->big);
	struct tool_use use = {.name = name,
		.options = word[n] ? word + n + 1 : "",
		.package = path};
	struct bytes package;
	if (!file_map(path, &package))
		fatal("cannot read %s: %s", path, strerror(errno));
	use.asks = extract(l, package, name, "asks.so");
	if (!use.asks && is_report(path))
		fatal("tool %s asks for nothing in the link: ldxprof tool %s PROG shows it of any program",
			name, name);
	if (!use.asks)
		fatal("%s: not the package of a tool that asks for code", path);
	bool routines = has_routines(package);
	for (int way = 0; routines && way < ACCESS_KINDS && ways[way]; way++) {
		const char *member = arena_printf(&l->arena, "%s-%s.o", t->name, ways[way]);
		use.routines[way] = extract(l, package, name, member);
		if (!use.routines[way] && (way != ACCESS_THREAD || t->thread_base))
			fatal("%s: the tool has no routines for %s", path, t->name);
	}
	file_unmap(package);
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
