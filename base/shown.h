/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h - escaping of names for output
 *
 * A name from a file may have any bytes.  It must not control a terminal or break a line-oriented
 * format: unsafe characters are printed as \xHH, byte by byte.
 */
#ifndef LDX_BASE_SHOWN_H
#define LDX_BASE_SHOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Decodes the UTF-8 character at *s and moves *s behind it; NO_CHARACTER: an invalid byte. */
enum { NO_CHARACTER = -1 };
int32_t take_character(const char **s);

/* False if c moves the cursor, ends a line, or changes how other characters are displayed. */
bool is_harmless(int32_t c);

/* Reversible: the backslash of a \xHH that is in s itself is printed as \x5c. */
void put_shown(FILE *out, const char *s);

/* s as put_shown() prints it: s itself if all of it is safe, else memory that is never freed. */
const char *shown(const char *s);

/* Decodes a string of shown() in place. */
void unshow(char *s);

#endif
