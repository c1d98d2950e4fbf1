/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldxrt-lone.c - the runtime of a program with one thread, that does not fork
 *
 * What atfork.c and threads.c do is not needed then, nor forked.S.
 */
#ifdef LDX_CONTROL
#include "runtime/control.c"
#else
#include "runtime/no-control.c"
#endif
#include "runtime/early.c"
#include "runtime/exe.c"
#include "runtime/log.c"
#include "runtime/name.c"
#include "runtime/no-turn.c"
#include "runtime/one-row.c"
#include "runtime/profile.c"
#include "runtime/rules.c"
#include "runtime/slot.c"

bool __ldx_has_slot(void)
{
	return true;
}

void __ldx_atfork(const struct rt_start *s)
{
	(void)s;
}
