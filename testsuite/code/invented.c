/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invented.c - the sequences on CPUs that are not x86-64: invented ones, and an interpreter
 *
 * One has no flags and takes two registers to change a counter, as MIPS does; one has flags that
 * any register can hold, and takes one, as AArch64 may.  Each step is one word of code; what a
 * step may change it fills with other values.
 */
#include "code/sequence.h"
#include "testsuite/check.h"

#include <stdlib.h>

enum { REGS = 16, SP = 14, RESULT = 2, SLOTS = 64, RED_ZONE = 16, FLAG = REG_FLAG };
#define SCRATCH ((regset)0xffff & ~REG_BIT(SP))

enum step {
	SET,
	MOVE,
	ADD,
	SUBTRACT,
	SHIFT,
	PUSH,
	POP,
	INCREMENT,
	ADD_TO,
	TAKE_FROM,
	SET_BYTE,
	SAVE_FLAGS,
	RESTORE_FLAGS,
	CALL,
	BRANCH_UNLESS_ZERO,
	BRANCH_IF_EQUAL,
	THREAD_POINTER,
};
struct word {
	uint8_t step, a, b;
	int32_t n; /* a number; where a branch leads */
	regset change;
};

/* The CPUs ------------------------------------------------------------- */

static void put(struct code *c, struct word w)
{
	code_put(c, &w, sizeof w);
}

static void set(struct code *c, unsigned reg, int32_t n, regset dead)
{
	put(c, (struct word){SET, (uint8_t)reg, 0, n, dead & ~(regset)UINT32_MAX});
}

static void move(struct code *c, unsigned to, unsigned from)
{
	put(c, (struct word){.step = MOVE, .a = (uint8_t)to, .b = (uint8_t)from});
}

static void add(struct code *c, unsigned reg, int32_t n, regset dead)
{
	put(c, (struct word){ADD, (uint8_t)reg, 0, n, dead & ~(regset)UINT32_MAX});
	if (reg == SP)
		code_lower_stack(c, -n);
}

static void subtract(struct code *c, unsigned reg, unsigned by)
{
	put(c, (struct word){SUBTRACT, (uint8_t)reg, (uint8_t)by, 0, REG_BIT(FLAG)});
}

static void shift(struct code *c, unsigned reg, unsigned by)
{
	put(c, (struct word){SHIFT, (uint8_t)reg, 0, (int32_t)by, REG_BIT(FLAG)});
}

static void push(struct code *c, unsigned reg)
{
	put(c, (struct word){.step = PUSH, .a = (uint8_t)reg});
	code_lower_stack(c, 8);
}

static void pop(struct code *c, unsigned reg)
{
	put(c, (struct word){.step = POP, .a = (uint8_t)reg});
	code_lower_stack(c, -8);
}

static void increment(struct code *c, const struct counter_addressing *to, int64_t off, regset dead)
{
	(void)to;
	put(c, (struct word){INCREMENT, 0, 0, (int32_t)off, dead | REG_BIT(FLAG)});
}

static void add_to(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	regset temps)
{
	(void)to;
	put(c, (struct word){ADD_TO, (uint8_t)reg, 0, (int32_t)off, temps | REG_BIT(FLAG)});
}

static void take_from(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	(void)to;
	put(c, (struct word){TAKE_FROM, (uint8_t)reg, 0, (int32_t)off, temps | REG_BIT(FLAG)});
}

static void set_byte(struct code *c, const struct counter_addressing *to, int64_t off, regset temps)
{
	(void)to;
	put(c, (struct word){SET_BYTE, 0, 0, (int32_t)off, temps});
}

static void save_flags(struct code *c, unsigned reg, regset dead)
{
	(void)dead;
	put(c, (struct word){.step = SAVE_FLAGS, .a = (uint8_t)reg});
}

static void restore_flags(struct code *c, unsigned reg, regset dead)
{
	(void)dead;
	put(c, (struct word){.step = RESTORE_FLAGS, .a = (uint8_t)reg});
}

static void call(struct code *c, uint32_t sym)
{
	put(c, (struct word){.step = CALL, .n = (int32_t)sym});
}

static uint32_t branch_unless_zero(struct code *c, regset dead)
{
	(void)dead;
	put(c, (struct word){.step = BRANCH_UNLESS_ZERO});
	return c->bytes.n / sizeof(struct word) - 1;
}

static uint32_t branch_if_equal(struct code *c, unsigned reg, const struct counter_addressing *to,
	int64_t off, regset temps)
{
	(void)to;
	(void)off;
	put(c, (struct word){BRANCH_IF_EQUAL, (uint8_t)reg, 0, 0, temps | REG_BIT(FLAG)});
	return c->bytes.n / sizeof(struct word) - 1;
}

static void land(struct code *c, uint32_t branch)
{
	int32_t to = (int32_t)(c->bytes.n / sizeof(struct word));
	size_t field = branch * sizeof(struct word) + offsetof(struct word, n);
	memcpy(small_v(&c->bytes) + field, &to, sizeof to);
}

static void thread_pointer(struct code *c, unsigned reg)
{
	put(c, (struct word){.step = THREAD_POINTER, .a = (uint8_t)reg});
}

#define STEPS                                                                                      \
	.set = set, .move = move, .add = add, .subtract = subtract, .shift = shift, .push = push,  \
	.pop = pop, .increment = increment, .add_to = add_to, .take_from = take_from,              \
	.set_byte = set_byte, .save_flags = save_flags, .restore_flags = restore_flags,            \
	.call = call, .branch_unless_zero = branch_unless_zero,                                    \
	.branch_if_equal = branch_if_equal, .land = land, .thread_pointer = thread_pointer,        \
	.base_regs = SCRATCH

static const struct micro without_flags = {.memory_regs = {2}, .count_regs = {2}, STEPS};
static const struct micro with_flags = {.memory_regs = {1},
	.count_regs = {1},
	.red_zone = RED_ZONE,
	.count_flags = REG_BIT(FLAG),
	.flag_holders = SCRATCH,
	STEPS};

#define ABI(clobbers)                                                                              \
	.abi = {.ret_live = (regset)0xff00,                                                        \
		.entry_live = (regset)0xff7f,                                                      \
		.call_clobbers = clobbers,                                                         \
		.result = RESULT}
#define FACTS .no_scratch = REG_BIT(SP), .stack_reg = SP, .link_reg = -1
static const struct target cpus[] = {
	{.name = "without flags", ABI(0xff), .micro = &without_flags, FACTS},
	{.name = "with flags", ABI((regset)0xff | REG_BIT(FLAG)), .micro = &with_flags, FACTS},
};

/* The interpreter ------------------------------------------------------ */

struct machine {
	uint64_t reg[REGS], stack[SLOTS];
	uint64_t flag;
	uint64_t counter; /* at offset 8 */
	uint64_t self;
	unsigned calls;
};

static uint64_t number = 1;
static uint64_t next_number(void)
{
	number = number * 6364136223846793005 + 1442695040888963407;
	return number >> 24;
}

static void change(struct machine *m, regset regs)
{
	for (unsigned r = 0; r < REGS; r++)
		if (regs & REG_BIT(r))
			m->reg[r] = next_number();
	if (regs & REG_BIT(FLAG))
		m->flag = next_number();
}

static uint64_t *slot(struct machine *m)
{
	CHECK(m->reg[SP] < SLOTS * 8 && m->reg[SP] % 8 == 0, "stack pointer %#llx",
		(unsigned long long)m->reg[SP]);
	return &m->stack[m->reg[SP] / 8 % SLOTS];
}

static void check_temps(const struct target *t, const struct word *w)
{
	regset temps = w->change & ~REG_BIT(FLAG);
	CHECK(count_regs(temps) >= t->micro->count_regs[ACCESS_PLAIN] &&
			!(temps & REG_BIT(w->a) && w->step != INCREMENT && w->step != SET_BYTE),
		"temps %#llx", (unsigned long long)temps);
}

/* One step; the number of the next one. */
static uint32_t run_step(const struct target *t, struct machine *m, const struct word *w,
	uint32_t at)
{
	uint64_t *a = &m->reg[w->a];
	bool jumps = false;
	if ((w->step >= INCREMENT && w->step <= SET_BYTE) || w->step == BRANCH_IF_EQUAL)
		check_temps(t, w);
	switch ((enum step)w->step) {
	case SET: *a = (uint64_t)(int64_t)w->n; break;
	case MOVE: *a = m->reg[w->b]; break;
	case ADD: *a += (uint64_t)(int64_t)w->n; break;
	case SUBTRACT: *a -= m->reg[w->b]; break;
	case SHIFT: *a = (uint64_t)((int64_t)*a >> w->n); break;
	case PUSH:
		m->reg[SP] -= 8;
		*slot(m) = *a;
		break;
	case POP:
		*a = *slot(m);
		m->reg[SP] += 8;
		break;
	case INCREMENT: m->counter++; break;
	case ADD_TO: m->counter += *a; break;
	case TAKE_FROM: m->counter -= *a; break;
	case SET_BYTE: m->counter |= 1; break;
	case SAVE_FLAGS: *a = m->flag; break;
	case RESTORE_FLAGS: m->flag = *a; break;
	case CALL:
		m->calls++;
		m->reg[SP] -= 8;
		*slot(m) = at;
		m->reg[SP] += 8;
		break;
	case BRANCH_UNLESS_ZERO: jumps = m->reg[RESULT]; break;
	case BRANCH_IF_EQUAL: jumps = *a == m->counter; break;
	case THREAD_POINTER: *a = m->self; break;
	}
	change(m, w->change);
	return jumps ? (uint32_t)w->n : at + 1;
}

/*
 * Everything but dead ones is as it was, the stack down to red_zone bytes below its pointer too;
 * that always was where the code says.
 */
static void run_above(const struct target *t, const struct code *c, struct machine *m, regset dead,
	int32_t red_zone)
{
	struct machine before = *m;
	uint32_t n = c->bytes.n / sizeof(struct word), move = 0;
	for (uint32_t at = 0; at < n;) {
		struct word w;
		memcpy(&w, small_v(&c->bytes) + at * sizeof w, sizeof w);
		at = run_step(t, m, &w, at);
		while (move < c->stack.n && small_v(&c->stack)[move].at <= at * sizeof w)
			move++;
		uint64_t down = move ? small_v(&c->stack)[move - 1].down : 0;
		CHECK(before.reg[SP] - m->reg[SP] == down, "%s: the stack is %llu lower", t->name,
			(unsigned long long)down);
	}
	for (unsigned r = 0; r < REGS; r++)
		CHECK(m->reg[r] == before.reg[r] || dead & REG_BIT(r), "%s: register %u", t->name,
			r);
	CHECK(m->flag == before.flag || dead & REG_BIT(FLAG) || !t->micro->count_flags, "%s: flags",
		t->name);
	uint64_t top = (before.reg[SP] - (uint64_t)red_zone) / 8;
	CHECK(!memcmp(&m->stack[top], &before.stack[top], (SLOTS - top) * 8),
		"%s: the stack's contents", t->name);
}

static void run(const struct target *t, const struct code *c, struct machine *m, regset dead)
{
	run_above(t, c, m, dead, t->micro->red_zone);
}

static struct machine new_machine(void)
{
	struct machine m = {.self = next_number(), .counter = next_number() & ~(uint64_t)255};
	for (unsigned i = 0; i < SLOTS; i++)
		m.stack[i] = next_number();
	change(&m, (regset)0xffff | REG_BIT(FLAG));
	m.reg[SP] = SLOTS * 8 / 2;
	return m;
}

/* Tests ---------------------------------------------------------------- */

static const struct counter_addressing to = {.sym = 1};

static void test_count(const struct target *t, regset dead)
{
	struct code c;
	struct machine m = new_machine();
	uint64_t before = m.counter;
	code_start(&c);
	const struct counted at = {&to, 8, dead};
	enum count_kind kind = code_count(t, &c, &at);
	run(t, &c, &m, dead);
	CHECK(m.counter == before + 1, "%s: not counted", t->name);
	bool flags = t->micro->count_flags & ~dead;
	int free = (int)count_regs(dead & SCRATCH);
	enum count_kind best = flags ? COUNT_FLAGS : COUNT_DIRECT;
	CHECK(kind == (free < t->micro->count_regs[to.access] + flags ? COUNT_SAVE : best) &&
			kind == code_count_kind(t, &at),
		"%s: kind %d", t->name, kind);
	code_clear(&c);
	m.counter = 0;
	code_mark(t, &c, &at);
	run(t, &c, &m, dead);
	CHECK(m.counter == 1, "%s: no mark", t->name);
	code_free(&c);
}

static void hold(const struct target *t, struct machine *m, enum hold what, unsigned reg,
	unsigned by, regset dead)
{
	struct code c;
	code_start(&c);
	const struct holding h = {{&to, 8, dead}, what, reg, by};
	code_hold(t, &c, &h);
	run(t, &c, m, dead | REG_BIT(reg));
	code_free(&c);
}

/* Twice round a loop with a counter in a register; five times with one that the program steps. */
static void test_hold(const struct target *t, regset dead)
{
	enum { REG = 0, BY = 4, SIZE = 3, ROUNDS = 5 };
	struct machine m = new_machine();
	uint64_t before = m.counter;
	dead &= ~(REG_BIT(REG) | REG_BIT(BY));
	hold(t, &m, HOLD_BEGIN, REG, 0, dead);
	hold(t, &m, HOLD_COUNT, REG, 0, dead);
	hold(t, &m, HOLD_COUNT, REG, 0, dead);
	dead |= REG_BIT(FLAG);
	hold(t, &m, HOLD_END, REG, 0, dead);
	CHECK(m.counter == before + 2, "%s: held counter", t->name);
	hold(t, &m, HOLD_FOLLOW, REG, BY, dead);
	m.reg[BY] += ROUNDS << SIZE;
	hold(t, &m, HOLD_DISTANCE, REG, BY, dead);
	hold(t, &m, HOLD_DIVIDE, REG, SIZE, dead);
	hold(t, &m, HOLD_END_LESS, REG, 0, dead);
	CHECK(m.counter == before + 2 + ROUNDS, "%s: followed register", t->name);
}

static void test_checks(const struct target *t, regset dead)
{
	for (unsigned same = 0; same < 2; same++) {
		struct code c;
		struct machine m = new_machine();
		code_start(&c);
		m.reg[RESULT] = same;
		code_fork_check(t, &c, 1, dead);
		run(t, &c, &m, dead);
		CHECK(m.calls == !same, "%s: fork check", t->name);
		code_clear(&c);
		m = new_machine();
		if (same)
			m.counter = m.self;
		code_thread_check(t, &c, &to, 1, dead);
		run_above(t, &c, &m, dead, 0); /* at an entry there is no red zone */
		CHECK(m.calls == (!same || t->micro->count_flags & ~dead), "%s: thread check",
			t->name);
		code_free(&c);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++)
		for (unsigned k = 0; k < 3000; k++) {
			regset dead = k ? next_number() & next_number() : 0;
			if (k % 3 == 0)
				dead &= next_number() & next_number();
			dead &= SCRATCH | (i ? REG_BIT(FLAG) : 0);
			test_count(&cpus[i], dead);
			test_hold(&cpus[i], dead);
			test_checks(&cpus[i], dead);
		}
	return check_report();
}
