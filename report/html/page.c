/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page.c - a profile as one HTML file; see page.h
 */
#include "report/html/page.h"

#include "report/read/needed.h"
#include "report/tool/show.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

extern const char page_html[], page_css[], page_js[]; /* embed.S */

/* Files ----------------------------------------------------------------- */

struct file_entry {
	const char *path;
	uint32_t number;
};

static int compare_paths(const void *a, const void *b)
{
	const struct file_entry *x = a, *y = b;
	return strcmp(x->path, y->path);
}

uint32_t page_file(struct page *g, const char *path)
{
	struct file_entry key = {.path = path};
	if (!path || !*path)
		return PAGE_NONE;
	struct file_entry **found = tfind(&key, &g->file_tree, compare_paths);
	if (found)
		return (*found)->number;
	struct file_entry *e = new_array(1, sizeof *e);
	*e = (struct file_entry){path, (uint32_t)g->file.n};
	if (!tsearch(e, &g->file_tree, compare_paths))
		die("out of memory");
	vec_push(&g->file, (struct page_file){.path = path});
	return e->number;
}

static void find_coverage(struct page *g)
{
	static const struct filter all = {.n = 0};
	const struct cover_options opt = {.filter = &all, .exclude = &all};
	g->coverage = coverage_make(g->run, &opt);
	for (size_t i = 0; i < g->coverage.nfiles; i++) {
		uint32_t n = page_file(g, g->coverage.file[i].path);
		if (n != PAGE_NONE)
			g->file.v[n].cover = &g->coverage.file[i];
	}
}

/* Functions ------------------------------------------------------------- */

/* Finds where a function is declared, if that is known. */
static void find_place(struct page *g, struct page_func *f)
{
	const struct source_frame *v = NULL;
	size_t n = source_frames(g->source[f->p - g->run->v], f->f->address, &v);
	const struct source_func *s = n ? v[n - 1].func : NULL;
	const char *file = func_origin(f->f);
	if (s && s->file) {
		file = s->file;
		f->line = s->line;
	} else if (n && v->file) {
		file = v->file;
		f->line = v->line;
	}
	f->file = page_file(g, file);
}

static void find_functions(struct page *g)
{
	g->source = NEW_ARRAY(struct source *, g->run->n);
	g->func_of = NEW_ARRAY(uint32_t *, g->run->n);
	for (size_t i = 0; i < g->run->n; i++) {
		const struct program *p = &g->run->v[i];
		g->source[i] = source_open(p);
		g->func_of[i] = NEW_ARRAY(uint32_t, p->map.nfuncs);
		for (size_t k = 0; k < p->map.nfuncs; k++) {
			const struct map_func *m = &p->map.func[k];
			struct page_func f = {.p = p, .f = m};
			g->func_of[i][k] = PAGE_NONE;
			if (!func_linked(p, m))
				continue;
			f.name = demangled(m->name);
			f.sum = func_sum(p, m);
			f.inclusive = g->inclusive.insns[i][k];
			find_place(g, &f);
			g->func_of[i][k] = (uint32_t)g->func.n;
			vec_push(&g->func, f);
		}
	}
}

static const struct page *sorting;
static uint32_t callee_of(uint32_t call)
{
	const struct call *c = &sorting->calls.v[call];
	return c->to ? sorting->func_of[c->to_in - sorting->run->v][c->to - c->to_in->map.func]
		     : PAGE_NONE;
}

static int compare_callees(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t i = callee_of(x), j = callee_of(y);
	return i != j ? i < j ? -1 : 1 : (x > y) - (x < y);
}

static void index_calls(struct page *g)
{
	g->by_callee = NEW_ARRAY(uint32_t, g->calls.n);
	for (size_t i = 0; i < g->calls.n; i++)
		g->by_callee[i] = (uint32_t)i;
	sorting = g;
	qsort(g->by_callee, g->calls.n, sizeof *g->by_callee, compare_callees);
}

/* The index ------------------------------------------------------------- */

static void put_key(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\":", key);
	put_json(out, text);
	fputc(',', out);
}

static void put_value(FILE *out, const char *key, uint64_t n)
{
	fprintf(out, "\"%s\":", key);
	pack_number(out, true, n);
	fputc(',', out);
}

static void put_names(FILE *out, const char *key, const char *const *v, size_t n)
{
	fprintf(out, "\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		put_json(out, v[i]);
	}
	fputs("],", out);
}

static void put_run(const struct page *g, FILE *out)
{
	const struct program *p = &g->run->v[0];
	struct needed needed = needed_uncounted(g->run);
	const char **paths = NEW_ARRAY(const char *, g->run->n);
	char build[20];
	snprintf(build, sizeof build, "%016" PRIx64, p->map.build);
	for (size_t i = 0; i < g->run->n; i++)
		paths[i] = g->run->v[i].path;
	put_key(out, "generator", "ldx " LDX_VERSION);
	put_key(out, "build", build);
	put_key(out, "mode", mode_name(p->map.mode));
	put_value(out, "marks", map_has_marks(&p->map));
	put_names(out, "objects", paths, g->run->n);
	put_names(out, "uncounted", needed.v, needed.n);
	put_value(out, "processes", p->profile.runs);
	put_value(out, "unfinished", p->profile.unfinished);
	struct lost lost = run_lost(g->run);
	put_value(out, "lost", lost.processes);
	put_value(out, "lostThreads", lost.threads);
}

/* A column: one value for each function. */
#define PUT_COLUMN(key, ...)                                                                       \
	do {                                                                                       \
		fputs("\"" key "\":[", out);                                                       \
		for (const struct page_func *f = g->func.v; f < g->func.v + g->func.n; f++) {      \
			if (f > g->func.v)                                                         \
				fputc(',', out);                                                   \
			__VA_ARGS__;                                                               \
		}                                                                                  \
		fputs("],", out);                                                                  \
	} while (0)

static void put_functions(const struct page *g, FILE *out)
{
	fputs("\"functions\":{", out);
	PUT_COLUMN("object", fprintf(out, "%d", (int)(f->p - g->run->v)));
	PUT_COLUMN("file", fprintf(out, "%d", f->file == PAGE_NONE ? -1 : (int)f->file));
	PUT_COLUMN("line", fprintf(out, "%" PRIu32, f->line));
	PUT_COLUMN("size", pack_number(out, true, f->f->size));
	PUT_COLUMN("opaque", fputc(f->f->flags & LDX_FUNC_OPAQUE ? '1' : '0', out));
	PUT_COLUMN("run", fputc(f->sum.run ? '1' : '0', out));
	PUT_COLUMN("calls", pack_number(out, f->sum.calls_known, f->sum.calls));
	PUT_COLUMN("insns", pack_number(out, f->sum.insns_known, f->sum.insns));
	PUT_COLUMN("inclusive", fprintf(out, "%.0f", f->inclusive));
	PUT_COLUMN("blocks", fprintf(out, "%zu", f->sum.counted));
	PUT_COLUMN("covered", fprintf(out, "%zu", f->sum.covered));
	PUT_COLUMN("name", put_json(out, f->name));
	fprintf(out, "\"first\":%" PRIu32 "},", g->code_from);
}

static void put_part(FILE *out, struct cover_part p)
{
	fprintf(out, "%zu,%zu", p.hit, p.found);
}

static void put_sum(FILE *out, const struct cover_sum *s)
{
	fputc('[', out);
	put_part(out, s->lines);
	fputc(',', out);
	put_part(out, s->branches);
	fputc(',', out);
	put_part(out, s->funcs);
	fputc(']', out);
}

/* The path and coverage of each file. */
static void put_file_list(const struct page *g, FILE *out)
{
	static const struct cover_sum none;
	fputs("\"files\":{\"path\":[", out);
	for (size_t i = 0; i < g->file.n; i++) {
		fputs(i ? "," : "", out);
		put_json(out, g->file.v[i].path);
	}
	fputs("],\"cover\":[", out);
	for (size_t i = 0; i < g->file.n; i++) {
		const struct cover_file *c = g->file.v[i].cover;
		fputs(i ? "," : "", out);
		put_sum(out, c ? &c->sum : &none);
	}
	fprintf(out, "],\"first\":%" PRIu32 "},\"cover\":", g->files_from);
	put_sum(out, &g->coverage.sum);
	fprintf(out, ",\"coverLines\":%d,\"coverBranches\":%d,\"noSource\":%zu,", g->coverage.lines,
		g->coverage.branches, g->coverage.no_source);
}

static int compare_insns(const void *a, const void *b)
{
	const struct page_line *x = a, *y = b;
	if (x->insns != y->insns)
		return x->insns < y->insns ? 1 : -1;
	return x->file != y->file ? x->file < y->file ? -1 : 1
				  : (x->number > y->number) - (x->number < y->number);
}

/* The hottest lines: file, line, instructions, a function.  Reorders the lines. */
static void put_hot_lines(struct page *g, FILE *out)
{
	enum { SHOWN = 200 };
	if (g->line.n)
		qsort(g->line.v, g->line.n, sizeof *g->line.v, compare_insns);
	fputs("\"lines\":[", out);
	for (size_t i = 0; i < g->line.n && i < SHOWN; i++) {
		const struct page_line *l = &g->line.v[i];
		fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",", i ? "," : "", l->file, l->number);
		pack_number(out, true, l->insns);
		fprintf(out, ",%" PRIu32 "]", l->func);
	}
	fputs("],", out);
}

static int compare_opcodes(const void *a, const void *b)
{
	const struct opcode *x = *(const struct opcode *const *)a;
	const struct opcode *y = *(const struct opcode *const *)b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Name, number executed, number in the code, 1: jump, 2: call or return. */
static void put_opcodes(const struct page *g, FILE *out)
{
	if (g->opcode.n)
		qsort(g->opcode.v, g->opcode.n, sizeof(struct opcode *), compare_opcodes);
	fputs("\"opcodes\":[", out);
	for (size_t i = 0; i < g->opcode.n; i++) {
		const struct opcode *o = g->opcode.v[i];
		fputs(i ? ",[" : "[", out);
		put_json(out, o->name);
		fputc(',', out);
		pack_number(out, true, o->count);
		fprintf(out, ",%" PRIu64 ",%d]", o->code, o->calls ? 2 : o->jumps);
	}
	fputs("],", out);
}

/* The comparison -------------------------------------------------------- */

static enum figure_kind comparable(const struct page *g)
{
	switch (g->run->v[0].map.mode) {
	case LDX_MODE_FUNCTIONS: return FIGURE_CALLS;
	case LDX_MODE_COVER: return FIGURE_BLOCKS;
	default: return FIGURE_INSNS;
	}
}

/* Name, file, line, object, old, new; null: missing. */
static void put_changes(const struct changes *c, FILE *out)
{
	fputc('[', out);
	for (size_t i = 0; i < c->n; i++) {
		const struct change *x = &c->v[i];
		fputs(i ? ",[" : "[", out);
		put_json(out, x->of->name);
		fputc(',', out);
		put_json(out, x->of->file);
		fprintf(out, ",%" PRIu32 ",", x->of->line);
		put_json(out, x->of->object);
		fputc(',', out);
		pack_number(out, x->was, x->old);
		fputc(',', out);
		pack_number(out, x->is, x->new);
		fputc(']', out);
	}
	fputc(']', out);
}

static void put_changes_of(const struct page *g, enum figure_kind kind, FILE *out)
{
	const struct view_options view = {.top = 0};
	struct figures old = figures_of(g->opt->old, kind, &view);
	struct figures new = figures_of(g->run, kind, &view);
	struct changes c = changes_find(&old, &new, kind != FIGURE_LINES);
	put_changes(&c, out);
}

static void put_comparison(const struct page *g, FILE *out)
{
	static const char *const words[] = {[FIGURE_INSNS] = "instructions",
		[FIGURE_CALLS] = "calls",
		[FIGURE_BLOCKS] = "blocks"};
	enum figure_kind kind = comparable(g);
	fputs("\"old\":{", out);
	put_key(out, "path", g->opt->old->v[0].path);
	put_key(out, "figure", words[kind]);
	fputs("\"functions\":", out);
	put_changes_of(g, kind, out);
	fputs(",\"lines\":", out);
	if (kind == FIGURE_INSNS)
		put_changes_of(g, FIGURE_LINES, out);
	else
		fputs("[]", out);
	fputs("},", out);
}

/* Tools ----------------------------------------------------------------- */

static void put_tool(const struct session *s, FILE *out)
{
	enum { SHOWN = 2000 };
	fputc('{', out);
	put_key(out, "name", s->report->name);
	put_key(out, "summary", s->report->summary);
	put_key(out, "text", s->text);
	fputs("\"tables\":[", out);
	for (size_t i = 0; i < s->rows.n; i++) {
		fputs(i ? "," : "", out);
		show_page(&s->rows.v[i], SHOWN, out);
	}
	fputs("]}", out);
}

static void put_tools(const struct page *g, FILE *out)
{
	fputs("\"tools\":[", out);
	for (size_t i = 0; i < g->opt->ntools; i++) {
		fputs(i ? "," : "", out);
		put_tool(g->opt->tool[i], out);
	}
	fputs("],", out);
}

static void put_index(struct page *g, FILE *out)
{
	fputc('{', out);
	put_run(g, out);
	put_functions(g, out);
	put_file_list(g, out);
	put_hot_lines(g, out);
	put_opcodes(g, out);
	if (g->opt->old)
		put_comparison(g, out);
	put_tools(g, out);
	fputs("\"items\":[", out);
	for (size_t i = 0; i < g->pack.items_of.n; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", g->pack.items_of.v[i]);
	fputs("]}", out);
}

/* The file -------------------------------------------------------------- */

/* Prints html up to an insertion mark; returns the text behind the mark. */
static const char *put_until(const char *html, const char *mark, FILE *out)
{
	const char *at = strstr(html, mark);
	fwrite(html, 1, (size_t)(at - html), out);
	return at + strlen(mark);
}

static void put_data(struct page *g)
{
	page_put_code(g);
	page_put_files(g);
	put_index(g, pack_item(&g->pack));
	pack_flush(&g->pack);
}

/* A browser does not show a page of a hundred megabytes. */
static bool is_large(const struct run *run)
{
	enum { LARGE = 200000 };
	size_t n = 0;
	for (size_t i = 0; i < run->n; i++)
		n += run->v[i].map.nblocks;
	return n > LARGE;
}

void page_write(const struct run *run, const struct page_options *o, FILE *out)
{
	struct page g = {.run = run, .opt = o, .pack.out = out};
	g.executed_only = o->executed || is_large(run);
	if (!g.executed_only)
		run_flows(run);
	g.calls = calls_find(run, !g.executed_only);
	g.inclusive = calls_inclusive(run, &g.calls);
	find_functions(&g);
	find_coverage(&g);
	index_calls(&g);
	const char *html = put_until(page_html, "@css@", out);
	fputs(page_css, out);
	html = put_until(html, "@data@", out);
	put_data(&g);
	html = put_until(html, "@index@", out);
	fprintf(out, "%" PRIu32, g.pack.chunks - 1);
	html = put_until(html, "@js@", out);
	fputs(page_js, out);
	fputs(html, out);
}
