/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - writes JSON value by value: commas, brackets and quotes
 *
 * The key is NULL for an element of an array and for the whole text.
 */
#ifndef LDX_REPORT_JSON_H
#define LDX_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool follows;	 /* the next value follows another one of its array or object */
	int indent;	 /* what is next begins a line, with so many spaces; -1: it does not */
	unsigned depth;	 /* of arrays and objects that are open, at most 64 */
	uint64_t arrays; /* by depth, as bits: an array, not an object */
};

struct json json_to(FILE *out);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j); /* of the last array or object that is open */
/* The next value or bracket begins a line, with so many spaces. */
void json_line(struct json *j, int indent);

void json_text(struct json *j, const char *key, const char *text); /* NULL: null */
void json_number(struct json *j, const char *key, uint64_t n);
void json_known(struct json *j, const char *key, bool known, uint64_t n); /* else null */
void json_bool(struct json *j, const char *key, bool is);
void json_null(struct json *j, const char *key);
/* A value that is formatted already, such as a fraction. */
void json_print(struct json *j, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
