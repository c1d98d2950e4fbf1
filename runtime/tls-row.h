/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls-row.h - where a thread's row is: thread-local words of the program have its address
 *
 * A new thread begins with the program's own cells.  Each word has the address ROW_BIAS bytes
 * behind the start of a page of ROW_PAGE bytes of cells; a 0 is behind them.  row_words() is the
 * CPU's, as are these numbers, which its emit.c knows, too.  See x86_64/row.h.
 */
#ifndef LDX_RUNTIME_TLS_ROW_H
#define LDX_RUNTIME_TLS_ROW_H

#include "runtime/rt.h"
#include "runtime/sys.h"

enum { ROW_ABOVE = 0 };

static volatile uint64_t *row_words(void);

static inline void row_begin(const struct rt_start *s)
{
	(void)s;
}

static inline uint64_t row_base(void)
{
	return *row_words() - ROW_BIAS - (uint64_t)__ldx_cells();
}

/* The first word is the last to change: a handler of a signal that finds it has the whole row. */
static inline bool row_set(uint64_t base)
{
	volatile uint64_t *word = row_words();
	uint64_t first = (uint64_t)__ldx_cells() + base + ROW_BIAS, n = 0;
	while (word[n])
		n++;
	while (n-- > 0)
		word[n] = first + n * ROW_PAGE;
	return true;
}

static inline uint64_t row_self(bool certain)
{
	(void)certain;
	return sys_thread();
}

#endif
