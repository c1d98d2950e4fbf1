/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers.h - registers that hold counters (held.c) or the base of their addresses (base.c)
 */
#ifndef LDX_VERIFY_REGISTERS_H
#define LDX_VERIFY_REGISTERS_H

#include "verify/landing.h"

/* Control comes to y, in front of insn k, by w: this is noted for verify_bases(). */
void note_arrival(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y,
	const struct way *w);

/* Does control that by leads to y, in front of insn k, arrive in k's state?  See struct way. */
bool holds_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y, uint32_t by);

#endif
