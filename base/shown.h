/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h - names as they are printed
 *
 * A name from a file may have any bytes.  On a terminal, or in a line-oriented format, it must have
 * no effect: unsafe characters are printed as \xHH, byte by byte.
 */
#ifndef LDX_BASE_SHOWN_H
#define LDX_BASE_SHOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Takes the UTF-8 character at *s and moves *s behind it; NO_CHARACTER: a byte that begins none. */
enum { NO_CHARACTER = -1 };
int32_t take_character(const char **s);

/* True unless c moves the cursor, ends a line, or changes how other characters are shown. */
bool is_harmless(int32_t c);

/* Reversible: the backslash of a \xHH that is in s itself is printed as \x5c. */
void put_shown(FILE *out, const char *s);

/* The same as a string: s itself if all of it is safe, else new memory that is never freed. */
const char *shown(const char *s);

/* Decodes such a string in place. */
void unshow(char *s);

#endif
