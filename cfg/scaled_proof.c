/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled_proof.c - does a jump always use its table of scaled distances, and do nothing else?
 *
 * Values are followed by which instructions may have made them (MADE).  What a part uses must be
 * made by the part in front of it, on all paths; what is changed when code moves must be used by
 * nothing but parts of the same table.
 */
#include "cfg/bounds.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"

#include "targets/stated.h"

#include <stdlib.h>

/*
 * Tables of one function are proved together, as many as a set has room for.  Of each these are
 * counted: the parts, and others that make the same page or the same address.
 *
 * hazard: address of a table made twice.  clang makes it again where it has no register for it
 * over a call.
 */
enum { OTHER_PAGE = SCALED_JUMP, OTHER_NAME, COUNTED, TABLES = 63 / COUNTED };

/* Of those parts nothing else may use what is made: of the others only if they are to change. */
static const enum scaled_part owned[] = {SCALED_PAGE, SCALED_NAME, SCALED_LOAD, SCALED_ANCHOR};
enum { OWNED = sizeof owned / sizeof *owned };

struct proof {
	struct scaled_table *t;
	int64_t may[SCALED_JUMP];  /* what may make the value of each part */
	int64_t from[SCALED_JUMP]; /* what has made it, where it is used */
	bool used[SCALED_PARTS];   /* by something else */
	bool bounded, exposed;	   /* exposed: kept where others may change it */
};

/* Instruction insn makes those parts. */
struct maker {
	uint32_t insn;
	int64_t set;
};

struct proving {
	struct cfg *g;
	struct values v;
	struct own_words own;
	const uint32_t *first, *pred;
	struct scaled_table *t; /* the tables of the function */
	size_t n;
	struct proof proof[TABLES];
	size_t nproof;
	VEC(struct maker) maker;  /* by insn */
	struct call_use **called; /* by block that ends in a call or jump, as far as known */
	int64_t stored;		  /* what has been stored to the frame */
};

static int64_t set_of(size_t k, unsigned counted)
{
	return (int64_t)1 << (k * COUNTED + counted);
}

static int64_t set_of_others(size_t k, unsigned part)
{
	return part == SCALED_PAGE    ? set_of(k, OTHER_PAGE)
		: part == SCALED_NAME ? set_of(k, OTHER_NAME)
				      : 0;
}

/* The jumps, and calls -------------------------------------------------------- */

static const struct scaled_table *table_at_end(const struct values *v, uint32_t b)
{
	const struct block *bl = &v->g->block.v[b];
	return scaled_by_jump(v->g, bl->insn + bl->ninsn - 1);
}

/*
 * An indirect jump by a table that is not known makes the function opaque (jumps.c).
 *
 * hazard: two kinds of tables.  An interpreter that jumps by a table of addresses has switches,
 * too, with labels of their own.
 */
static void lead(struct values *v, uint32_t b, const struct state *s)
{
	const struct scaled_table *t = table_at_end(v, b);
	for (uint32_t k = 0; t && k < t->n; k++)
		values_pass(v, cfg_block_at(v->g, v->t, scaled_label(v->g, t, k)), s);
	if (!t)
		lead_to_taken(v, b, s);
}

/* What the call at the end of block b does to registers. */
static struct call_use call_in(struct proving *w, uint32_t b)
{
	if (!w->called[b]) {
		w->called[b] = arena_new(w->g->arena, struct call_use);
		*w->called[b] = call_use(w->g, &w->g->block.v[b]);
	}
	return *w->called[b];
}

static const struct insn *last_of(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	return &g->insn.v[bl->insn + bl->ninsn - 1];
}

static bool keeps(const struct values *v, uint32_t b, int reg)
{
	const struct insn *in = last_of(v->g, b);
	bool known = in->kind == INSN_CALL && !(in->flags & INSN_VAGUE);
	return known && !(insn_effects(in)->clobbers & REG_BIT(reg)) &&
		!(call_in(v->ctx, b).changes & REG_BIT(reg));
}

/* May control enter block b from where nothing is known? */
static bool is_entered(const struct proving *w, uint32_t b)
{
	const struct cfg *g = w->g;
	const struct func *f = w->v.f;
	uint64_t off = g->insn.v[g->block.v[b].insn].off;
	bool entered = b == f->block || set_has(w->v.t->entries, off) || set_has(w->v.t->pads, off);
	for (uint32_t i = w->first[b]; i < w->first[b + 1] && !entered; i++)
		entered = !func_has_block(f, w->pred[i]) &&
			!never_returns(g, &g->block.v[w->pred[i]]);
	return entered;
}

static bool enter(struct values *v, uint32_t b, bool reached, struct state *s)
{
	if (is_entered(v->ctx, b)) {
		if (b == v->f->block)
			state_set(v, s, v->g->target->stack_reg, (struct value){.what = FRAME});
		return true;
	}
	for (regset some = asked_at(v, b) & REGSET_GENERAL; some && !reached; some &= some - 1)
		state_set(v, s, (int)lowest_reg(some), (struct value){.what = MADE});
	return !reached && !v->g->block.v[b].gap;
}

/* Makers ------------------------------------------------------------------ */

/* Is r the relocation on the name of t? */
static bool names_table(const struct proving *w, const struct scaled_table *t,
	const struct reloc *r)
{
	const struct reloc *name = scaled_reloc(w->g, t->text, t->insn[SCALED_NAME]);
	return r && r->sym == name->sym && r->addend == name->addend;
}

/* The parts of table k that instruction i makes. */
static int64_t parts_of(struct proving *w, size_t k, uint32_t i, const struct reloc *r)
{
	struct scaled_table t = *w->proof[k].t;
	int64_t set = 0;
	for (unsigned part = 0; part < SCALED_JUMP; part++)
		if (t.insn[part] == i)
			set |= set_of(k, part);
	if (set || !names_table(w, &t, r))
		return set;
	for (unsigned part = SCALED_PAGE; part <= SCALED_NAME; part++)
		if (scaled_fits(w->g, w->v.decoder, &t, part, i))
			set |= set_of_others(k, part);
	return set;
}

/* Finds what makes parts; and the jumps, which make none. */
static void find_makers(struct proving *w)
{
	const struct block *last = &w->g->block.v[w->v.f->block + w->v.f->nblock - 1];
	uint32_t i = w->g->block.v[w->v.f->block].insn;
	w->maker.n = 0;
	for (; i < last->insn + last->ninsn; i++) {
		const struct insn *in = &w->g->insn.v[i];
		const struct reloc *r = in->has_rel ? scaled_reloc(w->g, w->v.f->text, i) : NULL;
		struct maker m = {.insn = i};
		bool jumps = false;
		for (size_t k = 0; k < w->nproof; k++) {
			m.set |= parts_of(w, k, i, r);
			jumps |= w->proof[k].t->insn[SCALED_JUMP] == i;
		}
		if (m.set || jumps)
			vec_push(&w->maker, m);
		for (size_t k = 0; k < w->nproof; k++)
			for (unsigned part = 0; part < SCALED_JUMP; part++)
				if (m.set & (set_of(k, part) | set_of_others(k, part)))
					w->proof[k].may[part] |= m.set;
	}
}

static const struct maker *maker_at(const struct proving *w, uint32_t i)
{
	size_t k;
	BISECT(k, 0, w->maker.n, w->maker.v[k].insn < i);
	return k < w->maker.n && w->maker.v[k].insn == i ? &w->maker.v[k] : NULL;
}

static int64_t makers_in(const struct state *s, int reg)
{
	return reg < 0 || reg >= REGS	   ? MADE_ELSE
		: s->reg[reg].what == MADE ? s->reg[reg].n
					   : MADE_ELSE;
}

/* A name makes the address of a table only from that one's page. */
static int64_t makes(const struct step_at *at, const struct state *s, const struct operation *op)
{
	const struct proving *w = at->v->ctx;
	const struct maker *m = maker_at(w, at->i);
	int64_t base = makers_in(s, op->base), set = m && op->dst >= 0 ? m->set : 0;
	for (size_t k = 0; k < w->nproof; k++)
		if (set & set_of(k, OTHER_NAME) && base & ~w->proof[k].may[SCALED_PAGE])
			set |= MADE_ELSE;
	return set;
}

/* Uses ---------------------------------------------------------------------- */

/* Something else uses the values that those have made; anchors: those of anchors, too. */
static void misuse(struct proving *w, int64_t set, bool anchors)
{
	for (size_t k = 0; k < w->nproof && set; k++)
		for (size_t i = 0; i < OWNED; i++)
			if (set & set_of(k, owned[i]) && (anchors || owned[i] != SCALED_ANCHOR))
				w->proof[k].used[owned[i]] = true;
}

/* All that registers of regs, and words, have. */
static int64_t held(const struct state *s, regset regs, bool words)
{
	int64_t set = 0;
	for (regset some = s->known & regs; some; some &= some - 1)
		if (s->reg[lowest_reg(some)].what == MADE)
			set |= s->reg[lowest_reg(some)].n;
	for (unsigned i = 0; i < s->nslot && words; i++)
		if (s->slot[i].value.what == MADE)
			set |= s->slot[i].value.n;
	return set;
}

/* Do the tables, of one section, have the same entries and readers? */
static bool is_same_table(const struct scaled_table *a, const struct scaled_table *b)
{
	return a->text == b->text && a->sec == b->sec && a->off == b->off && a->n == b->n &&
		a->size == b->size && a->scale == b->scale && a->sext == b->sext &&
		a->base == b->base;
}

/* May the instruction use a part of t that is in reg, as that part of the same table does? */
static bool may_use(const struct proving *w, const struct scaled_table *t, enum scaled_part part,
	const struct step_at *at, const struct operation *op, int reg)
{
	bool once = (op->base == reg) + (op->index == reg) + (op->src == reg) == 1;
	if (!once || scaled_operand(op, part) != reg)
		return false;
	for (size_t k = 0; k < w->n; k++)
		if (w->t[k].insn[scaled_user[part]] == at->i &&
			w->t[k].insn[part] == t->insn[part] && is_same_table(&w->t[k], t))
			return true;
	return false;
}

/* The word of the frame, above the stack pointer, in which the instruction stores reg; or -1. */
static int64_t kept_at(const struct values *v, const struct operation *op, int reg)
{
	bool pair = op->op == OP_STORE_PAIR;
	bool stores = (op->op == OP_STORE && op->index < 0) || (pair && op->src != op->index);
	bool kept = v->words != WORDS_NONE && stores && op->size == 8 && op->base != reg &&
		op->base == v->g->target->stack_reg;
	return kept ? op->disp + (pair && op->index == reg ? op->size : 0) : -1;
}

static void use(struct proving *w, const struct step_at *at, const struct operation *op, int reg,
	int64_t set)
{
	int64_t word = kept_at(&w->v, op, reg);
	bool kept = word >= 0 && owns_word(&w->v, word);
	w->stored |= kept ? set : 0;
	for (size_t k = 0; k < w->nproof && !kept; k++)
		for (size_t i = 0; i < OWNED; i++) {
			bool has = set & set_of(k, owned[i]);
			w->proof[k].exposed |= has && word >= 0;
			w->proof[k].used[owned[i]] |= has &&
				!may_use(w, w->proof[k].t, owned[i], at, op, reg);
		}
}

/* An access to the frame leaves values there, or changes or loads all of a word. */
static void look_at_frame(struct proving *w, const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	const struct target *t = w->g->target;
	struct value sp = s->reg[t->stack_reg];
	int64_t to;
	unsigned size;
	bool store, known = sp.what == FRAME && sp.base == s->base;
	if (!t->frame_access(insn_bytes(w->v.t, at->in), at->in, &to, &size, &store))
		return;
	if (s->escapes || (s->nslot && !known))
		misuse(w, w->stored, true);
	bool whole = op->size == 8 && op->base == t->stack_reg && op->disp == to &&
		(op->op == OP_STORE_PAIR ||
			(op->index < 0 &&
				(op->op == OP_STORE || (op->op == OP_LOAD && op->dst >= 0))));
	for (unsigned i = 0; i < s->nslot && !whole; i++)
		if (s->slot[i].value.what == MADE && s->slot[i].off < sp.n + to + size &&
			sp.n + to < s->slot[i].off + t->word)
			misuse(w, s->slot[i].value.n, true);
}

/* Notes what has made the values that the instruction, a part, uses. */
static void look_at_part(struct proving *w, const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	for (size_t k = 0; k < w->nproof; k++) {
		struct proof *p = &w->proof[k];
		for (enum scaled_part part = 0; part < SCALED_JUMP; part++)
			if (p->t->insn[scaled_user[part]] == at->i)
				p->from[part] = makers_in(s, scaled_operand(op, part));
		if (p->t->insn[SCALED_LOAD] != at->i)
			continue;
		struct value index = s->reg[op->index];
		uint64_t most = op->index_size == 4 ? index.base : (uint64_t)index.n;
		p->bounded = is_from_nowhere(index) || (is_bound(index) && most < p->t->n);
	}
}

/* Parts ask for what they use. */
static regset asks(const struct values *v, uint32_t b, uint32_t i)
{
	(void)b;
	return maker_at(v->ctx, i) ? insn_effects(&v->g->insn.v[i])->reads & REGSET_GENERAL : 0;
}

/* What unknown code may read that the function passes on to it. */
static regset passed_on(const struct cfg *g)
{
	const struct target *t = g->target;
	return (t->abi.entry_live & ~t->abi.chain) | chain_passed(g, NO_BLOCK);
}

static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	struct proving *w = ctx;
	regset reads = insn_effects(at->in)->reads & REGSET_GENERAL;
	struct operation op;
	bool part = maker_at(w, at->i);
	bool words = w->v.words != WORDS_NONE && at->in->flags & INSN_MEM;
	if (at->in->flags & INSN_VAGUE)
		misuse(w, held(s, REGSET_GENERAL, true), true);
	if (at->in->kind == INSN_SYSCALL)
		misuse(w, held(s, passed_on(w->g) & w->g->target->abi.call_clobbers, false), false);
	if (!part && !words && !held(s, reads, false))
		return false;
	step_describe(at, &op);
	for (regset some = s->known & reads; some; some &= some - 1) {
		int r = (int)lowest_reg(some);
		if (s->reg[r].what == MADE)
			use(w, at, &op, r, s->reg[r].n);
	}
	if (part)
		look_at_part(w, at, s, &op);
	if (words)
		look_at_frame(w, at, s, &op);
	return false;
}

/*
 * What a call, a return or a jump may pass on to somebody who reads it: a call any register that
 * passes arguments, a return the two that the psABI has for results.  But the base of a table is
 * right after code has moved, and no callee can use a label inside this function.
 */
static void end(const struct values *v, uint32_t b, const struct state *s)
{
	struct proving *w = v->ctx;
	const struct target *t = w->g->target;
	const struct insn *in = last_of(w->g, b);
	const struct block *bl = &w->g->block.v[b];
	bool leaves = in->kind == INSN_JUMP && !in->stays;
	bool jumps = in->kind == INSN_JUMP_IND && !table_at_end(v, b);
	regset taken = passed_on(w->g);
	if (!held(s, REGSET_GENERAL, true))
		return;
	regset passed = in->kind == INSN_RET ? REG_BIT(t->abi.result) | REG_BIT(t->abi.arg[1])
		: in->kind == INSN_CALL
		? held(s, t->abi.call_clobbers, false) ? call_in(w, b).reads : 0
		: in->kind == INSN_CALL_IND ? taken & t->abi.call_clobbers
		: leaves		    ? callee_saved(t) | call_in(w, b).reads
		: jumps			    ? taken
					    : 0;
	misuse(w, held(s, passed, jumps), false);
	if (in->kind == INSN_RET || leaves)
		return;
	bool out = !never_returns(w->g, bl) && bl->fall != NO_BLOCK &&
		!func_has_block(v->f, bl->fall);
	out |= bl->end != END_CALL && bl->target != NO_BLOCK && !func_has_block(v->f, bl->target);
	if (out)
		misuse(w, held(s, REGSET_GENERAL, true), true);
}

/* Facts ----------------------------------------------------------------------- */

/* Which instructions have made the set.  False: it is not known. */
static bool state_made(const struct proving *w, int64_t set, struct held_at *h)
{
	h->holds = set ? 0 : HOLDS_NOTHING;
	for (size_t k = 0; k < w->maker.n && !(set & MADE_ELSE); k++) {
		const struct maker *m = &w->maker.v[k];
		if (!m->set || m->set & ~set)
			continue;
		h->n = h->holds ? h->n : (uint32_t)w->g->insn.v[m->insn].off;
		h->holds = h->holds ? HOLDS_SAME : HOLDS_RESULT;
	}
	return h->holds;
}

static void state_held(const struct proving *w, uint32_t b, int64_t place, struct value v)
{
	const struct cfg *g = w->g;
	struct held_at h = {.sec = (uint32_t)w->v.t->sec->index,
		.off = (uint32_t)g->insn.v[g->block.v[b].insn].off,
		.place = (int16_t)place};
	if (place < 0 || place > INT16_MAX)
		return;
	if (v.what == MADE && state_made(w, v.n, &h))
		vec_push(&g->stated->held, h);
	if (v.what == COMPARED) {
		h.n = (uint32_t)v.lo;
		h.holds = v.reg == 8 ? HOLDS_COMPARED : HOLDS_LOW_COMPARED;
		vec_push(&g->stated->held, h);
	}
	v = not_compared(v);
	if (v.what == BOUND) {
		h.n = (uint32_t)low_of(v);
		h.holds = most_of(v) <= UINT32_MAX ? HOLDS_UP_TO : HOLDS_LOW_UP_TO;
		vec_push(&g->stated->held, h);
	}
}

/* What registers that matter, and words, hold at the start of block b. */
static void state_values(const struct proving *w, uint32_t b)
{
	const struct target *t = w->g->target;
	struct state s;
	if (!w->v.asked.v[b - w->v.f->block].any || !values_at(&w->v, b, &s))
		return;
	struct value sp = s.reg[t->stack_reg];
	for (regset some = s.known & asked_at(&w->v, b); some; some &= some - 1)
		state_held(w, b, lowest_reg(some), s.reg[lowest_reg(some)]);
	for (unsigned i = 0; i < s.nslot && sp.what == FRAME && sp.base == s.base; i++)
		if ((s.slot[i].off - sp.n) % t->word == 0)
			state_held(w, b, FRAME_WORDS + (s.slot[i].off - sp.n) / t->word,
				s.slot[i].value);
}

static void state_function(const struct proving *w)
{
	for (uint32_t b = w->v.f->block; b < w->v.f->block + w->v.f->nblock; b++)
		if (!w->g->block.v[b].gap)
			state_values(w, b);
}

static void state_table(const struct cfg *g, const struct scaled_table *t)
{
	uint32_t off[SCALED_PARTS];
	for (unsigned part = 0; part < SCALED_PARTS; part++)
		off[part] = (uint32_t)g->insn.v[t->insn[part]].off;
	vec_push(&g->stated->table,
		((struct table_at){.sec = (uint32_t)g->text.v[t->text].sec->index,
			.page = off[SCALED_PAGE],
			.name = off[SCALED_NAME],
			.load = off[SCALED_LOAD],
			.anchor = off[SCALED_ANCHOR],
			.sum = off[SCALED_SUM],
			.jump = off[SCALED_JUMP],
			.n = t->n,
			.closed = t->closed,
			.proved = t->proved}));
}

/* Tables ---------------------------------------------------------------------- */

/* Is the value of the anchor of t, behind its load in that one's block, the next of its register?
 */
static bool is_next(const struct proving *w, const struct scaled_table *t, int reg)
{
	const struct cfg *g = w->g;
	const struct block *bl = g->block.v;
	uint32_t i = t->insn[SCALED_LOAD], end = t->insn[SCALED_ANCHOR], b;
	BISECT(b, w->v.f->block, w->v.f->block + w->v.f->nblock, bl[b].insn <= i);
	if (end < i || end >= bl[b - 1].insn + bl[b - 1].ninsn)
		return false;
	while (++i < end)
		if (g->insn.v[i].flags & INSN_VAGUE ||
			insn_effects(&g->insn.v[i])->reads & REG_BIT(reg))
			return false;
	return true;
}

static void describe(const struct proving *w, uint32_t i, struct operation *op)
{
	const struct insn *in = &w->g->insn.v[i];
	w->g->target->describe(w->v.decoder, insn_bytes(w->v.t, in), in, op);
}

/* A register for the address that the load of t makes: the one of the entry or of the base; or -1.
 */
static int own_reg(const struct proving *w, const struct scaled_table *t)
{
	struct operation load, anchor;
	describe(w, t->insn[SCALED_LOAD], &load);
	describe(w, t->insn[SCALED_ANCHOR], &anchor);
	if (load.dst >= 0 && load.dst != load.index && load.dst != load.base)
		return load.dst;
	bool other = anchor.dst != load.index && anchor.dst != load.base;
	return other && is_next(w, t, anchor.dst) ? anchor.dst : -1;
}

/* Does the jump of table k always use that, and does nothing else use what is to change? */
static bool is_proved(const struct proving *w, size_t k)
{
	const struct proof *p = &w->proof[k];
	bool proved = (p->t->closed || p->bounded) && !p->exposed && !p->used[SCALED_LOAD] &&
		!p->used[SCALED_ANCHOR];
	for (unsigned part = 0; part < SCALED_JUMP && proved; part++)
		proved = !(p->from[part] & ~p->may[part]);
	return proved;
}

/* Does nothing else make or use the page and the name of table k? */
static bool is_alone(const struct proving *w, size_t k)
{
	const struct proof *p = &w->proof[k];
	return !p->used[SCALED_PAGE] && !p->used[SCALED_NAME] &&
		!(p->from[SCALED_PAGE] & set_of(k, OTHER_PAGE)) &&
		!(p->from[SCALED_NAME] & set_of(k, OTHER_NAME));
}

/* Tables from number first of the function on; the number of the next one. */
static size_t prove_some(struct proving *w, size_t first, bool *alone)
{
	w->nproof = 0;
	w->stored = 0;
	for (size_t k = first; k < w->n && w->nproof < TABLES; k++)
		w->proof[w->nproof++] = (struct proof){.t = &w->t[k], .bounded = true};
	find_makers(w);
	values_walk(&w->v, (uint32_t)(w->v.f - w->g->func.v));
	if (w->g->stated)
		state_function(w);
	for (size_t k = 0; k < w->nproof; k++) {
		w->proof[k].t->proved = is_proved(w, k);
		alone[first + k] = w->proof[k].t->proved && is_alone(w, k);
	}
	return first + w->nproof;
}

/* Are all parts of t in the function? */
static bool is_inside(const struct proving *w, const struct scaled_table *t)
{
	const struct block *first = &w->g->block.v[w->v.f->block];
	const struct block *last = first + w->v.f->nblock - 1;
	for (unsigned part = 0; part < SCALED_PARTS; part++)
		if (t->insn[part] < first->insn || t->insn[part] >= last->insn + last->ninsn)
			return false;
	return true;
}

/*
 * The instruction that makes a page can refer to another one only if all tables that use it have
 * moved there.  Otherwise each load makes the new table's address itself, in a register of its own.
 */
static void find_own(struct proving *w, const bool *alone)
{
	struct scaled_table *t = w->t;
	bool *kept = arena_array(w->g->arena, bool, w->n);
	for (size_t k = 0; k < w->n; k++) {
		for (size_t i = 0; i < w->n; i++)
			kept[k] |= t[i].proved && !alone[i] &&
				t[i].insn[SCALED_PAGE] == t[k].insn[SCALED_PAGE];
		t[k].own = (int8_t)(kept[k] ? own_reg(w, &t[k]) : -1);
	}
	for (size_t k = 0; k < w->n; k++) {
		t[k].proved &= !kept[k] || t[k].own >= 0;
		for (size_t i = 0; i < w->n; i++)
			t[k].proved &= t[i].insn[SCALED_LOAD] != t[k].insn[SCALED_LOAD] ||
				t[i].own == t[k].own;
	}
}

/* Prove the tables of function f, from w->t on: w->n of them. */
static void prove_func(struct proving *w, uint32_t f)
{
	bool *alone = arena_array(w->g->arena, bool, w->n);
	w->v.f = &w->g->func.v[f];
	w->v.t = &w->g->text.v[w->v.f->text];
	w->own.word.n = 0;
	for (size_t k = 0; k < w->n;)
		k = prove_some(w, k, alone);
	for (size_t k = 0; k < w->n; k++)
		w->t[k].proved &= is_inside(w, &w->t[k]);
	find_own(w, alone);
}

static uint32_t func_of_jump(const struct cfg *g, const struct scaled_table *t)
{
	uint32_t f = cfg_func_at(g, &g->text.v[t->text], g->insn.v[t->insn[SCALED_JUMP]].off);
	return f == NO_FUNC || !g->func.v[f].nblock ? NO_FUNC : f;
}

void scaled_prove(struct cfg *g, const uint32_t *first, const uint32_t *pred)
{
	struct proving w = {.g = g, .first = first, .pred = pred};
	if (g->stated)
		g->stated->table.n = g->stated->changes.n = 0;
	if (!g->scaled.n)
		return;
	chain_find(g, first);
	w.called = arena_array(g->arena, struct call_use *, g->block.n);
	w.v = (struct values){.g = g,
		.kinds = KIND(MADE) | KIND(BOUND) | KIND(COMPARED) | KIND(FRAME),
		.asks = asks,
		.decoder = cfg_decoder(g, 0),
		.enter = enter,
		.lead = lead,
		.seek = look,
		.end = end,
		.makes = makes,
		.keeps = keeps,
		.own = &w.own,
		.ctx = &w};
	for (size_t k = 0; k < g->scaled.n; k += w.n) {
		uint32_t f = func_of_jump(g, &g->scaled.v[k]);
		w.t = &g->scaled.v[k];
		w.n = 1;
		while (k + w.n < g->scaled.n && func_of_jump(g, &w.t[w.n]) == f)
			w.n++;
		if (f != NO_FUNC)
			prove_func(&w, f);
	}
	for (size_t k = 0; g->stated && k < g->scaled.n; k++)
		state_table(g, &g->scaled.v[k]);
	vec_free(&w.own.word);
	vec_free(&w.maker);
	values_free(&w.v);
}
