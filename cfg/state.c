/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c - values of registers and of words of the frame, and their joins; see values.h
 */
#include "cfg/bounds.h"
#include "cfg/origins.h"
#include "cfg/tables.h"

#include "reloc/fix.h"

static bool is_same_page(const struct values *v, struct value a, struct value b)
{
	const struct reloc *x = &v->t->sec->rel[a.n], *y = &v->t->sec->rel[b.n];
	return x->sym == y->sym && reloc_page(x) == reloc_page(y);
}

static bool is_of_stack(struct value v)
{
	return is_in_frame(v) || v.what == STACK;
}

static bool is_same_label(struct value a, struct value b)
{
	return a.base == b.base && a.n == b.n && !((a.flags ^ b.flags) & LABEL_SEVERAL);
}

struct value join_labels(struct value a, struct value b)
{
	if (a.what != LABEL || b.what != LABEL) {
		a = unbounded(a.what == LABEL ? a : b);
		a.flags &= (uint8_t)~LABEL_ENDS;
		return a;
	}
	bool same = is_same_label(a, b);
	unsigned both = a.flags & b.flags, all = a.flags | b.flags;
	unsigned kept = (all & LABEL_SUM) | (both & (LABEL_ENDS | LABEL_WEAK));
	struct value sure = unbounded(a.flags & LABEL_WEAK ? b : a);
	if (!same && (both & LABEL_WEAK || !(all & LABEL_WEAK)))
		return one_of_several(kept);
	bool several = sure.flags & LABEL_SEVERAL;
	unsigned others = same ? all & LABEL_OTHERS : several ? 0 : LABEL_OTHERS;
	sure.flags = (uint8_t)(kept | others | (sure.flags & LABEL_SEVERAL));
	return sure;
}

static struct value join_bounds(struct value a, struct value b)
{
	uint64_t most = most_of(a), low = low_of(a);
	most = most > most_of(b) ? most : most_of(b);
	low = low > low_of(b) ? low : low_of(b);
	if (a.what != b.what || a.lo != b.lo || a.what == BOUND)
		return bound(most, low);
	a.reg = a.reg < b.reg ? a.reg : b.reg;
	a.n = (int64_t)most;
	a.base = (uint32_t)low;
	return a;
}

static int64_t makers(struct value v)
{
	return v.what == MADE ? v.n : MADE_ELSE;
}

static struct value join_made(struct value a, struct value b)
{
	if (is_from_nowhere(a) || is_from_nowhere(b))
		return is_from_nowhere(a) ? b : a;
	return (struct value){MADE, .n = makers(a) | makers(b)};
}

/*
 * A value is what it says on all paths, but LINK and LABEL, which some path has led there.
 */
struct value join_values(const struct values *v, struct value a, struct value b)
{
	if (is_same_value(a, b))
		return a;
	if (a.what == MADE || b.what == MADE)
		return join_made(a, b);
	if (is_bound(a) && is_bound(b))
		return join_bounds(a, b);
	if (a.what == ORIGIN || b.what == ORIGIN)
		return join_origins(a, b);
	if (a.what == LINK || b.what == LINK)
		return (struct value){LINK,
			.n = (a.what == LINK && a.n) || (b.what == LINK && b.n)};
	if (a.what == LABEL || b.what == LABEL)
		return join_labels(a, b);
	if (a.what == HIGH && b.what == HIGH && is_same_page(v, a, b))
		return a.n < b.n ? a : b;
	if (is_in_frame(a) && is_in_frame(b) && a.base == b.base)
		return (struct value){NEAR, .base = a.base, .n = a.n < b.n ? a.n : b.n};
	if (is_of_stack(a) && is_of_stack(b))
		return (struct value){.what = STACK};
	bool constant = is_constant_value(a) && is_constant_value(b);
	return (struct value){.what = constant ? SOME : ANYTHING};
}

void state_clear(struct state *s)
{
	for (regset some = s->known; some; some &= some - 1)
		s->reg[lowest_reg(some)] = (struct value){.what = ANYTHING};
	s->known = 0;
	s->nslot = 0;
	s->escapes = false;
}

/* The same, or ANYTHING if nobody asks for its kind. */
static struct value asked(const struct values *v, struct value to)
{
	return v->kinds & KIND(to.what) ? to : (struct value){.what = ANYTHING};
}

void state_set(const struct values *v, struct state *s, int reg, struct value to)
{
	if (reg < 0)
		return;
	s->reg[reg] = asked(v, to);
	if (s->reg[reg].what == ANYTHING)
		s->known &= ~REG_BIT(reg);
	else
		s->known |= REG_BIT(reg);
}

regset state_holds(const struct state *s, enum what what)
{
	regset set = 0;
	for (regset some = s->known; some; some &= some - 1)
		if (s->reg[lowest_reg(some)].what == what)
			set |= some & -some;
	return set;
}

bool is_followed_word(struct value v)
{
	return v.what != ANYTHING && !is_bound(v) && (v.what != ORIGIN || v.base != NO_TABLE);
}

void slots_forget(const struct values *v, struct state *s, struct value at, int64_t off, int64_t n)
{
	off += at.n;
	if (at.base != s->base && s->nslot) {
		s->nslot = 0; /* where they are from each other is not known */
		s->escapes |= (v->kinds & KIND(MADE)) != 0;
	}
	for (unsigned i = 0; i < s->nslot;)
		if (s->slot[i].off < off + n && off < s->slot[i].off + v->g->target->word)
			s->slot[i] = s->slot[--s->nslot];
		else
			i++;
}

void slots_keep_own(struct state *s, int64_t sp)
{
	for (unsigned i = 0; i < s->nslot;)
		if (s->slot[i].off < sp || s->slot[i].off >= 0)
			s->slot[i] = s->slot[--s->nslot];
		else
			i++;
}

struct value slot_value(const struct state *s, struct value at, int64_t off)
{
	for (unsigned i = 0; i < s->nslot && at.base == s->base; i++)
		if (s->slot[i].off == at.n + off)
			return s->slot[i].value;
	return (struct value){.what = ANYTHING};
}

void slot_set(const struct values *v, struct state *s, struct value at, int64_t off,
	struct value to)
{
	slots_forget(v, s, at, off, v->g->target->word);
	to = asked(v, to);
	if (v->words == WORDS_NONE || !is_followed_word(to))
		return;
	s->escapes |= s->nslot == SLOTS && to.what == MADE;
	if (s->nslot == SLOTS)
		return;
	s->base = at.base;
	s->slot[s->nslot].off = at.n + off;
	s->slot[s->nslot++].value = to;
}

/* A word that is MADE on one path: its readers are sought where others come, too. */
static bool bring_word(const struct values *v, struct state *to, const struct state *from,
	unsigned i)
{
	struct value word = from->slot[i].value, at = {.what = FRAME, .base = from->base};
	bool there = slot_value(to, at, from->slot[i].off).what != ANYTHING, lost = to->escapes;
	unsigned n = to->nslot;
	if (word.what != MADE || there)
		return false;
	word.n |= MADE_ELSE;
	if (to->nslot && to->base != from->base)
		to->escapes = true;
	else
		slot_set(v, to, at, from->slot[i].off, word);
	return to->escapes != lost || to->nslot != n;
}

static bool join_slots(const struct values *v, struct state *to, const struct state *from)
{
	const struct value at = {.what = FRAME, .base = to->base};
	bool changed = false;
	if (is_from_nowhere(from->reg[v->g->target->stack_reg]))
		return false;
	for (unsigned i = 0; i < from->nslot && v->kinds & KIND(MADE); i++)
		changed |= bring_word(v, to, from, i);
	for (unsigned i = 0; i < to->nslot;) {
		struct value old = to->slot[i].value;
		struct value new =
			asked(v, join_values(v, old, slot_value(from, at, to->slot[i].off)));
		changed |= !is_same_value(new, old);
		to->slot[i].value = new;
		if (!is_followed_word(new))
			to->slot[i] = to->slot[--to->nslot];
		else
			i++;
	}
	return changed;
}

/*
 * The stack pointer at the start of block b is one of several: words of the compiler's are stored
 * and loaded by it whatever it is.
 */
static struct value join_stacks(const struct values *v, uint32_t b, struct value x, struct value y)
{
	if (is_from_nowhere(x) || is_from_nowhere(y))
		return is_from_nowhere(x) ? y : x;
	bool here = b != NO_BLOCK && v->words == WORDS_OF_COMPILER && !(v->kinds & KIND(STACK));
	struct value sp = {FRAME, .base = ENTRY_BLOCK + b - v->f->block};
	return !here || is_same_value(x, y) ? join_values(v, x, y) : sp;
}

bool state_join(const struct values *v, uint32_t b, struct state *to, const struct state *from)
{
	regset live = b != NO_BLOCK && v->g->has_liveness ? v->g->block.v[b].live_in : ~(regset)0;
	bool changed = from->escapes && !to->escapes;
	to->escapes |= from->escapes;
	if (is_from_nowhere(to->reg[v->g->target->stack_reg])) {
		to->nslot = from->nslot;
		to->base = from->base;
		memcpy(to->slot, from->slot, from->nslot * sizeof *to->slot);
	}
	regset some = followed(v, b, to) | followed(v, b, from);
	for (; some; some &= some - 1) {
		int r = (int)lowest_reg(some);
		struct value old = to->reg[r], new = from->reg[r];
		if (is_same_value(old, new))
			continue;
		if (v->words == WORDS_ALL && (live & REG_BIT(r)) &&
			is_in_frame(old) != is_in_frame(new)) {
			changed |= !to->escapes;
			to->escapes = true;
		}
		new = r == v->g->target->stack_reg ? join_stacks(v, b, old, new)
						   : join_values(v, old, new);
		state_set(v, to, r, new);
		changed |= !is_same_value(to->reg[r], old);
	}
	return join_slots(v, to, from) || changed;
}
