/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linker.c - finding the real linkers, and running them
 *
 * ldx is installed under the names of linkers in directories that are searched for linkers, so each
 * file found is compared with the file that ldx runs from.
 */
#include "ldwrap/ldwrap.h"

#include "ldwrap/lld.h"
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

/* Removes the elements that match from a list in the environment. */
static void unlist(const char *name, const char *separators,
	bool (*match)(const char *, size_t, const void *), const void *arg)
{
	const char *list = getenv(name);
	if (!list)
		return;
	struct buf kept = {0};
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, separators);
		if (n && !match(p, n, arg)) {
			if (kept.n)
				buf_u8(&kept, (uint8_t)separators[0]);
			buf_put(&kept, p, n);
		}
		p += n + (p[n] != 0);
	}
	buf_u8(&kept, 0);
	if (kept.n > 1)
		setenv(name, (char *)kept.v, 1);
	else
		unsetenv(name);
	vec_free(&kept);
}

static bool is_wrapper(const char *p, size_t n, const void *arg)
{
	size_t len = strlen(arg);
	return n >= len && !memcmp(p + n - len, arg, len);
}

static bool is_dir(const char *p, size_t n, const void *arg)
{
	while (n > 1 && p[n - 1] == '/')
		n--;
	return strlen(arg) == n && !memcmp(p, arg, n);
}

void forget_interception(const struct installation *p)
{
	unsetenv("LDX_RUN");
	unlist("LD_PRELOAD", ": ", is_wrapper, "/ldxwrap.so");
	unlist("COMPILER_PATH", ":", is_dir, p->bindir);
}

/* Finding --------------------------------------------------------------- */

static bool is_program(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool is_self(const struct installation *p, const char *path)
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

/* The kind of linker according to a program's name; false: the name does not say. */
static bool kind_of_name(const char *path, enum linker_kind *kind)
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

static struct linker linker_named(struct link *link, const char *name)
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

/*
 * Called by the name of a linker, ldx replaces that one; else GNU ld, and LLD where there is no GNU
 * ld.
 */
void linker_wanted(struct link *l, const char *argv0)
{
	struct linker *k = &l->linker;
	enum linker_kind kind = LINKER_BFD;
	if (l->set.linker) {
		*k = linker_named(l, l->set.linker);
		return;
	}
	bool named = kind_of_name(argv0, &kind);
	*k = (struct linker){.kind = kind};
	if (kind == LINKER_LLD)
		return;
	if (named && strchr(argv0, '/') && is_program(argv0) && !is_self(&l->ldx, argv0))
		k->path = argv0;
	else if (!linker_find(l, kind, k) && named)
		fatal("the linker %s stands for is not installed", argv0);
	else if (!k->path)
		k->kind = LINKER_LLD;
}

/* Running --------------------------------------------------------------- */

static int run_lld(void *arg, int out, int err)
{
	strings *argv = arg;
	return lld_link(argv->n - 1, argv->v, out, err);
}

/* Quotes a word for a response file. */
static void put_quoted(FILE *f, const char *word)
{
	fputc('"', f);
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			fputc('\\', f);
		fputc(*word, f);
	}
	fputs("\"\n", f);
}

/* Passes a long command line in a response file, because execve() has a limit. */
static void shorten(struct link *l, strings *argv)
{
	size_t size = 0;
	for (size_t i = 0; i < argv->n; i++)
		size += strlen(argv->v[i]) + 1 + sizeof(char *);
	if (size < 1 << 20)
		return;
	const char *path = in_dir(l, "arguments");
	FILE *f = fopen(path, "w");
	for (size_t i = 1; f && i < argv->n; i++)
		put_quoted(f, argv->v[i]);
	if (!f || fclose(f))
		fatal("cannot write %s: %s", path, strerror(errno));
	argv->n = 1;
	vec_push(argv, arena_printf(&l->arena, "@%s", path));
}

void linker_start(struct link *l, struct child *c, const struct linker *k, strings *argv,
	struct child_result *r)
{
	if (k->path)
		shorten(l, argv);
	vec_push(argv, NULL);
	if (k->path)
		child_start_exec(c, r, k->path, argv->v);
	else
		child_start(c, r, run_lld, argv);
	argv->n--;
}

void linker_run(struct link *l, const struct linker *k, strings *argv, struct child_result *r)
{
	if (k->path)
		shorten(l, argv);
	vec_push(argv, NULL);
	if (k->path)
		child_exec(r, k->path, argv->v);
	else
		child_run(r, run_lld, argv);
	argv->n--;
}

/* The user's words as they were, unless an @file has options of ldx. */
static void users_words(const struct cmdline *c, char **user, strings *argv)
{
	bool own = false;
	for (size_t i = 0; i < c->items.n; i++)
		own |= item_class(&c->items.v[i]) == CLASS_ldx;
	if (!own) {
		for (user++; *user; user++)
			vec_push(argv, *user);
		return;
	}
	for (size_t i = 0; i < c->items.n; i++) {
		const struct item *it = &c->items.v[i];
		for (int k = 0; k < 2 && it->raw[k] && item_class(it) != CLASS_ldx; k++)
			vec_push(argv, it->raw[k]);
	}
}

_Noreturn void linker_become(struct link *l, const struct linker *k)
{
	strings argv = {0};
	vec_push(&argv, k->path ? k->path : LLD_NAME);
	users_words(&l->cmd, l->argv, &argv);
	vec_push(&argv, NULL);
	signals_release();
	fflush(NULL);
	if (!k->path)
		_exit(lld_link(argv.n - 1, argv.v, 1, 2));
	execv(k->path, (char *const *)argv.v);
	fatal("cannot run %s: %s", k->path, strerror(errno));
}
