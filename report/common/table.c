/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - tables as text, laid out by libsmartcols
 */
#include "report/common/table.h"

#include "report/common/names.h"
#include "report/common/util.h"

#include <inttypes.h>
#include <langinfo.h>
#include <libsmartcols/libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct cell {
	char *text;
	const char *more; /* behind a name */
};

struct table {
	const struct table_column *column;
	size_t ncolumns, width;
	struct cell *cell;
	size_t n, room;
};

struct table *table_new(const struct table_column *columns, size_t n, size_t width)
{
	struct table *t = new_array(1, sizeof *t);
	*t = (struct table){.column = columns, .ncolumns = n, .width = width};
	return t;
}

static void add_cell(struct table *t, char *text, const char *more)
{
	if (t->n == t->room) {
		t->room = 2 * t->room + 64;
		t->cell = realloc(t->cell, t->room * sizeof *t->cell);
	}
	if (!t->cell || !text)
		die("out of memory");
	t->cell[t->n++] = (struct cell){text, more};
}

void table_cell(struct table *t, const char *fmt, ...)
{
	va_list ap;
	char *text;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	add_cell(t, text, "");
}

void table_count(struct table *t, int known, uint64_t n)
{
	if (known)
		table_cell(t, "%" PRIu64, n);
	else
		table_cell(t, "-");
}

void table_name(struct table *t, const char *name, const char *more)
{
	add_cell(t, new_string("%s", name), new_string("%s", more));
}

static size_t find_widest(const struct table *t, size_t column)
{
	size_t widest = text_width(t->column[column].head);
	for (size_t i = column; i < t->n; i += t->ncolumns) {
		size_t w = text_width(t->cell[i].text) + text_width(t->cell[i].more);
		widest = w > widest ? w : widest;
	}
	return widest;
}

/* The width of each column: what is left of a line is divided among the names that need it. */
static size_t *find_room(const struct table *t)
{
	enum { LEAST = 16 };
	size_t left = t->width, names = 0, *room = NEW_ARRAY(size_t, t->ncolumns);
	bool *is_wide = NEW_ARRAY(bool, t->ncolumns);
	for (size_t c = 0; c < t->ncolumns; c++) {
		room[c] = find_widest(t, c);
		is_wide[c] = t->column[c].kind == COLUMN_NAME;
		names += is_wide[c];
		size_t used = 2 * (c > 0) + (is_wide[c] ? 0 : room[c]);
		left = left > used ? left - used : 0;
	}
	for (bool more = true; more;) {
		more = false;
		for (size_t c = 0; c < t->ncolumns; c++) {
			if (!is_wide[c] || room[c] > left / names)
				continue;
			is_wide[c] = false;
			left -= room[c];
			names--;
			more = true;
		}
	}
	for (size_t c = 0; c < t->ncolumns; c++)
		if (is_wide[c])
			room[c] = left / names > LEAST ? left / names : LEAST;
	free(is_wide);
	return room;
}

static const char *find_dots(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") ? "..." : "\u2026";
}

static void fit_names(struct table *t)
{
	size_t *room = find_room(t);
	for (size_t i = 0; i < t->n; i++) {
		struct cell *c = &t->cell[i];
		if (t->column[i % t->ncolumns].kind != COLUMN_NAME)
			continue;
		size_t more = text_width(c->more), width = room[i % t->ncolumns];
		char *name = t->width
			? name_fitted(c->text, width > more ? width - more : 1, find_dots())
			: c->text;
		c->text = *c->more ? new_string("%s%s", name, c->more) : name;
	}
	free(room);
}

static void fill(const struct table *t, struct libscols_table *s)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (!scols_table_new_column(s, t->column[i].head, 0,
			    t->column[i].kind == COLUMN_NUMBER ? SCOLS_FL_RIGHT : 0))
			die("out of memory");
	for (size_t i = 0; i < t->n; i += t->ncolumns) {
		struct libscols_line *line = scols_table_new_line(s, NULL);
		for (size_t c = 0; c < t->ncolumns; c++)
			if (!line || scols_line_refer_data(line, c, t->cell[i + c].text))
				die("out of memory");
	}
}

/* The output does not depend on whether it is a terminal: lines are as long as their names. */
void table_put(struct table *t, FILE *out)
{
	struct libscols_table *s = scols_new_table();
	if (!s)
		die("out of memory");
	scols_table_set_stream(s, out);
	scols_table_set_termforce(s, SCOLS_TERMFORCE_NEVER);
	scols_table_enable_noencoding(s, 1);
	scols_table_enable_noheadings(s, !*t->column[0].head);
	scols_table_set_column_separator(s, "  ");
	fit_names(t);
	fill(t, s);
	if (t->n && scols_print_table(s))
		die("out of memory");
	scols_unref_table(s); /* the cells are its own */
	free(t->cell);
	free(t);
}

size_t terminal_width(void)
{
	struct winsize w;
	return isatty(1) && !ioctl(1, TIOCGWINSZ, &w) && w.ws_col ? w.ws_col : 0;
}
