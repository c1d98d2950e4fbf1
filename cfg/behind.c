/* SPDX-License-Identifier: Apache-2.0 */
/*
 * behind.c - functions that take what is behind the call of them for data
 *
 * hazard: argument behind a call.  call f; .long 5: f loads the number by its return address, and
 * returns behind it.  Nothing may be inserted there, and the number is no instruction: functions
 * that call such a function are left whole.  It is known by what it does with its return address
 * from its entry on: it accesses memory there, or continues at an address computed from it.  Merely
 * passing the address on, as profilers do, and storing it are no such use.
 */
#include "cfg/opaque.h"
#include "cfg/regions.h"

#include <stdlib.h>
#include <string.h>

enum { BEYOND = 1 }; /* the return address is not on top of the stack, or not known to be */

struct held {
	regset exact,
		changed; /* registers with the return address, and with what is computed from it */
	int8_t depth;	 /* 0: it is on top of the stack */
};

struct place {
	uint32_t block;
	struct held h;
};

struct walk {
	const struct cfg *g;
	const struct func *f;
	VEC(regset) seen; /* by block of f: 1 + all registers of held */
	VEC(struct place) todo;
};

static void lead_to(struct walk *w, uint32_t b, struct held h)
{
	if (!func_has_block(w->f, b) || (h.depth && !(h.exact | h.changed)))
		return;
	regset *seen = &w->seen.v[b - w->f->block], all = h.exact | h.changed | REG_BIT(63);
	if (!(all & ~*seen))
		return;
	*seen |= all;
	vec_push(&w->todo, ((struct place){b, h}));
}

static regset bit_of(int reg)
{
	return reg < 0 ? 0 : REG_BIT(reg);
}

/* An access to the return address on top of the stack.  Does it change that? */
static bool at_top(const struct operation *op, struct held *h)
{
	switch (op->op) {
	case OP_POP: h->depth = BEYOND; break;
	case OP_LOAD: break;
	case OP_STORE: return h->changed & bit_of(op->src);
	default: return true;
	}
	h->exact |= bit_of(op->dst);
	return false;
}

/* Steps over an instruction that is no call.  Does it use what is behind the call? */
static bool step(const struct walk *w, const struct insn *in, struct held *h)
{
	const struct target *t = w->g->target;
	const struct code_section *c = &w->g->text.v[w->f->text];
	const struct effects *e = insn_effects(in);
	regset sp = REG_BIT(t->stack_reg), all = h->exact | h->changed;
	struct operation op;
	if (!((e->reads | e->clobbers) & (all | (h->depth ? 0 : sp))))
		return false;
	t->describe(cfg_decoder(w->g, 0), insn_bytes(c, in), in, &op);
	/* by an index compiled code reaches its arrays, below or above */
	bool top = !t->links && !h->depth && in->kind == INSN_OTHER && op.op != OP_LEA &&
		op.index < 0 && t->stack_use(insn_bytes(c, in), in) == STACK_TOP;
	if (op.op == OP_JUMP_REG || in->kind == INSN_RET)
		return h->changed & (op.op == OP_JUMP_REG ? bit_of(op.src) : bit_of(t->link_reg));
	bool pair = op.op == OP_STORE_PAIR;
	if (in->flags & INSN_MEM && !top && all & (bit_of(op.base) | (pair ? 0 : bit_of(op.index))))
		return true;
	regset from = e->reads & all, to = e->clobbers & ~(REGSET_FLAGS | sp);
	bool exact = op.op == OP_MOVE && h->exact & bit_of(op.src);
	bool signs = op.op == OP_OTHER && from & to &&
		!(in->flags & INSN_MEM); /* pointer authentication */
	bool stores = op.op == OP_STORE || op.op == OP_PUSH || pair;
	if (op.op == OP_PUSH && h->changed & bit_of(op.src))
		return true;
	if (!signs) {
		h->exact &= ~e->clobbers;
		h->changed &= ~e->clobbers;
	}
	if (top)
		return at_top(&op, h);
	if (e->clobbers & sp)
		h->depth = BEYOND;
	if (exact)
		h->exact |= bit_of(op.dst);
	else if (from && !stores && !signs && !(in->flags & INSN_MEM))
		h->changed |= to;
	return false;
}

static bool visit(struct walk *w, struct place p)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[p.block];
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		if (in->kind == INSN_CALL || in->kind == INSN_CALL_IND) {
			regset lost = insn_effects(in)->clobbers | g->target->call_clobbers;
			p.h.exact &= ~lost;
			p.h.changed &= ~lost;
		} else if (step(w, in, &p.h)) {
			return true;
		}
	}
	lead_to(w, bl->fall, p.h);
	if (bl->end != END_CALL)
		lead_to(w, bl->target, p.h);
	return false;
}

static bool uses_behind(struct walk *w)
{
	const struct func *f = w->f;
	const struct target *t = w->g->target;
	struct held h = {.depth = t->links ? BEYOND : 0};
	bool found = false;
	if (!f->is_code || !f->nblock)
		return false;
	if (t->links)
		h.exact = REG_BIT(t->link_reg);
	w->todo.n = 0;
	vec_reserve(&w->seen, f->nblock);
	memset(w->seen.v, 0, f->nblock * sizeof *w->seen.v);
	lead_to(w, f->block, h);
	while (w->todo.n && !found)
		found = visit(w, w->todo.v[--w->todo.n]);
	return found;
}

void list_calls_with_data(const struct cfg *g, opaque_parts *v)
{
	struct walk w = {.g = g};
	uint8_t *uses = arena_array(g->arena, uint8_t, g->func.n + 1);
	for (uint32_t f = 0; f < g->func.n; f++) {
		w.f = &g->func.v[f];
		uses[f] = uses_behind(&w);
	}
	vec_free(&w.seen);
	vec_free(&w.todo);
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->end != END_CALL || bl->target == NO_BLOCK)
			continue;
		uint32_t to = g->block.v[bl->target].func;
		if (uses[to] && g->func.v[to].block == bl->target && to != bl->func)
			list_opaque_func(v, bl->func, OPAQUE_KEEP, g->insn.v[bl->insn].off);
	}
}
