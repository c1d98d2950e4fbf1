/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove.c - does code that could be inserted do what it is for, and nothing else?
 *
 * The forms that align.c looks for come from the code that the rewriter uses.  So each of them is
 * executed (targets/machine.h), by several states of registers, flags and memory, before it is
 * looked for: the counter's cell, or the register that holds it, must be what it should be then,
 * the runtime must have been called when it should be, and nothing else may have changed but what
 * the form needs dead and what is below the red zone.  In every other state a signal handler comes
 * in front of each instruction: what it counts must not get lost, and what it overwrites on the
 * stack must not be needed.  The stack pointer must be where the unwind tables are told that it
 * is.
 */
#include "verify/priv.h"

#include "code/sequence.h"
#include "targets/machine.h"

enum { STATES = 8, STEPS = 32, HANDLED = 0x1001 };
#define CODE 0x401000u
#define CELLS 0x62345678u
#define MAPPED 0x75a40000u
#define HOOK 0x523450u
#define STACK 0x7ffe00001230u
#define STACK_SIZE 4096u

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed ^ *seed >> 29;
}

static struct machine random_state(const struct verify *v, const struct pattern *p, uint64_t seed)
{
	struct machine m = {.pc = CODE, .seed = seed};
	for (unsigned r = 0; r < 32; r++)
		m.reg[r] = next_random(&seed);
	m.flags = next_random(&seed) << 32;
	m.thread = next_random(&seed) >> 20 & ~(uint64_t)7;
	m.reg[v->target->stack_reg] = STACK;
	m.tls = next_random(&seed) >> 20 & ~(uint64_t)7;
	if (p->kind == PATTERN_FORK && m.seed % 2)
		m.reg[v->target->result] = 0;
	/* a vector register counts by its unit, which is -1 */
	for (unsigned r = 0; r < 32; r++)
		if (p->hold == HOLD_COUNT && v->target->hold_unit & REG_BIT(r))
			m.reg[r] = UINT64_MAX;
	return m;
}

/* May a signal handler count in the cell?  Marks are set; a thread's first cell is no counter. */
static bool counts(const struct verify *v, const struct pattern *p)
{
	return v->cell == 8 && (p->kind == PATTERN_COUNT || p->reg);
}

/*
 * Writes what the last link would write; sets *cell to where the counter is.  False: another
 * symbol.
 */
static bool link_code(const struct verify *v, const struct pattern *p, uint8_t *code,
	const struct machine *m, uint64_t *cell)
{
	const struct reloc *r = small_v(&p->code.rel);
	memcpy(code, small_v(&p->code.bytes), p->code.bytes.n);
	for (uint32_t i = 0; i < p->code.rel.n; i++, r++) {
		const struct reloc_info *form = v->target->reloc_info(r->type);
		bool mapped = r->sym == v->mapped, hook = r->sym == v->forked;
		bool relative = form->role == ROLE_PCREL || form->role == ROLE_PLT;
		uint64_t sym = hook ? HOOK : mapped ? MAPPED : CELLS, at = CODE + r->off;
		if (!r->sym || (r->sym != v->counters && !mapped && !hook))
			return false;
		if (!hook)
			*cell = sym + (p->by_thread || mapped ? m->thread : 0);
		if (form->role == ROLE_NONE)
			continue;
		if (r->off + 4 > p->code.bytes.n)
			return false;
		put_u32(code + r->off, (uint32_t)(sym + (uint64_t)r->addend - (relative ? at : 0)));
	}
	return true;
}

/* A signal handler has run, which counted, and used the stack below the red zone. */
static void interrupt(const struct verify *v, const struct pattern *p, struct machine *m,
	uint64_t cell)
{
	uint64_t end = m->reg[v->target->stack_reg] - (uint64_t)v->target->micro->red_zone;
	for (unsigned i = 0; i < m->nbytes; i++)
		if (m->byte[i].at < end && m->byte[i].at >= end - STACK_SIZE)
			m->byte[i].now ^= 0xff;
	if (counts(v, p))
		machine_store(m, cell, 8, machine_load(m, cell, 8) + HANDLED);
}

/* Is the stack pointer as low at offset off of p as p says? */
static bool is_stack_told(const struct verify *v, const struct pattern *p, const struct machine *m,
	uint64_t off)
{
	const struct stack_move *s = small_v(&p->code.stack);
	uint32_t down = 0;
	for (uint32_t i = 0; i < p->code.stack.n && s[i].at <= off; i++)
		down = s[i].down;
	return m->reg[v->target->stack_reg] == STACK - down;
}

/* One instruction; atomic: it may change the cell by a locked one only. */
static bool step(struct verify *v, struct machine *m, const uint8_t *code, uint32_t n,
	uint64_t cell, bool atomic)
{
	struct insn in = {0};
	uint64_t old = machine_load(m, cell, 8);
	if (!v->target->decode(v->decoder, code, n, &in) || !v->target->run(m, code, &in))
		return false;
	return !atomic || in.flags & INSN_LOCK_SPLIT || machine_load(m, cell, 8) == old;
}

/* *interrupts: in front of each instruction; then how many there were. */
static bool execute(struct verify *v, const struct pattern *p, struct machine *m,
	const uint8_t *code, uint64_t cell, unsigned *interrupts)
{
	uint32_t n = p->code.bytes.n;
	bool atomic = v->opt.atomic && counts(v, p);
	unsigned steps = 0;
	for (; m->pc - CODE < n; steps++) {
		uint32_t at = (uint32_t)(m->pc - CODE);
		if (*interrupts)
			interrupt(v, p, m, cell);
		if (steps == STEPS || !step(v, m, code + at, n - at, cell, atomic) ||
			!is_stack_told(v, p, m, m->pc - CODE))
			return false;
	}
	*interrupts *= steps;
	return m->pc == CODE + n && !m->bad;
}

/* What the counter's cell should be behind p, from what was in front of it. */
static uint64_t cell_behind(const struct verify *v, const struct pattern *p,
	const struct machine *m, uint64_t cell)
{
	uint64_t old = machine_load(m, cell, v->cell);
	switch ((enum hold)p->hold) {
	case HOLD_END: return old + m->reg[p->reg - 1];
	case HOLD_END_LESS: return old - m->reg[p->reg - 1];
	default: return p->kind != PATTERN_COUNT || p->hold ? old : v->cell == 1 ? 1 : old + 1;
	}
}

/* And the register that p is about. */
static uint64_t register_behind(const struct pattern *p, const struct machine *m)
{
	uint64_t old = m->reg[p->reg - 1];
	switch ((enum hold)p->hold) {
	case HOLD_BEGIN: return 0;
	case HOLD_COUNT: return old + 1;
	case HOLD_FOLLOW:
	case HOLD_FETCH: return m->reg[p->by];
	case HOLD_DISTANCE: return old - m->reg[p->by];
	case HOLD_DIVIDE: return (uint64_t)((int64_t)old >> p->by);
	default: return old;
	}
}

/*
 * Is what p has changed in memory the cell, or out of use?  Where a function is entered, which is
 * where flags are dead for a thread's check, nobody has a red zone.
 */
static bool keeps_memory(const struct verify *v, const struct pattern *p, const struct machine *m,
	uint64_t cell)
{
	bool entry = p->kind == PATTERN_THREAD && p->need & REGSET_FLAGS;
	uint64_t free = STACK - (entry ? 0 : (uint64_t)v->target->micro->red_zone);
	for (unsigned i = 0; i < m->nbytes; i++) {
		uint64_t at = m->byte[i].at;
		if (at - cell >= v->cell && (at >= free || at < free - STACK_SIZE))
			return false;
	}
	return true;
}

static bool keeps_registers(const struct pattern *p, const struct machine *before,
	const struct machine *m)
{
	bool ends = p->hold == HOLD_END || p->hold == HOLD_END_LESS;
	for (unsigned r = 0; r < 32; r++)
		if (m->reg[r] != before->reg[r] && !(p->need & REG_BIT(r)))
			return false;
	if (p->hold && !ends && m->reg[p->reg - 1] != register_behind(p, before))
		return false;
	return !((m->flags ^ before->flags) & REGSET_FLAGS & ~p->need);
}

/* The hook is told of each process made, and of a thread whose first counter is not its own yet. */
static bool calls_well(const struct verify *v, const struct pattern *p,
	const struct machine *before, const struct machine *m, uint64_t cell)
{
	if (m->calls && (m->calls > 1 || m->called != HOOK))
		return false;
	if (p->kind == PATTERN_FORK)
		return m->calls == !before->reg[v->target->result];
	if (p->kind == PATTERN_THREAD)
		return m->calls ||
			machine_load(before, cell, 8) == machine_load(before, before->tls, 8);
	return !m->calls;
}

/* By one state: every other one is interrupted; in the others the counter is about to carry. */
static bool does_well(struct verify *v, const struct pattern *p, uint64_t seed)
{
	uint8_t code[sizeof p->code.bytes.own];
	unsigned interrupts = seed % 2;
	uint64_t cell = 0;
	struct machine before = random_state(v, p, seed);
	if (!link_code(v, p, code, &before, &cell))
		return false;
	if (p->kind == PATTERN_THREAD && seed % 2)
		before.tls = cell;
	if (counts(v, p) && !interrupts)
		machine_store(&before, cell, 8, seed % 4 ? UINT32_MAX : UINT64_MAX);
	struct machine m = before;
	if (!execute(v, p, &m, code, cell, &interrupts) || !calls_well(v, p, &before, &m, cell))
		return false;
	uint64_t handled = counts(v, p) ? (uint64_t)interrupts * HANDLED : 0;
	return machine_load(&m, cell, v->cell) == cell_behind(v, p, &before, cell) + handled &&
		keeps_memory(v, p, &m, cell) && keeps_registers(p, &before, &m);
}

bool pattern_is_proved(struct verify *v, const struct pattern *p)
{
	if (p->code.bytes.n > sizeof p->code.bytes.own)
		return false;
	for (uint64_t seed = 1; seed <= STATES; seed++)
		if (!does_well(v, p, seed))
			return false;
	return true;
}
