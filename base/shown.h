/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown.h - names as they are printed
 *
 * A name that comes from a file may hold anything.  On a terminal, or in a format of lines, it
 * must not do anything: what is not harmless in it is printed as \xHH, byte by byte.
 */
#ifndef LDX_BASE_SHOWN_H
#define LDX_BASE_SHOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The UTF-8 character at *s, which moves behind it; a byte that begins none: NO_CHARACTER. */
enum { NO_CHARACTER = -1 };
int32_t take_character(const char **s);

/* Is it none that moves the cursor, ends a line, or changes how others are shown? */
bool is_harmless(int32_t c);

/* What reads back: the backslash of what looks like \xHH is printed as \x5c. */
void put_shown(FILE *out, const char *s);

/* The same as a string: s itself if all of it is harmless, else new memory that is never freed. */
const char *shown(const char *s);

/* Undo that, in place. */
void unshow(char *s);

#endif
