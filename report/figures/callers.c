/* SPDX-License-Identifier: Apache-2.0 */
/* callers.c - see callers.h */
#include "report/figures/callers.h"

#include "base/base.h"

#include <stdlib.h>

struct callers {
	const struct run *run;
	struct caller **of; /* by object, function */
};

static struct caller *caller_of(const struct callers *v, const struct program *p,
	const struct map_func *f)
{
	return &v->of[p - v->run->v][f - p->map.func];
}

struct callers *callers_find(const struct run *run)
{
	struct calls calls = calls_find(run, false);
	struct callers *v = NEW_ARRAY(struct callers, 1);
	v->run = run;
	v->of = NEW_ARRAY(struct caller *, run->n);
	for (size_t i = 0; i < run->n; i++)
		v->of[i] = NEW_ARRAY(struct caller, run->v[i].map.nfuncs);
	for (const struct call *c = calls.v; c < calls.v + calls.n; c++) {
		if (!c->to || !c->known || !c->count)
			continue;
		struct caller *to = caller_of(v, c->to_in, c->to);
		to->several |= (to->f && to->f != c->from) || c->from == c->to;
		to->address = to->f && to->address != c->address ? 0 : c->address;
		to->p = c->p;
		to->f = c->from;
		to->count = add_sat(to->count, c->count);
	}
	return v;
}

const struct caller *only_caller(const struct callers *v, const struct program *p,
	const struct map_func *f)
{
	const struct caller *c = caller_of(v, p, f);
	uint64_t calls;
	bool only = c->f && !c->several && func_calls(p, f, &calls) && calls == c->count;
	return only ? c : NULL;
}
