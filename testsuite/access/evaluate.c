/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evaluate.c - what a description says in a state
 */
#include "testsuite/access/accesses.h"

uint64_t reg_value(const struct state *s, int reg)
{
	return reg < 0 ? 0 : s->reg[reg] & word_mask();
}

static uint64_t bytes_value(const uint8_t *p, unsigned size)
{
	return get_word(p, size, false);
}

uint64_t extended(uint64_t value, unsigned size, bool sign)
{
	if (size == 8)
		return value;
	return sign ? (uint64_t)sign_extend(value, size * 8)
		    : value & ((UINT64_C(1) << size * 8) - 1);
}

uint64_t segment_base(unsigned segment)
{
	return segment == SEGMENT_FS ? FS_BASE : segment == SEGMENT_GS ? GS_BASE : 0;
}

/* The address of an element. */
uint64_t address(const struct access *a, const struct state *s, unsigned lane)
{
	uint64_t index = a->lanes >= 0
		? bytes_value(s->vector[a->lanes] + lane * a->index_size, a->index_size)
		: reg_value(s, a->index);
	uint64_t sum = reg_value(s, a->base) +
		extended(index, a->index_size, a->index_sext) * a->scale + (uint64_t)a->disp +
		(a->pc_rel ? s->pc : 0);

	sum &= a->low ? UINT32_MAX : UINT64_MAX;
	return (sum + segment_base(a->segment)) & word_mask();
}

static bool selected(const struct access *a, const struct state *s, unsigned i)
{
	switch (a->mask_kind) {
	case MASK_NONE: return true;
	case MASK_BITS: return s->mask[a->mask] >> i & 1;
	case MASK_SIGN: return s->vector[a->mask][i * a->size + a->size - 1u] >> 7;
	default: {
		unsigned n = a->elements;
		uint64_t bits = s->mask[a->mask] & (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1);
		return i < (unsigned)__builtin_popcountll(bits);
	}
	}
}

static void add_touch(struct planned *p, const struct access *a, uint64_t at, unsigned which)
{
	unsigned size = a->size ? a->size : ZVA;
	uint64_t start = at;

	if (p->ntouch == TOUCHES)
		fatal("too many accesses");
	if (a->span != SPAN_FROM)
		start = at & ~(uint64_t)(size - 1);
	p->touch[p->ntouch++] = (struct touch){.at = a->span == SPAN_UP ? at : start,
		.size = a->span == SPAN_UP     ? (unsigned)(start + size - at)
			: a->span == SPAN_DOWN ? (unsigned)(at - start + 1)
					       : size,
		.reads = a->reads,
		.writes = a->writes,
		.perhaps = a->perhaps,
		.loose = a->span == SPAN_UP || a->span == SPAN_DOWN,
		.which = which};
}

static void touch(struct planned *p, const struct access *a, const struct state *s, int64_t step,
	unsigned which)
{
	for (unsigned i = 0; i < a->elements; i++) {
		uint64_t at = address(a, s, i);

		if (a->lanes < 0)
			at += i * a->size;
		if (selected(a, s, i))
			add_touch(p, a, (at + (uint64_t)step) & word_mask(), which);
	}
}

bool flags_hold(const struct condition *c, const struct state *s)
{
	static const uint8_t x86[] = {0, 2, 4, 6, 7, 11, 10}, a64[] = {31, 30, 29, 28};
	regset flags = 0;

	if (!(c->set | c->clear | c->differ))
		return !c->negated;
	for (unsigned i = 0; i < (is_x86() ? sizeof x86 : sizeof a64); i++)
		if (s->flags >> (is_x86() ? x86[i] : a64[i]) & 1)
			flags |= REG_BIT(REG_FLAG + i);
	regset differ = flags & c->differ;
	bool holds = flags & c->set || ~flags & c->clear || (differ && differ != c->differ);
	return holds != c->negated;
}

bool relation_holds(const struct condition *c, const struct state *s)
{
	uint64_t a = reg_value(s, c->a), b = c->b < 0 ? (uint64_t)c->with : reg_value(s, c->b);
	static const uint8_t fp[8] = {23, 25, 26, 27, 28, 29, 30, 31};

	if (c->relation == RELATION_BIT || c->relation == RELATION_NO_BIT)
		return (a >> c->with & 1) == (c->relation == RELATION_BIT);
	if (c->relation == RELATION_FP_TRUE || c->relation == RELATION_FP_FALSE)
		return (s->flags >> fp[c->with] & 1) == (c->relation == RELATION_FP_TRUE);
	if (c->relation != RELATION_NONE) {
		a = extended(a, c->size, true);
		b = extended(b, c->size, true);
	}
	switch (c->relation) {
	case RELATION_EQ: return a == b;
	case RELATION_NE: return a != b;
	case RELATION_LT: return (int64_t)a < (int64_t)b;
	case RELATION_GE: return (int64_t)a >= (int64_t)b;
	case RELATION_LE: return (int64_t)a <= (int64_t)b;
	case RELATION_GT: return (int64_t)a > (int64_t)b;
	case RELATION_LTU: return a < b;
	case RELATION_GEU: return a >= b;
	default: return true;
	}
}

/* n bytes of memory at first; false: they are not in a window. */
bool content(uint8_t window[REGIONS][WINDOW], uint64_t at, unsigned n, uint8_t **p)
{
	uint64_t start = at - (MIDDLE(0) - WINDOW / 2), r = start / REGION;

	if (at < MIDDLE(0) - WINDOW / 2 || r >= REGIONS || start % REGION + n > WINDOW)
		return false;
	*p = window[r] + start % REGION;
	return true;
}

uint64_t memory(struct trial *t, uint64_t at, unsigned size)
{
	uint8_t *p;

	return content(t->window, at, size, &p) ? bytes_value(p, size) : 0;
}

/* What a delay slot finds: the branch has set its register. */
const struct state *state_of(const struct planned *p, const struct trial *t, const struct action *a)
{
	static struct state behind;

	if (a == p->action || p->action[0].link < 0)
		return &t->before;
	behind = t->before;
	behind.reg[p->action[0].link] = t->before.pc + p->in.len;
	return &behind;
}

/* All rounds of a string instruction. */
void touch_rounds(struct planned *p, struct trial *t, const struct action *a)
{
	const struct state *s = state_of(p, t, a);
	uint64_t n = a->rounds == ROUNDS_ONE ? 1 : reg_value(s, a->count);
	bool down = is_x86() && s->flags >> 10 & 1;

	for (uint64_t i = 0; i < n; i++) {
		int64_t step = (down ? -(int64_t)i : (int64_t)i) * a->access[0].size;

		for (unsigned k = 0; k < a->naccess; k++)
			touch(p, &a->access[k], s, a->rounds == ROUNDS_ONE ? 0 : step,
				k + (unsigned)(a - p->action) * ACCESSES);
		if (a->rounds < ROUNDS_EQUAL)
			continue;
		unsigned size = a->access[0].size;
		uint64_t first = memory(t, address(&a->access[0], s, 0) + (uint64_t)step, size);
		uint64_t other = a->naccess < 2
			? extended(reg_value(s, RAX), size, false)
			: memory(t, address(&a->access[1], s, 0) + (uint64_t)step, size);
		if ((first == other) != (a->rounds == ROUNDS_EQUAL))
			return;
	}
}
