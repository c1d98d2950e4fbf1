/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.c - counters in registers are valid on every path from their begin to their end
 *
 * Forward propagation from each PATTERN_BEGIN yields the assumed state in front of each
 * instruction: which register holds which counter.  Then each edge is checked against it: the
 * state at the edge's source, changed by the inserted code that runs on the edge, must equal the
 * state at its target.  By induction, a register holds the number of times that its counter's
 * code was run since its begin.
 *
 * While an induction variable of the program counts in place of that register, only the
 * instruction that the counter counts may change it, by a constant step.
 */
#include "verify/branches.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/registers.h"
#include "verify/sites.h"
#include "verify/tables.h"

#include <stdlib.h>

enum {
	MAX_REGS = REG_FLAG,
	DISTANCE = 64,
	/* log2 of the largest step: a 64-bit register overflows after 2^58 rounds, over a year. */
	FAR_STEP = 5,
};

struct holding {
	int64_t counter[MAX_REGS]; /* by register: 1 + the counter; 0: it holds none */
	uint8_t by[MAX_REGS];	   /* struct vheld's by; DISTANCE + n: its change divided by 2^n */
	bool unit;		   /* hold_unit holds the step of counters in vector registers */
};

static bool is_vector(const struct verify *v, unsigned reg)
{
	return v->target->micro->hold_vectors & REG_BIT(reg);
}

static int held_cmp(const void *a, const void *b)
{
	const struct vheld *x = a, *y = b;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	if (x->reg != y->reg)
		return x->reg < y->reg ? -1 : 1;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

/* Set *h to the assumed state in front of insn k; false: no register holds a counter there. */
static bool held_at(const struct verify *v, uint32_t k, struct holding *h)
{
	*h = (struct holding){0};
	if (!v->held.n || k >= v->insn.n || !bit_get(v->holds, k))
		return false;
	size_t i;
	BISECT(i, 0, v->held.n, v->held.v[i].insn < k);
	for (; i < v->held.n && v->held.v[i].insn == k; i++) {
		h->counter[v->held.v[i].reg - 1] = v->held.v[i].counter + 1;
		h->by[v->held.v[i].reg - 1] = v->held.v[i].by;
		h->unit |= is_vector(v, v->held.v[i].reg - 1u) && !v->held.v[i].by;
	}
	return true;
}

/* Does p change a register that holds another counter, or an induction variable that counts? */
static bool harms(const struct holding *h, const struct pattern *p)
{
	for (unsigned r = 0; r < MAX_REGS; r++) {
		regset own = (r + 1 != p->reg ? REG_BIT(r) : 0) |
			(h->by[r] && h->by[r] < DISTANCE ? REG_BIT(h->by[r] - 1) : 0);
		if (h->counter[r] && (p->need & own))
			return true;
	}
	return false;
}

/* As run_site(), for the induction variable: updates *by (struct holding). */
static bool run_step(const struct verify *v, uint8_t *by, const struct vsite *s)
{
	const struct pattern *p = s->pattern;
	int step = counted(v, s->counter)->step;
	uint8_t was = *by;
	switch ((enum hold)p->hold) {
	case HOLD_FOLLOW: *by = p->by + 1; return true;
	case HOLD_DISTANCE: *by = DISTANCE; return was == p->by + 1;
	case HOLD_DIVIDE: *by = DISTANCE + p->by; return was == DISTANCE;
	case HOLD_END: *by = 0; return !was || was - DISTANCE + 1 == -step;
	case HOLD_END_LESS: *by = 0; return was - DISTANCE + 1 == step;
	case HOLD_BEGIN:
	case HOLD_COUNT:
	case HOLD_STEP:
	case HOLD_FETCH: break;
	}
	return !was;
}

/* Update h by one piece of inserted code; false: that must not run in state h. */
static bool run_site(const struct verify *v, struct holding *h, const struct vsite *s)
{
	const struct pattern *p = s->pattern;
	if (harms(h, p))
		return false;
	if (!p->reg)
		return true;
	int64_t *c = &h->counter[p->reg - 1];
	if (p->hold == HOLD_FETCH && !*c) {
		*c = h->counter[p->by];
		h->by[p->reg - 1] = h->by[p->by];
		h->counter[p->by] = 0;
		h->by[p->by] = 0;
		return *c == s->counter + 1 && h->by[p->reg - 1];
	}
	if (*c != (p->kind == PATTERN_BEGIN ? 0 : s->counter + 1) ||
		!run_step(v, &h->by[p->reg - 1], s))
		return false;
	if (p->kind == PATTERN_BEGIN || p->kind == PATTERN_END)
		*c = p->kind == PATTERN_BEGIN ? s->counter + 1 : 0;
	if (!is_vector(v, p->reg - 1u) || p->hold == HOLD_FOLLOW)
		return true;
	if (p->kind == PATTERN_COUNT)
		return h->unit;
	h->unit = p->kind == PATTERN_BEGIN;
	return true;
}

/* Control enters at y, in front of insn k, in state h: does it reach k in k's assumed state? */
static bool arrives_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y,
	struct holding h)
{
	uint32_t text = (uint32_t)(t - v->text.v), last = behind_padding(v, t, k);
	const struct vsite *s = first_site(v, text, before_padding(v, t, k));
	const struct vsite *end = v->site.v + v->site.n;
	struct holding want;
	for (; s < end && s->text == text && s->insn <= last; s++) {
		if (s->at < y)
			continue;
		if (s->pattern->kind == PATTERN_SKIP)
			y = s->to;
		else if (!run_site(v, &h, s))
			return false;
	}
	held_at(v, last, &want);
	return !memcmp(h.counter, want.counter, sizeof h.counter) &&
		!memcmp(h.by, want.by, sizeof h.by) && (h.unit || !want.unit);
}

bool holds_well(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y, uint32_t by)
{
	struct holding h = {0};
	if (!v->held.n)
		return true;
	if (by != NO_INSN && is_branch(&v->insn.v[by]))
		held_at(v, by, &h);
	return arrives_well(v, t, k, y, h);
}

/* Where counters are held ----------------------------------------------- */

/* Is the last begin or end of this counter in front of insn k an end? */
static bool ends_at(const struct verify *v, const struct vtext *t, uint32_t k, int64_t counter)
{
	uint32_t text = (uint32_t)(t - v->text.v);
	const struct vsite *s = first_site(v, text, before_padding(v, t, k));
	bool ends = false;
	for (; s < v->site.v + v->site.n && s->text == text && s->insn <= k; s++)
		if (s->pattern->reg && s->counter == counter && s->pattern->kind != PATTERN_COUNT)
			ends = s->pattern->kind == PATTERN_END;
	return ends;
}

static void spread_to(struct verify *v, const struct vtext *t, uint32_t k, struct vheld h)
{
	if (k < t->first || k >= t->first + t->n)
		return;
	h.insn = behind_padding(v, t, k);
	if (h.insn >= t->first + t->n || ends_at(v, t, h.insn, h.counter))
		return;
	for (size_t i = v->held.n; i-- && v->held.v[i].counter == h.counter;)
		if (!held_cmp(&v->held.v[i], &h))
			return;
	vec_push(&v->held, h);
}

/* Propagate the counter that s begins to hold, along all known successors. */
static void spread(struct verify *v, const struct vsite *s)
{
	const struct vtext *t = &v->text.v[s->text];
	size_t i = v->held.n;
	if (s->insn == NO_INSN)
		return;
	spread_to(v, t, s->insn,
		(struct vheld){.text = s->text,
			.reg = s->pattern->reg,
			.by = s->pattern->hold == HOLD_FOLLOW ? s->pattern->by + 1 : 0,
			.counter = s->counter});
	for (; i < v->held.n; i++) {
		struct vheld h = v->held.v[i];
		if (falls_in(v, t, h.insn + 1))
			spread_to(v, t, h.insn + 1, h);
		const struct vbranch *b = branch_of(v, h.insn);
		if (b)
			spread_to(v, t, b->target, h);
	}
}

/*
 * The constant that insn k adds to reg, as struct vcount's step; 0: it is no such instruction, or
 * registers are so small that they may wrap.
 */
static int step_of(const struct verify *v, const struct vtext *t, uint32_t k, unsigned reg)
{
	const struct insn *in = &v->insn.v[k];
	uint32_t r = section_first_reloc(t->a, in->off);
	struct operation op;
	if (r < t->a->nrel && t->a->rel[r].off < (uint64_t)in->off + in->len)
		return 0;
	v->target->describe(v->decoder, t->a->data + in->off, in, &op);
	bool sum = op.op == OP_LEA && op.dst == (int)reg && op.index < 0;
	int64_t by = op.moves ? op.moves : sum ? op.disp : 0;
	if (op.base != (int)reg || v->target->word < 8)
		return 0;
	for (int n = 0; n <= FAR_STEP; n++)
		if (by == (int64_t)1 << n || by == -((int64_t)1 << n))
			return by < 0 ? -n - 1 : n + 1;
	return 0;
}

/* Is the counter's HOLD_STEP in front of insn k, or of the no-ops in front of k? */
static bool steps_at(const struct verify *v, const struct vtext *t, uint32_t k, int64_t counter)
{
	uint32_t text = (uint32_t)(t - v->text.v);
	const struct vsite *s = first_site(v, text, before_padding(v, t, k));
	for (; s < v->site.v + v->site.n && s->text == text && s->insn <= k; s++)
		if (s->pattern->hold == HOLD_STEP && s->counter == counter)
			return true;
	return false;
}

/* Only the instruction at the counter's HOLD_STEP may change the induction variable, by a step. */
static void check_step(struct verify *v, const struct vheld *h)
{
	const struct vtext *t = &v->text.v[h->text];
	const struct insn *in = &v->insn.v[h->insn];
	bool here = steps_at(v, t, h->insn, h->counter);
	int step = h->by ? step_of(v, t, h->insn, h->by - 1u) : 0;
	if (h->by && (insn_effects(in)->clobbers & REG_BIT(h->by - 1)) ? !here || !step : here)
		vfail(v, t->a, in->off, "counter %lld does not count what its register does",
			(long long)h->counter / v->cell);
	else if (here && (uint64_t)h->counter / v->cell < v->count.n)
		v->count.v[h->counter / v->cell].step = (int8_t)step;
}

/* Insn h->insn must not use the register that holds a counter, and its successors are known. */
static void check_held(struct verify *v, const struct vheld *h, const struct vheld *before)
{
	const struct insn *in = &v->insn.v[h->insn];
	const struct section *s = v->text.v[h->text].a;
	bool known = is_branch(in) ? branch_of(v, h->insn) != NULL
				   : in->kind == INSN_OTHER || in->kind == INSN_NOP;
	const struct effects *e = insn_effects(in);
	regset own = REG_BIT(h->reg - 1);
	own |= is_vector(v, h->reg - 1u) && !h->by ? v->target->micro->hold_unit : 0;
	regset used = e->reads | e->clobbers | form_changes(v, &v->text.v[h->text], h->insn);
	if (!known || (in->flags & INSN_VAGUE) || (used & own))
		vfail(v, s, in->off, "a register that holds counter %lld is lost here",
			(long long)h->counter / v->cell);
	if (before && before->insn == h->insn && before->reg == h->reg &&
		(before->counter != h->counter || before->by != h->by))
		vfail(v, s, in->off, "a register holds the counters %lld and %lld",
			(long long)before->counter / v->cell, (long long)h->counter / v->cell);
}

/* The edge by which control falls into insn k. */
static void check_fall(struct verify *v, const struct vtext *t, uint32_t k)
{
	struct holding h;
	if (t->broken || k <= t->first || k >= t->first + t->n || !falls_in(v, t, k))
		return;
	held_at(v, before_padding(v, t, k) - 1, &h);
	if (!arrives_well(v, t, k, 0, h))
		vfail(v, t->a, v->insn.v[k].off,
			"a counter in a register is lost, or counts what it "
			"must not, when control falls in");
}

static void check_falls(struct verify *v)
{
	for (size_t i = 0; i < v->site.n; i++) {
		const struct vsite *s = &v->site.v[i];
		const struct vtext *t = &v->text.v[s->text];
		if (s->pattern->hold && s->insn == NO_INSN)
			vfail(v, t->a, t->a->size, "a counter in a register behind all code");
		else if (s->pattern->hold == HOLD_STEP && !counted(v, s->counter)->step)
			vfail(v, t->a, v->insn.v[s->insn].off,
				"counter %lld has no register that counts",
				(long long)s->counter / v->cell);
		else if (s->pattern->reg)
			check_fall(v, t, behind_padding(v, t, s->insn));
	}
	for (size_t i = 0; i < v->held.n; i++) {
		const struct vtext *t = &v->text.v[v->held.v[i].text];
		check_fall(v, t, v->held.v[i].insn);
		check_fall(v, t, behind_padding(v, t, v->held.v[i].insn + 1));
	}
}

/* Is insn k a jump, in front of which a counter begins or ends to be held? */
static bool changes_at(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint32_t text = (uint32_t)(t - v->text.v);
	const struct vsite *s = first_site(v, text, before_padding(v, t, k));
	bool changes = false;
	for (; s < v->site.v + v->site.n && s->text == text && s->insn <= k; s++)
		changes |= s->pattern->kind == PATTERN_BEGIN || s->pattern->kind == PATTERN_END;
	return changes && v->insn.v[k].kind == INSN_JUMP;
}

/*
 * A frame that has ended in a block with a counter in a register has lost rounds: the map must say
 * of which blocks that is so.  A block may begin or end to hold one in front of its jump.
 */
static void check_told(struct verify *v)
{
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k < t->first + t->n; k++)
			if (bit_get(v->told_held, k) != bit_get(v->holds, k) &&
				!is_padding(&v->insn.v[k]) && !changes_at(v, t, k))
				vfail(v, t->a, v->insn.v[k].off,
					"the map is wrong about counters in registers here");
	}
}

void verify_held(struct verify *v)
{
	v->holds = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	for (size_t i = 0; i < v->site.n; i++)
		if (v->site.v[i].pattern->kind == PATTERN_BEGIN)
			spread(v, &v->site.v[i]);
	sort(v->held.v, v->held.n, sizeof *v->held.v, held_cmp);
	for (size_t i = 0; i < v->held.n; i++) {
		bit_set(v->holds, v->held.v[i].insn);
		check_held(v, &v->held.v[i], i ? &v->held.v[i - 1] : NULL);
		check_step(v, &v->held.v[i]);
	}
	check_falls(v);
	check_told(v);
}
