/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldxrt-exe.c - the runtime of a program
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
#include "runtime/slot.c"
#include "runtime/threads.c"
