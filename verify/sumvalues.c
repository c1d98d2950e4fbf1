/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sumvalues.c - numbers in intervals, and labels plus such numbers
 */
#include "verify/sums.h"

struct value number_between(int64_t lo, int64_t hi)
{
	bool small = lo >= INT32_MIN && hi <= INT32_MAX;
	return small ? (struct value){.bounded = true, .lo = lo, .hi = hi} : (struct value){0};
}

struct value of_size(unsigned size, bool sext)
{
	int64_t end = (int64_t)1 << (size * 8 - sext);
	return number_between(sext ? -end : 0, end - 1);
}

struct value one_label(uint32_t n, bool loaded)
{
	return (struct value){.label = n, .bounded = n, .loaded = n && loaded};
}

struct value any_label(const struct sums *s)
{
	return one_label(s->stored ? MANY : 0, true);
}

bool same_value(struct value a, struct value b)
{
	return a.label == b.label && a.sum == b.sum && a.loaded == b.loaded &&
		a.others == b.others && a.ends == b.ends && a.from_got == b.from_got &&
		a.bounded == b.bounded && (!a.bounded || (a.lo == b.lo && a.hi == b.hi));
}

static struct value without_bounds(struct value v)
{
	v.bounded = v.ends = false;
	return v;
}

struct value either_value(struct value a, struct value b)
{
	if (same_value(a, b))
		return a;
	if (!a.label && !b.label)
		return (struct value){0};
	if (!a.label || !b.label)
		return without_bounds(a.label ? a : b);
	bool same = a.label == b.label;
	struct value v = without_bounds(a.loaded ? b : a);
	v.sum = a.sum || b.sum;
	if (!same && a.loaded == b.loaded)
		return (struct value){.label = MANY, .sum = v.sum, .loaded = a.loaded};
	v.others = same ? a.others || b.others : v.label != MANY;
	return v;
}

static bool is_within(struct value stated, struct value v)
{
	return !stated.bounded || (v.bounded && v.lo >= stated.lo && v.hi <= stated.hi);
}

bool includes_value(struct value stated, struct value v)
{
	bool same = stated.label == MANY || stated.label == v.label;
	if (v.label && v.loaded && !same && stated.others)
		return !stated.bounded && (stated.sum || !v.sum);
	if (v.label)
		return same && (stated.sum || !v.sum) && (v.loaded || !stated.loaded) &&
			(!v.others || stated.others || stated.label == MANY) &&
			is_within(stated, v);
	if (stated.label || stated.from_got)
		return stated.from_got ? v.from_got : !stated.bounded;
	return is_within(stated, v);
}

struct value plus_value(struct value a, struct value b)
{
	if (!b.label && b.bounded && !b.lo && !b.hi)
		return a;
	if (a.from_got || b.from_got)
		return (struct value){.from_got = a.from_got && b.from_got};
	struct value v = either_value(without_bounds(a), without_bounds(b));
	v.sum = v.label;
	if (!a.bounded || !b.bounded || (a.label && b.label))
		return v;
	struct value n = number_between(a.lo + b.lo, a.hi + b.hi);
	n.label = v.label;
	n.sum = v.sum;
	n.loaded = v.loaded;
	n.others = v.others;
	return n;
}

struct value minus_value(struct value a, struct value b)
{
	/* the difference of two labels: unknown */
	if (b.label)
		return (struct value){0};
	return plus_value(a, b.bounded ? number_between(-b.hi, -b.lo) : b);
}

struct value state_value(const struct state *at, int reg)
{
	bool some = reg >= 0 && reg < REGS && at->some & REG_BIT(reg);
	return some ? at->reg[reg] : (struct value){0};
}

void set_value(struct state *at, int reg, struct value v)
{
	at->reg[reg] = v;
	at->some &= ~REG_BIT(reg);
	if (v.label || v.from_got || v.bounded)
		at->some |= REG_BIT(reg);
}

struct value reg_value(const struct sums *s, int reg)
{
	if (reg >= 0 && reg < REGS && s->v->target->zero & REG_BIT(reg))
		return number_between(0, 0);
	return state_value(&s->now, reg);
}

struct value mixed_value(const struct sums *s, regset reads, bool mem)
{
	struct value v = {0};
	for (reads &= s->now.some; reads; reads &= reads - 1) {
		struct value r = s->now.reg[lowest_reg(reads)];
		v = !r.label ? v : v.label ? either_value(v, r) : r;
	}
	if (!v.label)
		return (struct value){0};
	return (struct value){.label = v.others ? MANY : v.label,
		.sum = v.sum || !(v.loaded || mem),
		.loaded = true};
}

/* 0 or -1, as masks are: a label and or or such a mask is the same label, or none. */
static bool is_mask(struct value v)
{
	return !v.label && !v.from_got && v.bounded && v.lo >= -1 && v.hi <= 0;
}

struct value masked_value(const struct sums *s, const struct insn *in, struct value a,
	struct value b)
{
	if (!is_mask(a) && !is_mask(b))
		return mixed_value(s, insn_effects(in)->reads, false);
	return either_value(is_mask(a) ? b : a, (struct value){0});
}

struct value times_value(const struct sums *s, int reg, int64_t by)
{
	struct value v = reg_value(s, reg);
	if (by == 1)
		return v;
	if (v.label)
		return mixed_value(s, REG_BIT(reg), false);
	return v.bounded ? number_between(v.lo * by, v.hi * by) : (struct value){0};
}

struct value moved_value(struct value v, const struct operation *op)
{
	bool sext = op->op == OP_SEXT;
	if (op->size == 8 || (op->size == 4 && v.label))
		return v;
	if (!v.label && v.bounded && v.lo >= 0 && v.hi >> (op->size * 8 - sext) == 0)
		return v;
	return op->size < 4 ? of_size(op->size, sext) : (struct value){0};
}
