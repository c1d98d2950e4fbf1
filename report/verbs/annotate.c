/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate.c - source with counts beside it, of a function or of a file
 *
 * For a function: its lines, summed over all copies, and behind them the lines of functions that
 * were inlined into it, with the counts of these copies.  A function without line information is
 * shown as instructions.
 */
#include "report/figures/disassembly.h"
#include "report/figures/lines.h"
#include "report/common/names.h"
#include "report/common/output.h"
#include "report/common/text.h"
#include "report/verbs/verbs.h"

#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>

/* An instruction of a line. */
struct code {
	struct line key;
	const struct map_func *f;
	const struct map_block *b;
	uint64_t number, offset, address, count; /* see insns.h */
	bool known, is_branch, gone;		 /* gone: no instruction that can be shown */
	struct branch branch;
	const char *text;
};

/* The code of a function, or of a file, in one object. */
struct found {
	lines l;
	VEC(struct code) code;
};

struct annotation {
	const struct program *p;
	const struct view_options *opt;
	const struct annotate_options *what;
	const char *object; /* its path; NULL: the program itself */
	bool (*matches)(const char *name, const char *wanted);
	struct source *s;
	struct disassembly *d;
	void *asked;  /* cached verdicts on names, by pointer */
	bool is_func; /* the function being decoded has the wanted name */
	struct found func, file;
	VEC(struct text) text;
	bool whole; /* a file is shown, not a function */
	FILE *out;
};

struct verdict {
	const void *name;
	bool is;
};

static int compare_verdicts(const void *a, const void *b)
{
	const struct verdict *x = a, *y = b;
	return (x->name > y->name) - (x->name < y->name);
}

/* A name matches mangled, as it is printed, and demangled with or without its parameters. */
static bool is_called(const char *name, const char *wanted)
{
	const char *plain = demangled(name);
	size_t n = strlen(wanted);
	return !strcmp(name, wanted) || !strcmp(shown(name), wanted) || !strcmp(plain, wanted) ||
		(plain != name && !strncmp(plain, wanted, n) && plain[n] == '(');
}

/* If no name matches: by its last parts. */
static bool ends_in(const char *name, const char *wanted)
{
	return name_ends_in(demangled(name), wanted);
}

/* A file matches by its path, or by the last parts of it. */
static bool is_file(const char *path, const char *wanted)
{
	size_t n = strlen(path), m = strlen(wanted);
	return n >= m && !strcmp(path + n - m, wanted) && (n == m || path[n - m - 1] == '/');
}

static bool ask(struct annotation *a, const char *name, bool (*test)(const char *, const char *))
{
	struct verdict key = {.name = name};
	struct verdict *const *known = tfind(&key, &a->asked, compare_verdicts);
	if (known)
		return (*known)->is;
	struct verdict *v = new_array(1, sizeof *v);
	*v = (struct verdict){name, test(name, a->what->name)};
	if (!tsearch(v, &a->asked, compare_verdicts))
		die("out of memory");
	return v->is;
}

/* How many of the frames belong to the function: those inlined in it, and its own. */
static size_t frames_in(struct annotation *a, const struct source_frame *v, size_t n)
{
	if (a->is_func)
		return n;
	while (n && !(v[n - 1].func && ask(a, v[n - 1].func->name, a->matches)))
		n--;
	return n;
}

static const char *insn_text(struct annotation *a, const struct insn_at *in)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	if (!f)
		die("out of memory");
	put_insn(f, a->d, in);
	fclose(f);
	return text;
}

/* v: the frame of the instruction's line; NULL: the line is not known. */
static void add_code(struct annotation *a, struct found *to, const struct insn_at *in,
	const struct source_frame *v)
{
	const struct code *last = to->code.n ? &to->code.v[to->code.n - 1] : NULL;
	if (!in->insn && last && last->gone && last->b == in->b)
		return;
	struct code c = {.gone = !in->insn,
		.key = {.p = in->p, .symbol = v && v->func ? NULL : in->f},
		.f = in->f,
		.b = in->b,
		.number = in->number,
		.offset = in->offset,
		.address = in->address,
		.count = in->count,
		.known = in->known};
	if (v) {
		c.key.func = v->func;
		c.key.file = v->file;
		c.key.number = v->line;
	}
	c.is_branch = insn_is_branch(in, &c.branch);
	if (a->what->assembly || !v)
		c.text = insn_text(a, in);
	if (c.text || c.is_branch)
		vec_push(&to->code, c);
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	struct annotation *a = ctx;
	const struct source_frame *v = NULL;
	size_t n = in->insn || in->left_out ? source_frames(a->s, in->address, &v) : 0;
	size_t own = frames_in(a, v, n);
	if (n && v->file && ask(a, v->file, is_file)) {
		struct source_frame place = *v;
		place.func = NULL;
		lines_add(&a->file.l, in, &place, 1, false);
		add_code(a, &a->file, in, &place);
	}
	if (!own && !(a->is_func && !n))
		return;
	lines_add(&a->func.l, in, v, own, own == n);
	add_code(a, &a->func, in, own ? v : NULL);
}

/* A function's lines of one file, or all lines of a file. */
struct section {
	const struct line *v;
	size_t n;
	const struct code *code;
	size_t ncode;
	uint64_t insns;
	bool named; /* it has the name that was asked for */
};

static int compare_numbers(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* By function and file; equal ones have equal pointers. */
static int compare_sections(const struct line *x, const struct line *y)
{
	int d = compare_numbers((uintptr_t)x->func, (uintptr_t)y->func);
	d = d || x->func || x->file ? d
				    : compare_numbers((uintptr_t)x->symbol, (uintptr_t)y->symbol);
	return d ? d : compare_numbers((uintptr_t)x->file, (uintptr_t)y->file);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int d = compare_sections(x, y);
	d = d ? d : compare_numbers(x->number, y->number);
	return d ? d : compare_numbers((uintptr_t)x->symbol, (uintptr_t)y->symbol);
}

static int compare_code(const void *a, const void *b)
{
	const struct code *x = a, *y = b;
	int d = compare_sections(&x->key, &y->key);
	d = d ? d : compare_numbers(x->key.number, y->key.number);
	d = d ? d : compare_numbers((uintptr_t)x->b, (uintptr_t)y->b);
	return d ? d : compare_numbers(x->number, y->number);
}

/* Sections with the wanted name first, then those with most instructions executed. */
static int compare_shown(const void *a, const void *b)
{
	const struct section *x = a, *y = b;
	int d = y->named - x->named;
	d = d ? d : compare_numbers(y->insns, x->insns);
	d = d ? d : strcmp(line_function(x->v), line_function(y->v));
	d = d ? d : strcmp(x->v->file ? x->v->file : "", y->v->file ? y->v->file : "");
	return d ? d : compare_numbers(x->v->number, y->v->number);
}

static bool is_named(struct annotation *a, const struct line *l)
{
	return l->func ? ask(a, l->func->name, a->matches) ||
			(l->symbol && ask(a, l->symbol->name, a->matches))
		       : true;
}

static struct section take_section(struct annotation *a, const struct found *f, size_t *line,
	size_t *code)
{
	struct section s = {.v = &f->l.v[*line], .code = &f->code.v[*code]};
	for (; *line < f->l.n && !compare_sections(s.v, &f->l.v[*line]); ++*line, s.n++) {
		s.insns = add_sat(s.insns, s.v[s.n].insns);
		s.named |= is_named(a, &s.v[s.n]);
	}
	for (; *code < f->code.n && !compare_sections(s.v, &f->code.v[*code].key); ++*code)
		s.ncode++;
	return s;
}

/* The text ------------------------------------------------------------------ */

static const char *shown_name(const struct annotation *a, const char *name)
{
	return shown(a->opt->mangled ? name : demangled(name));
}

static void put_count(const struct annotation *a, bool known, uint64_t count)
{
	char text[24] = "-";
	if (known && map_has_marks(&a->p->map))
		strcpy(text, count ? "yes" : "no");
	else if (known)
		snprintf(text, sizeof text, "%" PRIu64, count);
	fprintf(a->out, "%18s", text);
}

/* A number that cannot be known is a dash, not 0. */
static void put_number(const struct annotation *a, const struct line *l, uint64_t n)
{
	if (l->known && !map_has_marks(&a->p->map))
		fprintf(a->out, " %17" PRIu64, n);
	else
		fprintf(a->out, " %17s", "-");
}

static void put_branch(const struct annotation *a, const struct code *c)
{
	const struct branch *b = &c->branch;
	if (!b->known || map_has_marks(&a->p->map))
		return;
	fprintf(a->out, "  [taken %" PRIu64 " of %" PRIu64, b->taken, b->executed);
	if (b->executed)
		fprintf(a->out, ", %.2f%%", 100.0 * (double)b->taken / (double)b->executed);
	fputc(']', a->out);
}

/* The original offset, unless the instruction follows the one above it. */
static void put_label(const struct annotation *a, const struct code *c, bool follows)
{
	const char *name = shown_name(a, c->f->name);
	if (!c->text)
		fprintf(a->out, "%18s  %s+0x%" PRIx64, "", name, c->offset);
	else if (!follows && !c->key.file)
		fprintf(a->out, "\n%s+0x%" PRIx64 ":\n", name, c->offset);
	else if (!follows)
		fprintf(a->out, "%18s  %s+0x%" PRIx64 ":\n", "", name, c->offset);
}

static void put_code(const struct annotation *a, const struct code *c, bool follows)
{
	if (!c->text && (!c->branch.known || map_has_marks(&a->p->map)))
		return;
	put_label(a, c, follows);
	if (c->text) {
		put_count(a, c->known, c->count);
		fprintf(a->out, "  %12" PRIx64 ":  %s", c->address, c->text);
	}
	if (c->is_branch)
		put_branch(a, c);
	fputc('\n', a->out);
}

static void put_codes(const struct annotation *a, const struct code *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_code(a, &c[i], i && c[i].b == c[i - 1].b && c[i].number == c[i - 1].number + 1);
}

/* l NULL: a line without code. */
static void put_line(const struct annotation *a, const struct line *l, uint32_t number,
	const struct text *t)
{
	char text[16] = "?";
	if (number)
		snprintf(text, sizeof text, "%" PRIu32, number);
	if (l) {
		put_count(a, l->known, l->count);
		put_number(a, l, l->insns);
		if (!a->whole)
			put_number(a, l, l->inlined);
	} else {
		fprintf(a->out, "%*s", a->whole ? 36 : 54, "");
	}
	fprintf(a->out, " %7s", text);
	if (!number)
		fputs("  (the compiler's own code)", a->out);
	const char *line = text_line(t, number);
	if (*line)
		fprintf(a->out, "  %s", line);
	fputc('\n', a->out);
}

/* Lines without code between lines with code, unless there are too many; of a whole file, all. */
static void put_between(const struct annotation *a, uint32_t from, uint32_t to,
	const struct text *t)
{
	enum { MANY = 16 };
	if (!t->n)
		return;
	while (from < to && (a->whole ? from <= t->n : to - from <= MANY))
		put_line(a, NULL, from++, t);
	if (from < to)
		fprintf(a->out, "%*s %7s\n", a->whole ? 36 : 54, "", "...");
}

static uint32_t first_line(const struct section *s)
{
	const struct source_func *f = s->v->func;
	uint32_t first = s->v->number;
	if (f && f->file == s->v->file && f->line && f->line < first)
		first = f->line;
	return first;
}

static const struct text *find_text(struct annotation *a, const char *file)
{
	for (size_t i = 0; i < a->text.n; i++)
		if (a->text.v[i].path == file)
			return &a->text.v[i];
	vec_push(&a->text, text_read(file, &a->what->folders));
	return &a->text.v[a->text.n - 1];
}

static void put_lines(struct annotation *a, const struct section *s)
{
	const struct text *t = find_text(a, s->v->file);
	const struct code *c = s->code, *end = s->code + s->ncode;
	uint32_t next = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct line *l = &s->v[i];
		uint32_t from = next ? next : a->whole ? 1 : first_line(s);
		if (l->number)
			put_between(a, from, l->number, t);
		put_line(a, l, l->number, t);
		next = l->number ? l->number + 1 : 0;
		size_t n = 0;
		while (c + n < end && c[n].key.number == l->number)
			n++;
		put_codes(a, c, n);
		c += n;
	}
	if (a->whole && s->v[s->n - 1].number < t->n)
		put_between(a, s->v[s->n - 1].number + 1, (uint32_t)t->n + 1, t);
}

static void put_section(struct annotation *a, const struct section *s)
{
	const struct line *l = s->v;
	if (!l->file) {
		put_codes(a, s->code, s->ncode);
		fputc('\n', a->out);
		return;
	}
	if (a->whole) {
		fputs(shown(l->file), a->out);
	} else {
		fputs(shown_name(a, line_function(l)), a->out);
		if (!s->named)
			fputs(", inlined", a->out);
		bool own = l->func && l->func->file == l->file && l->func->line;
		fprintf(a->out, " (%s:%" PRIu32 ")", shown(l->file),
			own ? l->func->line : first_line(s));
	}
	if (a->whole && a->object)
		fprintf(a->out, " in %s", shown(a->object));
	fprintf(a->out, "\n%18s%18s", "count", "instructions");
	fprintf(a->out, "%*s%8s\n", a->whole ? 0 : 18, a->whole ? "" : "inlined", "line");
	put_lines(a, s);
	fputc('\n', a->out);
}

static bool put_found(struct annotation *a, struct found *f)
{
	VEC(struct section) v = {NULL, 0, 0};
	lines_fold(&f->l, false);
	if (!f->l.n)
		return false;
	qsort(f->l.v, f->l.n, sizeof *f->l.v, compare_lines);
	if (f->code.n)
		qsort(f->code.v, f->code.n, sizeof *f->code.v, compare_code);
	for (size_t line = 0, code = 0; line < f->l.n;) {
		struct section s = take_section(a, f, &line, &code);
		vec_push(&v, s);
	}
	qsort(v.v, v.n, sizeof *v.v, compare_shown);
	for (size_t i = 0; i < v.n; i++)
		put_section(a, &v.v[i]);
	return true;
}

static void put_func(const struct annotation *a, const struct map_func *f)
{
	struct func_sum sum = func_sum(a->p, f);
	fputs(shown_name(a, f->name), a->out);
	if (a->object)
		fprintf(a->out, " in %s", shown(a->object));
	if (f->file[0])
		fprintf(a->out, " (%s)", shown(f->file));
	fputs(":", a->out);
	if (sum.calls_known)
		fprintf(a->out, " calls %" PRIu64, sum.calls);
	if (sum.insns_known)
		fprintf(a->out, "%s instructions %" PRIu64 ",", sum.calls_known ? "," : "",
			sum.insns);
	if (sum.counted)
		fprintf(a->out, " blocks executed %zu of %zu", sum.covered, sum.counted);
	if (f->flags & LDX_FUNC_OPAQUE)
		fprintf(a->out, "%s opaque: %s",
			sum.calls_known || sum.insns_known || sum.counted ? ";" : "",
			shown(f->reason));
	fputs("\n", a->out);
}

/* The annotation of one object; false: it has none of the code. */
static bool annotate(struct annotation *a)
{
	size_t named = 0;
	a->s = source_open(a->p);
	a->d = disassembly_make(a->p, a->opt->mangled);
	for (const struct map_func *f = a->p->map.func; f < a->p->map.func + a->p->map.nfuncs;
		f++) {
		if (!func_linked(a->p, f))
			continue;
		a->is_func = a->matches(f->name, a->what->name);
		named += a->is_func;
		if (a->is_func)
			put_func(a, f);
		if (a->is_func || source_covers(a->s, f))
			each_insn(a->p, f, add_insn, a);
	}
	if (named)
		fputc('\n', a->out);
	if (put_found(a, &a->func) || named)
		return true;
	a->whole = true;
	return put_found(a, &a->file);
}

static bool annotate_all(const struct run *run, const struct view_options *opt,
	const struct annotate_options *what, bool (*matches)(const char *, const char *), FILE *out)
{
	bool any = false;
	for (size_t i = 0; i < run->n; i++) {
		struct annotation a = {.p = &run->v[i],
			.opt = opt,
			.what = what,
			.object = i ? run->v[i].path : NULL,
			.matches = matches,
			.out = out};
		any |= annotate(&a);
	}
	return any;
}

void view_annotation(const struct run *run, const struct view_options *opt,
	const struct annotate_options *what, FILE *out)
{
	if (!annotate_all(run, opt, what, is_called, out) &&
		!annotate_all(run, opt, what, ends_in, out))
		die("%s: no function %s, and no source file", run->v[0].path, what->name);
}

struct annotate_values {
	struct words folders;
	bool assembly;
};
static const struct option_row options[] = {
	{"asm", .help = "show the instructions under each line",
		OPTION_FLAG(struct annotate_values, assembly)},
	{"source-dir", .value = "DIR", .help = "look for source files there too",
		OPTION_WORDS(struct annotate_values, folders)},
	{NULL},
};

static int run_annotate(const struct arguments *a)
{
	const struct annotate_values *o = a->own;
	struct run r;
	struct arguments rest = *a;
	arguments_need(a, &verb_annotate, 2, INT_MAX, "which function or file, of which program?");
	rest.v++;
	rest.n--;
	struct annotate_options what = {.name = a->v[0],
		.assembly = o->assembly,
		.folders = {o->folders.v, o->folders.n}};
	arguments_run(&r, &rest, &verb_annotate);
	struct output out = output_open(a->output);
	view_annotation(&r, &a->view, &what, out.f);
	output_close(&out);
	return 0;
}

const struct verb verb_annotate = {
	.name = "annotate",
	.summary = "show a function or a source file with counts beside the lines",
	.synopsis = "[options] FUNCTION|FILE PROG [FILE...]",
	.about =
		"Inlined functions are shown separately.  A function without line information is shown\n"
		"as instructions.  Conditional jumps show how often they were taken.",
	.shared = SHARE_OUTPUT | SHARE_NAMES | SHARE_RUN,
	.options = options,
	.own_size = sizeof(struct annotate_values),
	.run = run_annotate,
};
