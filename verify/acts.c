/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acts.c - what a routine does, and whether code that is made of it does the same
 */
#include "verify/trial.h"

#include <limits.h>

#define BODY 0x711000u

/* Relocate a routine as link_code() does what is made of it. */
static bool link_body(const struct trial *t, const struct tool_body *b, uint8_t *code,
	uint64_t seed)
{
	memcpy(code, b->byte, b->n);
	for (unsigned i = 0; i < b->nrel; i++) {
		const struct body_reloc *from = &b->rel[i];
		struct reloc r = {.off = from->off,
			.type = from->type,
			.sym = from->sym,
			.addend = from->addend};
		if (!t->v->target->relocate(code + r.off, r.type,
			    named_address(t->v, t->v->b, &r, FIELD_END, seed), BODY + r.off))
			return false;
	}
	return true;
}

/* Is there memory that arguments are read from? */
static bool loads_arguments(const struct tool_call *call)
{
	bool loads = false;
	for (unsigned k = 0; k < call->nargs; k++)
		loads |= call->arg[k].gives == GIVES_TARGET || call->arg[k].gives == GIVES_RETURN;
	return loads;
}

/*
 * Are accesses from first to end those by which arguments are read?  tls: where the thread pointer
 * is, which the address of a thread-local variable is counted from.
 */
static bool reads_arguments(const struct tool_call *call, uint64_t tls,
	const struct machine_log *log, unsigned first, unsigned end)
{
	bool good = true;
	for (unsigned i = first; i < end; i++)
		good &= !log->v[i].stores && (log->v[i].at == tls || loads_arguments(call));
	return good;
}

/* Behind these, up to n: the same accesses as of the routine? */
static bool same_accesses(const struct tool_call *call, uint64_t tls,
	const struct machine_log *code, unsigned n, const struct machine_log *routine)
{
	if (n < routine->n || code->full || routine->full)
		return false;
	unsigned more = n - routine->n;
	unsigned insns = more ? code->v[more - 1].insn + 1 : 0;
	if (!reads_arguments(call, tls, code, 0, more))
		return false;
	for (unsigned i = 0; i < routine->n; i++) {
		const struct machine_access *x = &code->v[more + i], *y = &routine->v[i];
		if (x->at != y->at || x->value != y->value || x->size != y->size ||
			x->stores != y->stores || x->atomic != y->atomic ||
			x->insn != y->insn + insns)
			return false;
	}
	return true;
}

bool routine_acts(struct trial *t, const struct machine *before)
{
	const struct tool_call *call = t->p->call->when ? t->p->call->when : t->p->call;
	const struct tool_body *b = call->body;
	struct machine m;
	uint8_t code[BODY_BYTES + 16] = {0}, loaded[BODY_BYTES] = {0};
	machine_copy(&m, before);
	m.pc = m.start = BODY;
	m.code = code;
	m.ncode = b->n;
	m.loaded = loaded;
	t->acts = (struct machine_log){0};
	t->decisions = t->decided = 0;
	t->set = 0;
	for (unsigned k = 0; k < call->nargs; k++)
		if (!given_value(t, &call->arg[k], before, &m.reg[t->v->target->abi.arg[k]]))
			return false;
	if (!link_body(t, b, code, before->seed))
		return false;
	t->leads = true;
	for (unsigned steps = 0; m.pc - BODY < b->n; steps++) {
		uint32_t at = (uint32_t)(m.pc - BODY);
		if (steps == STEPS ||
			!trial_step(t, &m, code + at, b->n - at, BODY, false, &t->acts))
			return false;
	}
	t->leads = false;
	t->decided = 0;
	t->wanted = m.reg[t->v->target->abi.result];
	return m.pc == BODY + b->n && !m.bad;
}

bool acts_as_routine(const struct trial *t, uint64_t tls)
{
	const struct tool_call *when = t->p->call->when, *call = when ? when : t->p->call;
	unsigned n = when ? t->asked : t->log.n;
	return t->decided == t->decisions &&
		(!when || !((t->answer ^ t->wanted) & word_max(t->v))) &&
		same_accesses(call, tls, &t->log, n, &t->acts) &&
		reads_arguments(t->p->call, tls, &t->log, n, t->log.n);
}

unsigned routine_branches(const struct trial *t)
{
	const struct tool_call *call = t->p->call->when ? t->p->call->when : t->p->call;
	const struct tool_body *b = call->body;
	struct insn in = {0};
	unsigned n = 0;
	for (uint32_t at = 0; at < b->n; at += in.len) {
		if (!t->v->target->decode(t->v->decoder, b->byte + at, b->n - at, &in))
			return UINT_MAX;
		n += in.kind == INSN_BRANCH;
	}
	return n;
}
