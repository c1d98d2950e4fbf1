/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unit.c - sequences of inserted code, decoded: what they change, where the stack pointer is
 */
#include "code/sequence.h"
#include "targets/x86_64/x86_64.h"
#include "testsuite/check.h"

static const struct target *const T = &target_x86_64;
static struct decoder *dec;

/* The instruction at byte at of the code. */
static const uint8_t *insn_at(const struct code *c, uint32_t at, struct insn *in)
{
	const uint8_t *p = small_v(&c->bytes) + at;
	bool decoded = T->decode(dec, p, c->bytes.n - at, in);
	CHECK(decoded, "byte %u does not decode", at);
	if (!decoded)
		in->len = (uint8_t)(c->bytes.n - at);
	return p;
}

/* Behind each instruction the stack pointer is where the code says. */
static void check_stack(const struct code *c)
{
	const struct stack_move *move = small_v(&c->stack);
	struct insn in;
	struct operation op;
	int64_t down = 0;
	uint32_t k = 0;
	for (uint32_t at = 0; at < c->bytes.n;) {
		const uint8_t *p = insn_at(c, at, &in);
		T->describe(dec, p, &in, &op);
		if (op.op == OP_PUSH)
			down += 8;
		else if (op.op == OP_LEA && op.dst == RSP && op.base == RSP)
			down -= op.disp;
		else if (in.kind == INSN_OTHER && (insn_effects(&in)->clobbers & REG_BIT(RSP)))
			down -= 8; /* a pop */
		at += in.len;
		k += k < c->stack.n && move[k].at == at;
		CHECK(down == (k ? move[k - 1].down : 0), "stack pointer at byte %u", at);
	}
	CHECK(k == c->stack.n && !down && !c->down, "moves of the stack pointer");
}

/* Every way to reach a counter. */
enum { REACHES = 3 * 2 * 2 * 2 * 3 };
static struct counter_addressing nth_reach(int how)
{
	return (struct counter_addressing){.sym = 77,
		.sym_fixed = 78,
		.near = how & 1,
		.fixed = how & 2,
		.moved = how & 4,
		.access = (enum counter_access)(how / 8 % 3),
		.repeat = (enum repeat)(how / 24)};
}

static bool by_address(const struct counter_addressing *to)
{
	return to->fixed && !(to->near && to->repeat != REPEAT_SOON);
}

/* Its relocations in the instruction of len bytes at byte at lead to the counter at 8. */
static void check_address(const struct code *c, const struct counter_addressing *to, uint32_t at,
	uint32_t len)
{
	bool fixed = by_address(to);
	for (uint32_t i = 0; i < c->rel.n; i++) {
		const struct reloc *r = &small_v(&c->rel)[i];
		if (r->off < at || r->off >= at + len)
			continue;
		CHECK(r->addend == (fixed ? 8 : 8 - (int64_t)(at + len - r->off)), "addend");
		CHECK(r->sym == (fixed ? to->sym_fixed : to->sym) && r->off + 4 <= at + len &&
				r->type == (fixed ? R_X86_64_32S : R_X86_64_PC32),
			"relocation");
	}
}

/*
 * The code of a counter must change nothing but dead ones.  What it saves it sets again:
 * flags by lahf, %rax on the stack or in a dead register.
 */
static void check_count(const struct code *c, const struct counter_addressing *to, regset dead)
{
	regset live = ~dead & X86_ALL & ~REG_BIT(RSP), changed = 0;
	struct insn in;
	for (uint32_t at = 0; at < c->bytes.n; at += in.len) {
		const uint8_t *p = insn_at(c, at, &in);
		if (p[0] == 0x9f)
			live &= ~X86_STATUS;
		if (p[0] == 0x50 || (in.len == 3 && p[1] == 0x89 && (p[2] & 0xf8) == 0xc0))
			live &= ~REG_BIT(RAX);
		changed |= insn_effects(&in)->clobbers;
		check_address(c, to, at, in.len);
	}
	check_stack(c);
	CHECK(!(changed & live), "code of a counter changes %#llx",
		(unsigned long long)(changed & live));
}

static void test_counts(void)
{
	static const struct {
		regset dead;
		enum count_kind kind;
		uint32_t n;
	} cases[] = {
		{X86_STATUS, COUNT_DIRECT, 7},
		{X86_STATUS & ~REG_BIT(X86_CF), COUNT_DIRECT, 7},
		{X86_STATUS & ~REG_BIT(X86_ZF), COUNT_SAVE, 24},
		{X86_STATUS & ~REG_BIT(X86_OF), COUNT_SAVE, 29},
		{REG_BIT(RAX), COUNT_FLAGS, 14},
		{REG_BIT(RAX) | REG_BIT(X86_OF), COUNT_FLAGS, 9},
		{REG_BIT(R8) | REG_BIT(R12), COUNT_FLAGS, 20},
		{REG_BIT(RSI), COUNT_FLAGS, 20},
		{REG_BIT(RSP) | REG_BIT(RBP), COUNT_SAVE, 29},
		{0, COUNT_SAVE, 29},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (int how = 0; how < REACHES; how++) {
			struct code c;
			struct counter_addressing to = nth_reach(how);
			regset dead = cases[i].dead;
			bool fixed = by_address(&to);
			bool base = to.moved && fixed && to.access != ACCESS_THREAD;
			uint32_t n = cases[i].n + (to.access != ACCESS_PLAIN) + fixed + base;
			n += to.fixed && to.repeat != REPEAT_RARELY &&
				dead == X86_STATUS; /* addq */
			code_start(&c);
			const struct counted at = {&to, 8, dead};
			enum count_kind kind = code_count(T, &c, &at);
			CHECK(kind == cases[i].kind && kind == code_count_kind(T, &at) &&
					c.bytes.n == n,
				"count %zu: kind %d, %u bytes", i, kind, c.bytes.n);
			check_count(&c, &to, dead);
		}
	}
}

/* A mark changes nothing, and is one byte that is 1. */
static void test_mark(void)
{
	for (int how = 0; how < REACHES; how++) {
		struct code c;
		struct counter_addressing to = nth_reach(how);
		bool fixed = by_address(&to);
		bool base = to.access == ACCESS_THREAD || (to.moved && fixed);
		struct insn in;
		code_start(&c);
		code_mark(T, &c, &(struct counted){&to, 8, 0});
		const uint8_t *p = insn_at(&c, 0, &in);
		CHECK(in.len == c.bytes.n && !insn_effects(&in)->clobbers, "mark of %u bytes",
			c.bytes.n);
		CHECK(in.len == 7u + base + fixed && p[in.len - 1] == 1, "mark");
		CHECK(c.rel.n == 1 && small_v(&c.rel)->off + 5 == in.len, "relocation of a mark");
		check_address(&c, &to, 0, in.len);
	}
}

/*
 * One operation on a register that holds a counter: what it changes, and that it has a relocation
 * if it accesses the counter in memory.
 */
static void check_hold(enum hold what, unsigned reg, unsigned by, regset dead)
{
	struct counter_addressing to = nth_reach(1);
	regset changed = 0, may = REG_BIT(reg) | (dead & (X86_GPRS | X86_STATUS));
	bool end = what == HOLD_END || what == HOLD_END_LESS;
	struct insn in;
	struct code c;
	code_start(&c);
	const struct holding h = {{&to, 8, dead}, what, reg, by};
	code_hold(T, &c, &h);
	for (uint32_t at = 0; at < c.bytes.n; at += in.len) {
		insn_at(&c, at, &in);
		changed |= insn_effects(&in)->clobbers;
	}
	if (T->micro->hold_vectors & REG_BIT(reg))
		may |= T->micro->hold_unit | (end ? REG_BIT(RAX) : 0); /* which the unit's keeps */
	if (what == HOLD_FETCH)
		may |= REG_BIT(by); /* the decoder takes the source for changed */
	CHECK(!(changed & ~may), "hold %d of register %u changes %#llx", what, reg,
		(unsigned long long)(changed & ~may));
	const struct reloc *r = small_v(&c.rel);
	CHECK(c.rel.n == end && (!end || r->sym == 77), "relocation of hold %d", what);
	CHECK(!c.bytes.n == (what == HOLD_STEP), "hold %d: %u bytes", what, c.bytes.n);
}

static void test_hold(void)
{
	for (unsigned reg = 0; reg < XMM15; reg++) {
		bool vector = T->micro->hold_vectors & REG_BIT(reg);
		if (!vector && !(target_scratch(T) & REG_BIT(reg)))
			continue;
		for (int what = HOLD_BEGIN; what <= (vector ? HOLD_FOLLOW : HOLD_END_LESS);
			what++) {
			unsigned by = what == HOLD_FETCH ? XMM8 : what == HOLD_DIVIDE ? 3 : RBP;
			check_hold((enum hold)what, reg, by, X86_STATUS);
			check_hold((enum hold)what, reg, by, X86_STATUS | REG_BIT(R9));
			if (what <= HOLD_COUNT || what == HOLD_FOLLOW || what == HOLD_FETCH)
				check_hold((enum hold)what, reg, by, 0);
		}
	}
}

/* Every branch leads to an instruction or to the end. */
static void test_fork_check(void)
{
	static const regset dead[] = {X86_STATUS, REG_BIT(RCX), 0};
	for (size_t i = 0; i < 3; i++) {
		struct code c;
		struct insn in;
		uint32_t at, target = 0;
		code_start(&c);
		code_fork_check(T, &c, 5, dead[i]);
		for (at = 0; at < c.bytes.n; at += in.len) {
			const uint8_t *p = insn_at(&c, at, &in);
			if (in.pc_size == 1)
				target = at + in.len + p[in.pc_off];
		}
		check_stack(&c);
		CHECK(at == c.bytes.n && target == at, "fork check %zu: jumps to %u of %u", i,
			target, at);
	}
}

static void test_thread_check(void)
{
	static const regset dead[] = {X86_STATUS, X86_STATUS | REG_BIT(RCX), 0};
	for (size_t i = 0; i < 6; i++) {
		struct code c;
		struct counter_addressing to = {.sym = 4,
			.access = ACCESS_THREAD,
			.fixed = i / 3 != 0};
		code_start(&c);
		code_thread_check(T, &c, &to, 5, dead[i % 3]);
		/* a push and a pop; a register is free; beyond the red zone and back */
		CHECK(c.stack.n == (i % 3 == 1 ? 0 : 2), "thread check %zu", i);
		check_stack(&c);
	}
}

/* What is overwritten, and that nothing else is. */
static void check_poison(uint32_t random, regset dead)
{
	regset changed = 0, flags = dead & X86_STATUS;
	struct insn in;
	struct code c;
	code_start(&c);
	code_poison(T, &c, 5, random, dead);
	for (uint32_t at = 0; at < c.bytes.n; at += in.len) {
		insn_at(&c, at, &in);
		CHECK(in.kind == INSN_OTHER && !in.flags, "poison does more than change registers");
		changed |= insn_effects(&in)->clobbers;
	}
	CHECK(!(changed & ~dead), "poison changes %#llx", (unsigned long long)(changed & ~dead));
	CHECK(!(dead & ~changed & ~REGSET_FLAGS), "poison misses %#llx",
		(unsigned long long)(dead & ~changed));
	CHECK(flags != X86_STATUS || (changed & flags) == flags, "poison misses flags");
	const struct reloc *r = small_v(&c.rel);
	bool marked = c.rel.n == 1 && r->addend == (int64_t)c.bytes.n && !r->off && r->sym == 5 &&
		r->type == R_X86_64_NONE;
	CHECK(c.bytes.n ? marked : !c.rel.n, "mark of poison");
	code_free(&c);
}

/* Some registers, and all of them, which is more code than a builder has room for in itself. */
static void test_poison(void)
{
	static const regset flags[] = {0, X86_STATUS, X86_STATUS & ~REG_BIT(X86_CF),
		REG_BIT(X86_CF), X86_STATUS & ~REG_BIT(X86_ZF)};
	const regset usable = (X86_GPRS | X86_SSE) & ~(REG_BIT(RSP) | REG_BIT(RBP));
	for (uint32_t random = 0; random < 40; random++)
		for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
			check_poison(random, flags[i]);
			check_poison(random, usable | flags[i]);
			for (unsigned r = 0; r < REG_FLAG; r++) {
				regset regs = REG_BIT(r) | REG_BIT((r + random) % REG_FLAG);
				regs |= REG_BIT(R8 + random % 8) | REG_BIT(XMM15);
				check_poison(random, (regs & usable) | flags[i]);
			}
		}
}

/* All that was appended is there, however much it is, also in a builder that is used again. */
static void test_growth(void)
{
	enum { STEPS = 1000 };
	struct code c;
	code_start(&c);
	for (uint32_t n = 1; n <= STEPS; n *= 10) {
		code_clear(&c);
		for (uint32_t i = 0; i < n; i++) {
			code_reloc(&c, (struct reloc){.addend = i});
			code_put(&c, &i, sizeof i);
			code_lower_stack(&c, i % 2 ? -8 : 8);
		}
		CHECK(c.bytes.n == 4 * n && c.rel.n == n && c.stack.n == n, "%u steps", n);
		for (uint32_t i = 0; i < n; i++) {
			const struct reloc *r = &small_v(&c.rel)[i];
			const struct stack_move *m = &small_v(&c.stack)[i];
			CHECK(!memcmp(small_v(&c.bytes) + 4 * i, &i, sizeof i), "bytes of step %u",
				i);
			CHECK(r->off == 4 * i && r->addend == i, "relocation of step %u", i);
			CHECK(m->at == 4 * i + 4 && m->down == (i % 2 ? 0 : 8), "step %u's move",
				i);
		}
	}
	code_free(&c);
	CHECK(!c.bytes.heap && !c.bytes.n, "code_free");
}

int main(void)
{
	dec = T->decoder_new();
	test_growth();
	test_counts();
	test_mark();
	test_hold();
	test_fork_check();
	test_thread_check();
	test_poison();
	T->decoder_free(dec);
	return check_report();
}
