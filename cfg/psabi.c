/* SPDX-License-Identifier: Apache-2.0 */
/*
 * psabi.c - what follows from calling conventions: does a function follow the psABI, what do its
 * callers rely on, what may inserted code change?
 *
 * Functions of other conventions (gcc's and clang's ms_abi, preserve_all) preserve vector
 * registers, so callers may rely even on those that such a function does not use.  They preserve
 * integer registers too, as %rdi and %rsi.  Compiled code preserves a register on all paths or on
 * none: one path to a return on which one of these is lost proves the psABI.  A register can only
 * be saved on the stack: a value loaded from elsewhere is not the old one.
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

static void forget_returns(struct cfg *g)
{
	for (uint32_t f = 0; f < g->func.n; f++)
		g->func.v[f].ret_live = 0;
}

regset *cfg_kept(struct cfg *g, bool shared)
{
	regset *kept = g->kept = arena_array(g->arena, regset, g->func.n + 1);
	forget_returns(g);
	cfg_liveness(g, shared);
	forget_returns(g);
	g->kept = NULL;
	return kept;
}

/*
 * Registers in which no calling convention passes anything, to or from a function.  Code that
 * relies on them knows the function (-fipa-ra), and is in the object.
 */
static regset never_passed(const struct target *t)
{
	return t->abi.call_clobbers &
		(REGSET_GENERAL | t->micro->hold_vectors | t->micro->hold_unit) &
		~(t->abi.entry_live | t->abi.ret_live | t->no_scratch);
}

/* May f be a label that is jumped to by its address, not a function that is called? */
static bool is_jumped_to(const struct cfg *g, const struct func *f)
{
	return !is_function_symbol(g, f) && set_has(g->text.v[f->text].taken, f->start);
}

regset cfg_scratch(const struct cfg *g, const struct func *f, regset live)
{
	regset usable = f->written | (is_jumped_to(g, f) ? 0 : never_passed(g->target));
	regset never = g->target->no_scratch | g->target->reserved | f->wanted;
	return ((usable & ~never) | REGSET_FLAGS) & ~live;
}
