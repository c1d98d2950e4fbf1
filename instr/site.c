/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site.c - the code of a site, made of the sequences of code/; see plan.h
 */
#include "instr/plan.h"

#include "runtime/abi.h"

#include <stdlib.h>

static void hold_code(const struct plan *p, const struct site *s,
	const struct counter_addressing *to, struct code *out)
{
	const struct target *t = p->g->target;
	const struct step *step = &s->step;
	int64_t off = (int64_t)s->arg * p->cell;
	unsigned by = step->by ? step->by - 1u : 0, reg = s->reg;
	if (s->kind == SITE_BEGIN) {
		code_hold(t, out, step->by ? HOLD_FOLLOW : HOLD_BEGIN, to, off, reg, by, s->dead);
		return;
	}
	if (step->by && t->hold_vectors & REG_BIT(reg)) {
		reg = (unsigned)__builtin_ctzll(s->dead & target_scratch(t));
		code_hold(t, out, HOLD_FETCH, to, off, reg, s->reg, s->dead);
	}
	if (step->by)
		code_hold(t, out, HOLD_DISTANCE, to, off, reg, by, s->dead);
	if (step->shift)
		code_hold(t, out, HOLD_DIVIDE, to, off, reg, step->shift, s->dead);
	code_hold(t, out, step->by && !step->down ? HOLD_END_LESS : HOLD_END, to, off, reg, 0,
		s->dead);
}

static void put_nops(const struct target *t, struct code *out, uint32_t n)
{
	code_grow(out, n);
	t->nops(small_v(&out->bytes) + out->bytes.n, n);
	out->bytes.n += n;
}

void site_code(const struct plan *p, const struct site *s, struct code *out)
{
	const struct target *t = p->g->target;
	struct counter_addressing to = p->addressing;
	int64_t off = (int64_t)s->arg * p->cell;
	size_t first = out->claims ? out->claims->n : 0;
	to.repeat = s->repeat;
	if (s->plain)
		to.access = ACCESS_PLAIN;
	switch ((enum site_kind)s->kind) {
	case SITE_BASE: code_base(t, out, &to, off, s->base - 1u); break;
	case SITE_BEGIN:
	case SITE_END: hold_code(p, s, &to, out); break;
	case SITE_ENTRY:
		t->micro->landing(out);
		code_claim(out, 0, (struct claim){.kind = CLAIM_LANDING});
		/* fallthrough */
	case SITE_COUNT:
		if (p->opt->mode == LDX_MODE_COVER)
			code_mark(t, out, &to, off, s->dead);
		else if (s->how == COUNT_HELD || s->how == COUNT_STEPPED)
			code_hold(t, out, s->how == COUNT_HELD ? HOLD_COUNT : HOLD_STEP, &to, off,
				s->reg, 0, s->dead);
		else if (s->base)
			code_count_by(t, out, &to, off, s->base - 1u, s->makes, s->dead);
		else
			code_count(t, out, &to, off, s->dead);
		break;
	case SITE_FORK: code_fork_check(t, out, p->sym_forked, s->dead); break;
	case SITE_THREAD: code_thread_check(t, out, &to, p->sym_forked, s->dead); break;
	case SITE_POISON: code_poison(t, out, p->sym_poison, s->arg, s->dead); break;
	case SITE_NOPS: put_nops(t, out, s->arg); break;
	}
	for (size_t i = first; out->claims && i < out->claims->n; i++)
		out->claims->v[i].plain = s->plain;
}

uint32_t site_size(const struct plan *p, const struct site *s)
{
	struct code code;
	code_start(&code);
	site_code(p, s, &code);
	uint32_t n = code.bytes.n;
	code_free(&code);
	return n;
}
