/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origins.c - which of the user's files a piece of the combined object is from
 *
 * LLD gives each section of each input a section of its own, in their order, and can write a map of
 * them.  Where the sections of the inputs match those of the combined object, one by one, they tell
 * as much.  The map takes time to write, so it is not written when the objects are combined: they
 * are combined again if there is a message with another place.  Sections that LLD makes itself,
 * such as merged strings, are from no input.
 */
#include "ldwrap/ldwrap.h"

#include "reloc/object.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define ALNUM "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct piece {
	uint32_t sec;	/* of the combined object */
	uint64_t start; /* offset in sec */
	const char *file;
};

struct finder {
	struct link *l;
	pthread_mutex_t lock; /* protects the fields below and l->arena */
	bool asked;
	VEC(struct piece) piece; /* by section and start */
	const char **file;	 /* by section of the combined object, or NULL: not known */
	uint32_t nfiles;
};

/* The user's names --------------------------------------------------------- */

/* If file begins with a member of our archives: the user's name of it, and its end.  Or NULL. */
static const char *copied_name(const struct link *l, const char *file, const char **end)
{
	const char *open = strchr(file, '(');
	if (!open || !isdigit((unsigned char)open[1]))
		return NULL;
	char *close;
	unsigned long number = strtoul(open + 1, &close, 10);
	*end = close + 1;
	return *close == ')' && number < l->copied.n ? l->copied.v[number] : NULL;
}

/* The user's name of an input of the combining link. */
static const char *users_name(struct link *l, const char *file)
{
	const char *end, *name = NULL;
	const char *archives = in_dir(l, COPIES);
	if (!strncmp(file, archives, strlen(archives)))
		name = copied_name(l, file, &end);
	if (name)
		file = name;
	size_t n = strlen(l->lto);
	if (!strncmp(file, l->lto, n))
		return arena_printf(&l->arena, "%s.lto%s.o", l->out.path, file + n);
	return arena_printf(&l->arena, "%s", file);
}

const char *origins_in_text(struct link *l, const char *text)
{
	const char *archives = in_dir(l, COPIES), *done = "";
	for (const char *at; (at = strstr(text, archives));) {
		const char *end = at + 1, *name = copied_name(l, at, &end);
		done = arena_printf(&l->arena, "%s%.*s%s", done, (int)((name ? at : end) - text),
			text, name ? name : "");
		text = end;
	}
	return arena_printf(&l->arena, "%s%s", done, text);
}

/* The map --------------------------------------------------------------------- */

/*
 * A line is four numbers, of which the first is the address, and a name: behind one blank an output
 * section, behind nine blanks the part of an input, FILE:(SECTION), behind more a symbol.
 */
static void read_line(struct finder *f, char *line, uint32_t *sec)
{
	enum { OUT = 1, IN = 9 };
	char *p = line;
	uint64_t start = strtoull(p, &p, 16);
	strtoull(p, &p, 16);
	strtoull(p, &p, 16);
	strtoull(p, &p, 10);
	size_t blanks = strspn(p, " ");
	char *name = p + blanks, *end = NULL;
	*sec += blanks == OUT;
	for (char *q = blanks == IN ? name : NULL; q && (q = strstr(q, ":(")); q += 2)
		end = q;
	if (!end || !strncmp(name, "<internal>", 10))
		return;
	*end = 0;
	vec_push(&f->piece, ((struct piece){*sec, start, NULL}));
	const struct piece *last = f->piece.n > 1 ? &f->piece.v[f->piece.n - 2] : NULL;
	f->piece.v[f->piece.n - 1].file =
		last && !strcmp(last->file, name) ? last->file : users_name(f->l, name);
}

static void read_map(struct finder *f, struct bytes map)
{
	uint32_t sec = 0;
	char *text = arena_printf(&f->l->arena, "%.*s", (int)map.n, (const char *)map.p);
	strsep(&text, "\n"); /* column headers */
	for (char *line; (line = strsep(&text, "\n"));)
		if (*line)
			read_line(f, line, &sec);
}

/*
 * LLD runs in a new program: in a process that is only forked, locks held by other threads would
 * stay locked.
 */
static void make_map(void *arg)
{
	struct finder *f = arg;
	struct link *l = f->l;
	struct linker self = {.kind = LINKER_LLD, .path = l->ldx.exe};
	const char *path = in_dir(l, "origins");
	strings argv = {0};
	struct child_result r;
	struct bytes map;
	emit_combine(l, "/dev/null", &argv);
	vec_push(&argv, "--instrument=off");
	vec_push(&argv, "--ldx-linker=own");
	vec_push(&argv, arena_printf(&l->arena, "-Map=%s", path));
	linker_run(l, &self, &argv, &r);
	vec_free(&argv);
	if (!r.status && file_map(path, &map)) {
		read_map(f, map);
		file_unmap(map);
	}
	unlink(path);
}

/* The last piece that begins at or in front of the place. */
static const struct piece *find_piece(const struct finder *f, uint32_t sec, uint64_t off)
{
	size_t lo = 0, hi = f->piece.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct piece *p = &f->piece.v[mid];
		if (p->sec < sec || (p->sec == sec && p->start <= off))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && f->piece.v[lo - 1].sec == sec ? &f->piece.v[lo - 1] : NULL;
}

static const char *find(void *ctx, uint32_t sec, uint64_t *off)
{
	struct finder *f = ctx;
	if (sec < f->nfiles && f->file[sec])
		return f->file[sec];
	pthread_mutex_lock(&f->lock);
	if (!f->asked)
		attempt(&f->l->arena, make_map, f); /* else places have no file names */
	f->asked = true;
	pthread_mutex_unlock(&f->lock);
	const struct piece *p = find_piece(f, sec, *off);
	if (!p)
		return NULL;
	*off -= p->start;
	return p->file;
}

/* Inputs of sections ----------------------------------------------------------- */

/*
 * LLD takes the sections of one kind of each input in their order, except those of a COMDAT group
 * that an earlier input had.  Matched sections must have the same name and size.
 */
struct matching {
	struct link *l;
	const struct object *o;
	uint32_t next[SECTION_KINDS]; /* by kind: the next section of o to be matched */
	const char **file;	      /* by section of o */
	const char *current;	      /* the input being read */
	bool differs[SECTION_KINDS];
	bool damaged;
};

static enum section_kind kind_of(const struct section *s)
{
	return section_kind(s->name, s->type, s->flags, s->size);
}

/* Go on to the next section of the kind, which may be the one at the cursor. */
static void skip_others(struct matching *m, enum section_kind kind)
{
	uint32_t *next = &m->next[kind];
	while (*next < m->o->sec.n && kind_of(&m->o->sec.v[*next]) != kind)
		++*next;
}

/* The signature of the section's group; NULL: it is in none. */
static const char *signature_of(const struct object *o, const struct section *s)
{
	if (!s->group)
		return NULL;
	const struct symbol *sym = &o->sym.v[o->sec.v[s->group].info];
	bool nameless = symbol_type(sym) == STT_SECTION && !*sym->name && sym->sec < o->sec.n;
	return nameless ? o->sec.v[sym->sec].name : sym->name;
}

static void match_section(void *ctx, const struct input_section *in)
{
	struct matching *m = ctx;
	uint32_t *next = &m->next[in->kind];
	const struct section *s = *next < m->o->sec.n ? &m->o->sec.v[*next] : NULL;
	const char *own = s ? signature_of(m->o, s) : NULL;
	if (in->signature && (!own || strcmp(own, in->signature)))
		return; /* an earlier input had this group */
	m->differs[in->kind] |= !s || s->size != in->size || strcmp(s->name, in->name);
	if (m->differs[in->kind])
		return;
	m->file[(*next)++] = m->current;
	skip_others(m, in->kind);
}

static void match_input(struct matching *m, const char *name, struct bytes data)
{
	m->current = users_name(m->l, name);
	m->damaged |= !object_sections(data, match_section, m);
}

static void match_archive(struct matching *m, struct archive *ar)
{
	m->damaged |= !ar;
	for (size_t i = 0; !m->damaged && i < ar->members.n; i++) {
		const struct member *member = &ar->members.v[i];
		match_input(m, arena_printf(&m->l->arena, "%s(%s)", ar->path, member->name),
			member->data);
	}
	archive_free(ar);
}

static void match_file(struct matching *m, const char *path)
{
	struct bytes b = {0};
	if (file_kind(path) == KIND_ARCHIVE)
		match_archive(m, archive_open(&m->l->arena, path));
	else if (file_map(path, &b))
		match_input(m, path, b);
	else
		m->damaged = true;
	file_unmap(b);
}

static const char **inputs(void *ctx, const struct object *o)
{
	struct finder *f = ctx;
	struct matching m = {.l = f->l,
		.o = o,
		.next = {[SECTION_CODE] = 1, [SECTION_DATA] = 1},
		.file = arena_array(&f->l->arena, const char *, o->sec.n)};
	skip_others(&m, SECTION_CODE);
	skip_others(&m, SECTION_DATA);
	for (size_t i = 0; i < f->l->members.n && !m.damaged; i++)
		match_file(&m, f->l->members.v[i]);
	if (m.damaged || m.differs[SECTION_CODE] || m.next[SECTION_CODE] < o->sec.n)
		return NULL;
	bool data = !m.differs[SECTION_DATA] && m.next[SECTION_DATA] == o->sec.n;
	for (size_t i = 1; i < o->sec.n && !data; i++)
		if (kind_of(&o->sec.v[i]) == SECTION_DATA)
			m.file[i] = NULL;
	f->file = m.file;
	f->nfiles = (uint32_t)o->sec.n;
	return m.file;
}

static bool has_only(const char *name, const char *class, size_t n)
{
	return strspn(name, class) >= n;
}

/*
 * Objects that gcc and clang make for a single link: ccXXXXXX.o and NAME-XXXXXX.o (XXXXXX: letters
 * and digits, or hexadecimal digits), both in the directory for temporary files.
 */
static bool is_drivers(const char *file)
{
	static const char *const vars[] = {"TMPDIR", "TMP", "TEMP"};
	const char *base = base_name(file), *dir = NULL, *minus = strrchr(base, '-');
	size_t n = strlen(base);
	for (size_t i = 0; i < 3 && !dir; i++)
		dir = getenv(vars[i]);
	if (!dir)
		dir = P_tmpdir;
	size_t len = strlen(dir);
	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (strncmp(file, dir, len) || file + len + 1 != base || n < 2 ||
		strcmp(base + n - 2, ".o"))
		return false;
	return (n == 10 && !strncmp(base, "cc", 2) && has_only(base + 2, ALNUM, 6)) ||
		(minus && base + n - minus == 9 && has_only(minus + 1, "0123456789abcdef", 6));
}

static bool temporary(void *ctx, const char *file)
{
	const struct finder *f = ctx;
	const char *out = f->l->out.path;
	size_t n = strlen(out);
	return is_drivers(file) || (!strncmp(file, out, n) && !strncmp(file + n, ".lto", 4));
}

void origins_of(struct link *l, struct origins *o)
{
	struct finder *f = arena_new(&l->arena, struct finder);
	f->l = l;
	pthread_mutex_init(&f->lock, NULL);
	*o = (struct origins){.find = find, .inputs = inputs, .temporary = temporary, .ctx = f};
}
