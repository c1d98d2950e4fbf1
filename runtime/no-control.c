/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no-control.c - replaces control.c if nothing controls the counters
 */
#include "runtime/rt.h"

bool __ldx_control_has(void)
{
	return false;
}

bool __ldx_control_fresh(void)
{
	return false;
}

uint64_t *__ldx_control_before(const uint64_t *cells, uint64_t size)
{
	(void)cells;
	(void)size;
	return NULL;
}

void __ldx_control_mapped(uint64_t *cells, uint64_t size, uint64_t *before)
{
	(void)cells;
	(void)size;
	(void)before;
}

void __ldx_control_child(void)
{
}
