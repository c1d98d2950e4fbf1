/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrong.c - see wrong.h
 */
#include "testsuite/access/wrong.h"

#include "targets/access.h"

static bool longer(struct access *a)
{
	a->size++;
	return !a->mask_kind && a->span == SPAN_FROM && a->elements == 1 && !a->perhaps;
}

static bool shorter(struct access *a)
{
	a->size--;
	return a->size && !a->mask_kind && a->span == SPAN_FROM && a->elements == 1 && !a->perhaps;
}

static bool farther(struct access *a)
{
	a->disp++;
	return a->span == SPAN_FROM;
}

static bool unscaled(struct access *a)
{
	a->scale ^= 3;
	return a->index >= 0 || a->lanes >= 0;
}

static bool extended(struct access *a)
{
	a->index_sext = !a->index_sext;
	return a->index >= 0 && a->index_size == 4;
}

static bool turned(struct access *a)
{
	bool reads = a->reads;
	a->reads = a->writes;
	a->writes = reads;
	return a->reads != a->writes && !a->perhaps;
}

static bool based(struct access *a)
{
	if (a->base >= 0)
		a->base ^= 1;
	return a->base > 1;
}

static bool segmented(struct access *a)
{
	a->segment = a->segment ? SEGMENT_NONE : SEGMENT_GS;
	return true;
}

static bool whole(struct access *a)
{
	a->low = !a->low;
	return a->base >= 0;
}

/* The memory shows what was stored; what was loaded from more of it, nothing shows. */
static bool masked(struct access *a)
{
	a->mask ^= 1;
	return a->mask_kind && a->writes;
}

static bool parted(struct access *a)
{
	bool part = a->span == SPAN_UP || a->span == SPAN_DOWN;
	a->span = a->span == SPAN_UP ? SPAN_DOWN : SPAN_UP;
	return part && a->writes; /* of loads emulators tell the whole word */
}

static bool valued(struct access *a)
{
	a->value ^= 1;
	return (a->value_kind == VALUE_REG || a->value_kind == VALUE_VECTOR) && a->value > 1 &&
		!a->perhaps;
}

static bool sign(struct access *a)
{
	a->extend = a->extend == EXTEND_SIGN ? EXTEND_ZERO : EXTEND_SIGN;
	return a->reads && a->value_kind == VALUE_REG && a->size < 4;
}

static bool constant(struct access *a)
{
	a->constant++;
	return a->writes && a->value_kind == VALUE_CONST && a->size <= 8 && !a->perhaps;
}

static bool missing(struct action *a)
{
	return a->naccess && !a->access[--a->naccess].perhaps;
}

static bool negated(struct action *a)
{
	a->condition.negated = !a->condition.negated;
	return a->leads && a->leads != LEADS_AWAY;
}

static bool related(struct action *a)
{
	static const unsigned char other[] = {[RELATION_EQ] = RELATION_GE,
		[RELATION_NE] = RELATION_LT,
		[RELATION_LT] = RELATION_LE,
		[RELATION_GE] = RELATION_GT,
		[RELATION_LE] = RELATION_LT,
		[RELATION_GT] = RELATION_GE,
		[RELATION_LTU] = RELATION_LT,
		[RELATION_GEU] = RELATION_GE,
		[RELATION_BIT] = RELATION_NO_BIT,
		[RELATION_NO_BIT] = RELATION_BIT,
		[RELATION_FP_TRUE] = RELATION_FP_FALSE,
		[RELATION_FP_FALSE] = RELATION_FP_TRUE};
	bool some = a->condition.relation;
	if (some)
		a->condition.relation = other[a->condition.relation];
	return some;
}

static bool flagged(struct action *a)
{
	regset set = a->condition.set | a->condition.clear | a->condition.differ;
	a->condition.set = set & -set;
	a->condition.clear = 0;
	a->condition.differ = 0;
	return set & (set - 1);
}

static bool led(struct action *a)
{
	a->distance += 4;
	return a->leads == LEADS_DIRECT || a->leads == LEADS_REGION;
}

static bool linked(struct action *a)
{
	a->link ^= 1;
	return a->link > 1 && a->calls;
}

static bool once(struct action *a)
{
	bool some = a->rounds;
	a->rounds = ROUNDS_ONE;
	return some;
}

static bool until(struct action *a)
{
	a->rounds = a->rounds == ROUNDS_EQUAL ? ROUNDS_DIFFERENT : ROUNDS_EQUAL;
	return a->count >= 0 && a->access[0].reads && a->access[a->naccess - 1].reads;
}

static bool swapped(struct action *a)
{
	struct access first = a->access[0];
	a->access[0] = a->access[1];
	a->access[1] = first;
	return a->naccess == 2 && !first.perhaps && first.reads != a->access[0].reads;
}

static const struct way {
	const char *name;
	bool (*access)(struct access *a);
	bool (*action)(struct action *a);
} ways[] = {{"longer", longer, NULL}, {"shorter", shorter, NULL}, {"farther", farther, NULL},
	{"scale", unscaled, NULL}, {"sign of the index", extended, NULL},
	{"loads for stores", turned, NULL}, {"base", based, NULL}, {"segment", segmented, NULL},
	{"32 bits", whole, NULL}, {"mask", masked, NULL}, {"part of a word", parted, NULL},
	{"value", valued, NULL}, {"sign of the value", sign, NULL}, {"constant", constant, NULL},
	{"no access", NULL, missing}, {"negated", NULL, negated}, {"relation", NULL, related},
	{"flags", NULL, flagged}, {"target", NULL, led}, {"link", NULL, linked},
	{"rounds", NULL, once}, {"end of rounds", NULL, until}, {"order", NULL, swapped}};

const char *wrong_name(unsigned way)
{
	return way < sizeof ways / sizeof ways[0] ? ways[way].name : NULL;
}

bool make_wrong(struct action *a, unsigned n, unsigned way)
{
	for (unsigned i = 0; i < n; i++) {
		if (ways[way].action && ways[way].action(&a[i]))
			return true;
		for (unsigned k = 0; ways[way].access && k < a[i].naccess; k++)
			if (ways[way].access(&a[i].access[k]))
				return true;
	}
	return false;
}
