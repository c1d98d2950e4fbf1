/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libraries.c - facts about the shared libraries that the output needs
 *
 * They are searched for as the dynamic linker does (gABI, Dynamic Linking: Shared Object
 * Dependencies; ld.so(8)), but a library that the link itself has read is preferred, and the
 * directories of the link are searched too: a program may be linked before it is installed.  The
 * code of the C library is not examined: standards say what it does.
 */
#include "program/library.h"
#include "ldwrap/image.h"

#include "base/steps.h"
#include "reloc/outside.h"
#include "targets/platform.h"

#include <stdlib.h>
#include <unistd.h>

struct library {
	const char *path;
	bool libc;	    /* part of the C library */
	const char *origin; /* its directory: $ORIGIN */
	const char *run;    /* DT_RUNPATH or DT_RPATH, or NULL */
};

struct finding {
	struct link *l;
	struct arena *a;
	struct outside *known;
	struct strmap linked; /* soname -> path, of libraries that the link has read */
	struct strmap seen;   /* names that were searched for */
	VEC(struct library) found;
	strings doubtful;   /* names that a library imports, and that may make a thread */
	struct bytes cache; /* of ld.so, mapped when it is first needed */
	bool cache_open;
	uint16_t machine;
};

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	name = base_name(name);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

/* The names of the parts of C libraries: LSB Core, 9.2 and 9.4; musl's only one. */
static bool is_libc(const struct finding *f, const char *name)
{
	static const char *const part[] = {"libBrokenLocale.so.1", "libanl.so.1", "libc.so",
		"libc.so.6", "libdl.so.2", "libm.so.6", "libmvec.so.1", "libnsl.so.1",
		"libpthread.so.0", "libresolv.so.2", "librt.so.1", "libutil.so.1"};
	for (const char *const *own = f->l->platform->libc; *own; own++)
		if (!strcmp(name, *own))
			return true;
	return is_one_of(name, part, sizeof part / sizeof *part);
}

/* C++'s own: they throw exceptions and start threads for others, whose references show that. */
static bool is_of_cxx(const char *name)
{
	static const char *const part[] = {"libc++.so.1", "libc++abi.so.1", "libgcc_s.so.1",
		"libstdc++.so.6", "libunwind.so.1"};
	return is_one_of(name, part, sizeof part / sizeof *part);
}

static const char *folder_of(struct arena *a, const char *path)
{
	size_t n = (size_t)(base_name(path) - path);
	return n ? arena_printf(a, "%.*s", (int)(n > 1 ? n - 1 : n), path) : ".";
}

/* What the link has read -------------------------------------------------- */

/* May the line of a trace name a library?  Not if it is an archive member or ends in .o. */
static bool may_be_library(const char *line, size_t n)
{
	return n && *line != '(' && line[n - 1] != ')' && (n < 2 || memcmp(line + n - 2, ".o", 2));
}

static void add_linked(struct finding *f, const char *path)
{
	struct image im;
	if (file_kind(path) != KIND_DYN || !image_open(&im, path))
		return;
	image_dynamic(&im);
	const char *name = image_string(&im, image_value(&im, DT_SONAME));
	name = *name ? arena_printf(f->a, "%s", name) : path;
	uint64_t *slot = strmap_slot(&f->linked, name);
	if (!*slot)
		*slot = (uint64_t)(uintptr_t)path;
	image_close(&im);
}

static void read_trace(struct finding *f, const char *trace)
{
	for (const char *p = trace, *eol; *p; p = *eol ? eol + 1 : eol) {
		eol = strchrnul(p, '\n');
		if (may_be_library(p, (size_t)(eol - p)))
			add_linked(f, arena_printf(f->a, "%.*s", (int)(eol - p), p));
	}
}

/* Where a library is -------------------------------------------------------- */

static bool fits(const struct finding *f, const char *path)
{
	struct image im;
	bool ok = file_kind(path) == KIND_DYN && image_open(&im, path);
	if (!ok)
		return false;
	ok = im.eh.e_machine == f->machine;
	image_close(&im);
	return ok;
}

static const char *in_folder(struct finding *f, const char *folder, size_t n, const char *name)
{
	const char *path = arena_printf(f->a, "%.*s%s%s", (int)n, folder, n ? "/" : "", name);
	return fits(f, path) ? path : NULL;
}

/* Search a list of directories like PATH, in which $ORIGIN stands for origin. */
static const char *in_list(struct finding *f, const char *list, const char *origin,
	const char *name)
{
	static const char *const token[] = {"$ORIGIN", "${ORIGIN}"};
	const char *path = NULL;
	for (const char *p = list; p && *p && !path; p += *p == ':') {
		size_t n = strcspn(p, ":"), skip = 0;
		for (size_t i = 0; i < 2; i++)
			if (!strncmp(p, token[i], strlen(token[i])))
				skip = strlen(token[i]);
		const char *folder =
			arena_printf(f->a, "%s%.*s", skip ? origin : "", (int)(n - skip), p + skip);
		path = in_folder(f, folder, strlen(folder), name);
		p += n;
	}
	return path;
}

/* Search the directories of option a or b. */
static const char *in_options(struct finding *f, enum opt a, enum opt b, const char *name)
{
	const struct cmdline *c = &f->l->cmd;
	const char *path = NULL;
	for (size_t i = 0; i < c->items.n && !path; i++) {
		const struct item *it = &c->items.v[i];
		if (it->opt == a || it->opt == b)
			path = in_list(f, it->value, folder_of(f->a, f->l->out.path), name);
	}
	return path;
}

static const char *in_sysroot(struct finding *f, const char *folder, const char *name)
{
	return in_list(f, cmdline_folder(f->a, &f->l->cmd, folder), "", name);
}

/*
 * The cache of glibc's dynamic linker: a header of 48 bytes, then 24 bytes for each library: flags,
 * name and path, as offsets from the header; all in the machine's byte order.  A table in the old
 * format, 12 bytes for each library and a header of 16, may precede it.
 */
static const char *in_cache(struct finding *f, const char *name)
{
	static const char magic[] = "glibc-ld.so.cache1.1", old[] = "ld.so-1.7.0";
	static const char path_of_cache[] = "/etc/ld.so.cache";
	if (!f->cache_open && !cmdline_value(&f->l->cmd, OPT_sysroot) &&
		file_map(path_of_cache, &f->cache))
		vec_push(&f->l->read, path_of_cache);
	f->cache_open = true;
	struct bytes b = f->cache;
	if (b.n > 16 && !memcmp(b.p, old, sizeof old - 1)) {
		uint64_t skip = (16 + (uint64_t)get_u32(b.p + 12) * 12 + 7) / 8 * 8;
		b.p += skip < b.n ? skip : b.n;
		b.n -= skip < b.n ? skip : b.n;
	}
	if (b.n < 48 || memcmp(b.p, magic, sizeof magic - 1))
		return NULL;
	uint64_t n = get_u32(b.p + 20);
	for (uint64_t i = 0; i < n && 48 + (i + 1) * 24 <= b.n; i++) {
		const uint8_t *e = b.p + 48 + i * 24;
		uint32_t key = get_u32(e + 4), value = get_u32(e + 8);
		if (key >= b.n || value >= b.n || !memchr(b.p + key, 0, b.n - key) ||
			!memchr(b.p + value, 0, b.n - value) ||
			strcmp((const char *)b.p + key, name) != 0)
			continue;
		const char *path = arena_printf(f->a, "%s", (const char *)b.p + value);
		if (fits(f, path))
			return path;
	}
	return NULL;
}

static const char *installed(struct finding *f, const char *name)
{
	const char *path = in_cache(f, name);
	for (const char *const *dir = f->l->platform->search; *dir && !path; dir++)
		path = in_sysroot(f, *dir, name);
	return path;
}

/* In the folders of -L, in which the link looks for what its command line names. */
static const char *in_library_path(struct finding *f, const char *name)
{
	const struct cmdline *c = &f->l->cmd;
	const char *path = NULL;
	for (size_t i = 0; i < c->items.n && !path; i++)
		if (c->items.v[i].opt == OPT_library_path && c->items.v[i].value)
			path = in_sysroot(f, c->items.v[i].value, name);
	return path;
}

static const char *beside_linked(struct finding *f, const char *name)
{
	const char *path = NULL;
	for (size_t i = 0; i < f->linked.cap && !path; i++)
		if (f->linked.v[i].key) {
			const char *near = (const char *)(uintptr_t)f->linked.v[i].value;
			path = in_folder(f, near, (size_t)(base_name(near) - near), name);
		}
	return path;
}

/* In the folders that are said to be for it. */
static const char *in_named(struct finding *f, const char *name, const struct library *by)
{
	const char *path = in_list(f, by->run, by->origin, name);
	if (!path)
		path = in_list(f, f->found.v[0].run, f->found.v[0].origin, name);
	if (!path)
		path = in_options(f, OPT_rpath, OPT_rpath_link, name);
	return path ? path : in_list(f, getenv("LD_LIBRARY_PATH"), "", name);
}

static const char *find(struct finding *f, const char *name, const struct library *by)
{
	uint64_t *linked = strmap_find(&f->linked, name);
	const char *path = linked ? (const char *)(uintptr_t)*linked : NULL;
	if (path)
		return path;
	if (strchr(name, '/'))
		path = in_list(f, folder_of(f->a, name), by->origin, base_name(name));
	else
		path = in_named(f, name, by);
	if (path)
		return path;
	const char *far = installed(f, name), *near = in_library_path(f, name);
	path = near ? near : far;
	return path ? path : beside_linked(f, name);
}

/* What they define and refer to --------------------------------------------- */

static unsigned add_import(struct finding *f, const char *name, bool cxx)
{
	outside_add(f->a, &f->known->imported, name);
	if (!cxx && !name_is_harmless(name))
		vec_push(&f->doubtful, arena_printf(f->a, "%s", name));
	return name_kinds(name);
}

/* Add the names that an image, of a file, defines and refers to; own: it is the output. */
static void add_names(struct finding *f, const struct image *im, const char *path, bool own)
{
	struct outside *known = f->known;
	uint64_t n = image_symbols(im);
	Elf64_Sym s;
	unsigned kinds = 0;
	bool cxx = is_of_cxx(image_string(im, image_value(im, DT_SONAME)));
	known->complete &= own || n;
	for (uint64_t i = 1; i < n && image_symbol(im, i, &s); i++) {
		const char *name = image_string(im, s.st_name);
		unsigned seen = ELF64_ST_VISIBILITY(s.st_other);
		if (ELF64_ST_BIND(s.st_info) == STB_LOCAL || !*name ||
			(seen != STV_DEFAULT && seen != STV_PROTECTED))
			continue;
		if (own && s.st_shndx == SHN_ABS)
			continue; /* no code; GNU ld exports the names of versions */
		if (own && s.st_shndx != SHN_UNDEF)
			outside_add(f->a, &known->exported, name);
		else if (!own && s.st_shndx == SHN_UNDEF)
			kinds |= add_import(f, name, cxx);
		else if (!own && !name_is_cxx(name))
			outside_add(f->a, &known->foreign, name);
	}
	if (cxx)
		return;
	known->needs_more |= !own;
	if (kinds_break_off(kinds))
		known->breaks_off = path;
	known->kinds |= kinds;
}

/* Queue the libraries that a library needs, as far as they are found. */
static void add_needed(struct finding *f, const struct image *im, const struct library *by)
{
	const Elf64_Dyn *d;
	for (size_t i = 0; (d = image_tag(im, DT_NEEDED, i)); i++) {
		const char *name = image_string(im, d->d_un.d_val);
		bool libc = is_libc(f, name);
		f->known->needs_libc |= libc;
		if (strmap_find(&f->seen, name))
			continue;
		name = arena_printf(f->a, "%s", name);
		*strmap_slot(&f->seen, name) = 1;
		const char *path = find(f, name, by);
		if (!path) {
			f->known->complete &= libc;
			continue;
		}
		vec_push(&f->found, (struct library){path, libc, .origin = folder_of(f->a, path)});
		vec_push(&f->l->read, path);
	}
}

static const struct target *target_of(const struct image *im)
{
	const struct target *t = target_find(im->eh.e_machine, im->form.word, im->form.big);
	return t && t->thread_base ? t : NULL;
}

/* Does its code set the thread base register of counters, as far as analysis can see? */
static bool code_sets_base(const struct target *t, const struct image *im)
{
	bool found = false;
	for (size_t i = 0; i < im->ph.n && !found; i++) {
		const Elf64_Phdr *p = &im->ph.v[i];
		found = p->p_type == PT_LOAD && (p->p_flags & PF_X) &&
			image_inside(im, p->p_offset, p->p_filesz) &&
			t->thread_base->code_sets(im->file.p + p->p_offset, p->p_filesz);
	}
	return found;
}

/* That takes a while, so it is remembered by the path. */
enum scan { SCAN_NOT, SCAN_NO, SCAN_YES };

static bool scan(struct link *l, const char *path, const struct image *im)
{
	const struct target *t = target_of(im);
	uint64_t *slot = strmap_slot(&l->scanned, path);
	if (*slot == SCAN_NOT)
		*slot = t && code_sets_base(t, im) ? SCAN_YES : SCAN_NO;
	return *slot == SCAN_YES;
}

static bool sets_base(const struct finding *f, const struct image *im, const char *path)
{
	const struct target *t = target_of(im);
	if (is_of_cxx(image_string(im, image_value(im, DT_SONAME))))
		return false;
	return t &&
		(strmap_find(&f->known->imported, t->thread_base->setter) || scan(f->l, path, im));
}

void libraries_scan(struct link *l, const char *trace)
{
	struct finding f = {.l = l, .a = &l->arena};
	read_trace(&f, trace);
	for (size_t i = 0; i < f.linked.cap; i++) {
		const char *path = (const char *)(uintptr_t)f.linked.v[i].value;
		struct image im;
		if (!f.linked.v[i].key || is_libc(&f, base_name(path)) || is_of_cxx(path) ||
			!image_open(&im, path))
			continue;
		scan(l, path, &im);
		image_close(&im);
	}
	strmap_free(&f.linked);
	step_done("scan");
}

static void read_library(struct finding *f, size_t i)
{
	struct image im;
	struct library lib = f->found.v[i];
	if (!image_open(&im, lib.path)) {
		f->known->complete &= lib.libc;
		return;
	}
	image_dynamic(&im);
	uint64_t run = image_value(&im, DT_RUNPATH);
	run = run ? run : image_value(&im, DT_RPATH);
	lib.run = run ? arena_printf(f->a, "%s", image_string(&im, run)) : NULL;
	f->found.v[i] = lib;
	f->machine = im.eh.e_machine;
	if (!lib.libc)
		add_names(f, &im, lib.path, !i);
	f->known->sets_base |= i && !lib.libc && sets_base(f, &im, lib.path);
	add_needed(f, &im, &lib);
	image_close(&im);
}

/* Is one of the doubtful names not that of a function that a library or the output defines? */
static bool may_thread(const struct finding *f)
{
	for (size_t i = 0; i < f->doubtful.n; i++)
		if (!strmap_find(&f->known->foreign, f->doubtful.v[i]) &&
			!strmap_find(&f->known->exported, f->doubtful.v[i]))
			return true;
	return false;
}

void libraries_read(struct link *l)
{
	struct outside *known = l->outside = arena_new(&l->arena, struct outside);
	struct finding f = {.l = l, .a = &l->arena, .known = known};
	*known = (struct outside){.complete = true};
	read_trace(&f, l->trace);
	/* the output itself is the first one */
	vec_push(&f.found, (struct library){.path = l->ref, .origin = folder_of(f.a, l->out.path)});
	for (size_t i = 0; i < f.found.n; i++)
		read_library(&f, i);
	/* symbols that a library needs without naming a library come from the program that loads it
	 */
	known->complete &= known->needs_libc || !l->shared;
	known->threads = may_thread(&f);
	file_unmap(f.cache);
	vec_free(&f.found);
	vec_free(&f.doubtful);
	step_done("libraries");
}

const char *depaudit(struct link *l)
{
	struct image im;
	const char *found = NULL;
	if (!image_open(&im, l->ref))
		return NULL;
	image_dynamic(&im);
	if (image_tag(&im, DT_DEPAUDIT, 0))
		found = arena_printf(&l->arena, "%s",
			image_string(&im, image_value(&im, DT_DEPAUDIT)));
	image_close(&im);
	return found;
}

/* The libraries on the command line ------------------------------------------------ */

/* The file that the trace names for an item: the last part of its path is known.  NULL: none. */
static const char *traced_file(struct link *l, const struct item *it)
{
	if (it->opt == OPT_FILE)
		return it->value;
	const char *name = *it->value == ':' ? it->value + 1
					     : arena_printf(&l->arena, "lib%s.so", it->value);
	for (const char *p = l->trace, *eol; *p; p = *eol ? eol + 1 : eol) {
		eol = strchrnul(p, '\n');
		const char *path = arena_printf(&l->arena, "%.*s", (int)(eol - p), p);
		if (!strcmp(base_name(path), name))
			return path;
	}
	return NULL;
}

/* Does the reference need a library of this name? */
static bool is_needed(const char *reference, const char *soname, const char *file)
{
	struct image im;
	bool found = false;
	if (!image_open(&im, reference))
		return false;
	image_dynamic(&im);
	const Elf64_Dyn *d;
	for (size_t i = 0; (d = image_tag(&im, DT_NEEDED, i)) && !found; i++) {
		const char *name = image_string(&im, d->d_un.d_val);
		found = !strcmp(name, *soname ? soname : file) ||
			(!*soname && !strcmp(name, base_name(file)));
	}
	image_close(&im);
	return found;
}

enum need library_need(struct link *l, const struct item *it)
{
	struct image im;
	const char *file = it->opt == OPT_FILE || it->opt == OPT_library ? traced_file(l, it)
									 : NULL;
	if (!file || file_kind(file) != KIND_DYN || !image_open(&im, file))
		return NEED_UNKNOWN;
	image_dynamic(&im);
	const char *soname = image_string(&im, image_value(&im, DT_SONAME));
	bool needed = is_needed(l->ref, soname, file);
	image_close(&im);
	return needed ? NEED_YES : NEED_NO;
}
