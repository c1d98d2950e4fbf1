/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldxrt-exe.c - the runtime of a program
 *
 * LDX_ROWS: a thread has counters of its own.  LDX_BASES: and finds them by a base that libraries
 * may use, too.
 */
#include "runtime/atfork.c"
#ifdef LDX_CONTROL
#include "runtime/control.c"
#else
#include "runtime/no-control.c"
#endif
#include "runtime/early.c"
#include "runtime/exe.c"
#include "runtime/log.c"
#include "runtime/name.c"
#include "runtime/profile.c"
#include "runtime/rules.c"
#include "runtime/slot.c"
#ifdef LDX_ROWS
#ifdef LDX_BASES
#include "runtime/bases.c"
#include "runtime/joint.c"
#include "runtime/windows.c"
#else
#include "runtime/no-joint.c"
#endif
#include "runtime/threads.c"
#else
#include "runtime/no-turn.c"
#include "runtime/one-row.c"

void __ldx_noticed(void)
{
	__ldx_child();
}
#endif
