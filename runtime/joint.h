/* SPDX-License-Identifier: Apache-2.0 */
/*
 * joint.h - one base of a thread for the program and its libraries (bases.h)
 *
 *	joint.c		the program has joined them
 *	no-joint.c	in place of joint.c: libraries use no bases
 */
#ifndef LDX_RUNTIME_JOINT_H
#define LDX_RUNTIME_JOINT_H

#include "runtime/rt.h"

#pragma GCC visibility push(hidden)

/* From now on libraries may give bases. */
void __ldx_joint_begin(const struct rt_start *s);
/* Give the thread with this pointer a base and a row; false: the program has its own bases. */
bool __ldx_joint_get(uint64_t self);
/* A child begins without bases, as its libraries do. */
void __ldx_joint_child(void);

#pragma GCC visibility pop

#endif
