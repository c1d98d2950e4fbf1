/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldxrt-turned.c - the runtime of a shared object whose counters are plain until a second thread
 * comes
 */
#include "runtime/atfork.c"
#include "runtime/bases.c"
#ifdef LDX_CONTROL
#include "runtime/control.c"
#else
#include "runtime/no-control.c"
#endif
#include "runtime/hinders.c"
#include "runtime/log.c"
#include "runtime/name.c"
#include "runtime/one-row.c"
#include "runtime/profile.c"
#include "runtime/rules.c"
#include "runtime/slot.c"
#include "runtime/so.c"
#include "runtime/turn.c"
#include "runtime/windows.c"
