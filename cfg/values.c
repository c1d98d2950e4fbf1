/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - the walk over the blocks of a function; see values.h
 */
#include "cfg/arithmetic.h"
#include "cfg/bounds.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"

#include <stdlib.h>

/* The states at the starts of blocks ------------------------------------- */

static void keep(struct values *v, uint32_t b, const struct state *s)
{
	struct start *at = &v->at.v[b - v->f->block];
	const regset known = followed(v, b, s);
	unsigned n = (unsigned)__builtin_popcountll((uint64_t)known);
	if (n + s->nslot > at->room) {
		at->first = (uint32_t)v->held.n;
		at->room = (uint8_t)(n + s->nslot);
		vec_reserve(&v->held, v->held.n + at->room);
		v->held.n += at->room;
	}
	at->nreg = (uint8_t)n;
	at->nslot = (uint8_t)s->nslot;
	at->base = s->base;
	at->escapes = s->escapes;
	struct held *h = v->held.v + at->first;
	for (regset some = known; some; some &= some - 1, h++)
		*h = (struct held){lowest_reg(some), s->reg[lowest_reg(some)]};
	for (unsigned i = 0; i < s->nslot; i++, h++)
		*h = (struct held){s->slot[i].off, s->slot[i].value};
}

static void recall(const struct values *v, const struct start *at, struct state *s)
{
	const struct held *h = v->held.v + at->first;
	state_clear(s);
	for (unsigned i = 0; i < at->nreg; i++, h++) {
		s->known |= REG_BIT(h->place);
		s->reg[h->place] = h->value;
	}
	for (unsigned i = 0; i < at->nslot; i++, h++) {
		s->slot[i].off = h->place;
		s->slot[i].value = h->value;
	}
	s->nslot = at->nslot;
	s->base = at->base;
	s->escapes = at->escapes;
}

/* Is the state at the start of block b just *s? */
static bool is_same_state(const struct values *v, uint32_t b, const struct state *s)
{
	const struct start *at = &v->at.v[b - v->f->block];
	const regset known = followed(v, b, s);
	const struct held *h = v->held.v + at->first;
	bool same = (unsigned)__builtin_popcountll((uint64_t)known) == at->nreg &&
		s->nslot == at->nslot && s->base == at->base && s->escapes == at->escapes;
	for (regset some = known; some && same; some &= some - 1, h++)
		same = h->place == lowest_reg(some) && is_same_value(h->value, s->reg[h->place]);
	for (unsigned i = 0; i < s->nslot && same; i++, h++)
		same = h->place == s->slot[i].off && is_same_value(h->value, s->slot[i].value);
	return same;
}

bool values_at(const struct values *v, uint32_t b, struct state *s)
{
	const struct start *at = &v->at.v[b - v->f->block];
	*s = (struct state){0};
	if (at->reached)
		recall(v, at, s);
	return at->reached;
}

/* Does the state hold a value that is needed, or may such a one be loaded by it? */
static bool is_needed(const struct values *v, const struct state *s)
{
	const struct target *t = v->g->target;
	struct value sp = s->reg[t->stack_reg];
	bool needed = !v->needs;
	for (regset some = s->known; some && !needed; some &= some - 1)
		needed = v->needs & KIND(s->reg[lowest_reg(some)].what);
	return needed || (t->link_reg < 0 && sp.what == FRAME && !sp.n && v->needs & KIND(LINK));
}

/* Control also comes to a block from where nothing is known of numbers. */
static void forget_numbers(const struct values *v, struct state *s)
{
	for (regset some = state_holds(s, RANGE); some; some &= some - 1)
		state_set(v, s, (int)lowest_reg(some), (struct value){.what = ANYTHING});
}

/*
 * Does control also come to block b from elsewhere?
 *
 * hazard: branch into another function.
 */
static bool is_entered(const struct values *v, uint32_t b)
{
	return v->g->block.v[b].entered || v->g->block.v[b].shared;
}

void values_pass(struct values *v, uint32_t b, const struct state *s)
{
	if (!func_has_block(v->f, b) || !is_needed(v, s) ||
		(v->asks && !v->asked.v[b - v->f->block].any &&
			!(v->makes && state_holds(s, MADE))))
		return;
	struct start *at = &v->at.v[b - v->f->block];
	bool entered = v->kinds & KIND(RANGE) && is_entered(v, b) &&
		!(v->called && b == v->f->block);
	if (at->reached && is_same_state(v, b, s))
		return;
	if (at->reached)
		recall(v, at, &v->old);
	else if (entered)
		v->old = *s;
	if (at->reached && !state_join(v, b, &v->old, s))
		return;
	if (entered)
		forget_numbers(v, &v->old);
	keep(v, b, at->reached || entered ? &v->old : s);
	at->reached = true;
	if (!at->waits)
		set_add(v->todo.v, b - v->f->block), v->ntodo++;
	at->waits = true;
}

/*
 * The next block that is to be interpreted, in the order of the text again and again: so most of
 * what comes to a block has come there when its turn is.
 */
static uint32_t take(struct values *v)
{
	size_t k = v->next / 64 % v->todo.n;
	uint64_t some = v->todo.v[k] & ~(uint64_t)0 << v->next % 64;
	while (!some)
		some = v->todo.v[k = (k + 1) % v->todo.n];
	uint32_t b = (uint32_t)(64 * k + (unsigned)__builtin_ctzll(some));
	set_remove(v->todo.v, b);
	v->ntodo--;
	v->next = b + 1;
	return v->f->block + b;
}

static void pass_by_table(void *ctx, uint32_t b)
{
	struct values *v = ctx;
	values_pass(v, b, &v->now);
}

/* Running ------------------------------------------------------------------ */

bool ends_in_transfer(const struct block *bl)
{
	return bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_BRANCH ||
		bl->end == END_TABLE || bl->end == END_LEAVE;
}

/* Where control goes at the end of a block. */
struct leading {
	struct state *skipped; /* what holds behind a branch that skips its second part */
	bool skips;	       /* there is one */
	enum way way;
	bool ends; /* the call there never returns */
};

/* A part that the branch in front of it may skip: if nobody asks for what holds then, it is joined.
 */
static void execute_perhaps(const struct step_at *at, struct state *s, struct leading *to)
{
	struct state before, *skipped = to ? to->skipped : &before;
	*skipped = *s;
	step_execute(at, s);
	if (to)
		to->skips = true;
	else
		state_join(at->v, NO_BLOCK, s, skipped);
}

/* to: or NULL. */
static bool run_parts(const struct step_at *of, struct state *s, show_fn *show, void *ctx,
	struct leading *to)
{
	const struct values *v = of->v;
	struct insn part[INSN_PARTS];
	bool found = false;
	for (unsigned k = 0, n = cfg_parts(v->g, v->decoder, v->t, of->in, part); k < n; k++) {
		const struct step_at at = {v, &part[k], of->i, of->b, of->leads && !k};
		found |= show && show(ctx, &at, s);
		if (k && insn_is_likely(of->in))
			execute_perhaps(&at, s, to);
		else if (!at.leads)
			step_execute(&at, s);
	}
	return found;
}

/* Does the instruction perhaps load from the stack, as pop does? */
static bool pops(const struct values *v, const struct insn *in)
{
	return insn_effects(in)->reads & REG_BIT(v->g->target->stack_reg);
}

/* May the instruction make a value of the kinds that are asked for from nothing? */
static bool may_make(const struct values *v, const struct insn *in, uint32_t b, uint32_t i)
{
	if (v->kinds & KINDS_MADE & ~KINDS_NAMED)
		return true;
	return v->kinds & KINDS_NAMED &&
		(in->has_rel || in->flags & INSN_OPERAND_PC ||
			(v->stores && (in->flags & INSN_MEM || pops(v, in))) ||
			(i == v->g->block.v[b].insn && calls_itself(v, b)));
}

/*
 * Does the instruction touch no register that holds something?  Then it matters only where values
 * are made from nothing, or words of the frame are followed.
 */
static bool touches_nothing(const struct values *v, const struct insn *in, const struct state *s)
{
	const struct effects *e = insn_effects(in);
	return !((e->reads | e->clobbers) & s->known) && !v->words;
}

/* Does it change what somebody asks for? */
static bool is_asked(const struct step_at *at)
{
	const struct values *v = at->v;
	const struct target *t = v->g->target;
	regset asked = v->asked.v[at->b - v->f->block].any;
	bool words = v->words != WORDS_NONE;
	if (v->kinds & KIND(COMPARED) && may_change_flags(at->in))
		return true;
	return insn_effects(at->in)->clobbers & (asked | (words ? REG_BIT(t->stack_reg) : 0)) ||
		(words && at->in->flags & (INSN_MEM | INSN_VAGUE));
}

/* May it, or the kernel, read or change what is MADE? */
static bool is_made_touched(const struct step_at *at, const struct state *s)
{
	const struct effects *e = insn_effects(at->in);
	return at->v->makes &&
		((e->reads | e->clobbers) & s->known || at->in->flags & INSN_VAGUE ||
			at->in->kind == INSN_SYSCALL);
}

static void lead(const struct step_at *at, const struct state *s, struct leading *to)
{
	if (!(at->v->kinds & KIND(RANGE)))
		return;
	to->way = step_way(at, s);
	to->ends = step_never_returns(at, s);
}

/* to: or NULL. */
static bool run(const struct values *v, uint32_t b, struct state *s, show_fn *show, void *ctx,
	struct leading *to)
{
	const struct block *bl = &v->g->block.v[b];
	const uint32_t last = bl->insn + bl->ninsn - 1;
	bool found = false;
	for (uint32_t i = bl->insn; i <= last; i++) {
		const struct step_at at = {.v = v,
			.in = &v->g->insn.v[i],
			.i = i,
			.b = b,
			.leads = i == last && ends_in_transfer(bl)};
		if (at.leads && to)
			lead(&at, s, to);
		if (v->asks && !at.leads && !is_asked(&at) && !is_made_touched(&at, s))
			continue;
		if (touches_nothing(v, at.in, s) && !may_make(v, at.in, b, i))
			continue;
		found |= run_parts(&at, s, show, ctx, to);
	}
	return found;
}

bool values_run(const struct values *v, uint32_t b, struct state *s, show_fn *show, void *ctx)
{
	return run(v, b, s, show, ctx, NULL);
}

/* The walk ------------------------------------------------------------------ */

/* The start of the function is entered as by a call. */
void lead_to_taken(struct values *v, uint32_t b, const struct state *s)
{
	const uint64_t *labels = v->g->block.v[b].by_address ? v->t->addressed : v->t->taken;
	for (uint32_t k = v->f->block + 1; k < v->f->block + v->f->nblock; k++)
		if (set_has(labels, v->g->insn.v[v->g->block.v[k].insn].off))
			values_pass(v, k, s);
}

/* Control comes from block b to the next one, or to that to which its branch leads. */
static void pass_on(struct values *v, uint32_t b, bool taken, const struct state *s)
{
	const struct block *bl = &v->g->block.v[b];
	if (v->kinds & KIND(BOUND) && bl->end == END_BRANCH) {
		v->edge = *s;
		bound_edge(v, b, taken, &v->edge);
		s = &v->edge;
	}
	values_pass(v, taken ? bl->target : bl->fall, s);
}

static void pass_all(struct values *v, uint32_t b, const struct leading *to)
{
	const struct block *bl = &v->g->block.v[b];
	if (to->way != EITHER_WAY)
		vec_push(&v->unled, to->way == TO_NEXT ? bl->target : bl->fall);
	bool ends = v->asks ? v->asked.v[b - v->f->block].ends : never_returns(v->g, bl);
	if (!ends && !to->ends && to->way != TO_TARGET)
		pass_on(v, b, false, to->skips ? to->skipped : &v->now);
	if (bl->end != END_CALL && to->way != TO_NEXT)
		pass_on(v, b, true, &v->now);
	if (bl->end == END_TABLE)
		cfg_table_targets(v->g, b, pass_by_table, v);
	if (bl->end == END_LEAVE && v->lead)
		v->lead(v, b, &v->now);
}

static void spread(struct values *v)
{
	while (v->ntodo) {
		uint32_t b = take(v);
		const struct block *bl = &v->g->block.v[b];
		struct start *at = &v->at.v[b - v->f->block];
		at->waits = false;
		recall(v, at, &v->now);
		struct leading to = {.skipped = &v->skipped};
		at->found = run(v, b, &v->now, v->seek, v->ctx, &to);
		if (v->end)
			v->end(v, b, &v->now);
		if (bl->end == END_CALL)
			step_over_call(v, bl, &v->now);
		pass_all(v, b, &to);
	}
}

/* Marks where control would come only if it went where branches do not lead. */
static void find_dead(struct values *v)
{
	while (v->unled.n) {
		uint32_t b = v->unled.v[--v->unled.n];
		if (!func_has_block(v->f, b))
			continue;
		const struct block *bl = &v->g->block.v[b];
		struct start *at = &v->at.v[b - v->f->block];
		if (at->reached || at->dead || is_entered(v, b))
			continue;
		at->dead = true;
		vec_push(&v->unled, bl->fall);
		if (bl->end != END_CALL)
			vec_push(&v->unled, bl->target);
	}
}

/* At a label that the function calls there are the return address and a stack of its own. */
static void enter_called(struct values *v, const struct block *bl)
{
	const struct target *t = v->g->target;
	const struct insn *last = &v->g->insn.v[bl->insn + bl->ninsn - 1];
	state_clear(&v->now);
	for (regset some = insn_effects(last)->writes & t->reserved; some; some &= some - 1)
		state_set(v, &v->now, (int)lowest_reg(some), (struct value){.what = LINK});
	state_set(v, &v->now, t->stack_reg, (struct value){FRAME, .base = ENTRY_LOCAL});
	if (v->now.known)
		values_pass(v, bl->target, &v->now);
}

bool values_walk(struct values *v, uint32_t f)
{
	v->f = &v->g->func.v[f];
	v->t = &v->g->text.v[v->f->text];
	v->held.n = v->unled.n = v->next = 0;
	v->todo.n = v->f->nblock / 64 + 1;
	vec_reserve(&v->todo, v->todo.n);
	memset(v->todo.v, 0, v->todo.n * sizeof *v->todo.v);
	vec_reserve(&v->at, v->f->nblock + 1);
	v->at.n = v->f->nblock;
	memset(v->at.v, 0, v->at.n * sizeof *v->at.v);
	if (v->asks)
		find_asked(v);
	for (uint32_t b = v->f->block; b < v->f->block + v->f->nblock; b++) {
		const struct block *bl = &v->g->block.v[b];
		if (v->calls && bl->end == END_CALL && bl->target != v->f->block)
			enter_called(v, bl);
		find_dead(v);
		const struct start *at = &v->at.v[b - v->f->block];
		state_clear(&v->now);
		if (!v->enter || at->dead || !v->enter(v, b, at->reached, &v->now))
			continue;
		values_pass(v, b, &v->now);
		spread(v);
	}
	spread(v);
	bool found = false;
	for (size_t k = 0; k < v->at.n && v->seek && !found; k++)
		found = v->at.v[k].found;
	return found;
}

/* May control come to block b in another way than by the edges of its function? */
static bool may_be_entered(const struct cfg *g, const struct func *f, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	return bl->entered || set_has(g->text.v[f->text].taken, g->insn.v[bl->insn].off);
}

bool enter_with_arguments(struct values *v, uint32_t b, bool reached, struct state *s)
{
	(void)reached;
	if (b != v->f->block || is_fallen_into(v->g, v->f)) {
		s->escapes = true;
		return b == v->f->block || may_be_entered(v->g, v->f, b);
	}
	for (int r = 0; r < REGS; r++)
		state_set(v, s, r, (struct value){ARGUMENT, .reg = (uint8_t)r});
	state_set(v, s, v->g->target->stack_reg, (struct value){.what = FRAME});
	return true;
}

void values_free(struct values *v)
{
	vec_free(&v->at);
	vec_free(&v->held);
	vec_free(&v->todo);
	vec_free(&v->unled);
	vec_free(&v->asked);
}
