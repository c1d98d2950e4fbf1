/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldxrt-so.c - the runtime of a shared object
 */
#include "runtime/atfork.c"
#include "runtime/name.c"
#include "runtime/profile.c"
#include "runtime/so.c"
#include "runtime/threads.c"
