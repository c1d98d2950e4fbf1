/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldxrt-exe.c - the runtime of a program
 *
 * LDX_ROWS: where the CPU finds the counters of a thread by a base.
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
#include "runtime/bases.c"
#include "runtime/threads.c"
#include "runtime/windows.c"
#else
#include "runtime/no-turn.c"
#include "runtime/one-row.c"

void __ldx_noticed(void)
{
	__ldx_child();
}
#endif
