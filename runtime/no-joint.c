/* SPDX-License-Identifier: Apache-2.0 */
/* no-joint.c - in place of joint.c: libraries use no bases */
#include "runtime/joint.h"

void __ldx_joint_begin(const struct rt_start *s)
{
	(void)s;
}

bool __ldx_joint_get(uint64_t self)
{
	(void)self;
	return false;
}

void __ldx_joint_child(void)
{
}
