/* SPDX-License-Identifier: Apache-2.0 */
/*
 * util.h - memory, messages, input and output for ldxprof
 */
#ifndef LDX_REPORT_UTIL_H
#define LDX_REPORT_UTIL_H

#include "base/shown.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* fatal(): prints `ldxprof: error: text', with unsafe characters as \xHH, and exits. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Sets the exit status of die(), which is 1. */
void die_with(int status);

/* `ldxprof: warning: text'. */
void warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory for n things of that size; never NULL, never freed. */
void *new_array(size_t n, size_t size);
#define NEW_ARRAY(T, n) ((T *)new_array((n), sizeof(T)))
char *new_string(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The last part of path; of "dir/libx.a(sub/y.o)", a member, that of the archive with it. */
const char *last_part(const char *path);

/* A regular file in memory. */
struct input {
	const char *path;
	const uint8_t *data;
	size_t size;
	int fd;
};
/* NULL, or why it cannot be read; fd is -1 and errno set if it cannot be opened. */
const char *input_try(struct input *in, const char *path);
/* die() if it cannot be read; false: it does not exist. */
bool input_open(struct input *in, const char *path);
void input_close(struct input *in);

/* Saturating sums and products. */
uint64_t add_sat(uint64_t a, uint64_t b);
uint64_t mul_sat(uint64_t a, uint64_t b);

/*
 * Prints a JSON string with its quotes: unsafe characters by number, bytes that are not UTF-8 as
 * U+FFFD.
 */
void put_json(FILE *out, const char *s);

/* The name as its language writes it, if it is mangled; else the name itself. */
const char *demangled(const char *name);

#endif
