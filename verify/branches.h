/* SPDX-License-Identifier: Apache-2.0 */
/*
 * branches.h - direct branches and calls of the old code (branches.c)
 */
#ifndef LDX_VERIFY_BRANCHES_H
#define LDX_VERIFY_BRANCHES_H

#include "verify/state.h"

/* The branch whose code sites in front of insn k end in PATTERN_LEAVE; NO_INSN: there is none. */
uint32_t leaving_branch(const struct verify *v, const struct vtext *t, uint32_t k);

/* The relocation that says where indirect call or jump in leads, or NULL. */
const struct reloc *callee_of(const struct verify *v, const struct vtext *t, const struct insn *in);

/* The same of any call or jump in. */
const struct reloc *target_reloc(const struct verify *v, const struct vtext *t,
	const struct insn *in);

/* Insn k as a direct branch or call; as a jump or branch with VBRANCH_SURE; NULL if it is none. */
const struct vbranch *branch_at(const struct verify *v, uint32_t k);

const struct vbranch *branch_of(const struct verify *v, uint32_t k);

/* A branch into an instruction or out of the section, without relocation: data, such as text. */
bool is_odd(const struct verify *v, const struct vtext *t, const struct insn *in);

/* A jump or branch: changes no register that can hold a counter. */
bool is_branch(const struct insn *in);

#endif
