/* SPDX-License-Identifier: Apache-2.0 */
/* class.h - what an instruction does, in the words of ldx/program.h */
#ifndef LDX_TARGETS_CLASS_H
#define LDX_TARGETS_CLASS_H

#include "targets/target.h"

/*
 * LDX_CLASS_* of the instruction at p.  Of one with a delay slot, which is another instruction,
 * that of the branch.
 */
unsigned insn_class(const struct target *t, const uint8_t *p, const struct insn *in);

/*
 * How many accesses the instruction makes, with those of its delay slot; LDX_ACCESS_* and the bytes
 * of access n, 0 if it has none.
 */
unsigned insn_accesses(const struct target *t, const uint8_t *p, const struct insn *in);
unsigned insn_access_kind(const struct target *t, const uint8_t *p, const struct insn *in,
	unsigned n);
unsigned insn_access_size(const struct target *t, const uint8_t *p, const struct insn *in,
	unsigned n);

#endif
