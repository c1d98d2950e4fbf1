/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.c - which objects and archive members a link has taken
 *
 * The reference link traces every file it loads, in the order of its layout.  Plain objects are
 * taken by their path; the archive members between two of these are copied to an archive of our
 * own.  A trace does not distinguish members of the same name: the symbol for which a member was
 * taken does.  Members without such a symbol are taken in the archive's order, by --whole-archive.
 *
 * hazard: archive behind a library.  Which archive members a program contains depends on the shared
 * libraries in front of them: the reference link decides, ld -r combines these.
 */
#include "ldwrap/ldwrap.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A line of the trace: an object, or a member of an archive.  LLD and gold write archive(member),
 * GNU ld (archive)member.
 */
struct traced {
	const char *file;
	enum file_kind kind; /* of the file; KIND_NONE: not readable */
	const char *member;  /* or NULL */
	const char *name;    /* archive(member) */
};

struct finding {
	struct link *l;
	struct arena *a;
	struct strmap archives; /* path -> struct archive * */
	struct strmap times;	/* "archive(member)" -> how often it is in the trace */
	struct strmap blobs;	/* inputs whose code is not linked */
	struct strmap made;	/* objects of LTO, which are added as a whole */
	VEC(struct traced) trace;
	char *why; /* the text of --why-extract; rows that were used are overwritten */
	size_t why_size;
	struct archive_out out; /* members since the last plain object */
	const char *out_path;	/* of that archive; NULL: none yet */
	bool lto_added;
	const char *behind_lto; /* the input in front of which it is linked; NULL: unknown */
	const char *problem;
};

static void problem(struct finding *f, const char *text)
{
	if (!f->problem)
		f->problem = text;
}

static struct archive *get_archive(struct finding *f, const char *path)
{
	uint64_t *slot = strmap_slot(&f->archives, path);
	if (!*slot)
		*slot = (uint64_t)(uintptr_t)archive_open(f->a, path);
	return (struct archive *)(uintptr_t)*slot;
}

/* Lines ---------------------------------------------------------------- */

static bool parse_line(struct finding *f, char *line, struct traced *t)
{
	size_t n = strlen(line);
	*t = (struct traced){.file = line, .kind = file_kind(line)};
	if (t->kind != KIND_NONE || !access(line, F_OK))
		return true;
	const char *close = line[0] == '(' ? strchr(line, ')') : NULL;
	if (close) {
		t->file = arena_printf(f->a, "%.*s", (int)(close - line - 1), line + 1);
		t->member = close + 1;
	} else if (n && line[n - 1] == ')') {
		const char *open = strrchr(line, '(');
		if (!open)
			return false;
		t->file = arena_printf(f->a, "%.*s", (int)(open - line), line);
		t->member = arena_printf(f->a, "%.*s", (int)(line + n - open - 2), open + 1);
	} else {
		return false;
	}
	t->name = arena_printf(f->a, "%s(%s)", t->file, t->member);
	t->kind = file_kind(t->file);
	return t->kind == KIND_ARCHIVE;
}

/* Members --------------------------------------------------------------- */

/*
 * The symbol in FILE (SYMBOL); for option -u GNU ld writes (SYMBOL), gold -u SYMBOL.  Else NULL, as
 * in
 * (--whole-archive).
 */
static const char *reason_symbol(struct arena *a, const char *reason)
{
	const char *open = *reason == '(' ? reason : strstr(reason, " (");
	if (!open)
		return strncmp(reason, "-u ", 3) ? NULL : reason + 3;
	open += *open == ' ';
	if (!strcmp(open, "(--whole-archive)"))
		return NULL;
	return arena_printf(a, "%.*s", (int)strlen(open) - 2, open + 1);
}

/*
 * GNU ld and gold write the reasons at the head of their map.  A name takes 30 columns, or a line
 * of its own:
 *
 *	libx.a(member.o)              main.o (symbol)
 */
static void read_map(struct finding *f, struct bytes map)
{
	enum { COLUMNS = 30 };
	char *text = arena_printf(f->a, "%.*s", (int)map.n, (const char *)map.p);
	struct buf rows = {0};
	strsep(&text, "\n");
	strsep(&text, "\n");
	for (char *line; (line = strsep(&text, "\n")) && *line;) {
		bool alone = strlen(line) <= COLUMNS || line[COLUMNS - 1] != ' ';
		char *reason = alone ? strsep(&text, "\n") : line;
		reason = reason && strlen(reason) > COLUMNS ? reason + COLUMNS : NULL;
		size_t n = alone ? strlen(line) : COLUMNS;
		while (n && line[n - 1] == ' ')
			n--;
		const char *symbol = reason ? reason_symbol(f->a, reason) : NULL;
		if (!symbol)
			continue;
		char *row = arena_printf(f->a, "\t%.*s\t%s\n", (int)n, line, symbol);
		buf_put(&rows, row, strlen(row));
	}
	f->why_size = rows.n;
	f->why = arena_alloc(f->a, rows.n + 1);
	if (rows.n)
		memcpy(f->why, rows.v, rows.n);
	vec_free(&rows);
}

/*
 * The next symbol for which a member of this name was taken, as LLD prints it; NULL: there is none.
 * Rows are reference, extracted, symbol.
 */
static char *next_reason(struct finding *f, const char *extracted)
{
	size_t n = strlen(extracted);
	for (char *p = f->why, *end = f->why + f->why_size; p < end;) {
		char *eol = memchr(p, '\n', (size_t)(end - p));
		char *tab = eol ? memchr(p, '\t', (size_t)(eol - p)) : NULL;
		if (!tab)
			return NULL;
		if ((size_t)(eol - tab) > n + 1 && !memcmp(tab + 1, extracted, n) &&
			tab[n + 1] == '\t') {
			*tab = ' ';
			return arena_printf(f->a, "%.*s", (int)(eol - tab - n - 2), tab + n + 2);
		}
		p = eol + 1;
	}
	return NULL;
}

/* The members of that name; NULL: none. */
static struct namesakes *find_namesakes(struct archive *ar, const char *name)
{
	uint64_t *number = ar ? strmap_find(&ar->names, base_name(name)) : NULL;
	return number ? &ar->same.v[*number - 1] : NULL;
}

/* A member of this name that is not taken yet and, if symbol is given, defines it. */
static struct member *pick(struct archive *ar, struct namesakes *s, const char *symbol)
{
	while (s->first && ar->members.v[s->first - 1].taken)
		s->first = ar->members.v[s->first - 1].next;
	for (uint32_t i = s->first; i; i = ar->members.v[i - 1].next) {
		struct member *m = &ar->members.v[i - 1];
		if (!m->taken && (!symbol || object_defines(m->data, symbol)))
			return m;
	}
	return NULL;
}

/* The only member with this name, folders included; NULL: there are several, or none. */
static struct member *only_member(struct archive *ar, const struct namesakes *s, const char *name)
{
	struct member *found = NULL;
	for (uint32_t i = s ? s->first : 0; i; i = ar->members.v[i - 1].next) {
		struct member *m = &ar->members.v[i - 1];
		if (strcmp(m->name, name) != 0)
			continue;
		if (found)
			return NULL;
		found = m;
	}
	return found;
}

static struct member *find_member(struct finding *f, const struct traced *t)
{
	struct archive *ar = get_archive(f, t->file);
	struct namesakes *same = find_namesakes(ar, t->member);
	struct member *only = strchr(t->member, '/') ? only_member(ar, same, t->member) : NULL;
	if (only && !only->taken) {
		only->taken = true;
		return only;
	}
	const char *symbol = NULL;
	if (same && same->n > 1) {
		symbol = next_reason(f, t->name);
		f->l->ambiguous |= !symbol;
	}
	if (same && same->n > *strmap_slot(&f->times, t->name) && !symbol) {
		problem(f, arena_printf(f->a, "%s has several members %s", t->file, t->member));
		return NULL;
	}
	struct member *m = same ? pick(ar, same, symbol) : NULL;
	if (!m)
		problem(f, arena_printf(f->a, "cannot find %s", t->name));
	else
		m->taken = true;
	return m;
}

/* --exclude-libs: the symbols of these archives stay in the output.  GNU ld lets .a be left out. */
static bool is_excluded(const struct link *l, const char *archive)
{
	const char *base = base_name(archive);
	size_t len = strlen(base), stem = len;
	if (l->replaced == LINKER_BFD && len > 2 && !strcmp(base + len - 2, ".a"))
		stem -= 2;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		for (const char *p = it->opt == OPT_exclude_libs ? it->value : ""; *p;) {
			size_t n = strcspn(p, ",:");
			if ((n == 3 && !memcmp(p, "ALL", 3)) ||
				((n == len || n == stem) && !memcmp(p, base, n)))
				return true;
			p += n + (p[n] != 0);
		}
	}
	return false;
}

static void copy_problem(struct finding *f)
{
	problem(f, arena_printf(f->a, "cannot write %s: %s", f->out_path, strerror(errno)));
}

/* How an object is changed. */
enum {
	CONVERT = 1, /* so that LLD reads in it what the replaced linker does */
	CONVERT_HIDE = 2,
	CONVERT_PART_GROUPS = 4,
};

/*
 * The object as LLD is to read it: what it does not know is converted, and what the replaced linker
 * does to the symbols of single inputs is done.
 */
static void convert(struct finding *f, struct buf *copy, struct bytes data, unsigned how)
{
	struct link *l = f->l;
	object_renew(copy, data);
	object_small_commons(f->a, copy->v, copy->n, &l->large);
	object_part_versions(copy->v, copy->n, may_define_again(l));
	if (l->replaced != LINKER_LLD)
		object_wrap(copy, &l->wrapped);
	if (how & CONVERT_HIDE)
		object_hide(copy->v, copy->n);
	if (how & CONVERT_PART_GROUPS)
		object_part_groups(copy->v, copy->n);
}

/*
 * Adds a copy of an object to those to combine.  Its name is a number, so that messages about
 * members of the same name can be attributed.
 */
static void copy_member(struct finding *f, const char *called, struct bytes data, unsigned how)
{
	struct link *l = f->l;
	struct buf copy = {0};
	if (!f->out_path) {
		f->out_path = in_dir(l, arena_printf(f->a, COPIES "%u.a", l->copies++));
		if (!archive_create(&f->out, f->out_path))
			copy_problem(f);
		vec_push(&l->members, f->out_path);
	}
	if (how) {
		convert(f, &copy, data, how);
		data = (struct bytes){copy.v, copy.n};
	}
	const char *number = arena_printf(f->a, "%zu", l->copied.n);
	vec_push(&l->copied, called);
	if (!archive_add(&f->out, number, data))
		copy_problem(f);
	vec_free(&copy);
}

static void copies_end(struct finding *f)
{
	if (f->out_path && !archive_close(&f->out))
		copy_problem(f);
	f->out_path = NULL;
}

/* Objects --------------------------------------------------------------- */

/* The names that objects made by gcc's LTO have in the trace; most often they no longer exist. */
static void read_lto_names(struct link *l, struct strmap *names)
{
	struct bytes b;
	if (!file_map(arena_printf(&l->arena, "%s" LTO_NAMES, l->lto), &b))
		return;
	char *text = arena_printf(&l->arena, "%.*s", (int)b.n, (const char *)b.p);
	for (char *name; (name = strsep(&text, "\n"));)
		*strmap_slot(names, name) = 1;
	file_unmap(b);
}

unsigned add_traits(struct link *l, struct bytes object)
{
	unsigned traits = object_traits(object);
	/* without the plugin, of which LLD has none, the machine code beside it is linked */
	if (!gcc_lto_wrapper(&l->cmd) || l->replaced == LINKER_LLD)
		traits &= ~(unsigned)TRAIT_GCC_LTO;
	if (may_define_again(l) && object_has_versions(object, true))
		traits |= TRAIT_VERSIONS;
	l->traits |= traits;
	return traits;
}

/* CONVERT, if LLD reads something else in it than the replaced linker. */
static unsigned must_convert(const struct link *l, struct bytes object, unsigned traits)
{
	bool other = (traits & (TRAIT_ZDEBUG | TRAIT_LARGE_COMMON | TRAIT_VERSIONS)) ||
		(l->replaced != LINKER_LLD && object_refers_to(object, &l->wrapped));
	return other ? CONVERT : 0;
}

/* LLD links all COMDAT groups of what it has optimized, those of one name too. */
static void add_lto_object(struct finding *f, const char *path)
{
	struct bytes b;
	if (!file_map(path, &b))
		return;
	unsigned how = must_convert(f->l, b, add_traits(f->l, b));
	if (f->l->replaced == LINKER_LLD && object_has_groups(b))
		how |= CONVERT_PART_GROUPS;
	if (how) {
		copy_member(f, path, b, how);
	} else {
		copies_end(f);
		vec_push(&f->l->members, path);
	}
	file_unmap(b);
}

/* Adds the objects made by LTO: PREFIX, PREFIX0, PREFIX1...; parts may be empty or missing. */
static void add_lto(struct finding *f)
{
	const char *prefix = cmdline_value(&f->l->cmd, OPT_lto_obj_path);
	int missing = 0;
	if (f->lto_added)
		return;
	f->lto_added = true;
	if (!prefix || f->l->linker.kind != LINKER_LLD)
		prefix = f->l->made ? f->l->made : f->l->lto;
	for (int i = -1; missing < 64; i++) {
		char *path = i < 0 ? arena_printf(f->a, "%s", prefix)
				   : arena_printf(f->a, "%s%d", prefix, i);
		if (file_kind(path) == KIND_REL)
			add_lto_object(f, path);
		missing = access(path, F_OK) ? missing + 1 : 0;
	}
}

/* What LTO makes of several objects is linked in place of the first one; by mold and LLD, last. */
static void replace_by_lto(struct finding *f)
{
	if (f->l->replaced == LINKER_BFD || f->l->replaced == LINKER_GOLD)
		add_lto(f);
}

static bool is_for_lto(struct link *l, const char *file)
{
	struct bytes b;
	if (!file_map(file, &b))
		return false;
	enum file_kind kind = bytes_kind(b);
	bool found = kind == KIND_BITCODE || (kind == KIND_REL && add_traits(l, b) & TRAIT_GCC_LTO);
	file_unmap(b);
	return found;
}

/* gold does not trace objects for LTO: the next other input on the command line, or NULL. */
static const char *find_behind_lto(struct link *l)
{
	bool found = false;
	if (l->replaced != LINKER_GOLD || !(l->traits & (TRAIT_GCC_LTO | TRAIT_BITCODE)))
		return NULL;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		bool lto = it->opt == OPT_FILE && is_for_lto(l, it->value);
		if (it->opt == OPT_FILE && found && !lto)
			return it->value;
		found |= lto;
	}
	return NULL;
}

static void add_member(struct finding *f, const struct traced *t)
{
	struct member *m = find_member(f, t);
	unsigned traits = m ? add_traits(f->l, m->data) : 0;
	if (!m)
		return;
	if (traits & (TRAIT_GCC_LTO | TRAIT_BITCODE))
		replace_by_lto(f);
	else
		copy_member(f, t->name, m->data,
			must_convert(f->l, m->data, traits) |
				(is_excluded(f->l, t->file) ? CONVERT_HIDE : 0));
}

static void add_object(struct finding *f, const struct traced *t)
{
	struct bytes b;
	/* what LTO makes is added as a whole */
	bool made = !strncmp(t->file, f->l->lto, strlen(f->l->lto)) ||
		strmap_find(&f->made, t->file);
	if (made || is_crt_file(t->file) || strmap_find(&f->blobs, t->file) ||
		!file_map(t->file, &b))
		return;
	enum file_kind kind = bytes_kind(b);
	bool object = kind == KIND_REL;
	unsigned traits = object || kind == KIND_BITCODE ? add_traits(f->l, b) : 0;
	if (traits & (TRAIT_GCC_LTO | TRAIT_BITCODE)) {
		replace_by_lto(f);
	} else if (!object) {
		; /* no code */
	} else if (must_convert(f->l, b, traits)) {
		copy_member(f, t->file, b, CONVERT);
	} else {
		copies_end(f);
		vec_push(&f->l->members, t->file);
	}
	file_unmap(b);
}

static void find_blobs(struct finding *f)
{
	bool binary = false;
	for (size_t i = 0; i < f->l->cmd.items.n; i++) {
		const struct item *it = &f->l->cmd.items.v[i];
		if (it->opt == OPT_format)
			binary = !strcmp(it->value, "binary");
		else if ((it->opt == OPT_FILE && binary) || it->opt == OPT_just_symbols)
			*strmap_slot(&f->blobs, it->value) = 1;
	}
}

static void read_trace(struct finding *f, const char *trace)
{
	char *text = arena_printf(f->a, "%s", trace);
	for (char *line; (line = strsep(&text, "\n"));) {
		struct traced t;
		if (!parse_line(f, line, &t))
			continue;
		if (t.member)
			++*strmap_slot(&f->times, t.name);
		vec_push(&f->trace, t);
	}
}

static bool is_thin(const char *path)
{
	struct bytes b;
	if (!file_map(path, &b))
		return false;
	bool thin = b.n >= 8 && !memcmp(b.p, "!<thin>\n", 8);
	file_unmap(b);
	return thin;
}

/* By the path of each member of the thin archives in the trace: the member as LLD would trace it.
 */
static void find_thin(struct finding *f, struct strmap *members)
{
	for (size_t i = 0; i < f->trace.n; i++) {
		const struct traced *at = &f->trace.v[i];
		const char *path = at->file;
		bool thin = !at->member && at->kind == KIND_ARCHIVE && is_thin(path);
		struct archive *ar = thin ? get_archive(f, path) : NULL;
		for (size_t k = 0; ar && k < ar->members.n; k++) {
			struct traced *t = arena_new(f->a, struct traced);
			const char *name = ar->members.v[k].name;
			*t = (struct traced){.file = path,
				.kind = KIND_ARCHIVE,
				.member = name,
				.name = arena_printf(f->a, "%s(%s)", path, name)};
			const char *file = archive_thin_path(f->a, path, name);
			*strmap_slot(members, file) = (uint64_t)(uintptr_t)t;
		}
	}
}

/* GNU ld traces a member of a thin archive as the file that it is. */
static void name_thin(struct finding *f)
{
	struct strmap members = {0};
	find_thin(f, &members);
	for (size_t i = 0; i < f->l->cmd.items.n && members.n; i++) {
		const struct item *it = &f->l->cmd.items.v[i];
		uint64_t *slot = it->opt == OPT_FILE ? strmap_find(&members, it->value) : NULL;
		if (slot)
			*slot = 0;
	}
	for (size_t i = 0; i < f->trace.n && members.n; i++) {
		struct traced *t = &f->trace.v[i];
		uint64_t *slot = t->member ? NULL : strmap_find(&members, t->file);
		if (!slot || !*slot)
			continue;
		*t = *(struct traced *)(uintptr_t)*slot;
		++*strmap_slot(&f->times, t->name);
	}
	strmap_free(&members);
}

/* How often the user wants the files named: GNU ld names members only if it is told twice. */
static unsigned wanted_trace(const struct link *l)
{
	unsigned n = 0;
	for (size_t i = 0; i < l->cmd.items.n; i++) {
		const struct item *it = &l->cmd.items.v[i];
		n += it->opt == OPT_trace;
		n += it->opt == OPT_verbose && l->linker.kind == LINKER_BFD;
	}
	return l->linker.kind == LINKER_BFD ? n : 2 * n;
}

/* Names the line an object of link-time optimization, which may be gone? */
static bool is_lto_object(const struct link *l, const char *line)
{
	return l->lto && !strncmp(line, l->lto, strlen(l->lto));
}

void members_print_rest(struct link *l, const char *trace)
{
	struct finding f = {.l = l, .a = &l->arena};
	struct strmap gone = {0};
	char *text = arena_printf(f.a, "%s", trace);
	unsigned wanted = wanted_trace(l);
	read_lto_names(l, &gone);
	/* what strsep() finds behind the last end of a line is none */
	for (char *line; (line = strsep(&text, "\n")) && text;) {
		struct traced t;
		if (wanted > 1 || (wanted && *line != '(') ||
			(!wanted && !parse_line(&f, line, &t) && !is_lto_object(l, line) &&
				!strmap_find(&gone, line)))
			print_text(l, arena_printf(f.a, "%s\n", line), stdout);
	}
	fflush(stdout);
	strmap_free(&gone);
}

static void finding_free(struct finding *f)
{
	for (size_t i = 0; i < f->archives.cap; i++)
		if (f->archives.v[i].key)
			archive_free((struct archive *)(uintptr_t)f->archives.v[i].value);
	strmap_free(&f->archives);
	strmap_free(&f->times);
	strmap_free(&f->blobs);
	strmap_free(&f->made);
	vec_free(&f->trace);
}

bool members_named(struct link *l, const char *trace)
{
	struct finding f = {.l = l, .a = &l->arena};
	read_trace(&f, trace);
	bool any = f.trace.n;
	finding_free(&f);
	return any;
}

static void read_why(struct finding *f)
{
	struct link *l = f->l;
	struct bytes why;
	const char *users = cmdline_value(&l->cmd, OPT_why_extract), *file = l->why;
	bool lld = l->linker.kind == LINKER_LLD;
	if (lld && users)
		file = users;
	else if (!l->want_reasons)
		return;
	if (!file_map(file, &why))
		return;
	if (!lld) {
		read_map(f, why);
	} else if (why.n) {
		f->why = arena_alloc(&l->arena, why.n);
		memcpy(f->why, why.p, f->why_size = why.n);
	}
	file_unmap(why);
}

const char *members_find(struct link *l, const char *trace)
{
	struct finding f = {.l = l, .a = &l->arena};
	l->members.n = l->copied.n = l->wrapped.n = 0;
	l->combined = NULL;
	l->ambiguous = false;
	for (size_t i = 0; i < l->cmd.items.n; i++)
		if (l->cmd.items.v[i].opt == OPT_wrap)
			vec_push(&l->wrapped, l->cmd.items.v[i].value);
	read_why(&f);
	find_blobs(&f);
	read_lto_names(l, &f.made);
	read_trace(&f, trace);
	name_thin(&f);
	f.behind_lto = find_behind_lto(l);
	for (size_t i = 0; i < f.trace.n; i++) {
		const struct traced *t = &f.trace.v[i];
		if (f.behind_lto && !strcmp(t->file, f.behind_lto))
			add_lto(&f);
		if (t->member)
			add_member(&f, t);
		else
			add_object(&f, t);
	}
	add_lto(&f);
	copies_end(&f);
	finding_free(&f);
	if (!l->members.n)
		problem(&f, "no object files");
	if (l->traits & TRAIT_SPLIT_STACK)
		problem(&f, "an object uses split stacks");
	return f.problem;
}
