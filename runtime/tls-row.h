/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls-row.h - where a thread's row is: a thread-local word of the program has the distance
 *
 * A new thread begins with 0, the program's own cells.  row_read() and row_write() are the CPU's.
 * See x86_64/row.h.
 */
#ifndef LDX_RUNTIME_TLS_ROW_H
#define LDX_RUNTIME_TLS_ROW_H

#include "runtime/rt.h"
#include "runtime/sys.h"

enum { ROW_ABOVE = 0 };

#pragma GCC visibility push(hidden)
/* Inserted code refers to it. */
extern RT_ENTRY __thread uint64_t __ldx_row;
__thread uint64_t __ldx_row;
#pragma GCC visibility pop

static uint64_t row_read(void);
static void row_write(uint64_t base);

static inline void row_begin(const struct rt_start *s)
{
	(void)s;
}

static inline uint64_t row_base(void)
{
	return row_read();
}

static inline bool row_set(uint64_t base)
{
	row_write(base);
	return true;
}

static inline uint64_t row_self(bool certain)
{
	(void)certain;
	return sys_thread();
}

#endif
