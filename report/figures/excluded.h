/* SPDX-License-Identifier: Apache-2.0 */
/*
 * excluded.h - lines that comments in a source file exclude from its coverage
 *
 * The marks are lcov's: LCOV_EXCL_LINE, and from LCOV_EXCL_START to before LCOV_EXCL_STOP; for
 * branches only LCOV_EXCL_BR_LINE, LCOV_EXCL_BR_START and LCOV_EXCL_BR_STOP.
 */
#ifndef LDX_REPORT_EXCLUDED_H
#define LDX_REPORT_EXCLUDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXCLUDED_LINE = 1, EXCLUDED_BRANCH = 2 };

struct excluded {
	bool read;     /* the file exists */
	uint32_t n;    /* number of lines */
	uint8_t *line; /* EXCLUDED_*; line[0] is line 1 */
};

/* A path that cannot be read has no lines. */
struct excluded excluded_read(const char *path);
void excluded_free(struct excluded *e);

/* EXCLUDED_* of a line, 0 behind the last one. */
unsigned excluded_at(const struct excluded *e, uint32_t line);

#endif
