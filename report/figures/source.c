/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - the debug information of an object, by address; see source.h
 *
 * A unit of the debug information is read when one of its addresses is first asked for: its line
 * table as rows by address, and the parts of its tree that have code: functions, and inlined
 * functions in them.  Addresses are looked up in lists of spans, which divide the code among units,
 * and a unit's code among the innermost functions.
 */
#include "report/figures/source.h"

#include "base/base.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <search.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	NONE = UINT32_MAX,
	AT_OLD_LINKAGE_NAME = 0x2007,  /* before DWARF 4 */
	AT_GNU_DISCRIMINATOR = 0x2136, /* of a call that was inlined */
};

/* The code in [low, high) belongs to id, a unit or a scope. */
struct interval {
	uint64_t low, high;
	uint32_t id;
};
typedef VEC(struct interval) intervals;

/* The code from address from up to the next span belongs to id; NONE: to none. */
struct span {
	uint64_t from;
	uint32_t id;
};
typedef struct {
	struct span *v;
	size_t n, cap;
	size_t last; /* the result of the last query; the next one has often the same, or one more
		      */
} spans;

struct row {
	uint64_t address;
	const char *file;
	uint32_t line, discriminator;
	bool statement, end; /* end: no code from here on */
};

/* A function where it has code: out of line, or inlined in parent. */
struct scope {
	const struct source_func *func;
	uint32_t parent; /* NONE: it is out of line */
	const char *file;
	uint32_t line, discriminator; /* where the inlined function was called */
};

struct unit {
	Dwarf_CU *cu;
	bool loaded;
	struct row *row;
	size_t nrows;
	size_t last; /* as in spans */
	VEC(struct scope) scope;
	spans scope_at;
	uint64_t dead;	   /* see below */
	Dwarf_Files *file; /* the file table to which numbers in its tree refer */
	size_t nfiles;
	const char **name; /* of the files, as far as they were needed */
};

/* Functions and files are interned in trees of tsearch(3). */
struct source {
	const struct program *p;
	uint64_t bias; /* addresses in the debug information minus those in the object */
	VEC(struct unit) unit;
	spans unit_at;
	void *files, *funcs, *origins;
	bool warned;
	VEC(struct source_frame) frame;
	VEC(struct source_row) rows; /* of the last source_rows() */
};

/* The function that an abstract instance is of. */
struct origin {
	const void *die;
	const struct source_func *func;
};

static int compare_strings(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int compare_funcs(const void *a, const void *b)
{
	const struct source_func *x = a, *y = b;
	int d = strcmp(x->name, y->name);
	d = d ? d : strcmp(x->file ? x->file : "", y->file ? y->file : "");
	return d ? d : (x->line > y->line) - (x->line < y->line);
}

static int compare_origins(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;
	return (x->die > y->die) - (x->die < y->die);
}

/* The element of the tree that equals *key; if there is none, a copy of *key is added. */
static void *intern(void **tree, const void *key, size_t size,
	int (*compare)(const void *, const void *))
{
	void *const *found = tfind(key, tree, compare);
	if (found)
		return *found;
	void *copy = memcpy(new_array(1, size), key, size);
	if (!tsearch(copy, tree, compare))
		die("out of memory");
	return copy;
}

/* The path in the debug information of the unit of cu, as one string for each file; NULL: none. */
static const char *intern_path(struct source *s, Dwarf_Die *cu, const char *path)
{
	Dwarf_Attribute a;
	if (!path || !*path)
		return NULL;
	const char *dir = *path == '/' ? NULL
				       : dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &a));
	char *whole = dir ? new_string("%s/%s", dir, path) : new_string("%s", path);
	simplify_path(whole);
	const char *one = intern(&s->files, whole, strlen(whole) + 1, compare_strings);
	free(whole);
	return one;
}

static const char *file_name(struct source *s, struct unit *u, Dwarf_Die *cu, size_t i)
{
	if (i >= u->nfiles)
		return NULL;
	if (!u->name[i])
		u->name[i] = intern_path(s, cu, dwarf_filesrc(u->file, i, NULL, NULL));
	return u->name[i];
}

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
		dwarf_attr_integrate(die, AT_OLD_LINKAGE_NAME, &a))
		return dwarf_formstring(&a);
	return dwarf_diename(die);
}

/* The state of reading a unit's tree. */
struct walk {
	struct source *s;
	struct unit *u;
	Dwarf_Die cu;
	intervals at;
	unsigned depth;
	const void *last; /* the element that was reached last */
};

static uint32_t number_of(Dwarf_Attribute *a)
{
	Dwarf_Word n;
	return a && !dwarf_formudata(a, &n) && n < UINT32_MAX ? (uint32_t)n : 0;
}

static uint32_t number_at(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute a;
	return number_of(dwarf_attr(die, name, &a));
}

/* The file that declares a function; the attribute may be in another unit, with other files. */
static const char *declaring_file(struct walk *w, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die cu;
	Dwarf_Files *files;
	size_t n;
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &a))
		return NULL;
	if (a.cu == w->cu.cu)
		return file_name(w->s, w->u, &w->cu, number_of(&a));
	if (!dwarf_cu_die(a.cu, &cu, NULL, NULL, NULL, NULL, NULL, NULL) ||
		dwarf_getsrcfiles(&cu, &files, &n) || number_of(&a) >= n)
		return NULL;
	return intern_path(w->s, &cu, dwarf_filesrc(files, number_of(&a), NULL, NULL));
}

static const struct source_func *make_func(struct walk *w, Dwarf_Die *die)
{
	int line = 0;
	struct source_func f = {.name = die_name(die)};
	if (!f.name)
		return NULL;
	f.file = declaring_file(w, die);
	if (!dwarf_decl_line(die, &line))
		f.line = (uint32_t)line;
	return intern(&w->s->funcs, &f, sizeof f, compare_funcs);
}

/* The function of an element of the tree, whose name may be in another element. */
static const struct source_func *find_func(struct walk *w, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die from;
	if (!dwarf_attr(die, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &from))
		return make_func(w, die);
	struct origin key = {.die = from.addr};
	struct origin *o = intern(&w->s->origins, &key, sizeof key, compare_origins);
	if (!o->func)
		o->func = make_func(w, die);
	return o->func;
}

/*
 * Is there code at the start of a range in the debug information?  Ranges of functions that the
 * linker discarded begin at 0 or 1, and so do their rows of the line table, which libdw sorts among
 * the others: below unit.dead, the end of the longest such function of a unit, no row is valid.
 */
static bool is_code(const struct source *s, uint64_t address)
{
	uint64_t n;
	return address > 1 && program_code(s->p, address, &n);
}

/* Returns the greatest end of ranges of discarded code, or 0. */
static uint64_t add_ranges(const struct source *s, Dwarf_Die *die, uint32_t id, intervals *to)
{
	Dwarf_Addr base, low, high;
	uint64_t dead = 0;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
		low -= s->bias;
		high -= s->bias;
		if (low < high && is_code(s, low))
			vec_push(to, (struct interval){low, high, id});
		else if (low <= 1 && dead < high)
			dead = high;
	}
	return dead;
}

/* A nested scope has a greater id. */
static int compare_intervals(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void begin_span(spans *v, uint64_t from, uint32_t id)
{
	if (v->n && v->v[v->n - 1].from == from)
		v->n--;
	if (!v->n || v->v[v->n - 1].id != id)
		vec_push(v, (struct span){from, id});
}

/* Code in several intervals belongs to the one that begins last. */
static void make_spans(intervals *in, spans *out)
{
	VEC(struct interval) open = {NULL, 0, 0};
	if (in->n)
		qsort(in->v, in->n, sizeof *in->v, compare_intervals);
	for (size_t i = 0; i <= in->n; i++) {
		uint64_t at = i < in->n ? in->v[i].low : UINT64_MAX;
		while (open.n && open.v[open.n - 1].high <= at) {
			uint64_t end = open.v[--open.n].high;
			while (open.n && open.v[open.n - 1].high <= end)
				open.n--;
			begin_span(out, end, open.n ? open.v[open.n - 1].id : NONE);
		}
		if (i == in->n)
			break;
		begin_span(out, at, in->v[i].id);
		vec_push(&open, in->v[i]);
	}
	vec_free(&open);
	vec_free(in);
}

/* Do the first i spans, and no more, begin at or below address? */
static bool ends_at(const spans *v, size_t i, uint64_t address)
{
	return i <= v->n && (!i || v->v[i - 1].from <= address) &&
		(i == v->n || v->v[i].from > address);
}

static uint32_t find_span(spans *v, uint64_t address)
{
	size_t i = v->last;
	if (!ends_at(v, i, address) && !ends_at(v, ++i, address))
		BISECT(i, 0, v->n, v->v[i].from <= address);
	v->last = i;
	return i ? v->v[i - 1].id : NONE;
}

static uint32_t add_scope(struct walk *w, Dwarf_Die *die, uint32_t parent)
{
	struct scope c = {.func = find_func(w, die), .parent = parent};
	if (parent != NONE) {
		c.file = file_name(w->s, w->u, &w->cu, number_at(die, DW_AT_call_file));
		c.line = number_at(die, DW_AT_call_line);
		c.discriminator = number_at(die, AT_GNU_DISCRIMINATOR);
	}
	vec_push(&w->u->scope, c);
	return (uint32_t)w->u->scope.n - 1;
}

static void walk_children(struct walk *w, Dwarf_Die *die, uint32_t scope);

/* The ranges of a function get the number of the next scope; without code it is no scope. */
static void walk_func(struct walk *w, Dwarf_Die *die, uint32_t parent)
{
	size_t n = w->at.n;
	Dwarf_Attribute a;
	uint64_t dead = add_ranges(w->s, die, (uint32_t)w->u->scope.n, &w->at);
	w->u->dead = w->u->dead < dead ? dead : w->u->dead;
	if (w->at.n > n)
		walk_children(w, die, add_scope(w, die, parent));
	else if (!dwarf_attr(die, DW_AT_low_pc, &a) && !dwarf_attr(die, DW_AT_ranges, &a))
		walk_children(w, die, parent); /* functions in it may have code */
}

static void walk_die(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram: walk_func(w, die, NONE); break;
	case DW_TAG_inlined_subroutine: walk_func(w, die, scope); break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type: walk_children(w, die, scope); break;
	}
}

/*
 * Elements are reached in the order of their addresses, unless a reference to a sibling leads into
 * the elements before it.  libdw searches for a sibling behind all children: on each level again.
 */
static bool may_walk(struct walk *w, const Dwarf_Die *child)
{
	enum { DEEP = 1000 };
	if (child->addr > w->last && w->depth < DEEP)
		return true;
	if (!w->s->warned)
		warn("%s: its debug information is damaged or too deep", w->s->p->path);
	w->s->warned = true;
	return false;
}

static void walk_children(struct walk *w, Dwarf_Die *die, uint32_t scope)
{
	Dwarf_Die child;
	if (dwarf_child(die, &child))
		return;
	w->depth++;
	do {
		if (!may_walk(w, &child))
			break;
		w->last = child.addr;
		walk_die(w, &child, scope);
	} while (!dwarf_siblingof(&child, &child));
	w->depth--;
}

static void load_rows(struct source *s, struct unit *u, Dwarf_Die *cu)
{
	Dwarf_Lines *lines;
	size_t n, file;
	Dwarf_Files *files;
	if (dwarf_getsrclines(cu, &lines, &n))
		return;
	u->row = NEW_ARRAY(struct row, n);
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct row *r = &u->row[u->nrows++];
		Dwarf_Addr address = 0;
		int number = 0;
		unsigned discriminator = 0;
		dwarf_lineaddr(line, &address);
		dwarf_lineno(line, &number);
		dwarf_linediscriminator(line, &discriminator);
		dwarf_linebeginstatement(line, &r->statement);
		dwarf_lineendsequence(line, &r->end);
		if (!dwarf_line_file(line, &files, &file))
			r->file = file_name(s, u, cu, file);
		r->address = address - s->bias;
		r->line = (uint32_t)number;
		r->discriminator = discriminator;
	}
}

static void warn_no_dwo(struct source *s, Dwarf_Die *cu)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr(cu, DW_AT_dwo_name, &a));
	name = name ? name : dwarf_formstring(dwarf_attr(cu, DW_AT_GNU_dwo_name, &a));
	if (!s->warned && name)
		warn("%s: its debug information is incomplete: %s is missing", s->p->path, name);
	else if (!s->warned)
		warn("%s: its debug information is incomplete: ldx leaves out .dwo files",
			s->p->path);
	s->warned = true;
}

static void load_unit(struct source *s, struct unit *u)
{
	Dwarf_Die cu, split = {0};
	uint8_t type = 0;
	struct walk w = {.s = s, .u = u};
	u->loaded = true;
	if (dwarf_cu_info(u->cu, NULL, &type, &cu, &split, NULL, NULL, NULL))
		return;
	if (type == DW_UT_skeleton && !split.addr)
		warn_no_dwo(s, &cu);
	w.cu = split.addr ? split : cu;
	if (!dwarf_getsrcfiles(&cu, &u->file, &u->nfiles))
		u->name = NEW_ARRAY(const char *, u->nfiles);
	load_rows(s, u, &cu);
	walk_children(&w, &w.cu, NONE);
	make_spans(&w.at, &u->scope_at);
}

static struct unit *find_unit(struct source *s, uint64_t address)
{
	uint32_t i = find_span(&s->unit_at, address);
	if (i == NONE)
		return NULL;
	if (!s->unit.v[i].loaded)
		load_unit(s, &s->unit.v[i]);
	return &s->unit.v[i];
}

/* Are the first i rows, and no more, below address? */
static bool rows_end_at(const struct unit *u, size_t i, uint64_t address)
{
	return i <= u->nrows && (!i || u->row[i - 1].address < address) &&
		(i == u->nrows || u->row[i].address >= address);
}

static size_t first_row(struct unit *u, uint64_t address)
{
	size_t i = u->last;
	if (!rows_end_at(u, i, address) && !rows_end_at(u, ++i, address))
		BISECT(i, 0, u->nrows, u->row[i].address < address);
	u->last = i;
	return i;
}

/* Of several rows with one address, the last one is that of the code. */
static const struct row *find_row(struct unit *u, uint64_t address)
{
	size_t i = first_row(u, address + 1);
	const struct row *r = i ? &u->row[i - 1] : NULL;
	return r && !r->end && r->address >= u->dead ? r : NULL;
}

size_t source_frames(struct source *s, uint64_t address, const struct source_frame **v)
{
	struct unit *u = find_unit(s, address);
	const struct row *r = u ? find_row(u, address) : NULL;
	uint32_t scope = u ? find_span(&u->scope_at, address) : NONE;
	struct source_frame f = {.func = NULL};
	s->frame.n = 0;
	if (r)
		f = (struct source_frame){NULL, r->file, r->line, r->discriminator, 0};
	while (scope != NONE) {
		const struct scope *c = &u->scope.v[scope];
		f.func = c->func;
		f.place = (uint64_t)(u - s->unit.v) << 32 | (scope + 1);
		vec_push(&s->frame, f);
		f = (struct source_frame){NULL, c->file, c->line, c->discriminator, 0};
		scope = c->parent;
	}
	if (!s->frame.n && r)
		vec_push(&s->frame, f);
	*v = s->frame.v;
	return s->frame.n;
}

static void tell_row(struct source *s, const struct row *r)
{
	vec_push(&s->rows, (struct source_row){r->file, r->line, r->statement});
}

size_t source_rows(struct source *s, uint64_t from, uint64_t address, const struct source_row **v)
{
	struct unit *u = find_unit(s, address);
	const struct row *r;
	s->rows.n = 0;
	for (size_t i = u ? first_row(u, from) : 0; u && i < u->nrows; i++) {
		r = &u->row[i];
		if (r->address > address || r->address < u->dead)
			break;
		if (!r->end)
			tell_row(s, r);
	}
	if (u && !s->rows.n && (r = find_row(u, address)))
		tell_row(s, r);
	*v = s->rows.v;
	return s->rows.n;
}

bool source_begins_statement(struct source *s, uint64_t from, uint64_t address)
{
	struct unit *u = find_unit(s, address);
	for (size_t i = u ? first_row(u, from) : 0; u && i < u->nrows; i++) {
		if (u->row[i].address > address || u->row[i].address < u->dead)
			return false;
		if (u->row[i].statement && !u->row[i].end)
			return true;
	}
	return false;
}

bool source_has_lines(const struct source *s)
{
	return s->unit_at.n;
}

bool source_covers(struct source *s, const struct map_func *f)
{
	const struct map_block *b = s->p->map.block + f->block;
	if (s->unit_at.n)
		program_flow(s->p, f);
	for (size_t i = 0; i < f->nblocks && s->unit_at.n; i++)
		if (find_span(&s->unit_at, b[i].address) != NONE)
			return true;
	return false;
}

static void add_units(struct source *s, Dwarf *dwarf)
{
	Dwarf_Die die;
	Dwarf_CU *cu = NULL;
	uint8_t type;
	intervals at = {NULL, 0, 0};
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, NULL)) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		add_ranges(s, &die, (uint32_t)s->unit.n, &at);
		vec_push(&s->unit, (struct unit){.cu = cu});
	}
	make_spans(&at, &s->unit_at);
}

/* The first section of that name. */
static bool has_section(Elf *e, const char *wanted, GElf_Shdr *sh)
{
	size_t strings;
	Elf_Scn *scn = NULL;
	while (!elf_getshdrstrndx(e, &strings) && (scn = elf_nextscn(e, scn))) {
		const char *name = gelf_getshdr(scn, sh) ? elf_strptr(e, strings, sh->sh_name)
							 : NULL;
		if (name && !strcmp(name, wanted))
			return true;
	}
	return false;
}

static bool is_beside(const char *program, const char *path)
{
	const char *slash = strrchr(program, '/');
	char *whole = new_string("%.*s%s", slash ? (int)(slash + 1 - program) : 0, program, path);
	bool found = !access(*path == '/' ? path : whole, R_OK);
	free(whole);
	return found;
}

/* What libdw leaves out without an error. */
static void warn_left_out(struct source *s, Dwarf *dwarf, Elf *e)
{
	GElf_Shdr sh;
	const char *other = "";
	const void *id;
	if (!s->unit.n && e && has_section(e, ".debug_info", &sh) && sh.sh_flags & SHF_COMPRESSED) {
		warn("%s: its debug information is compressed in a way that libdw cannot read",
			s->p->path);
		s->warned = true;
	}
	if (!s->unit.n || dwelf_dwarf_gnu_debugaltlink(dwarf, &other, &id) <= 0 ||
		dwarf_getalt(dwarf) || is_beside(s->p->path, other))
		return;
	warn("%s: its debug information is incomplete: %s is missing", s->p->path, other);
	s->warned = true;
}

static struct source *open_source(const struct program *p)
{
	static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address};
	struct source *s = new_array(1, sizeof *s);
	GElf_Addr object = 0;
	Dwarf_Addr debug = 0;
	Dwfl *d = dwfl_begin(&callbacks);
	s->p = p;
	Dwfl_Module *m = d ? dwfl_report_offline(d, "", p->path, -1) : NULL;
	Dwarf *dwarf = m ? dwfl_module_getdwarf(m, &debug) : NULL;
	Elf *elf = m ? dwfl_module_getelf(m, &object) : NULL;
	s->bias = object - debug;
	if (dwarf && elf)
		add_units(s, dwarf);
	warn_left_out(s, dwarf, dwarf ? dwarf_getelf(dwarf) : elf);
	return s;
}

struct source *source_open(const struct program *p)
{
	struct program_readers *r = p->readers;
	if (!r->source)
		r->source = open_source(p);
	return r->source;
}
