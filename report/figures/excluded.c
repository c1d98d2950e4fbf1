/* SPDX-License-Identifier: Apache-2.0 */
/*
 * excluded.c - lines that comments in a source file exclude from its coverage; see excluded.h
 */
#include "report/figures/excluded.h"

#include "report/common/util.h"

#include <stdlib.h>
#include <string.h>

/* The effects of marks: on their line, and from their line on. */
static const struct mark {
	const char *name;
	uint8_t line, start, stop;
} marks[] = {
	{"LCOV_EXCL_LINE", EXCLUDED_LINE, 0, 0},
	{"LCOV_EXCL_START", 0, EXCLUDED_LINE, 0},
	{"LCOV_EXCL_STOP", 0, 0, EXCLUDED_LINE},
	{"LCOV_EXCL_BR_LINE", EXCLUDED_BRANCH, 0, 0},
	{"LCOV_EXCL_BR_START", 0, EXCLUDED_BRANCH, 0},
	{"LCOV_EXCL_BR_STOP", 0, 0, EXCLUDED_BRANCH},
};

/* EXCLUDED_* of a line of n bytes; *section: the effects that last from line to line. */
static uint8_t read_line(const char *text, size_t n, uint8_t *section)
{
	uint8_t line = 0;
	if (!memmem(text, n, "LCOV_EXCL_", 10))
		return *section;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const struct mark *m = &marks[i];
		if (!memmem(text, n, m->name, strlen(m->name)))
			continue;
		line |= m->line;
		*section = (uint8_t)((*section | m->start) & ~m->stop);
	}
	return line | *section;
}

static uint32_t count_lines(const char *text, const char *end)
{
	uint32_t n = 0;
	for (; text < end && n < UINT32_MAX; n++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		text = newline ? newline + 1 : end;
	}
	return n;
}

struct excluded excluded_read(const char *path)
{
	struct excluded e = {.read = false};
	struct input in;
	uint8_t section = 0;
	if (input_try(&in, path))
		return e;
	const char *text = (const char *)in.data, *end = text + in.size;
	e.read = true;
	e.n = count_lines(text, end);
	e.line = NEW_ARRAY(uint8_t, e.n);
	for (uint32_t i = 0; i < e.n; i++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *next = newline ? newline + 1 : end;
		e.line[i] = read_line(text, (size_t)(next - text), &section);
		text = next;
	}
	input_close(&in);
	return e;
}

void excluded_free(struct excluded *e)
{
	free(e->line);
	*e = (struct excluded){.read = false};
}

unsigned excluded_at(const struct excluded *e, uint32_t line)
{
	return line && line <= e->n ? e->line[line - 1] : 0;
}
