/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.c - executes one instruction of inserted code, or of a routine that it is compared with
 *
 * Where a routine branches, both ways must be gone, and by what it branches is seldom as it would
 * have to be in random states.  So from each branch on the flags are others, which lead either way:
 * first the routine is executed, and given such, then the code, which must have the same flags
 * there as the routine had, and is given what the routine was given.  What both do is the same
 * whatever the flags are, so it is with those that there are.
 */
#include "verify/trial.h"

/* Keep of the accesses from first on, of one instruction, those that are not to its own stack. */
static void close_log(struct machine_log *log, unsigned first, bool atomic, uint64_t stack)
{
	unsigned n = first, insn = first ? log->v[first - 1].insn + 1 : 0;
	for (unsigned i = first; i < log->n; i++) {
		struct machine_access a = log->v[i];
		a.insn = insn;
		a.atomic = atomic;
		if (!is_own_stack(stack, a.at))
			log->v[n++] = a;
	}
	log->n = n;
}

/* What counts reads its cell, its stack, itself, the thread pointer and where its row is, as other
 * memory may not be there. */
static bool reads_well(const struct trial *t, const struct machine *m, uint64_t cell,
	const struct machine_log *log)
{
	bool good = true;
	uint64_t row = row_of(t->v, m);
	for (unsigned i = 0; i < log->n && !t->p->call; i++) {
		const struct machine_access *a = &log->v[i];
		good &= a->stores || a->at - cell < 8 || a->at - m->start < m->ncode ||
			a->at == m->tls || is_in_row(t->v, row, a->at) ||
			is_own_stack(t->stack, a->at);
	}
	return good;
}

/* Does the branch lead elsewhere if it is given these flags? */
static bool leads_away(const struct trial *t, const struct machine *m, const uint8_t *code,
	const struct insn *in, const struct decision *d)
{
	struct machine other;
	machine_copy(&other, m);
	other.flags = (m->flags & ~d->by) | d->become;
	t->v->target->run(&other, code, in);
	return other.pc != m->pc + in->len;
}

/* A branch of the routine: by flags that it has set itself. */
static bool make_decision(struct trial *t, const struct machine *m, const uint8_t *code,
	const struct insn *in, struct decision *d)
{
	enum { TRIES = 64 };
	uint64_t seed = m->seed + ((uint64_t)t->decisions << 32);
	bool away = (m->seed - 1) / STATES >> t->decisions & 1;
	*d = (struct decision){.by = t->set, .are = m->flags & t->set};
	for (unsigned i = 0; i < TRIES; i++) {
		d->become = (regset)(uint32_t)(next_random(&seed) >> 20) << REG_FLAG & d->by;
		if (leads_away(t, m, code, in, d) == away)
			break;
	}
	return !(insn_effects(in)->reads & ~t->set);
}

static bool decide(struct trial *t, struct machine *m, const uint8_t *code, const struct insn *in)
{
	struct decision *d = &t->decision[t->decided];
	if (t->decided == (t->leads ? BODY_BRANCHES : t->decisions))
		return false;
	t->decided++;
	if (t->leads && !make_decision(t, m, code, in, d))
		return false;
	t->decisions += t->leads;
	bool same = (m->flags & d->by) == d->are;
	m->flags = (m->flags & ~d->by) | d->become;
	return same;
}

static void note_flags(struct trial *t, const struct insn *in)
{
	const struct effects *e = insn_effects(in);
	t->set = ((t->set & ~e->clobbers) | e->writes) & REGSET_FLAGS;
}

bool trial_step(struct trial *t, struct machine *m, const uint8_t *code, uint32_t n, uint64_t cell,
	bool atomic, struct machine_log *log)
{
	struct verify *v = t->v;
	struct insn in = {0};
	uint64_t old = machine_load(m, cell, 8);
	unsigned first = log->n;
	m->atomic = false;
	if (!v->target->decode(v->decoder, code, n, &in))
		return false;
	if (in.kind == INSN_BRANCH && t->compares && !t->predicate.times &&
		!decide(t, m, code, &in))
		return false;
	m->log = log;
	bool runs = v->target->run(m, code, &in);
	m->log = NULL;
	if (!reads_well(t, m, cell, log))
		return false;
	if (t->leads)
		note_flags(t, &in);
	if (t->compares)
		close_log(log, first, m->atomic, t->stack);
	else
		log->n = 0;
	return runs && (!atomic || m->atomic || machine_load(m, cell, 8) == old);
}
