/* SPDX-License-Identifier: Apache-2.0 */
/*
 * one-row.c - replaces threads.c: all threads share the counters
 */
#include "runtime/rt.h"

uint32_t __ldx_threads;

void __ldx_threads_begin(const struct rt_start *s)
{
	(void)s;
}

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

void __ldx_threads_own(void)
{
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

uint64_t *__ldx_threads_child(void)
{
	return __ldx_cells();
}
