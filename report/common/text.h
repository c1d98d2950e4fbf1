/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - the text of source files
 */
#ifndef LDX_REPORT_TEXT_H
#define LDX_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Directories to search for source files that are not at the compiler's path. */
struct text_folders {
	char *const *v;
	size_t n;
};

/*
 * The path of the file that the compiler found at path.  If it does not exist, directories are
 * searched for that path, or the longest end of it.  NULL: it is not found.
 */
const char *text_find(const char *path, const struct text_folders *f);

struct text {
	const char *path;  /* the compiler's path */
	const char **line; /* the start of each, from line[0]; line[n] is the end of the last */
	size_t n;
};

/* Reads the file that text_find() finds; if there is none, warns and has no lines. */
struct text text_read(const char *path, const struct text_folders *f);

/* A line, from 1, for printing: tabs expanded, without trailing blanks; "" if it does not exist. */
const char *text_line(const struct text *t, size_t number);

#endif
