/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - what a call does to registers
 *
 * A compiler that sees the function that it calls, and all that this one calls, keeps values in
 * registers that those do not change (gcc -fipa-ra).
 */
#include "cfg/cfg_priv.h"

enum { MOST_CALLED = 32 };

/* The functions that a call leads to. */
struct called {
	const struct cfg *g;
	struct call_use use;
	uint32_t func[MOST_CALLED], n;
};

/* Add the function that begins at block b.  False: it is not known what happens there. */
static bool add_called(struct called *w, uint32_t b)
{
	if (b == NO_BLOCK)
		return false;
	uint32_t f = w->g->block.v[b].func;
	const struct func *fn = &w->g->func.v[f];
	for (uint32_t k = 0; k < w->n; k++)
		if (w->func[k] == f)
			return true;
	if (fn->block != b || !fn->is_code || fn->why != OPAQUE_NOT ||
		w->g->text.v[fn->text].frozen || w->n == MOST_CALLED)
		return false;
	w->func[w->n++] = f;
	return true;
}

/* Does the last instruction of bl lead to its target only? */
static bool is_direct(const struct cfg *g, const struct block *bl)
{
	const struct symbol *s = named_at_end(g, bl);
	return !bl->chosen && !bl->astray && !(s && g->shared && is_preemptible(s));
}

/* Control leads from f to block b, perhaps (within) of f itself. */
static bool may_lead(struct called *w, const struct func *f, uint32_t b, bool within)
{
	return (within && func_has_block(f, b)) || add_called(w, b);
}

static bool add_block(struct called *w, const struct func *f, const struct block *bl)
{
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &w->g->insn.v[i];
		if (in->flags & INSN_VAGUE)
			return false;
		w->use.reads |= insn_effects(in)->reads;
		w->use.changes |= insn_effects(in)->clobbers;
	}
	bool leads = bl->end == END_BRANCH || bl->end == END_JUMP || bl->end == END_CALL;
	if (leads && !(is_direct(w->g, bl) && may_lead(w, f, bl->target, bl->end != END_CALL)))
		return false;
	switch ((enum block_end)bl->end) {
	case END_RET:
	case END_TRAP:
	case END_JUMP: return true;
	case END_CALL: return bl->fall == NO_BLOCK || may_lead(w, f, bl->fall, true);
	case END_FALL:
	case END_BRANCH: return may_lead(w, f, bl->fall, true);
	default: return false;
	}
}

struct call_use call_use(const struct cfg *g, const struct block *bl)
{
	const struct target *t = g->target;
	struct called w = {.g = g};
	bool known = bl->end == END_CALL && is_direct(g, bl) && add_called(&w, bl->target);
	for (uint32_t k = 0; k < w.n && known; k++) {
		const struct func *f = &g->func.v[w.func[k]];
		for (uint32_t b = f->block; b < f->block + f->nblock && known; b++)
			known = g->block.v[b].gap || add_block(&w, f, &g->block.v[b]);
	}
	if (!known)
		return (struct call_use){t->entry_live & t->call_clobbers, t->call_clobbers};
	w.use.changes &= t->call_clobbers;
	return w.use;
}
