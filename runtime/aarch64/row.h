/* SPDX-License-Identifier: Apache-2.0 */
/* row.h - where a thread's row is: thread-local words */
#ifndef LDX_RUNTIME_ROW_H
#define LDX_RUNTIME_ROW_H

enum { ROW_PAGE = 1 << 15, ROW_BIAS = 0 };

#include "runtime/tls-row.h"

#pragma GCC visibility push(hidden)
extern __thread uint64_t __ldx_row[];
#pragma GCC visibility pop

static volatile uint64_t *row_words(void)
{
	return __ldx_row;
}

#endif
