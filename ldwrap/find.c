/* SPDX-License-Identifier: Apache-2.0 */
/*
 * find.c - finding ldx's parts, and the linker that ldx replaces
 *
 * ldx is installed under the names of linkers in directories that are searched for linkers, by
 * symbolic links or, where an installation was copied, by copies.  So no file is taken for a linker
 * that has ldx's note.  A script may start ldx too: LDX_REPLACED lists what ldx has started as a
 * linker, and ldx started below that does not take it for one again.
 */
#include "ldwrap/image.h"
#include "ldwrap/ldwrap.h"
#include "ldwrap/lld.h"

#include "targets/platform.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define REPLACED "LDX_REPLACED"

/* Where ldx is ---------------------------------------------------------- */

/* Cuts the last part off an absolute path. */
static char *parent(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	return path;
}

static bool has_runtime(struct arena *a, const char *libdir)
{
	return !access(arena_printf(a, "%s/ldxrt-so.o", libdir), F_OK);
}

/* From the folder that ldx runs from: bin, or the bindir below libdir, of copies. */
static const char *find_libdir(struct arena *a, char *folder)
{
	const char *lib = getenv("LDX_LIBDIR");
	if (lib && *lib)
		return lib;
	const char *above = parent(folder);
	lib = *LDX_LIBDIR == '/' ? LDX_LIBDIR : arena_printf(a, "%s/" LDX_LIBDIR, above);
	return has_runtime(a, lib) || !has_runtime(a, above) ? lib : arena_printf(a, "%s", above);
}

/* The folder of ldxprof: that of ldx, or from libdir as far up as libdir is down. */
static const char *find_tools(struct arena *a, const char *folder, const char *libdir)
{
	char *up = arena_printf(a, "%s", libdir);
	if (!access(arena_printf(a, "%s/ldxprof", folder), X_OK) || *LDX_LIBDIR == '/')
		return folder;
	parent(up);
	for (const char *p = LDX_LIBDIR; (p = strchr(p, '/')); p++)
		parent(up);
	return arena_printf(a, "%s/bin", up);
}

void installation_find(struct arena *a, struct installation *p)
{
	char exe[PATH_MAX];
	if (!own_path(exe))
		fatal("cannot find ldx's own file: %s", strerror(errno));
	p->exe = arena_printf(a, "%s", exe);
	const char *replaced = getenv(REPLACED);
	p->replaced = replaced ? arena_printf(a, "%s", replaced) : NULL;
	const char *folder = arena_printf(a, "%s", parent(exe));
	p->libdir = find_libdir(a, exe);
	p->bindir = arena_printf(a, "%s/bin", p->libdir);
	p->tools = find_tools(a, folder, p->libdir);
	lld_find(p->libdir);
}

/* What is a linker -------------------------------------------------------- */

/* By which each ldx, of any version, recognises the others. */
#define NOTE_NAME "ldx linker"
static const struct {
	uint32_t namesz, descsz, type;
	char name[(sizeof NOTE_NAME + 3) / 4 * 4];
} note __attribute__((section(".note.ldx"), used, aligned(4))) = {sizeof NOTE_NAME, 0, 1,
	NOTE_NAME};

static bool is_program(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

static bool is_ldx(const char *path)
{
	struct image im;
	bool found = false;
	if (!image_open(&im, path))
		return false;
	for (size_t i = 0; i < im.ph.n && !found; i++) {
		const Elf64_Phdr *ph = &im.ph.v[i];
		found = ph->p_type == PT_NOTE && image_inside(&im, ph->p_offset, ph->p_filesz) &&
			memmem(im.file.p + ph->p_offset, ph->p_filesz, &note, sizeof note);
	}
	image_close(&im);
	return found;
}

static bool same_file(const char *path, const char *other)
{
	struct stat a, b;
	return !stat(path, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Has an ldx taken it for the linker, and it has started this ldx? */
static bool is_replaced(struct link *l, const char *path)
{
	const char *list = l->ldx.replaced;
	while (list && *list) {
		size_t n = strcspn(list, ":");
		if (same_file(arena_printf(&l->arena, "%.*s", (int)n, list), path))
			return true;
		list += n + (list[n] == ':');
	}
	return false;
}

static bool is_linker(struct link *l, const char *path)
{
	return is_program(path) && !is_ldx(path) && !is_replaced(l, path);
}

void linker_tell(struct link *l, const struct linker *k)
{
	const char *list = l->ldx.replaced;
	if (k->path)
		setenv(REPLACED, list ? arena_printf(&l->arena, "%s:%s", list, k->path) : k->path,
			1);
}

/* Searching ---------------------------------------------------------------- */

static const char *search_in(struct link *l, const char *dirs, const char *name)
{
	while (dirs && *dirs) {
		size_t n = strcspn(dirs, ":");
		char *path = arena_printf(&l->arena, "%.*s%s%s", (int)n, dirs,
			n && dirs[n - 1] == '/' ? "" : "/", name);
		if (n && is_linker(l, path))
			return path;
		dirs += n + (dirs[n] == ':');
	}
	return NULL;
}

static const char *search_path(struct link *l, const char *name)
{
	const char *path = search_in(l, getenv("PATH"), name);
	return path ? path : search_in(l, "/usr/local/bin:/usr/bin:/bin", name);
}

/* Where gcc, which sets both variables for the linker, has searched first. */
static const char *search_compiler(struct link *l, const char *name)
{
	return getenv("COLLECT_GCC") ? search_in(l, getenv("COMPILER_PATH"), name) : NULL;
}

/* clang starts a linker that is beside it rather than one in PATH. */
static const char *search_clang(struct link *l, const char *name)
{
	char exe[PATH_MAX];
	ssize_t n = readlink(arena_printf(&l->arena, "/proc/%d/exe", (int)getppid()), exe,
		sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	return strncmp(base_name(exe), "clang", 5) ? NULL : search_in(l, parent(exe), name);
}

/*
 * The linker of a cross compiler: gcc's TRIPLET-gcc-12 has TRIPLET-ld beside it.  A native one may
 * have such a name, but starts ld.
 */
static const char *search_triplet(struct link *l, const char *name)
{
	const char *gcc = getenv("COLLECT_GCC"), *path = NULL;
	char *prefix = arena_printf(&l->arena, "%s", base_name(gcc ? gcc : ""));
	struct utsname here;
	const char *native = uname(&here) ? ""
					  : arena_printf(&l->arena, "%s-linux-gnu", here.machine);
	for (char *dash; !path && (dash = strrchr(prefix, '-'));) {
		*dash = 0;
		if (strcmp(prefix, native) != 0)
			path = search_path(l, arena_printf(&l->arena, "%s-%s", prefix, name));
	}
	return path;
}

/* The linker of this name that gcc would find, else the one for what is linked. */
static const char *search(struct link *l, const char *name)
{
	const char *triple = l->platform ? l->platform->triple : NULL;
	const char *path = search_compiler(l, name);
	if (!path)
		path = search_clang(l, name);
	if (!path)
		path = search_triplet(l, name);
	if (!path && triple)
		path = search_path(l, arena_printf(&l->arena, "%s-%s", triple, name));
	return path ? path : search_path(l, name);
}

bool linker_find(struct link *l, enum linker_kind kind, struct linker *found)
{
	static const char *const names[][3] = {
		[LINKER_BFD] = {"ld.bfd", "ld"},
		[LINKER_GOLD] = {"ld.gold", "gold"},
		[LINKER_MOLD] = {"ld.mold", "mold"},
		[LINKER_LLD] = {"ld.lld"},
	};
	*found = (struct linker){.kind = kind};
	for (const char *const *n = names[kind]; *n && !found->path; n++)
		found->path = search(l, *n);
	return kind == LINKER_LLD || found->path;
}

/* What a file is --------------------------------------------------------------- */

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

/* As kind_of_name(), but the target of a symbolic link such as /usr/bin/ld may say more. */
static void kind_of_file(const char *path, enum linker_kind *kind)
{
	char *real = realpath(path, NULL);
	if (!kind_of_name(path, kind) && real)
		kind_of_name(real, kind);
	free(real);
}

struct linker linker_named(struct link *link, const char *name)
{
	struct linker l = {.kind = LINKER_BFD};
	if (!strcmp(name, "own"))
		return (struct linker){.kind = LINKER_LLD};
	if (!strchr(name, '/')) {
		if (!kind_of_name(name, &l.kind) && strcmp(name, "ld"))
			fatal("there is no linker %s: bfd, gold, lld, mold, own or a path is expected",
				name);
		if (!strncmp(name, "ld.", 3))
			l.path = search(link, name);
		if (!l.path && !linker_find(link, l.kind, &l))
			fatal("the linker %s is not installed", name);
		return l;
	}
	if (!is_linker(link, name))
		fatal("there is no linker %s", name);
	kind_of_file(name, &l.kind);
	l.path = name;
	return l;
}

/* By the name it was called by, as the compiler would search: ldx itself stands for ld. */
static const char *search_replaced(struct link *l, const char *argv0, bool named)
{
	const char *name = base_name(argv0), *path = NULL;
	size_t n = strlen(name);
	if (strchr(argv0, '/') && is_linker(l, argv0))
		return argv0; /* ldx-run says what it has replaced */
	if (!named) {
		path = search_compiler(l, "real-ld");
		path = path ? path : search_compiler(l, "collect-ld");
	}
	if (!named && (n < 2 || strcmp(name + n - 2, "ld")))
		name = "ld";
	return path ? path : search(l, name);
}

bool linker_named_by(const char *argv0)
{
	enum linker_kind kind;
	return kind_of_name(argv0, &kind);
}

bool linker_replaced(struct link *l, const char *argv0, struct linker *found)
{
	*found = (struct linker){.kind = LINKER_BFD};
	bool named = kind_of_name(argv0, &found->kind);
	const char *path = search_replaced(l, argv0, named);
	if (!path)
		return linker_find(l, found->kind, found);
	if (!named)
		kind_of_file(path, &found->kind);
	found->path = path;
	return true;
}
