/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - what a call does to registers
 *
 * A compiler that sees the function that it calls, and all that this one calls, keeps values in
 * registers that those do not change (gcc -fipa-ra).
 */
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"

#include "targets/stated.h"

#include <stdlib.h>

bool is_preemptible(const struct symbol *s)
{
	return symbol_bind(s) != STB_LOCAL && ELF64_ST_VISIBILITY(s->other) == STV_DEFAULT;
}

enum { MOST_CALLED = 32, MOST_BLOCKS = 2000 };

/* The functions that a call leads to. */
struct called {
	const struct cfg *g;
	regset changes;
	uint32_t func[MOST_CALLED], n;
	uint32_t first[MOST_CALLED + 1]; /* of its blocks in live */
	VEC(regset) live;		 /* at the start of each block: read before it is written */
};

/* The number of the function that begins at block b; it is added if it is new.  -1: not known. */
static int add_called(struct called *w, uint32_t b)
{
	if (b == NO_BLOCK)
		return -1;
	uint32_t f = w->g->block.v[b].func;
	const struct func *fn = &w->g->func.v[f];
	for (uint32_t k = 0; k < w->n; k++)
		if (w->func[k] == f)
			return fn->block == b ? (int)k : -1;
	if (fn->block != b || !fn->is_code || fn->why != OPAQUE_NOT || is_held(w->g, f) ||
		w->n == MOST_CALLED || w->live.n + fn->nblock > MOST_BLOCKS)
		return -1;
	w->func[w->n++] = f;
	for (uint32_t k = 0; k < fn->nblock; k++)
		vec_push(&w->live, 0);
	w->first[w->n] = (uint32_t)w->live.n;
	return (int)w->n - 1;
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
	return (within && func_has_block(f, b)) || add_called(w, b) >= 0;
}

static bool add_block(struct called *w, const struct func *f, const struct block *bl)
{
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &w->g->insn.v[i];
		if (in->flags & INSN_VAGUE)
			return false;
		w->changes |= insn_effects(in)->clobbers;
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

static bool add_all(struct called *w)
{
	for (uint32_t k = 0; k < w->n; k++) {
		const struct func *f = &w->g->func.v[w->func[k]];
		for (uint32_t b = f->block; b < f->block + f->nblock; b++)
			if (!w->g->block.v[b].gap && !add_block(w, f, &w->g->block.v[b]))
				return false;
	}
	return true;
}

/* What is read from block b on, which control comes to from function number k. */
static regset live_at(struct called *w, uint32_t k, uint32_t b, bool within)
{
	const struct func *f = &w->g->func.v[w->func[k]];
	if (b == NO_BLOCK)
		return 0;
	if (within && func_has_block(f, b))
		return w->live.v[w->first[k] + b - f->block];
	int to = add_called(w, b);
	return to < 0 ? 0 : w->live.v[w->first[to]];
}

/* Find again what is read in function number k.  True: it is more than before. */
static bool read_more(struct called *w, uint32_t k)
{
	const struct func *f = &w->g->func.v[w->func[k]];
	bool more = false;
	for (uint32_t b = f->block + f->nblock; b-- > f->block;) {
		const struct block *bl = &w->g->block.v[b];
		regset live = live_at(w, k, bl->fall, true);
		if (!bl->gap)
			live |= live_at(w, k, bl->target, bl->end != END_CALL);
		for (uint32_t i = bl->insn + bl->ninsn; i-- > bl->insn && !bl->gap;) {
			const struct effects *e = insn_effects(&w->g->insn.v[i]);
			live = (live & ~e->writes) | e->reads;
		}
		regset *at = &w->live.v[w->first[k] + b - f->block];
		more |= (live & ~*at) != 0;
		*at |= live;
	}
	return more;
}

/* Finds all that the call or jump at the end of bl leads to, and what is read there. */
static bool find_called(struct called *w, const struct block *bl)
{
	bool leads = bl->end == END_CALL || bl->end == END_JUMP;
	bool known = leads && is_direct(w->g, bl) && add_called(w, bl->target) == 0 && add_all(w);
	for (bool more = known; more;) {
		more = false;
		for (uint32_t k = w->n; k--;)
			more |= read_more(w, k);
	}
	return known;
}

/* All functions that a call leads to: none changes more than all of them. */
static void state_called(const struct called *w)
{
	for (uint32_t k = 0; k < w->n; k++) {
		const struct func *f = &w->g->func.v[w->func[k]];
		vec_push(&w->g->stated->changes,
			((struct changes_at){(uint32_t)w->g->text.v[f->text].sec->index,
				(uint32_t)f->start, w->changes & w->g->target->abi.call_clobbers}));
	}
}

struct call_use call_use(const struct cfg *g, const struct block *bl)
{
	const struct target *t = g->target;
	struct called w = {.g = g};
	regset passed = t->abi.entry_live & ~t->abi.chain;
	struct call_use use = {t->abi.call_clobbers & passed, t->abi.call_clobbers};
	use.reads |= chain_passed(g, bl->target);
	if (find_called(&w, bl)) {
		use = (struct call_use){w.live.v[0] & t->abi.call_clobbers,
			w.changes & t->abi.call_clobbers};
		if (g->stated)
			state_called(&w);
	}
	vec_free(&w.live);
	return use;
}
