/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldxrt-lone.c - the runtime of a program with one thread, that does not fork
 *
 * What atfork.c and threads.c do is not needed then, nor forked.S.
 */
#include "runtime/early.c"
#include "runtime/exe.c"
#include "runtime/name.c"
#include "runtime/profile.c"

void __ldx_atfork(const struct rt_start *s)
{
	(void)s;
}

void __ldx_threads_begin(void)
{
}

uint64_t *__ldx_threads_cells(void)
{
	return __ldx_cells();
}

void __ldx_threads_own(void)
{
}
