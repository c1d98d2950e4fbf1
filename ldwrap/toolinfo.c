/* SPDX-License-Identifier: Apache-2.0 */
/* toolinfo.c - ldxtool list and info: what the parts of a tool declare */
#include "ldwrap/inputs.h"
#include "ldwrap/toolbox.h"

#include "base/package.h"
#include "base/shown.h"

#include <dlfcn.h>
#include <errno.h>
#include <ldx/report.h>
#include <ldx/tool.h>
#include <sys/mman.h>
#include <unistd.h>

/* A part that runs in ldx or ldxprof: what it declares, or why it cannot be read. */
struct declared {
	const char *why;
	const char *summary;
	const struct ldx_option *options;
};

struct tool_file {
	const char *name, *path;
	struct bytes b;
	struct declared asks, report; /* no summary: it has no such part */
};

/* Nothing of it is called, so names that only ldx or ldxprof defines are never looked up. */
static struct declared declared_in(const char *path)
{
	void *so = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!so)
		return (struct declared){.why = dlerror()};
	const struct ldx_tool *t = dlsym(so, "ldx_tool");
	const struct ldx_report *r = dlsym(so, "ldx_report");
	if (t && t->version == LDX_TOOL_VERSION)
		return (struct declared){.summary = t->summary, .options = t->options};
	if (r && r->version == LDX_REPORT_VERSION)
		return (struct declared){.summary = r->summary, .options = r->options};
	return (struct declared){.why = t || r ? "it was made for another version of ldx"
					       : "it is no part of a tool"};
}

static struct declared declared_by(struct arena *a, struct bytes package, const char *name)
{
	struct part part;
	if (!package_part(package.p, package.n, name, &part))
		return (struct declared){0};
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0 || !bytes_write(fd, (struct bytes){part.data, part.size}))
		fatal("cannot unpack %s: %s", name, strerror(errno));
	return declared_in(arena_printf(a, "/proc/self/fd/%d", fd));
}

static struct tool_file read_tool(struct arena *a, const char *path)
{
	struct tool_file t = {.name = tool_name(a, path), .path = path};
	if (!file_map(path, &t.b))
		t.asks.why = strerror(errno);
	else if (is_package(t.b.p, t.b.n)) {
		t.asks = declared_by(a, t.b, "asks.so");
		t.report = declared_by(a, t.b, "report.so");
	} else {
		t.report = declared_in(strchr(path, '/') ? path : arena_printf(a, "./%s", path));
	}
	return t;
}

static const char *why_not(const struct tool_file *t)
{
	return t->asks.why ? t->asks.why : t->report.why;
}

static const char *summary_of(const struct tool_file *t)
{
	return t->asks.summary ? t->asks.summary : t->report.summary ? t->report.summary : "";
}

static const char *own_folder(struct arena *a)
{
	return tool_place(a, LDX_LIBDIR "/tools");
}

void tools_list(void)
{
	struct arena a = {0};
	const char *own = own_folder(&a), *dir;
	for (size_t i = 0; (dir = tool_folder(&a, i, own)); i++)
		for (const char *const *file = tool_files(&a, dir); *file; file++) {
			const char *path = arena_printf(&a, "%s/%s", dir, *file);
			struct tool_file t = read_tool(&a, path);
			if (strcmp(tool_find(&a, t.name, own), path) != 0)
				continue;
			printf("%-12s %s\n", shown(t.name),
				shown(why_not(&t) ? why_not(&t) : summary_of(&t)));
		}
}

static void print_options(const struct declared *d, const char *where)
{
	for (const struct ldx_option *o = d->options; o && o->name; o++) {
		printf("%s %s=%s: %s", where, shown(o->name), shown(o->what), shown(o->help));
		printf(o->value && *o->value ? " (%s)\n" : "\n", o->value ? shown(o->value) : "");
	}
}

static void print_cpus(struct bytes package)
{
	static const char end[] = "-alone.o";
	struct part part;
	const char *word = "routines    for";
	for (size_t at = 0; package_next(package.p, package.n, &at, &part);)
		if (memmem(part.name, part.nname, end, strlen(end))) {
			printf("%s %.*s", word, (int)(part.nname - strlen(end)), part.name);
			word = "";
		}
	puts(*word ? "routines    none" : "");
}

void tool_info(const char *name)
{
	struct arena a = {0};
	const char *path = tool_find(&a, name, own_folder(&a));
	if (!path)
		fatal("there is no tool %s in LDX_TOOLPATH or %s", name, own_folder(&a));
	struct tool_file t = read_tool(&a, path);
	if (why_not(&t))
		fatal("%s: %s", path, why_not(&t));
	printf("tool        %s\nfile        %s\nsummary     %s\n", shown(t.name), shown(path),
		shown(summary_of(&t)));
	printf("in the link %s\n", t.asks.summary ? "asks for code" : "not needed");
	print_options(&t.asks, "  option   ");
	print_cpus(t.b);
	printf("report      %s\n", t.report.summary ? "its own" : "its data by word");
	print_options(&t.report, "  option   ");
}
