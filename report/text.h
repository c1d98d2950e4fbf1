/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - the text of source files
 */
#ifndef LDX_REPORT_TEXT_H
#define LDX_REPORT_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Folders in which source files are looked for that are not where the compiler found them. */
struct text_folders {
	char *const *v;
	size_t n;
};

/*
 * Where the file is that the compiler found at path; if it is not there, the first in a folder that
 * has the path, or the longest end of it.  NULL: nowhere.
 */
const char *text_find(const char *path, const struct text_folders *f);

struct text {
	const char *path;  /* that the compiler found it at */
	const char **line; /* where each begins, the first at line[0]; at line[n] the last ends */
	size_t n;
};

/* The file that text_find() finds; without lines, and with a warning, when there is none. */
struct text text_read(const char *path, const struct text_folders *f);

/* Line number, from 1, as it is printed: tabs are blanks, without blanks at its end; or "". */
const char *text_line(const struct text *t, size_t number);

#endif
