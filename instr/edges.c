/* SPDX-License-Identifier: Apache-2.0 */
/* edges.c - places for code of single edges; see edges.h */
#include "cfg/liveness.h"
#include "instr/edges.h"

#include "cfg/refs.h"
#include "instr/count/spot.h"

enum { MIN_FIELD = 4 }; /* bytes of a relocated field that reaches another function */

static const char glued[] = "the instructions around it must not be separated";

static const struct insn *first_insn(const struct cfg *g, uint32_t b)
{
	return &g->insn.v[g->block.v[b].insn];
}

static const char *in_front_of_last(const struct cfg *g, const struct block *b, struct place *at,
	regset *live)
{
	const struct insn *last = &g->insn.v[at->branch];
	at->off = last->off;
	at->runs = RUNS_ALL;
	*live = insn_live(g, last, b->live_out);
	return last->flags & INSN_GLUED ? glued : NULL;
}

static const char *on_fall(const struct cfg *g, const struct block *b, struct place *at,
	regset *live)
{
	if (b->fall == NO_BLOCK || g->block.v[b->fall].gap)
		return "control does not continue behind it";
	const struct insn *next = first_insn(g, b->fall);
	at->off = next->off;
	at->runs = RUNS_FALL;
	*live = g->block.v[b->fall].live_in;
	if (is_named_return(g, b->fall))
		return "the program may know the return address";
	if (g->func.v[g->block.v[b->fall].func].tied)
		return "the function behind it keeps its distance";
	return next->flags & INSN_GLUED ? glued : NULL;
}

/* Code behind a branch that leads elsewhere; only that branch leads to it. */
static const char *behind_branch(const struct cfg *g, const struct block *b, struct place *at,
	regset *live)
{
	const struct func *f = &g->func.v[b->func];
	const struct code_section *c = &g->text.v[f->text];
	const struct insn *last = &g->insn.v[at->branch];
	uint32_t next = at->branch + 1;
	struct ref r;
	at->off = (uint32_t)insn_end(last);
	at->runs = RUNS_LEAVE;
	*live = insn_live(g, last, b->live_out);
	if (!cfg_ref(g, c, at->branch, &r) || (last->flags & INSN_OPERAND_PC))
		return "it is not known where it leads";
	if (r.rel && !g->target->made.jump && g->target->reloc_info(r.rel->type)->size < MIN_FIELD)
		return "no jump reaches where it leads";
	if (at->off < c->sec->size && !set_has(c->starts, at->off))
		return "data are behind it";
	if (next < c->insn + c->ninsn && g->insn.v[next].flags & INSN_GLUED)
		return glued;
	uint32_t behind = at->off < c->sec->size ? cfg_func_at(g, c, at->off) : b->func;
	if (behind != b->func && g->func.v[behind].lump)
		return "the function behind it keeps its distance";
	return NULL;
}

static const char *on_branch(const struct cfg *g, const struct block *b, struct place *at,
	regset *live)
{
	if (!func_has_block(&g->func.v[b->func], b->target) || b->elsewhere)
		return behind_branch(g, b, at, live);
	const struct insn *to = first_insn(g, b->target);
	at->off = to->off;
	at->runs = RUNS_EDGE;
	*live = g->block.v[b->target].live_in;
	return to->flags & INSN_GLUED ? glued : NULL;
}

static const char *on_table(const struct cfg *g, struct way e, struct place *at, regset *live)
{
	const struct insn *to = first_insn(g, e.to);
	at->off = to->off;
	at->runs = RUNS_TABLE;
	*live = g->block.v[e.to].live_in;
	if (!func_has_block(&g->func.v[g->block.v[e.from].func], e.to))
		return "it leads out of the function";
	if (to->flags & INSN_GLUED)
		return glued;
	if (to->flags & INSN_LANDING)
		return "an indirect jump must find the landing instruction";
	return cfg_entries_held(g, e.from, e.to);
}

const char *edge_refused(const struct cfg *g, struct way e, struct place *at, regset *live)
{
	const struct block *b = &g->block.v[e.from];
	const struct func *f = &g->func.v[b->func];
	uint32_t last = b->insn + b->ninsn - 1;
	*at = (struct place){.text = f->text, .branch = last};
	*live = ~(regset)0;
	if (b->gap || !f->is_code)
		return "it is no code";
	if (f->why != OPAQUE_NOT)
		return opaque_text[f->why];
	switch ((enum edge_kind)e.kind) {
	case EDGE_FALL: return on_fall(g, b, at, live);
	case EDGE_TAKEN:
		if (b->end == END_BRANCH)
			return on_branch(g, b, at, live);
		/* fallthrough */
	case EDGE_OUT: return in_front_of_last(g, b, at, live);
	case EDGE_TABLE: return on_table(g, e, at, live);
	case EDGE_IN: break;
	}
	return "it has no place of its own";
}

struct visiting {
	void (*visit)(void *ctx, struct way e);
	void *ctx;
	uint32_t from;
};

static void visit_target(void *ctx, uint32_t to)
{
	const struct visiting *v = ctx;
	v->visit(v->ctx, (struct way){v->from, to, EDGE_TABLE});
}

void block_ways(const struct cfg *g, uint32_t b, void (*visit)(void *ctx, struct way e), void *ctx)
{
	struct visiting v = {visit, ctx, b};
	uint32_t fall = g->block.v[b].fall;
	bool is_last = fall == NO_BLOCK || g->block.v[fall].gap || g->block.v[b].ends;
	switch ((enum block_end)g->block.v[b].end) {
	case END_BRANCH: visit(ctx, (struct way){b, NO_BLOCK, EDGE_TAKEN}); /* fallthrough */
	case END_FALL: visit(ctx, (struct way){b, NO_BLOCK, EDGE_FALL}); break;
	case END_CALL:
	case END_SYSCALL:
		visit(ctx, (struct way){b, NO_BLOCK, is_last ? EDGE_OUT : EDGE_FALL});
		break;
	case END_JUMP: visit(ctx, (struct way){b, NO_BLOCK, EDGE_TAKEN}); break;
	case END_TABLE: cfg_table_targets(g, b, visit_target, &v); break;
	case END_LEAVE:
	case END_RET:
	case END_TRAP: visit(ctx, (struct way){b, NO_BLOCK, EDGE_OUT}); break;
	}
}
