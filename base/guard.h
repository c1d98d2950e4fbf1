/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.h - to run code of a tool, which may be wrong, in the process of ldx or ldxprof
 */
#ifndef LDX_BASE_GUARD_H
#define LDX_BASE_GUARD_H

/*
 * Called when the code dies by a signal, on a stack of its own (how: the signal in words), or calls
 * exit() (how: NULL).  It must end the process by _exit().
 */
typedef void guard_end(const char *how);

/* Calls fn(ctx).  fatal() may be called in it.  Calls are not nested. */
void guarded(void (*fn)(void *ctx), void *ctx, guard_end *end);

#endif
