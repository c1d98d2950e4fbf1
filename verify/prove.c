/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove.c - does inserted code do what is claimed, and nothing else?
 *
 * The code is executed (targets/machine.h) in several random states of registers, flags and memory.
 * Afterwards the counter's cell, or the register that holds it, must have the right value, the
 * runtime must have been called when it should be, and no other memory may have changed but below
 * the red zone.  Each instruction must have been executed in some state.  In every second state a
 * signal handler runs in front of each instruction, counts in the same cell and overwrites the
 * stack below the red zone; the result must still be right.  Changed registers and flags, and the
 * moves of the stack pointer, are recorded for liveness and the unwind tables.
 *
 * A routine that is pasted need not be pasted as it is: it is executed, too, with its arguments,
 * and the code must access the same memory by instructions that each access the same, on each way
 * of the routine's branches (step.c, acts.c).
 */
#include "verify/sites.h"
#include "verify/trial.h"

#include "runtime/abi.h"
enum { HANDLED = 0x1001 };
#define CODE 0x401000u
#define CELLS 0x62340000u
#define MAPPED 0x75a40000u
#define HOOK 0x523450u

static uint64_t stack_of(const struct verify *v)
{
	return v->target->word == 8 ? 0x7ffe00001230u : 0x7ffe1230u;
}

/* Vectors, and the words of floating point; see struct micro's paired. */
static void random_vectors(const struct verify *v, struct machine *m, uint64_t *seed)
{
	m->paired = v->target->micro->paired && m->seed & 2;
	for (unsigned r = REG_VECTOR; r < REG_FLAG; r++) {
		m->reg[r] = next_random(seed) & (m->paired ? UINT32_MAX : UINT64_MAX);
		m->high[r - REG_VECTOR] = next_random(seed);
	}
	for (unsigned i = 0; i < v->target->micro->float_words; i++)
		m->rest[MACHINE_FLOAT + i] = (uint32_t)next_random(seed);
}

static void random_state(const struct verify *v, const struct pattern *p, uint64_t seed,
	struct machine *m)
{
	uint64_t mask = word_max(v);
	memset(m, 0, offsetof(struct machine, byte));
	m->pc = CODE;
	m->seed = seed;
	m->big = v->target->big;
	for (unsigned r = 0; r < REG_VECTOR; r++)
		m->reg[r] = next_random(&seed) & mask;
	random_vectors(v, m, &seed);
	/* so that conditions hold of registers that are zero, or equal */
	uint64_t zero = m->seed * 0x9e3779b97f4a7c15u >> 24;
	for (unsigned r = 0; r < REG_VECTOR; r++)
		if (p->of && m->seed % 4 < 2 && zero >> r & 1)
			m->reg[r] = 0;
	/* each flag differs between states, so a change of it shows in at least one */
	m->flags = (regset)(uint32_t)next_random(&seed) << REG_FLAG ^
		(m->seed & 2 ? REGSET_FLAGS : 0);
	for (unsigned i = 0; i < MACHINE_FLOAT; i++)
		m->rest[i] = (m->seed * 0x9e3779b97f4a7c15u >> 7 * i) & mask;
	m->thread = next_random(&seed) >> 20 & (m->seed % 8 ? ~(uint64_t)7 : 0);
	m->reg[v->target->stack_reg] = stack_of(v);
	m->tls = next_random(&seed) >> 20 & ~(uint64_t)7;
	if (p->kind == PATTERN_FORK && m->seed % 2)
		m->reg[v->target->abi.result] = 0;
	/* a counter in a vector register is incremented by subtracting hold_unit, which is -1 */
	for (unsigned r = 0; r < REG_FLAG; r++)
		if (p->hold == HOLD_COUNT && v->target->micro->hold_unit & REG_BIT(r))
			m->reg[r] = UINT64_MAX;
	/* so that it wraps */
	if (p->hold == HOLD_COUNT && m->seed % 4 < 2)
		m->reg[p->reg - 1] = mask;
}

/* The bytes of the cell that the code changes. */
static unsigned cell_size(const struct verify *v, const struct pattern *p)
{
	if (p->call)
		return p->call->does >= DOES_MARK ? 1 : 8;
	return v->cell;
}

static bool is_sum(const struct verify *v, const struct pattern *p)
{
	if (p->call)
		return p->call->does == DOES_ADD;
	return v->cell == 8 && (p->kind == PATTERN_COUNT || p->reg);
}

/* May a handler count in the cell?  Not in marks nor if alone, and PATTERN_THREAD's first cell is
 * no counter. */
static bool counts(const struct verify *v, const struct pattern *p)
{
	return is_sum(v, p) && !v->alone && !p->plain;
}

/*
 * The last 17 bits of a counter's address.  The first states are on both sides of each carry from a
 * low part of an address, of 12 or 16 bits, with a sign or without, to the rest of it: there a part
 * of one counter's address shows with the rest of another's.
 */
static uint64_t place_of_cell(unsigned size, uint64_t seed)
{
	static const uint32_t carry[] = {0x800, 0x1000, 0x8000, 0x10000};
	enum { SIDES = 2 * sizeof carry / sizeof *carry };
	if (seed <= SIDES)
		return carry[(seed - 1) / 2] - (seed % 2 ? size : 0);
	return (next_random(&seed) >> 20 & 0xffff) & ~(uint64_t)(size - 1);
}

/* What the code calls; the data of arguments; 0: none. */
static uint32_t hook_of(const struct verify *v, const struct pattern *p)
{
	return p->call ? (p->call->does <= DOES_LEAD ? p->call->sym : 0) : v->forked;
}
/* Of what it changes, for all threads; 0: nothing. */
static uint32_t cells_of(const struct verify *v, const struct pattern *p)
{
	return p->call ? (p->call->does <= DOES_LEAD ? 0 : p->call->sym) : v->counters;
}
static uint32_t data_of(const struct pattern *p)
{
	const struct tool_call *call = p->call;
	for (unsigned k = 0; call && k < call->nargs; k++)
		if (call->arg[k].gives == GIVES_ADDRESS)
			return call->arg[k].sym;
	for (unsigned k = 0; call && call->when && k < call->when->nargs; k++)
		if (call->when->arg[k].gives == GIVES_ADDRESS)
			return call->when->arg[k].sym;
	return 0;
}

/* Is the pasted code b at at? */
static bool is_body(const struct pattern *p, const struct tool_body *b, uint32_t at)
{
	uint32_t k = 0;
	if (at + b->n > p->n || memcmp(p->bytes + at, b->byte, b->n) != 0)
		return false;
	while (k < p->nrel && p->rel[k].off < at)
		k++;
	for (unsigned i = 0; i < b->nrel; i++, k++) {
		const struct reloc *r = &p->rel[k];
		const struct body_reloc *want = &b->rel[i];
		if (k == p->nrel || r->off != at + want->off || r->type != want->type ||
			r->sym != want->sym || r->addend != want->addend)
			return false;
	}
	return k == p->nrel || p->rel[k].off >= at + b->n;
}

/* A routine, whose pasted code is behind from. */
static struct routine routine_of(const struct pattern *p, const struct tool_call *call,
	uint32_t from)
{
	struct routine r = {.call = call, .body = UINT32_MAX};
	for (uint32_t at = from; call && call->body && at < p->n; at++)
		if (is_body(p, call->body, at)) {
			r.body = at;
			break;
		}
	return r;
}

static bool is_in_body(const struct routine *r, uint64_t at)
{
	return r->body != UINT32_MAX && at - r->body < r->call->body->n;
}

/* Is a word of the row at the relocation's address? */
static bool row_word_at(const struct verify *v, const struct reloc *r)
{
	return !((uint64_t)r->addend % 8) && (uint64_t)r->addend / 8 < v->row_words;
}

/* The words of the row that the code uses: each leads to a page of counters. */
static void set_row(const struct trial *t, struct machine *m)
{
	const struct verify *v = t->v;
	const struct micro *micro = v->target->micro;
	uint64_t off = place_of_cell(cell_size(v, t->p), m->seed);
	uint64_t at = row_of(v, m);
	for (uint32_t i = 0; i < t->p->nrel && v->row; i++)
		if (t->p->rel[i].sym == v->row)
			machine_store(m, at + (uint64_t)t->p->rel[i].addend, 8,
				CELLS + off + (t->by_thread ? m->thread : 0) + micro->row_bias +
					((uint64_t)t->p->rel[i].addend / 8 << micro->row_bits));
}

/* Relocate the code as the last link would; set *cell to its counter's address.  False: cannot. */
static bool link_code(const struct trial *t, uint8_t *code, const struct machine *m, uint64_t *cell)
{
	const struct verify *v = t->v;
	const struct reloc *r = t->p->rel;
	uint64_t off = place_of_cell(cell_size(v, t->p), m->seed);
	uint32_t cells = cells_of(v, t->p);
	memcpy(code, t->p->bytes, t->p->n);
	*cell = CELLS + off + t->p->cell + (v->row && t->by_thread ? m->thread : 0);
	for (uint32_t i = 0; i < t->p->nrel; i++, r++) {
		bool mapped = !t->p->call && r->sym == v->mapped, hook = r->sym == hook_of(v, t->p);
		bool data = r->sym == data_of(t->p), row = v->row && r->sym == v->row;
		if (is_in_body(&t->routine, r->off) || is_in_body(&t->predicate, r->off))
			continue; /* it is not executed */
		if (is_hint(v, r))
			continue;
		if (r->sym - CODE_SYM < t->p->nlabel) {
			uint64_t to = argument_label(r->sym - CODE_SYM, m->seed);
			if (!v->target->relocate(code + r->off, r->type, to + (uint64_t)r->addend,
				    CODE + r->off))
				return false;
			continue;
		}
		if ((t->p->of || t->compares) && r->sym && !hook && !data) {
			if (!v->target->relocate(code + r->off, r->type,
				    named_address(v, v->b, r, FIELD_END, m->seed), CODE + r->off))
				return false;
			continue;
		}
		uint64_t sym = hook ? HOOK
			: data	    ? ARGUMENT_DATA
			: row	    ? v->row_at
				    : (mapped ? MAPPED : CELLS) + off;
		if (!r->sym || (r->sym != cells && !mapped && !hook && !data && !row))
			return false;
		if (v->row && !hook && !data && (!row || !row_word_at(v, r)))
			return false;
		struct turn turn;
		if (t->turned && r->sym == cells && v->target->turn(code + r->off, &turn))
			for (unsigned k = 0; k < sizeof turn.byte / sizeof *turn.byte; k++)
				code[(int64_t)r->off + turn.byte[k].at] =
					turn.byte[k].is[t->turned];
		if (!hook && !data && !row)
			*cell = sym + (t->by_thread || mapped ? m->thread : 0);
		if (!v->target->relocate(code + r->off, r->type, sym + (uint64_t)r->addend,
			    CODE + r->off))
			return false;
	}
	return true;
}

/* Simulate a signal handler that counts, and overwrites the stack below the red zone. */
static void interrupt(const struct verify *v, const struct pattern *p, struct machine *m,
	uint64_t cell)
{
	uint64_t end = m->reg[v->target->stack_reg] - (uint64_t)v->target->micro->red_zone;
	for (unsigned i = 0; i < m->nbytes; i++)
		if (m->byte[i].at < end && m->byte[i].at >= end - STACK_SIZE)
			m->byte[i].now ^= 0xff;
	if (counts(v, p))
		machine_store(m, cell, 8, machine_load(m, cell, 8) + HANDLED);
	m->watched = false;
}

/* Record the stack pointer at off.  False: it differs from an earlier visit, or is out of range. */
static bool note_stack(struct trial *t, const struct machine *m, uint64_t off)
{
	uint64_t down = t->stack - m->reg[t->v->target->stack_reg];
	if (off > t->p->n || down > STACK_SIZE || (off == t->p->n && down))
		return false;
	bool same = t->down[off] == UNSEEN || t->down[off] == down;
	t->down[off] = (uint32_t)down;
	return same;
}

/* Odd ones of 64 bits that are none of 32 are not changed: see struct micro's paired. */
static void change_vectors(const struct trial *t, regset changes, struct machine *m, uint64_t *seed)
{
	const struct micro *micro = t->v->target->micro;
	for (unsigned r = 0; r < REG_FLAG - REG_VECTOR; r++) {
		if (!(changes >> (REG_VECTOR + r) & 1) || (micro->paired && !m->paired && r & 1))
			continue;
		m->reg[REG_VECTOR + r] = next_random(seed) & (m->paired ? UINT32_MAX : UINT64_MAX);
		if (micro->vector_bytes > 8)
			m->high[r] = next_random(seed);
	}
}

/* Its floating point is as when a program begins. */
static void change_float(const struct trial *t, struct machine *m, uint64_t *seed)
{
	const struct micro *micro = t->v->target->micro;
	for (unsigned i = 0; i < micro->float_words; i++) {
		m->bad |= m->rest[MACHINE_FLOAT + i] != micro->float_begins[i];
		m->rest[MACHINE_FLOAT + i] = (uint32_t)next_random(seed);
	}
}

/* A routine is given its arguments, and changes all that it may. */
static void enter_routine(const struct trial *t, struct routine *r, struct machine *m)
{
	const struct tool_call *call = r->call;
	uint64_t seed = m->seed ^ 0x5851f42d4c957f2du;
	r->times++;
	for (unsigned k = 0; k < call->nargs; k++)
		r->given[k] = m->reg[t->v->target->abi.arg[k]];
	for (unsigned reg = 0; reg < REG_VECTOR; reg++)
		if (call->changes & REG_BIT(reg))
			m->reg[reg] = next_random(&seed) & word_max(t->v);
	m->flags ^= call->changes & REGSET_FLAGS;
	for (unsigned i = 0; call->rest & REST_PRODUCTS && i < MACHINE_FLOAT; i++)
		m->rest[i] ^= 1;
	change_vectors(t, call->changes, m, &seed);
	if (call->rest & REST_FLOAT)
		change_float(t, m, &seed);
}

/* Does the predicate return another word than 0?  One bit of it is set. */
static uint64_t returned(const struct trial *t, uint64_t seed)
{
	return seed & 4 ? 0 : (uint64_t)1 << (seed * 7 % (8 * t->v->target->word));
}

/* Pasted code is entered, and control goes on behind it; false: there is none at at. */
static bool pass_body(struct trial *t, struct machine *m, uint32_t at)
{
	struct routine *r = at == t->predicate.body ? &t->predicate : &t->routine;
	if (at != r->body)
		return false;
	unsigned n = r->call->body->n;
	memset(t->loaded + at, 1, n);
	enter_routine(t, r, m);
	if (r == &t->predicate)
		m->reg[t->v->target->abi.result] = returned(t, m->seed);
	m->pc += n;
	return true;
}

/* Behind a predicate that was made for this place; from here on it has returned another word. */
static void pass_asked(struct trial *t, struct machine *m)
{
	t->predicate.times++;
	t->asked = t->log.n;
	t->answer = m->reg[t->p->result];
	m->reg[t->p->result] = returned(t, m->seed);
}

/*
 * *interrupts in: a handler runs in front of each instruction, once, as a loop may start again when
 * one has run; out: the number of its runs.
 */
static bool execute(struct trial *t, struct machine *m, const uint8_t *code, uint64_t cell,
	unsigned *interrupts)
{
	struct verify *v = t->v;
	uint32_t n = t->p->n;
	bool atomic = (v->opt.atomic || t->turned >= TURNED_BOTH) && counts(v, t->p);
	unsigned steps = 0, handled = 0;
	bool seen[PATTERN_BYTES] = {0};
	for (; m->pc - CODE < n; steps++) {
		unsigned calls = m->calls;
		uint32_t at = (uint32_t)(m->pc - CODE);
		if (*interrupts && !seen[at]) {
			interrupt(v, t->p, m, cell);
			handled++;
		}
		seen[at] = true;
		if (t->compares && at && at == t->p->asked)
			pass_asked(t, m);
		if (!note_stack(t, m, at) || steps == STEPS)
			return false;
		if (!pass_body(t, m, at) &&
			!trial_step(t, m, code + at, n - at, cell, atomic, &t->log))
			return false;
		if (m->calls != calls && t->p->call)
			enter_routine(t, &t->routine, m);
	}
	*interrupts = handled;
	uint64_t end = leads_to_routine(t->p) ? HOOK : CODE + n;
	return m->pc == end && note_stack(t, m, n) && !m->bad;
}

/*
 * The required value of the counter's cell behind p, from state m in front of p.  The sum of a cell
 * and the register that holds its counter must be right: a register of 32 bits that wraps carries.
 */
static uint64_t cell_behind(const struct verify *v, const struct pattern *p,
	const struct machine *m, uint64_t cell)
{
	uint64_t old = machine_load(m, cell, cell_size(v, p));
	if (p->call && p->call->does == DOES_COUNT_BYTE)
		return old == UINT8_MAX ? 1 : old + 1;
	if (p->call)
		return p->call->does == DOES_MARK ? 1 : old + (uint64_t)p->call->number;
	switch ((enum hold)p->hold) {
	case HOLD_END: return old + m->reg[p->reg - 1];
	case HOLD_END_LESS: return old - m->reg[p->reg - 1];
	case HOLD_COUNT:
		return old +
			(m->reg[p->reg - 1] == UINT32_MAX && v->target->word == 4 ? 1ull << 32 : 0);
	default: return p->kind != PATTERN_COUNT || p->hold ? old : v->cell == 1 ? 1 : old + 1;
	}
}

/* Likewise, of register p->reg. */
static uint64_t register_behind(const struct verify *v, const struct pattern *p,
	const struct machine *m)
{
	uint64_t old = m->reg[p->reg - 1];
	switch ((enum hold)p->hold) {
	case HOLD_BEGIN: return 0;
	case HOLD_COUNT: return (old + 1) & word_max(v);
	case HOLD_FOLLOW:
	case HOLD_FETCH: return m->reg[p->by];
	case HOLD_DISTANCE: return old - m->reg[p->by];
	case HOLD_DIVIDE: return (uint64_t)((int64_t)old >> p->by);
	default: return old;
	}
}

/* The routine is entered as by a call: such registers as have a function's address have its own. */
static bool leads_well(struct trial *t, const struct machine *m)
{
	regset label = leads_to_routine(t->p) ? t->v->target->abi.entry_label : 0;
	for (unsigned r = 0; r < REG_FLAG; r++)
		if (label & REG_BIT(r) && m->reg[r] != HOOK)
			return false;
	t->changed &= ~label;
	return true;
}

static void note_memory(struct trial *t, const struct machine *m, uint64_t cell)
{
	uint64_t row = row_of(t->v, m);
	for (unsigned i = 0; i < m->nbytes; i++) {
		uint64_t at = m->byte[i].at;
		if (at - cell < cell_size(t->v, t->p) || is_in_row(t->v, row, at))
			continue;
		if (t->compares && !is_own_stack(t->stack, at))
			continue; /* see acts_as_routine() */
		t->lowest = at < t->lowest ? at : t->lowest;
		t->highest = at > t->highest ? at : t->highest;
	}
}

static bool keeps_register(const struct verify *v, const struct pattern *p,
	const struct machine *before, const struct machine *m)
{
	bool ends = p->hold == HOLD_END || p->hold == HOLD_END_LESS;
	return !p->hold || ends || m->reg[p->reg - 1] == register_behind(v, p, before);
}

static void note_registers(struct trial *t, const struct machine *before, const struct machine *m)
{
	for (unsigned r = 0; r < REG_FLAG; r++)
		if (m->reg[r] != before->reg[r] ||
			(r >= REG_VECTOR &&
				m->high[r - REG_VECTOR] != before->high[r - REG_VECTOR]))
			t->changed |= REG_BIT(r);
	t->changed |= (m->flags ^ before->flags) & REGSET_FLAGS;
}

static bool reads_cell(const struct verify *v, const struct pattern *p)
{
	for (uint32_t i = 0; i < p->nrel; i++)
		if (p->rel[i].sym != v->forked)
			return true;
	return false;
}

/*
 * The hook must be called in a new process, and in a thread without counters of its own.  A check
 * that does not read the cell, as it cannot compare, calls always.
 */
static bool calls_well(const struct verify *v, const struct pattern *p,
	const struct machine *before, const struct machine *m, uint64_t cell)
{
	if (m->calls && (m->calls > 1 || m->called != HOOK + (p->call ? p->call->landing : 0)))
		return false;
	if (p->kind == PATTERN_CALL)
		return true; /* enters_well() */
	if (p->kind == PATTERN_FORK)
		return m->calls == !before->reg[v->target->abi.result];
	if (p->kind == PATTERN_THREAD)
		return m->calls ==
			(!reads_cell(v, p) ||
				machine_load(before, cell, 8) !=
					machine_load(before, before->tls, 8));
	return !m->calls;
}

/* The predicate must be asked once, and the routine entered as often as it should be. */
static bool enters_well(struct trial *t, const struct machine *before)
{
	const struct tool_call *call = t->p->call;
	if (!call)
		return true;
	if (t->compares && !acts_as_routine(t, before->tls))
		return false;
	if (t->compares && !call->when)
		return true;
	unsigned times = call->does == DOES_CALL;
	if (call->when && (t->predicate.times != 1 || !returned(t, before->seed)))
		times = 0;
	return t->predicate.times == (call->when != NULL) && t->routine.times == times &&
		(t->compares || given_well(t, &t->predicate, before)) &&
		given_well(t, &t->routine, before);
}

/*
 * The high part of a counter's address, as the target divides it; if it is this thread's own, the
 * whole distance to it is added, or the word of its page has it.
 */
static uint64_t base_of(const struct trial *t, const struct machine *m, uint64_t cell)
{
	const struct micro *micro = t->v->target->micro;
	if (t->v->row)
		return cell - (t->p->cell & (((uint64_t)1 << micro->row_bits) - 1)) +
			micro->row_bias;
	uint64_t far = t->by_thread ? m->thread : 0;
	return ((cell - far + micro->base_bias) >> micro->base_bits << micro->base_bits) + far;
}

static bool keeps_row(const struct trial *t, const struct machine *before, const struct machine *m)
{
	uint64_t row = row_of(t->v, m);
	for (unsigned i = 0; i < m->nbytes; i++)
		if (is_in_row(t->v, row, m->byte[i].at) &&
			machine_load(m, m->byte[i].at, 1) != machine_load(before, m->byte[i].at, 1))
			return false;
	return true;
}

/* Execute in one state: interrupted in every second one, in the others with a carry to come. */
static bool does_well(struct trial *t, uint64_t seed)
{
	struct verify *v = t->v;
	const struct pattern *p = t->p;
	uint8_t code[PATTERN_BYTES + 16] = {0};
	unsigned interrupts = seed % 2;
	uint64_t cell = 0;
	struct machine before, m;
	random_state(v, p, seed, &before);
	if (!link_code(t, code, &before, &cell))
		return false;
	if (p->kind == PATTERN_THREAD && seed % 2)
		before.tls = cell;
	if (v->target->abi.thread_reg)
		before.reg[v->target->abi.thread_reg] = machine_load(&before, before.tls, 8);
	set_row(t, &before);
	if (is_sum(v, p) && !interrupts)
		machine_store(&before, cell, 8, seed % 4 ? UINT32_MAX : UINT64_MAX);
	if (p->call && p->call->does == DOES_COUNT_BYTE && seed % 2)
		machine_store(&before, cell, 1, UINT8_MAX);
	if (p->base && !p->makes)
		before.reg[p->base - 1] = base_of(t, &before, cell);
	before.code = code;
	before.start = CODE;
	before.ncode = p->n;
	before.loaded = t->loaded;
	t->predicate.times = t->routine.times = 0;
	t->log.n = t->asked = 0;
	if (t->compares && !routine_acts(t, &before))
		return false;
	machine_copy(&m, &before);
	if (!execute(t, &m, code, cell, &interrupts) || !calls_well(v, p, &before, &m, cell))
		return false;
	if (!enters_well(t, &before) || memcmp(m.rest, before.rest, sizeof m.rest) != 0)
		return false;
	note_memory(t, &m, cell);
	note_registers(t, &before, &m);
	if (!leads_well(t, &m))
		return false;
	if (p->base && m.reg[p->base - 1] != base_of(t, &before, cell))
		return false;
	if (!keeps_row(t, &before, &m))
		return false;
	uint64_t handled = counts(v, p) ? (uint64_t)interrupts * HANDLED : 0;
	return machine_load(&m, cell, cell_size(v, p)) ==
		cell_behind(v, p, &before, cell) + handled &&
		keeps_register(v, p, &before, &m);
}

/*
 * Is all memory that was written unused?  A thread's check that changes flags is at a function's
 * entry, where there is no red zone.
 */
static bool keeps_memory(const struct trial *t)
{
	bool entry = t->p->kind == PATTERN_THREAD && t->changed & REGSET_FLAGS;
	uint64_t free = t->stack - (entry ? 0 : (uint64_t)t->v->target->micro->red_zone);
	return t->lowest > t->highest || (t->highest < free && t->lowest >= free - STACK_SIZE);
}

/* Was each instruction executed?  Also records the moves of the stack pointer in p. */
static bool sees_all(struct trial *t, struct pattern *p)
{
	uint32_t down = 0, at = 0;
	while (at < p->n && t->down[at] != UNSEEN) {
		struct insn in = {0};
		if (!t->v->target->decode(t->v->decoder, p->bytes + at, p->n - at, &in))
			return false;
		at += in.len;
		while (at < p->n && t->down[at] == UNSEEN && t->loaded[at])
			at++;
		if (at > p->n || t->down[at] == UNSEEN || t->down[at] == down)
			continue;
		if (p->nstack == PATTERN_MOVES)
			return false;
		down = t->down[at];
		p->stack[p->nstack++] = (struct stack_move){.at = at, .down = down};
	}
	return at == p->n;
}

static bool try_pattern(struct verify *v, struct pattern *p, bool by_thread, enum turned turned,
	bool compares)
{
	struct trial t = {.v = v,
		.p = p,
		.by_thread = by_thread,
		.turned = turned,
		.compares = compares,
		.lowest = UINT64_MAX,
		.predicate = routine_of(p, p->call && !compares ? p->call->when : NULL, 0),
		.stack = stack_of(v)};
	if (!compares || p->call->when)
		t.routine = routine_of(p, p->call, compares ? p->asked : t.predicate.body + 1);
	else
		t.routine.body = UINT32_MAX;
	for (uint32_t i = 0; i <= p->n; i++)
		t.down[i] = UNSEEN;
	unsigned branches = compares ? routine_branches(&t) : 0;
	if (branches > BODY_BRANCHES)
		return false;
	/* for each counter of a thread's own there is such code */
	unsigned states = p->cell ? FEW_STATES : STATES;
	for (uint64_t seed = 1; seed <= (uint64_t)states << branches; seed++)
		if (!does_well(&t, seed))
			return false;
	p->nstack = 0;
	p->need = t.changed;
	if (p->hold)
		p->need |= REG_BIT(p->reg - 1);
	if (p->makes)
		p->need |= REG_BIT(p->base - 1);
	if (p->hold && p->hold != HOLD_FOLLOW &&
		v->target->micro->hold_vectors & REG_BIT(p->reg - 1))
		p->need |= v->target->micro->hold_unit;
	return keeps_memory(&t) && !(p->need & v->target->no_scratch) && sees_all(&t, p);
}

/* May the routine that is pasted be another than it was, with the same accesses? */
static bool is_made(const struct pattern *p)
{
	const struct tool_call *call = p->call;
	if (call && call->when)
		return p->asked && p->asked < p->n && p->result < REG_FLAG && call->when->body &&
			!names_places(call->when);
	return call && call->body && !names_places(call);
}

static bool try_either(struct verify *v, struct pattern *p)
{
	return (is_made(p) && try_pattern(v, p, false, TURNED_NOT, true)) ||
		try_pattern(v, p, false, TURNED_NOT, false);
}

/* Is it right in all forms that it has when a second thread has come? */
static bool turns_well(struct verify *v, struct pattern *p)
{
	return try_pattern(v, p, true, TURNED_BASES, false) &&
		try_pattern(v, p, true, TURNED_BOTH, false) &&
		(p->kind == PATTERN_THREAD || try_pattern(v, p, false, TURNED_ATOMIC, false));
}

void prove_pattern(struct verify *v, struct pattern *p)
{
	if (p->reg > REG_FLAG || p->base > 32 || (p->kind == PATTERN_BASE && !p->makes) ||
		(p->base ? !v->target->micro->base_bits ||
					(p->kind != PATTERN_BASE && p->kind != PATTERN_COUNT)
			 : p->makes) ||
		(p->hold != HOLD_DIVIDE && p->by >= REG_FLAG))
		return;
	bool check = p->kind == PATTERN_THREAD, turned = v->opt.turned;
	p->shared = (!check || turned) && try_either(v, p) && (!turned || turns_well(v, p));
	p->by_thread = !p->shared && !turned && try_pattern(v, p, true, TURNED_NOT, false);
	p->proved = p->shared || p->by_thread;
	/* whose counter it is, the words say, or the register that another pattern has set */
	p->by_thread |= p->shared &&
		((p->nrel && p->rel->sym == v->mapped) || (p->base && !p->makes) || v->row);
}
