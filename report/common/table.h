/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - tables as text, with names that fit the terminal
 */
#ifndef LDX_REPORT_TABLE_H
#define LDX_REPORT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct table;

struct table_column {
	const char *head; /* "" for all columns: there is no header line */
	enum { COLUMN_NUMBER, COLUMN_TEXT, COLUMN_NAME } kind; /* a name may be shortened */
};

/* Names are shortened so that lines have at most width columns; 0: they are not shortened. */
struct table *table_new(const struct table_column *columns, size_t n, size_t width);

/* The next cell, row by row.  Text must be safe to print: see base/shown.h. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_count(struct table *t, int known, uint64_t n); /* a dash when it is not known */
void table_name(struct table *t, const char *name, const char *more); /* more is never cut */

/* Print it, and free it. */
void table_put(struct table *t, FILE *out);

/* The width of the terminal if standard output is one, else 0. */
size_t terminal_width(void);

#endif
