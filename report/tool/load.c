/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - tools: where they are, and what they declare; see load.h
 */
#include "report/tool/load.h"

#include "base/guard.h"
#include "base/package.h"
#include "report/common/output.h"
#include "report/common/table.h"
#include "report/common/util.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena memory; /* lives as long as ldxprof */

const char *tool_named(const char *name)
{
	return tool_name(&memory, name);
}

/* Where they are -------------------------------------------------------------- */

/* The directory of those that came with ldx, wherever it was moved to. */
static const char *own_folder(void)
{
	char exe[PATH_MAX];
	if (!own_path(exe))
		die("cannot find ldxprof's own file: %s", strerror(errno));
	return new_string("%.*s/" LDX_TOOLS, (int)(last_part(exe) - exe - 1), exe);
}

/* What they declare --------------------------------------------------------------- */

/* A file that has no name, with the n bytes at data. */
static const char *unnamed_file(const void *data, size_t n)
{
	int fd = memfd_create("report", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		die("cannot unpack a tool: %s", strerror(errno));
	return new_string("/proc/self/fd/%d", fd);
}

/* NULL, and why: it is no tool. */
static const struct ldx_report *open_object(const char *path, const char **why)
{
	/* a name without a slash would be searched for */
	void *so =
		dlopen(strchr(path, '/') ? path : new_string("./%s", path), RTLD_NOW | RTLD_LOCAL);
	const struct ldx_report *r = so ? dlsym(so, "ldx_report") : NULL;
	*why = NULL;
	if (!so)
		*why = new_string("%s", dlerror());
	else if (!r)
		*why = "it defines no ldx_report";
	else if (r->version != LDX_REPORT_VERSION)
		*why = new_string("it was made for version %u of ldx/report.h, this is version %u",
			(unsigned)r->version, LDX_REPORT_VERSION);
	else if (!r->name || !r->summary || !r->tables)
		*why = "its ldx_report has no name, summary or tables";
	return *why ? NULL : r;
}

/* NULL: it is no tool, and why, or a package without a part for ldxprof. */
static const struct ldx_report *open_tool(const char *path, const char **why)
{
	struct input in = {.data = NULL};
	struct part part;
	*why = input_try(&in, path);
	const char *file = NULL;
	if (!*why && !is_package(in.data, in.size))
		file = path;
	else if (!*why && package_part(in.data, in.size, "report.so", &part))
		file = unnamed_file(part.data, part.size);
	if (in.data)
		input_close(&in);
	return *why || !file ? NULL : open_object(file, why);
}

const struct ldx_report *tool_load(const char *name)
{
	const char *why, *own = own_folder(), *path = tool_find(&memory, name, own);
	if (!path)
		die("no tool %s in LDX_TOOLPATH or %s; `ldxprof tool' lists them", name, own);
	const struct ldx_report *r = open_tool(path, &why);
	if (why)
		die("tool %s: %s", name, why);
	return r;
}

static void list_one(struct table *t, const char *path)
{
	const char *why, *name = tool_named(path);
	const struct ldx_report *r = open_tool(path, &why);
	if (why)
		warn("tool %s: %s", name, why);
	if (why || strcmp(tool_find(&memory, name, own_folder()), path) != 0)
		return;
	table_cell(t, "%s", shown(name));
	table_cell(t, "%s", r ? shown(r->summary) : "(its data by word)");
}

void tool_list(FILE *out)
{
	static const struct table_column columns[] = {{"", COLUMN_TEXT}, {"", COLUMN_TEXT}};
	struct table *t = table_new(columns, 2, 0);
	const char *dir;
	for (size_t i = 0; (dir = tool_folder(&memory, i, own_folder())); i++)
		for (const char *const *name = tool_files(&memory, dir); *name; name++)
			list_one(t, new_string("%s/%s", dir, *name));
	table_put(t, out);
}

/* Their code ------------------------------------------------------------------------ */

static const char *running; /* the tool's name while its code runs */

static void ended(const char *how)
{
	fprintf(stderr, "ldxprof: error: tool %s %s%s\n", running,
		how ? "crashed: " : "called exit()", how ? how : "");
	output_abandon();
	_exit(1);
}

void tool_call(const struct ldx_report *tool, void (*fn)(void *ctx), void *ctx)
{
	running = tool->name;
	guarded(fn, ctx, ended);
}
