/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show.c - tables of tools, in all formats; see show.h
 */
#include "report/tool/show.h"

#include "report/html/pack.h"
#include "report/common/json.h"
#include "report/common/table.h"
#include "report/tool/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns that say what a row is ----------------------------------------------- */

enum place {
	PLACE_END,
	PLACE_OBJECT,
	PLACE_INPUT, /* the object file or archive(member) that the function is from */
	PLACE_FUNCTION,
	PLACE_BLOCK, /* function+offset */
	PLACE_ADDRESS,
	PLACE_FILE,
	PLACE_LINE,
	PLACE_WHERE, /* the last part of the file's path, and the line; or the input */
	PLACE_NAME,
};

struct places {
	struct {
		enum place what;
		const char *name; /* NULL: the table's key_name */
	} text[4], data[8];	  /* up to PLACE_END: for people, and for programs */
};

static const struct places places[] = {
	[LDX_ROWS_ADDED] = {{{PLACE_END, ""}}, {{PLACE_END, ""}}},
	[LDX_ROW_TOTAL] = {{{PLACE_END, ""}}, {{PLACE_END, ""}}},
	[LDX_ROWS_OBJECTS] = {{{PLACE_OBJECT, "object"}}, {{PLACE_OBJECT, "object"}}},
	[LDX_ROWS_FUNCTIONS] = {{{PLACE_WHERE, "line"}, {PLACE_FUNCTION, "function"}},
		{{PLACE_FUNCTION, "function"}, {PLACE_ADDRESS, "address"}, {PLACE_FILE, "file"},
			{PLACE_LINE, "line"}, {PLACE_INPUT, "input"}, {PLACE_OBJECT, "object"}}},
	[LDX_ROWS_LINES] = {{{PLACE_WHERE, "line"}},
		{{PLACE_FILE, "file"}, {PLACE_LINE, "line"}, {PLACE_OBJECT, "object"}}},
	[LDX_ROWS_BLOCKS] = {{{PLACE_WHERE, "line"}, {PLACE_BLOCK, "block"}},
		{{PLACE_BLOCK, "block"}, {PLACE_ADDRESS, "address"}, {PLACE_FILE, "file"},
			{PLACE_LINE, "line"}, {PLACE_OBJECT, "object"}}},
	[LDX_ROWS_INSNS] = {{{PLACE_BLOCK, "place"}, {PLACE_NAME, "instruction"}},
		{{PLACE_ADDRESS, "address"}, {PLACE_NAME, "instruction"}, {PLACE_BLOCK, "place"},
			{PLACE_FILE, "file"}, {PLACE_LINE, "line"}, {PLACE_OBJECT, "object"}}},
	[LDX_ROWS_CALLS] = {{{PLACE_WHERE, "line"}, {PLACE_FUNCTION, "caller"},
				    {PLACE_NAME, "callee"}},
		{{PLACE_FUNCTION, "caller"}, {PLACE_NAME, "callee"}, {PLACE_ADDRESS, "address"},
			{PLACE_FILE, "file"}, {PLACE_LINE, "line"}, {PLACE_OBJECT, "object"}}},
	[LDX_ROWS_KEYS] = {{{PLACE_NAME, NULL}}, {{PLACE_NAME, NULL}}},
};

static const char *function_of(const struct row *r, const struct view_options *opt)
{
	return opt->mangled ? r->func->f->name : ldx_func_demangled(r->func);
}

/* Finds where the function is declared, when a row with it is shown. */
static void find_line(struct row *r)
{
	const struct source_func *s = r->func && !r->block ? walk_declaration(r->func) : NULL;
	if (s && s->file) {
		r->file = s->file;
		r->line = s->line;
	}
}

/* New memory or a string of the row's; NULL: it is not known. */
static const char *place_text(struct row *r, enum place what, const struct view_options *opt)
{
	find_line(r);
	switch (what) {
	case PLACE_OBJECT: return r->object->p->path;
	case PLACE_INPUT: return ldx_func_input(r->func);
	case PLACE_FUNCTION: return function_of(r, opt);
	case PLACE_BLOCK: return new_string("%s+0x%" PRIx64, function_of(r, opt), r->offset);
	case PLACE_ADDRESS: return new_string("%" PRIx64, r->address);
	case PLACE_FILE: return r->file;
	case PLACE_LINE: return r->line ? new_string("%" PRIu32, r->line) : NULL;
	case PLACE_WHERE:
		if (r->file)
			return new_string("%s:%" PRIu32, last_part(r->file), r->line);
		return r->func ? last_part(func_origin(r->func->f)) : NULL;
	default: return r->name;
	}
}

/* Text ----------------------------------------------------------------------------- */

static bool is_text(enum ldx_column_kind kind)
{
	return kind == LDX_NAME || kind == LDX_TEXT || kind == LDX_BAR;
}

static void put_bar(struct table *t, double part)
{
	static const char full[] = "########################################";
	const int width = sizeof full - 1;
	int n = (int)(part * width + 0.5);
	table_cell(t, "%.*s", n > width ? width : n, full);
}

static void put_cell(struct table *t, const struct ldx_column *c, const struct value *v)
{
	if (!v->known)
		table_cell(t, "%s", c->kind == LDX_BAR ? "" : "-");
	else if (c->kind == LDX_NAME || c->kind == LDX_TEXT)
		table_name(t, shown(v->text), "");
	else if (c->kind == LDX_SHARE)
		table_cell(t, "%.2f%%", 100 * v->real);
	else if (c->kind == LDX_RATIO)
		table_cell(t, "%.2f", v->real);
	else if (c->kind == LDX_BAR)
		put_bar(t, v->real);
	else if (c->kind == LDX_ADDRESS)
		table_cell(t, "%" PRIx64, v->number);
	else
		table_count(t, true, v->number);
}

/* Bars stand behind what the rows are. */
static void put_cells(struct table *t, const struct rows *r, const struct value *v, bool bars)
{
	for (size_t k = 0; k < r->ncolumns; k++)
		if ((r->table->columns[k].kind == LDX_BAR) == bars)
			put_cell(t, &r->table->columns[k], &v[k]);
}

static void put_places(struct table *t, const struct rows *r, struct row *w,
	const struct view_options *opt, bool objects)
{
	const struct places *p = &places[r->table->rows];
	for (size_t i = 0; p->text[i].what; i++) {
		bool last = !p->text[i + 1].what;
		const char *text = place_text(w, p->text[i].what, opt);
		bool tell = objects && last && w->object && p->text[i].what != PLACE_OBJECT;
		table_name(t, text ? shown(text) : "-",
			tell ? new_string(" (%s)", shown(last_part(w->object->p->path))) : "");
	}
}

static void put_total(struct table *t, const struct rows *r)
{
	const struct places *p = &places[r->table->rows];
	put_cells(t, r, r->total, false);
	for (size_t i = 0; p->text[i].what; i++)
		table_name(t, p->text[i + 1].what ? "" : "(all)", "");
	put_cells(t, r, r->total, true);
}

static size_t put_heads(const struct rows *r, struct table_column *to)
{
	const struct places *p = &places[r->table->rows];
	const struct ldx_column *c = r->table->columns;
	size_t n = 0;
	for (size_t k = 0; k < r->ncolumns; k++)
		if (c[k].kind != LDX_BAR)
			to[n++] = (struct table_column){c[k].name,
				is_text(c[k].kind) ? COLUMN_NAME : COLUMN_NUMBER};
	for (size_t i = 0; p->text[i].what; i++)
		to[n++] = (struct table_column){
			p->text[i].name ? p->text[i].name : r->table->key_name, COLUMN_NAME};
	for (size_t k = 0; k < r->ncolumns; k++)
		if (c[k].kind == LDX_BAR)
			to[n++] = (struct table_column){c[k].name, COLUMN_TEXT};
	return n;
}

/* A single row stands upright. */
static void show_upright(const struct rows *r, size_t width, FILE *out)
{
	static const struct table_column columns[] = {{"", COLUMN_NUMBER}, {"", COLUMN_TEXT}};
	struct table *t = table_new(columns, 2, width);
	for (size_t k = 0; k < r->ncolumns && r->n; k++) {
		put_cell(t, &r->table->columns[k], &r->v[0].v[k]);
		table_cell(t, "%s", r->table->columns[k].name);
	}
	table_put(t, out);
}

void show_text(const struct rows *r, const struct view_options *opt, bool objects, FILE *out)
{
	struct table_column *heads = NEW_ARRAY(struct table_column, r->ncolumns + 4);
	size_t n = view_rows(opt, r->n);
	if (r->table->title)
		fprintf(out, "%s\n\n", shown(r->table->title));
	if (r->table->rows == LDX_ROW_TOTAL) {
		show_upright(r, opt->width, out);
		return;
	}
	struct table *t = table_new(heads, put_heads(r, heads), opt->width);
	for (size_t i = 0; i < n; i++) {
		put_cells(t, r, r->v[i].v, false);
		put_places(t, r, &r->v[i], opt, objects);
		put_cells(t, r, r->v[i].v, true);
	}
	if (r->table->total)
		put_total(t, r);
	table_put(t, out);
	if (n < r->n)
		fprintf(out, "\n%zu more: --top=0 shows all\n", r->n - n);
}

/* Values for programs ---------------------------------------------------------------- */

static void put_value(FILE *out, const struct ldx_column *c, const struct value *v)
{
	if (c->kind == LDX_SHARE || c->kind == LDX_RATIO)
		fprintf(out, "%.6f", v->real);
	else
		fprintf(out, "%" PRIu64, v->number);
}

static const char *place_name(const struct rows *r, size_t i)
{
	const char *name = places[r->table->rows].data[i].name;
	return name ? name : r->table->key_name;
}

void show_tsv(const struct rows *r, const struct view_options *opt, FILE *out)
{
	const struct places *p = &places[r->table->rows];
	const struct ldx_column *c = r->table->columns;
	const char *tab = "";
	for (size_t k = 0; k < r->ncolumns; k++)
		if (c[k].kind != LDX_BAR) {
			fprintf(out, "%s%s", tab, shown(c[k].name));
			tab = "\t";
		}
	for (size_t i = 0; p->data[i].what; i++, tab = "\t")
		fprintf(out, "%s%s", tab, place_name(r, i));
	fputc('\n', out);
	for (size_t n = 0; n < view_rows(opt, r->n); n++) {
		tab = "";
		for (size_t k = 0; k < r->ncolumns; k++) {
			const struct value *v = &r->v[n].v[k];
			if (c[k].kind == LDX_BAR)
				continue;
			fputs(tab, out);
			tab = "\t";
			if (v->known && is_text(c[k].kind))
				put_shown(out, v->text);
			else if (v->known && c[k].kind == LDX_ADDRESS)
				fprintf(out, "%" PRIx64, v->number);
			else if (v->known)
				put_value(out, &c[k], v);
		}
		for (size_t i = 0; p->data[i].what; i++, tab = "\t") {
			const char *text = place_text(&r->v[n], p->data[i].what, opt);
			fputs(tab, out);
			put_shown(out, text ? text : "");
		}
		fputc('\n', out);
	}
}

static void json_place(struct json *j, const struct rows *r, struct row *w, size_t i,
	const struct view_options *opt)
{
	enum place what = places[r->table->rows].data[i].what;
	const char *key = place_name(r, i), *text = place_text(w, what, opt);
	if (text && what == PLACE_LINE)
		json_print(j, key, "%s", text);
	else if (text && what == PLACE_ADDRESS)
		json_number(j, key, w->address);
	else
		json_text(j, key, text);
}

static void json_row(struct json *j, const struct rows *r, struct row *w,
	const struct view_options *opt)
{
	const struct ldx_column *c = r->table->columns;
	json_line(j, 1);
	json_object(j, NULL);
	for (size_t k = 0; k < r->ncolumns; k++) {
		if (c[k].kind == LDX_BAR)
			continue;
		if (!w->v[k].known || is_text(c[k].kind)) {
			json_text(j, c[k].name, w->v[k].known ? w->v[k].text : NULL);
		} else {
			json_print(j, c[k].name, "%s", "");
			put_value(j->out, &c[k], &w->v[k]);
		}
	}
	for (size_t i = 0; places[r->table->rows].data[i].what; i++)
		json_place(j, r, w, i, opt);
	json_end(j);
}

void show_json(const struct rows *r, const struct view_options *opt, struct json *j,
	const char *key)
{
	size_t n = view_rows(opt, r->n);
	json_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_row(j, r, &r->v[i], opt);
	json_line(j, 0);
	json_end(j);
}

/* For the page --------------------------------------------------------------------------- */

/* The kinds of columns that tools.js knows. */
static const char *page_kind(enum ldx_column_kind kind)
{
	switch (kind) {
	case LDX_NAME:
	case LDX_TEXT: return "text";
	case LDX_SHARE: return "share";
	case LDX_RATIO: return "ratio";
	case LDX_BAR: return "bar";
	case LDX_ADDRESS: return "address";
	default: return "number";
	}
}

static void page_column(FILE *out, const char *name, const char *kind)
{
	fputc('[', out);
	put_json(out, name);
	fprintf(out, ",\"%s\"]", kind);
}

static const char *place_kind(enum place what)
{
	return what == PLACE_FUNCTION ? "function" : what == PLACE_WHERE ? "where" : "text";
}

/* A place in a file that the page may have: its path and line. */
static void page_where(FILE *out, const struct row *w, const char *text)
{
	fputc('[', out);
	put_json(out, w->file ? w->file : "");
	fprintf(out, ",%" PRIu32 ",", w->line);
	put_json(out, text ? text : "");
	fputc(']', out);
}

static void page_value(FILE *out, const struct ldx_column *c, const struct value *v)
{
	if (!v->known)
		fputs("null", out);
	else if (c->kind == LDX_NAME || c->kind == LDX_TEXT)
		put_json(out, v->text);
	else if (c->kind == LDX_SHARE || c->kind == LDX_RATIO || c->kind == LDX_BAR)
		fprintf(out, "%.6f", v->real);
	else
		pack_number(out, true, v->number);
}

static void page_row(FILE *out, const struct rows *r, struct row *w)
{
	static const struct view_options plain = {.mangled = false};
	const struct places *p = &places[r->table->rows];
	const char *comma = "";
	fputc('[', out);
	for (size_t i = 0; p->text[i].what; i++, comma = ",") {
		const char *text = place_text(w, p->text[i].what, &plain);
		fputs(comma, out);
		if (p->text[i].what == PLACE_WHERE)
			page_where(out, w, text);
		else
			put_json(out, text ? text : "");
	}
	for (size_t k = 0; k < r->ncolumns; k++, comma = ",") {
		fputs(comma, out);
		page_value(out, &r->table->columns[k], &w->v[k]);
	}
	fputc(']', out);
}

void show_page(const struct rows *r, size_t most, FILE *out)
{
	const struct places *p = &places[r->table->rows];
	const char *comma = "";
	size_t n = r->n < most ? r->n : most;
	fputs("{\"name\":", out);
	put_json(out, r->table->name);
	fputs(",\"title\":", out);
	put_json(out, r->table->title ? r->table->title : "");
	fprintf(out, ",\"single\":%s,\"more\":%zu,\"columns\":[",
		r->table->rows == LDX_ROW_TOTAL && n ? "true" : "false", r->n - n);
	for (size_t i = 0; p->text[i].what; i++, comma = ",") {
		fputs(comma, out);
		page_column(out, p->text[i].name ? p->text[i].name : r->table->key_name,
			place_kind(p->text[i].what));
	}
	for (size_t k = 0; k < r->ncolumns; k++, comma = ",") {
		const struct ldx_column *c = &r->table->columns[k];
		fputs(comma, out);
		page_column(out, c->name, page_kind(c->kind));
	}
	fputs("],\"rows\":[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? ",\n" : "", out);
		page_row(out, r, &r->v[i]);
	}
	fputs("]}", out);
}

/* Beside the source -------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	int d = strcmp(x->file, y->file);
	return d ? d : (x->line > y->line) - (x->line < y->line);
}

/* The file of the first of n rows, which are of one file. */
static void put_file(const struct rows *r, const struct row *const *row, size_t n,
	const struct text_folders *folders, FILE *out)
{
	struct text text = text_read(row[0]->file, folders);
	size_t columns = 0, at = 0;
	struct table_column *heads = NEW_ARRAY(struct table_column, r->ncolumns + 2);
	for (size_t k = 0; k < r->ncolumns; k++)
		if (r->table->columns[k].kind != LDX_BAR)
			heads[columns++] =
				(struct table_column){r->table->columns[k].name, COLUMN_NUMBER};
	heads[columns++] = (struct table_column){"line", COLUMN_NUMBER};
	heads[columns++] = (struct table_column){"source", COLUMN_TEXT};
	struct table *t = table_new(heads, columns, 0);
	for (size_t line = 1; line <= text.n || at < n; line++) {
		bool counted = at < n && row[at]->line == line;
		if (!counted && line > text.n)
			continue;
		if (counted)
			put_cells(t, r, row[at]->v, false);
		for (size_t k = 0; k + 2 < columns && !counted; k++)
			table_cell(t, "%s", "");
		while (at < n && row[at]->line <= line) /* the same file in several objects */
			at++;
		table_cell(t, "%zu", line);
		table_cell(t, "%s", text_line(&text, line));
	}
	fprintf(out, "%s\n\n", shown(row[0]->file));
	table_put(t, out);
}

void show_source(const struct rows *r, const struct text_folders *folders, FILE *out)
{
	const struct row **row = NEW_ARRAY(const struct row *, r->n);
	for (size_t i = 0; i < r->n; i++)
		row[i] = &r->v[i];
	if (r->n)
		qsort(row, r->n, sizeof *row, compare_lines);
	for (size_t i = 0, end; i < r->n; i = end) {
		for (end = i; end < r->n && !strcmp(row[end]->file, row[i]->file);)
			end++;
		fputs(i ? "\n" : "", out);
		put_file(r, row + i, end - i, folders, out);
	}
}
