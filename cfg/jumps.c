/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.c - where an indirect jump leads, from the values that its register may hold
 *
 * The origins of values are followed through the function (cfg/origins.h): an argument, memory, a
 * jump table.  The jump leaves the function, or uses the function's tables (tables.c), or leads to
 * a computed address, which is unknown.
 *
 * hazard: two jump tables.  The register with the base of one may have another value where the
 * other one leads.  So the targets of a jump follow from the values that have come to it so far, as
 * long as all are of one table; what comes there leads to more.
 *
 * hazard: hoisted table base.  The lea of a table may stand far in front of its jump, in a
 * register that lives across calls, or on the stack: values are followed through the blocks, not
 * through the text.
 */
#include "base/parallel.h"
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/origins.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"
#include "cfg/tables.h"

#include <stdlib.h>

/* How an indirect jump leads to blocks without predecessors. */
enum way_out { TO_ALL, TO_ADDRESSED, TO_PADS, WAYS };

/* The state of the analysis of one part of the code. */
struct judge {
	struct cfg *g;
	const uint32_t *first, *pred; /* by block, CSR: the blocks that control comes from */
	struct values v;
	uint32_t func;			  /* the current function */
	enum { UNKNOWN, NO, YES } labels; /* does it make addresses of its labels? */
	block_vec open;			  /* its blocks to which indirect jumps may lead */
	VEC(struct value) to;		  /* by block: where the indirect jump at its end leads */
	struct state led[WAYS];		  /* what jumps lead with to those */
	bool is_led[WAYS];
	struct own_words own;
	opaque_parts opaque;
	table_jump_vec table_jump;
	struct stated_jumps *stated; /* or NULL */
};

/* The walk ------------------------------------------------------------- */

static bool has_any_table(const struct cfg *g, const struct func *f)
{
	size_t i, end = func_table_refs(g, f, &i);
	return i < end;
}

static struct value *jump_of(struct judge *j, uint32_t b)
{
	return &j->to.v[b - j->v.f->block];
}

static bool is_jump_by_register(const struct values *v, uint32_t b)
{
	const struct block *bl = &v->g->block.v[b];
	const struct insn *in = &v->g->insn.v[bl->insn + bl->ninsn - 1];
	struct operation op;
	v->g->target->describe(v->decoder, insn_bytes(v->t, in), in, &op);
	return op.op == OP_JUMP_REG;
}

/* Does the jump of block b depend on what a register holds?  Of those by tables in memory not all.
 */
static bool depends(const struct values *v, uint32_t b)
{
	const struct block *bl = &v->g->block.v[b];
	return bl->end == END_LEAVE && !scaled_by_jump(v->g, bl->insn + bl->ninsn - 1) &&
		(has_any_table(v->g, v->f) || is_jump_by_register(v, b));
}

static regset asks(const struct values *v, uint32_t b, uint32_t i)
{
	return depends(v, b) ? insn_effects(&v->g->insn.v[i])->reads & REGSET_GENERAL : 0;
}

/* In front of the last instruction of a block: notes where it leads. */
static bool note(void *ctx, const struct step_at *at, const struct state *s)
{
	struct judge *j = ctx;
	struct operation op;
	if (!at->leads || j->g->block.v[at->b].end != END_LEAVE)
		return false;
	step_describe(at, &op);
	if (op.op == OP_JUMP_REG)
		*jump_of(j, at->b) = origin_in(s, op.src);
	else if (op.op == OP_JUMP_MEM)
		*jump_of(j, at->b) = step_pointer(at, s, &op);
	return false;
}

/* The table that the jump of block b leads by, or NO_TABLE. */
static uint32_t table_of_jump(struct judge *j, uint32_t b)
{
	struct value to = *jump_of(j, b);
	unsigned from = origins(to);
	bool sum = from == FROM_SUM && !(to.flags & SUM_ODD);
	return (from == FROM_ENTRY || from == FROM_TARGET || sum) && is_jump_by_register(&j->v, b)
		? to.base
		: NO_TABLE;
}

struct leading {
	struct judge *j;
	const struct state *s;
};

static void lead_to_target(void *ctx, uint32_t to)
{
	const struct leading *l = ctx;
	values_pass(&l->j->v, to, l->s);
}

static bool is_pad(const struct judge *j, uint32_t b)
{
	return set_has(j->v.t->pads, j->g->insn.v[j->g->block.v[b].insn].off);
}

static bool is_addressed(const struct judge *j, uint32_t b)
{
	return set_has(j->v.t->addressed, j->g->insn.v[j->g->block.v[b].insn].off);
}

/* A call leads to a landing pad. */
static void pass_to_pad(struct judge *j, uint32_t to, const struct state *s)
{
	struct state *kept = &j->v.edge;
	*kept = *s;
	for (regset some = s->known & j->g->target->abi.call_clobbers; some; some &= some - 1)
		state_set(&j->v, kept, (int)lowest_reg(some), (struct value){.what = ANYTHING});
	values_pass(&j->v, to, kept);
}

/* Does the jump lead to what it has loaded, or got, as the address that it is? */
static bool is_by_address(struct value to)
{
	return !(origins(to) & ~(unsigned)(FROM_OUTSIDE | FROM_ENTRY));
}

/* Leads the jump of block b where its table does.  False: it has none, or nobody knows which. */
static bool lead_by_table(struct judge *j, uint32_t b, const struct state *s)
{
	const struct cfg *g = j->g;
	const struct block *bl = &g->block.v[b];
	const struct scaled_table *scaled = scaled_by_jump(g, bl->insn + bl->ninsn - 1);
	uint32_t table = table_of_jump(j, b);
	struct leading leading = {j, s};
	if (scaled)
		scaled_targets(g, scaled, lead_to_target, &leading);
	if (table != NO_TABLE)
		table_targets(g, table, lead_to_target, &leading);
	return scaled || table != NO_TABLE;
}

/*
 * An indirect jump leads where its table does, if that is known, or to labels whose address is
 * taken, and blocks that nothing else leads to: by address, to the former only.  Landing pads stand
 * for such blocks.
 */
static void lead(struct values *v, uint32_t b, const struct state *s)
{
	struct judge *j = v->ctx;
	enum way_out way = lead_by_table(j, b, s) ? TO_PADS
		: is_by_address(*jump_of(j, b))	  ? TO_ADDRESSED
						  : TO_ALL;
	struct state *led = &j->led[way];
	if (j->is_led[way] && !state_join(v, NO_BLOCK, led, s))
		return;
	if (!j->is_led[way])
		*led = *s;
	j->is_led[way] = true;
	for (size_t k = 0; k < j->open.n; k++) {
		uint32_t to = j->open.v[k];
		bool addressed = is_addressed(j, to);
		if (is_pad(j, to))
			pass_to_pad(j, to, led);
		else if (way == TO_ALL || (way == TO_ADDRESSED && addressed))
			values_pass(v, to, led);
	}
}

/*
 * Does control come to block b from another function?
 *
 * hazard: switch with a cold part.  gcc moves code that is seldom executed out of a loop.
 */
static bool is_entered(const struct judge *j, uint32_t b)
{
	const struct cfg *g = j->g;
	bool entered = set_has(j->v.t->entries, g->insn.v[g->block.v[b].insn].off);
	for (uint32_t i = j->first[b]; i < j->first[b + 1] && !entered; i++)
		entered = !func_has_block(j->v.f, j->pred[i]) &&
			!never_returns(g, &g->block.v[j->pred[i]]);
	return entered;
}

static bool enter(struct values *v, uint32_t b, bool reached, struct state *s)
{
	return (b != v->f->block && is_entered(v->ctx, b)) || enter_from_outside(v, b, reached, s);
}

static void find_open(struct judge *j)
{
	const struct cfg *g = j->g;
	const struct func *f = &g->func.v[j->func];
	j->open.n = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		bool open = b != f->block;
		for (uint32_t i = j->first[b]; open && i < j->first[b + 1]; i++)
			open = never_returns(g, &g->block.v[j->pred[i]]);
		if (open || (b != f->block && is_addressed(j, b)))
			vec_push(&j->open, b);
	}
}

/* Judging -------------------------------------------------------------- */

static bool has_relative_table(const struct cfg *g, const struct func *f)
{
	size_t i, end = func_table_refs(g, f, &i);
	for (; i < end; i++)
		if (g->table.v[g->table_ref.v[i].table].relative)
			return true;
	return false;
}

static bool is_inside(const struct cfg *g, const struct func *f, uint32_t sec, uint64_t off)
{
	return sec == g->text.v[f->text].sec->index && off > f->start && off < f->end;
}

/*
 * Does an instruction of f make the address of a label inside f?  Such an address may be used in
 * arithmetic (differences of labels), also through memory, where it is not followed.
 */
static bool find_label(const struct cfg *g, const struct func *f)
{
	const struct code_section *t = &g->text.v[f->text];
	uint32_t end = f->block + f->nblock - 1;
	uint32_t last = g->block.v[end].insn + g->block.v[end].ninsn;
	for (uint32_t i = g->block.v[f->block].insn; i < last; i++) {
		const struct insn *in = &g->insn.v[i];
		struct ref ref;
		if ((in->flags & INSN_OPERAND_PC) && !(in->flags & INSN_MEM) &&
			!is_anchor(g, t, i) && cfg_ref(g, t, i, &ref) &&
			is_inside(g, f, ref.sec, ref.off))
			return true;
		uint32_t n;
		const struct reloc *rel = insn_relocs(t, in, &n);
		for (; n; n--, rel++) {
			ref = cfg_reloc_ref(g, t, i, rel);
			if (ref.role == ROLE_ABS && is_inside(g, f, ref.sec, ref.off))
				return true;
		}
	}
	return false;
}

static bool makes_label(struct judge *j)
{
	if (j->labels == UNKNOWN)
		j->labels = find_label(j->g, &j->g->func.v[j->func]) ? YES : NO;
	return j->labels == YES;
}

enum verdict { LEAVES, USES_TABLE, USES_SCALED, COMPUTED };

/*
 * Classify a jump to a sum.
 *
 * hazard: jump into unrolled code.  Hand-written code computes its target from a label and
 * an index times the size of a row: distances in that function must stay.
 */
static enum verdict judge_sum(struct judge *j, struct value sum)
{
	const struct cfg *g = j->g;
	const struct func *f = &g->func.v[j->func];
	unsigned x = origins_of_term(sum, 1), y = origins_of_term(sum, 2);
	if (sum.flags & SUM_ODD || (origins(sum) | x | y) & FROM_LABEL)
		return COMPUTED;
	if ((y == FROM_WORD && x == FROM_TABLE) || (x == FROM_WORD && y == FROM_TABLE))
		return USES_TABLE;
	if (makes_label(j))
		return COMPUTED;
	/* the base was in memory, or came along a path that is not followed */
	if ((x == FROM_WORD || y == FROM_WORD) && has_relative_table(g, f))
		return USES_TABLE;
	return has_inner_label(g, f) || has_relative_table(g, f) ? COMPUTED : LEAVES;
}

/*
 * hazard: odd tail call.  The function pointer of a tail call may come from cmov, a pop, a vector
 * register or a decoded (guarded) pointer: in a function without a table and without a label the
 * jump leaves the function.
 */
static enum verdict judge_jump(struct judge *j, uint32_t b)
{
	const struct cfg *g = j->g;
	const struct func *f = &g->func.v[j->func];
	const struct block *bl = &g->block.v[b];
	uint32_t i = bl->insn + bl->ninsn - 1;
	const struct insn *in = &g->insn.v[i];
	const struct scaled_table *scaled = scaled_by_jump(g, i);
	struct value to = *jump_of(j, b);
	unsigned from = origins(to);
	struct operation op;
	if (scaled)
		return scaled->proved ? USES_SCALED : COMPUTED;
	g->target->describe(j->v.decoder, insn_bytes(j->v.t, in), in, &op);
	/* a table in writable data may hold other pointers later */
	bool constant = from == FROM_ENTRY;
	bool far = op.index >= 0 && op.disp && !in->has_rel && to.base == NO_TABLE;
	if (op.op == OP_JUMP_MEM && ((constant && far) || (!constant && makes_label(j))))
		return COMPUTED;
	if (op.op == OP_JUMP_MEM)
		return constant && op.index >= 0 && has_any_table(g, f) ? USES_TABLE : LEAVES;
	if (op.op != OP_JUMP_REG)
		return COMPUTED;
	if (from & FROM_SUM)
		return judge_sum(j, to);
	if (from & ~(unsigned)(FROM_LABEL | FROM_ENTRY | FROM_TARGET) && makes_label(j))
		return COMPUTED;
	if (from == FROM_TARGET && has_any_table(g, f))
		return USES_TABLE;
	if (from & (FROM_OTHER | FROM_WORD | FROM_DATA | FROM_TABLE | FROM_GOT | FROM_DISTANCE))
		return has_inner_label(g, f) ? COMPUTED : LEAVES;
	return LEAVES;
}

/* Which table ------------------------------------------------------------ */

static bool has_several_tables(const struct cfg *g, const struct func *f)
{
	size_t first, end = func_table_refs(g, f, &first);
	for (size_t i = first; i < end; i++)
		if (g->table_ref.v[i].table != g->table_ref.v[first].table)
			return true;
	return false;
}

/* Notes by which table the jump of block b goes, if its function has several. */
static void find_table(struct judge *j, uint32_t b)
{
	uint32_t table = table_of_jump(j, b);
	if (table != NO_TABLE && has_several_tables(j->g, &j->g->func.v[j->func]))
		vec_push(&j->table_jump, (struct table_jump){.block = b, .table = table});
}

/* What follows from the verdict on the jump of block b.  True: it uses a table. */
static bool apply(struct judge *j, uint32_t b, enum verdict v)
{
	struct cfg *g = j->g;
	struct block *bl = &g->block.v[b];
	bool by_register = is_jump_by_register(&j->v, b);
	unsigned from = origins(*jump_of(j, b));
	bl->by_address = by_register && from == FROM_ENTRY;
	g->func.v[j->func].leads_to_sum |= v != USES_TABLE && v != USES_SCALED && by_register &&
		from & (FROM_SUM | FROM_OTHER);
	if (v == COMPUTED) {
		bl->computed = true;
		list_opaque_func(&j->opaque, j->func, OPAQUE_JUMP,
			g->insn.v[bl->insn + bl->ninsn - 1].off);
	} else if (v == USES_SCALED) {
		bl->end = END_TABLE;
		vec_push(&j->table_jump, (struct table_jump){.block = b, .table = NO_TABLE});
	} else if (v == USES_TABLE) {
		bl->end = END_TABLE;
		find_table(j, b);
	}
	return v == USES_TABLE;
}

/* Begin with function j->func.  Does one of its jumps depend on the values of registers? */
static bool begin(struct judge *j)
{
	const struct cfg *g = j->g;
	const struct func *f = &g->func.v[j->func];
	bool asks = false;
	j->v.f = f;
	j->v.t = &g->text.v[f->text];
	j->labels = UNKNOWN;
	memset(j->is_led, 0, sizeof j->is_led);
	j->own.word.n = j->to.n = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		asks = asks || depends(&j->v, b);
		vec_push(&j->to, (struct value){.what = ORIGIN, .base = NO_TABLE});
	}
	return asks;
}

/* Classify the jumps of function j->func.  True: one uses a table. */
static bool judge_func(struct judge *j)
{
	const struct cfg *g = j->g;
	const struct func *f = &g->func.v[j->func];
	bool leaves = false, uses = false;
	for (uint32_t b = f->block; b < f->block + f->nblock && !leaves; b++)
		leaves = g->block.v[b].end == END_LEAVE;
	if (!leaves)
		return false;
	if (begin(j)) {
		find_open(j);
		values_walk(&j->v, j->func);
	}
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (g->block.v[b].end == END_LEAVE)
			uses |= apply(j, b, judge_jump(j, b));
	if (j->stated)
		state_jumps(&j->v, j->to.v, j->stated);
	return uses;
}

struct judging {
	struct judge *judge; /* by part */
	bool *uses;	     /* by function */
};

static void judge_part(void *ctx, size_t part, unsigned worker)
{
	const struct judging *w = ctx;
	struct judge *j = &w->judge[part];
	uint32_t f, end = cfg_part_funcs(j->g, part, &f);
	j->v = (struct values){.g = j->g,
		.decoder = cfg_decoder(j->g, worker),
		.kinds = KIND(ORIGIN) | KIND(FRAME),
		.tables = true,
		.asks = asks,
		.enter = enter,
		.lead = lead,
		.seek = note,
		.own = j->g->target->frame_access ? &j->own : NULL,
		.ctx = j};
	for (; f < end; f++) {
		j->func = f;
		w->uses[f] = j->g->func.v[f].is_code && judge_func(j);
	}
	values_free(&j->v);
	vec_free(&j->open);
	vec_free(&j->to);
	vec_free(&j->own.word);
}

void jumps_judge(struct cfg *g, bool *uses)
{
	size_t parts = g->part.n - 1;
	struct judging w = {arena_array(g->arena, struct judge, parts), uses};
	uint32_t *first, *pred;
	find_preds(g, &first, &pred);
	scaled_prove(g, first, pred);
	struct stated_jumps *stated = g->stated ? arena_array(g->arena, struct stated_jumps, parts)
						: NULL;
	for (size_t k = 0; k < parts; k++)
		w.judge[k] = (struct judge){.g = g,
			.first = first,
			.pred = pred,
			.stated = stated ? &stated[k] : NULL};
	parallel(parts, judge_part, &w);
	if (stated)
		state_parts(g, stated, parts);
	for (size_t k = 0; k < parts; k++) {
		make_opaque(g, &w.judge[k].opaque);
		for (size_t i = 0; i < w.judge[k].table_jump.n; i++)
			vec_push(&g->table_jump, w.judge[k].table_jump.v[i]);
		vec_free(&w.judge[k].table_jump);
	}
	free(first);
	free(pred);
}
