/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one-row.c - with turn.c or no-turn.c in place of threads.c: all threads share the counters
 */
#include "runtime/rt.h"

void __ldx_threads_off(void)
{
}

uint64_t __ldx_threads_ahead(void)
{
	return 0;
}

uint64_t *__ldx_threads_cells(void)
{
	return __ldx_cells();
}

void __ldx_threads_rows(uint64_t *cells, uint64_t rows)
{
	(void)cells;
	(void)rows;
}

void *__ldx_threads_place(void *at, uint64_t size)
{
	(void)size;
	return at;
}
