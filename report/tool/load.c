/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - tools: where they are, and what they declare; see load.h
 */
#include "report/tool/load.h"

#include "base/base.h"
#include "report/output.h"
#include "report/table.h"
#include "report/util.h"

#include <ar.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A shared object; a package of several parts, as ldxtool makes it. */
static const char *const suffixes[] = {".so", ".ldxtool"};
enum { NSUFFIXES = sizeof suffixes / sizeof *suffixes };

/* Does the name end so?  Then its length without that. */
static size_t ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);
	return n > k && !strcmp(name + n - k, end) ? n - k : 0;
}

const char *tool_name(const char *name)
{
	const char *base = last_part(name);
	for (size_t k = 0; k < NSUFFIXES; k++)
		if (ends_in(base, suffixes[k]))
			return new_string("%.*s", (int)ends_in(base, suffixes[k]), base);
	return base;
}

/* Where they are -------------------------------------------------------------- */

/* The directory of those that came with ldx, wherever it was moved to. */
static const char *own_folder(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n < 0)
		die("cannot read /proc/self/exe: %s", strerror(errno));
	exe[n] = '\0';
	return new_string("%.*s/" LDX_TOOLS, (int)(last_part(exe) - exe - 1), exe);
}

struct folders {
	char *v[64];
	size_t n;
};

static struct folders folders(void)
{
	struct folders f = {.n = 0};
	const char *path = getenv("LDX_TOOLPATH");
	char *rest = new_string("%s", path ? path : ""), *last = NULL;
	for (char *s = strtok_r(rest, ":", &last); s; s = strtok_r(NULL, ":", &last)) {
		if (f.n + 1 == sizeof f.v / sizeof *f.v)
			die("LDX_TOOLPATH has too many directories");
		f.v[f.n++] = s;
	}
	f.v[f.n++] = (char *)own_folder();
	return f;
}

static const char *find(const char *name)
{
	struct stat st;
	if (strchr(name, '/'))
		return name;
	struct folders f = folders();
	for (size_t i = 0; i < f.n; i++)
		for (size_t k = 0; k < NSUFFIXES; k++) {
			const char *path = new_string("%s/%s%s", f.v[i], name, suffixes[k]);
			if (!stat(path, &st))
				return path;
		}
	die("no tool %s in LDX_TOOLPATH or %s; `ldxprof tool' lists them", name, f.v[f.n - 1]);
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

struct member {
	const char *name, *data;
	size_t nname, size; /* the name may end with NULs */
};

/*
 * The member of an archive at *at, which is advanced behind it.  ldxtool writes all names in front
 * of the data (BSD: #1/LENGTH).  False: there are no more.
 */
static bool next_member(const struct input *in, size_t *at, struct member *m)
{
	struct ar_hdr h;
	char size[sizeof h.ar_size + 1] = "", name[sizeof h.ar_name + 1] = "";
	if (*at > in->size || in->size - *at < sizeof h)
		return false;
	memcpy(&h, in->data + *at, sizeof h);
	memcpy(size, h.ar_size, sizeof h.ar_size);
	memcpy(name, h.ar_name, sizeof h.ar_name);
	*at += sizeof h;
	m->size = strtoul(size, NULL, 10);
	m->nname = strncmp(name, "#1/", 3) ? 0 : strtoul(name + 3, NULL, 10);
	if (memcmp(h.ar_fmag, ARFMAG, sizeof h.ar_fmag) || m->size > in->size - *at ||
		m->nname > m->size)
		return false;
	m->name = (const char *)in->data + *at;
	m->data = m->name + m->nname;
	*at += m->size + m->size % 2;
	m->size -= m->nname;
	return true;
}

/* The part of a package that ldxprof loads, as a file; NULL: it has none, or (*why) why not. */
static const char *unpack(const char *path, const char **why)
{
	static const char part[] = "report.so";
	const char *found = NULL;
	struct input in = {.data = NULL};
	struct member m;
	size_t at = SARMAG;
	*why = input_try(&in, path);
	if (!*why && (in.size < SARMAG || memcmp(in.data, ARMAG, SARMAG)))
		*why = "it is no package of ldxtool";
	while (!*why && !found && next_member(&in, &at, &m))
		if (strnlen(m.name, m.nname) == sizeof part - 1 &&
			!memcmp(m.name, part, sizeof part - 1))
			found = unnamed_file(m.data, m.size);
	if (in.data)
		input_close(&in);
	return found;
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

static const struct ldx_report *open_tool(const char *path, const char **why)
{
	if (!ends_in(path, suffixes[1]))
		return open_object(path, why);
	const char *part = unpack(path, why);
	return part ? open_object(part, why) : NULL;
}

const struct ldx_report *tool_load(const char *name)
{
	const char *why, *path = find(name);
	const struct ldx_report *r = open_tool(path, &why);
	if (why)
		die("tool %s: %s", name, why);
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of tools in a directory, sorted; those it has not are none. */
static size_t names_in(const char *folder, char ***names)
{
	DIR *d = opendir(folder);
	size_t n = 0;
	*names = NULL;
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!ends_in(e->d_name, suffixes[0]) && !ends_in(e->d_name, suffixes[1]))
			continue;
		*names = realloc(*names, (n + 1) * sizeof **names);
		if (!*names)
			die("out of memory");
		(*names)[n++] = new_string("%s", e->d_name);
	}
	if (d)
		closedir(d);
	if (n)
		qsort(*names, n, sizeof **names, compare_names);
	return n;
}

void tool_list(FILE *out)
{
	static const struct table_column columns[] = {{"", COLUMN_TEXT}, {"", COLUMN_TEXT}};
	struct table *t = table_new(columns, 2, 0);
	struct folders f = folders();
	for (size_t i = 0; i < f.n; i++) {
		char **name;
		for (size_t k = 0, n = names_in(f.v[i], &name); k < n; k++) {
			const char *why, *path = new_string("%s/%s", f.v[i], name[k]);
			const char *plain = tool_name(name[k]);
			const struct ldx_report *r = open_tool(path, &why);
			if (why)
				warn("tool %s: %s", plain, why);
			if (why || strcmp(find(plain), path))
				continue;
			table_cell(t, "%s", shown(plain));
			table_cell(t, "%s", r ? shown(r->summary) : "(its data by word)");
		}
	}
	table_put(t, out);
}

/* Their code ------------------------------------------------------------------------ */

static const char *volatile running; /* the tool's name while its code runs */

static void crashed(int sig)
{
	static const char begin[] = "ldxprof: error: tool ", end[] = " crashed: ";
	const char *why = sigdescr_np(sig);
	char text[256] = "";
	strcat(text, begin);
	strncat(text, running, 100);
	strcat(text, end);
	strncat(text, why ? why : "signal", 60);
	strcat(text, "\n");
	output_abandon();
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
	_exit(1);
}

/* fatal() ends what runs; it has said why. */
static void ended(void)
{
	running = NULL;
}

/* A tool must not end the process: nothing would be said, and the output be empty. */
static void left(void)
{
	if (!running)
		return;
	fprintf(stderr, "ldxprof: error: tool %s called exit()\n", running);
	_exit(1);
}

void tool_call(const struct ldx_report *tool, void (*fn)(void *ctx), void *ctx)
{
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	enum { NCRASHES = sizeof crashes / sizeof *crashes };
	static bool watched;
	static char stack[65536];
	struct sigaction old[NCRASHES],
		act = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND};
	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
	for (size_t i = 0; i < NCRASHES; i++)
		sigaction(crashes[i], &act, &old[i]);
	if (!watched) {
		at_exit_cleanup(ended);
		atexit(left);
	}
	watched = true;
	running = tool->name;
	fn(ctx);
	running = NULL;
	for (size_t i = 0; i < NCRASHES; i++)
		sigaction(crashes[i], &old[i], NULL);
}
