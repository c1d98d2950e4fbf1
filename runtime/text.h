/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - builds text without a libc
 */
#ifndef LDX_RUNTIME_TEXT_H
#define LDX_RUNTIME_TEXT_H

#include "runtime/rt.h"

/* Text in a buffer of RT_PATH bytes; full: it did not fit, and was truncated. */
struct text {
	char *v;
	size_t n;
	bool full;
};

static void put(struct text *t, char c)
{
	if (t->n + 1 < RT_PATH)
		t->v[t->n++] = c;
	else
		t->full = true;
	t->v[t->n] = '\0';
}

static void put_text(struct text *t, const char *s)
{
	while (*s)
		put(t, *s++);
}

static void put_decimal(struct text *t, unsigned long x)
{
	if (x >= 10)
		put_decimal(t, x / 10);
	put(t, (char)('0' + x % 10));
}

#endif
