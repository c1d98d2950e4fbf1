/* SPDX-License-Identifier: Apache-2.0 */
/*
 * psabi.c - does a function follow the psABI, or another calling convention?
 *
 * Functions of other conventions (gcc's and clang's ms_abi, preserve_all) preserve vector
 * registers, so callers may rely even on those that such a function does not use.  They preserve
 * %rdi and %rsi too.  Compiled code preserves a register on all paths or on none: one path to a
 * return on which one of these two is lost proves the psABI.  A register can only be saved on the
 * stack: a value loaded from elsewhere is not the old one.
 */

#include "cfg/liveness.h"
#include <stdlib.h>

static regset lost_behind(const struct cfg *g, const struct block *bl, regset lost)
{
	const struct target *t = g->target;
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		const struct effects *e = insn_effects(in);
		if (in->flags & INSN_VAGUE)
			lost = 0;
		else if (e->reads & t->no_scratch)
			lost &= ~e->clobbers;
		else
			lost |= e->writes & t->abi.kept_elsewhere;
	}
	return lost;
}

/* The registers in set are lost at the start of block b too. */
static void spread(const struct func *f, regset *lost, uint32_t b, regset set, bool *changed)
{
	if (!func_has_block(f, b) || !(set & ~lost[b - f->block]))
		return;
	lost[b - f->block] |= set;
	*changed = true;
}

bool cfg_is_psabi(const struct cfg *g, const struct func *f)
{
	regset *lost = calloc(f->nblock + 1, sizeof *lost);
	bool is = false;
	if (!lost)
		fatal("out of memory");
	for (bool changed = true; changed && !is;) {
		changed = false;
		for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
			const struct block *bl = &g->block.v[b];
			regset set = lost_behind(g, bl, lost[b - f->block]);
			spread(f, lost, bl->fall, set, &changed);
			if (bl->end == END_JUMP || bl->end == END_BRANCH)
				spread(f, lost, bl->target, set, &changed);
			is |= bl->end == END_RET && set;
		}
	}
	free(lost);
	return is;
}
