/* SPDX-License-Identifier: Apache-2.0 */
/* row.h - where a thread's row is: a thread-local word */
#include "runtime/tls-row.h"

static uint64_t row_read(void)
{
	return __ldx_row;
}

static void row_write(uint64_t base)
{
	__ldx_row = base;
}
