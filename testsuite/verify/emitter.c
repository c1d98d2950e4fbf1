/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emitter MODE IN OUT [ASKS ROUTINES]: does the verifier find what a wrong emitter makes?
 *
 * The rewriter is given a target one of whose micro-operations does something else in each round.
 * Where that changes what is inserted, the object must not verify; with the right one it must.
 * Prints the rounds that changed something and were found.  Mode `tool': that of the parts of a
 * tool.
 */
#include "base/base.h"
#include "instr/rewrite.h"
#include "instr/stubs.h"
#include "ldwrap/lld.h"
#include "runtime/abi.h"
#include "targets/access.h"
#include "targets/micro.h"
#include "targets/target.h"
#include "targets/x86_64/part.h"
#include "testsuite/verify/claims.h"
#include "verify/verify.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct target wrong_target;
static struct micro wrong_micro;
static const struct micro *right;
static const struct target *right_target;
enum { STACK_POINTER = 4 };
static int *uses; /* of the wrong operation; shared by processes */

const struct target *__real_target_find(uint16_t machine, uint8_t word, bool big);
const struct target *__wrap_target_find(uint16_t machine, uint8_t word, bool big);
const struct target *__wrap_target_find(uint16_t machine, uint8_t word, bool big)
{
	const struct target *real = __real_target_find(machine, word, big);
	return right_target && real == right_target ? &wrong_target : real;
}

static void used(void)
{
	++*uses;
}

static void damage_addend(struct code *c, uint32_t first, int64_t by)
{
	for (uint32_t i = first; i < c->rel.n; i++)
		small_v(&c->rel)[i].addend += by;
	used();
}

/* Increments ------------------------------------------------------------ */

static void increment_behind(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	uint32_t n = c->rel.n;
	right->increment(c, to, off, dead);
	damage_addend(c, n, 1);
}

static void increment_next(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	uint32_t n = c->rel.n;
	right->increment(c, to, off, dead);
	damage_addend(c, n, 8);
}

static void increment_twice(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	right->increment(c, to, off, dead);
	right->increment(c, to, off, dead);
	used();
}

static void increment_and_more(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	regset kept = wrong_target.abi.ret_live & ~wrong_target.abi.call_clobbers;
	kept &= ~REG_BIT(wrong_target.stack_reg) & ~REGSET_FLAGS;
	right->increment(c, to, off, dead);
	right->add(c, lowest_reg(kept), 1, REGSET_FLAGS);
	used();
}

/* The last byte that is no relocated field: of addq an immediate, of incq the operation. */
static void increment_by_another(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	uint32_t rel = c->rel.n, start = c->bytes.n;
	right->increment(c, to, off, dead);
	uint32_t field = small_v(&c->rel)[rel].off, end = field + 4;
	uint32_t at = end < c->bytes.n ? end : field - 1;
	if (at > start) {
		small_v(&c->bytes)[at] ^= end < c->bytes.n ? 3 : 8; /* addq $2; decq */
		used();
	}
}

/* Of 32 bits: the counter would wrap after four billion. */
static void increment_half(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	uint32_t start = c->bytes.n;
	right->increment(c, to, off, dead);
	for (uint32_t i = start; i < c->bytes.n; i++)
		if (small_v(&c->bytes)[i] == 0x48) {
			small_v(&c->bytes)[i] = 0x40;
			used();
			return;
		}
}

/* By three instructions: a signal handler may count in between. */
static void increment_in_steps(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x05}, store[] = {0x48, 0x89, 0x05};
	static const uint8_t zero[4], add[] = {0x48, 0x83, 0xc0, 1};
	struct reloc r = {.addend = off - 4, .type = R_X86_64_PC32, .sym = to->sym};
	if (~dead & REGSET_FLAGS & right->count_flags || !to->near || to->access != ACCESS_PLAIN) {
		right->increment(c, to, off, dead);
		return;
	}
	right->add(c, STACK_POINTER, -128, 0);
	right->push(c, 0);
	code_put(c, load, sizeof load);
	code_reloc(c, r);
	code_put(c, zero, sizeof zero);
	code_put(c, add, sizeof add);
	code_put(c, store, sizeof store);
	code_reloc(c, r);
	code_put(c, zero, sizeof zero);
	right->pop(c, 0);
	right->add(c, STACK_POINTER, 128, 0);
	used();
}

/* In memory of the thread, which the other segment's base adds. */
static void increment_elsewhere(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	static const uint8_t fs = 0x64;
	code_put(c, &fs, 1);
	right->increment(c, to, off, dead);
	used();
}

/* Another thread may count at once. */
static struct counter_addressing without_lock(const struct counter_addressing *to)
{
	struct counter_addressing plain = *to;
	if (to->access == ACCESS_ATOMIC) {
		plain.access = ACCESS_PLAIN;
		used();
	}
	return plain;
}

static void increment_unlocked(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	struct counter_addressing plain = without_lock(to);
	right->increment(c, &plain, off, dead);
}

/* Others ---------------------------------------------------------------- */

static void add_unlocked(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	struct counter_addressing plain = without_lock(to);
	right->add_to(c, &plain, off, reg, temps);
}

static void mark_behind(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	uint32_t n = c->rel.n;
	right->set_byte(c, to, off, temps);
	damage_addend(c, n, 1);
}

static void add_to_behind(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	uint32_t n = c->rel.n;
	right->add_to(c, to, off, reg, temps);
	damage_addend(c, n, 1);
}

static void add_another(struct code *c, const struct counter_addressing *to, int64_t off,
	unsigned reg, regset temps)
{
	right->add_to(c, to, off, reg ^ 1, temps);
	used();
}

static void carry_to_next(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	right->carry(c, to, off + 8, temps);
	used();
}

/* The register that is incremented is not the one that is tested. */
static uint32_t branch_by_another(struct code *c, unsigned reg)
{
	used();
	return right->branch_unless_wrapped(c, reg ^ 1);
}

static void take_to(struct code *c, const struct counter_addressing *to, int64_t off, unsigned reg,
	regset temps)
{
	right->add_to(c, to, off, reg, temps);
	used();
}

static void set_another(struct code *c, unsigned reg, int32_t n, regset dead)
{
	right->set(c, reg ^ 1, n, dead);
	used();
}

static void add_two(struct code *c, unsigned reg, int32_t n, regset dead)
{
	right->add(c, reg, n == 1 ? 2 : n, dead);
	if (n == 1)
		used();
}

static void subtract_other(struct code *c, unsigned reg, unsigned by)
{
	right->subtract(c, by, reg);
	used();
}

static void shift_more(struct code *c, unsigned reg, unsigned by)
{
	right->shift(c, reg, by + 1);
	used();
}

static void keep_no_flags(struct code *c, unsigned reg, regset dead)
{
	(void)c;
	(void)reg;
	(void)dead;
	used();
}

static void pop_another(struct code *c, unsigned reg)
{
	right->pop(c, reg ^ 1);
	used();
}

static void pop_another_pair(struct code *c, unsigned reg, unsigned second)
{
	right->pop_pair(c, reg, second ^ 1);
	used();
}

/* Moves of the stack pointer that the unwind tables are not told of. */
static void forget_moves(struct code *c)
{
	if (c->stack.n)
		used();
	c->stack.n = c->down = 0;
}

static void push_untold(struct code *c, unsigned reg)
{
	right->push(c, reg);
	forget_moves(c);
}

static void pop_untold(struct code *c, unsigned reg)
{
	right->pop(c, reg);
	forget_moves(c);
}

static void push_pair_untold(struct code *c, unsigned reg, unsigned second)
{
	right->push_pair(c, reg, second);
	forget_moves(c);
}

static void pop_pair_untold(struct code *c, unsigned reg, unsigned second)
{
	right->pop_pair(c, reg, second);
	forget_moves(c);
}

static void add_untold(struct code *c, unsigned reg, int32_t n, regset dead)
{
	right->add(c, reg, n, dead);
	forget_moves(c);
}

/* Never of what the flags say: no hook is called, or always. */
static uint32_t branch_always(struct code *c, regset dead)
{
	static const uint8_t jump[] = {0xeb, 0};
	(void)dead;
	used();
	code_put(c, jump, sizeof jump);
	return c->bytes.n - 1;
}

static void call_nothing(struct code *c, uint32_t sym)
{
	(void)c;
	(void)sym;
	used();
}

/* The rewriter does not see that a system call makes a process: there is no check behind it. */
static bool never_forks(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
	int64_t *nr)
{
	if (syscall_may_fork(right_target, d, text, in, n))
		used();
	*nr = 0;
	return true;
}

/* Increment with to and dead, where right_to and right_dead are asked for. */
static void increment_otherwise(struct code *c, const struct counter_addressing *right_to,
	regset right_dead, const struct counter_addressing *to, regset dead, int64_t off)
{
	uint32_t start = c->bytes.n;
	struct code as_asked = {0};
	right->increment(&as_asked, right_to, off, right_dead);
	right->increment(c, to, off, dead);
	if (as_asked.bytes.n != c->bytes.n - start ||
		memcmp(small_v(&as_asked.bytes), small_v(&c->bytes) + start, as_asked.bytes.n) != 0)
		used();
}

/* All registers and flags are taken for dead. */
static void increment_anyhow(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	increment_otherwise(c, to, dead, to, ~wrong_target.no_scratch, off);
}

/* Counters of the current thread where those of all threads are meant, and the other way round. */
static void increment_of_others(struct code *c, const struct counter_addressing *to, int64_t off,
	regset dead)
{
	struct counter_addressing other = *to;
	other.access = to->access == ACCESS_THREAD ? ACCESS_PLAIN : ACCESS_THREAD;
	increment_otherwise(c, to, dead, &other, dead, off);
}

static void mark_of_others(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	right->set_byte(c, to, off + 4096, temps);
	used();
}

/* The red zone is overwritten. */
static void add_nothing_to_stack(struct code *c, unsigned reg, int32_t n, regset dead)
{
	if (reg != wrong_target.stack_reg)
		right->add(c, reg, n, dead);
	else
		used();
}

static void save_nothing(struct code *c, unsigned reg, regset dead)
{
	(void)c;
	(void)reg;
	(void)dead;
	used();
}

static void move_another(struct code *c, unsigned to, unsigned from)
{
	right->move(c, to, from ^ 1);
	used();
}

static void move_back(struct code *c, unsigned to, unsigned from)
{
	right->move(c, from, to);
	used();
}

static void push_another(struct code *c, unsigned reg)
{
	right->push(c, reg ^ 1);
	used();
}

static void push_twice(struct code *c, unsigned reg)
{
	right->push(c, reg);
	right->push(c, reg);
	used();
}

static void push_another_pair(struct code *c, unsigned reg, unsigned second)
{
	right->push_pair(c, reg, second ^ 1);
	used();
}

static void push_pair_twice(struct code *c, unsigned reg, unsigned second)
{
	right->push_pair(c, reg, second);
	right->push_pair(c, reg, second);
	used();
}

typedef void pair_fn(struct code *c, unsigned reg, unsigned second);

/* For CPUs that push two registers at once. */
static void replace_pairs(pair_fn *push, pair_fn *pop)
{
	if (right->push_pair) {
		wrong_micro.push_pair = push ? push : right->push_pair;
		wrong_micro.pop_pair = pop ? pop : right->pop_pair;
	}
}

static void set_nothing(struct code *c, unsigned reg, int32_t n, regset dead)
{
	(void)c;
	(void)reg;
	(void)n;
	(void)dead;
	used();
}

static void shift_nothing(struct code *c, unsigned reg, unsigned by)
{
	(void)c;
	(void)reg;
	(void)by;
	used();
}

static void call_twice(struct code *c, uint32_t sym)
{
	right->call(c, sym);
	right->call(c, sym);
	used();
}

/* Instructions behind an increment, of x86-64; which: by the round. */
static const struct {
	uint8_t n, byte[9];
} behind[] = {
	{1, {0xfc}},				   /* cld */
	{1, {0xcc}},				   /* int3 */
	{2, {0x0f, 0x05}},			   /* syscall */
	{2, {0x3a, 0x00}},			   /* cmp (%rax), %al: reads any memory */
	{5, {0x48, 0x89, 0x44, 0x24, 0x08}},	   /* mov %rax, 8(%rsp) */
	{5, {0x48, 0x89, 0x44, 0x24, 0xf8}},	   /* mov %rax, -8(%rsp): in the red zone */
	{2, {0xdb, 0xe3}},			   /* fninit */
	{3, {0x0f, 0x01, 0xf8}},		   /* swapgs */
	{9, {0x64, 0x48, 0x89, 0x04, 0x25, 0x10}}, /* mov %rax, %fs:16 */
	{1, {0xc3}},				   /* ret */
	{2, {0xeb, 0xfe}},			   /* an endless loop */
	{3, {0x66, 0x0f, 0xef}},		   /* the begin of an instruction */
	{4, {0x48, 0x0f, 0xae, 0xd8}},		   /* wrgsbase %rax */
	{2, {0x0f, 0x77}},			   /* emms */
	{4, {0x0f, 0x18, 0x0c, 0x24}},		   /* prefetcht0 (%rsp) */
};
enum { BEHIND = sizeof behind / sizeof *behind, FIRST_BEHIND = 39 };
static int instruction; /* of behind */

static void increment_and_instruction(struct code *c, const struct counter_addressing *to,
	int64_t off, regset dead)
{
	right->increment(c, to, off, dead);
	code_put(c, behind[instruction].byte, behind[instruction].n);
	used();
}

/* What tools ask for ----------------------------------------------------- */

static void add_number_behind(struct code *c, const struct counter_addressing *to, int64_t off,
	int32_t n, regset temps)
{
	right->add_number(c, to, off + 8, n, temps);
	used();
}

static void add_another_number(struct code *c, const struct counter_addressing *to, int64_t off,
	int32_t n, regset temps)
{
	right->add_number(c, to, off, n ^ 1, temps);
	used();
}

/* What is live is overwritten. */
static void add_number_anyhow(struct code *c, const struct counter_addressing *to, int64_t off,
	int32_t n, regset temps)
{
	regset kept = wrong_target.abi.ret_live & ~wrong_target.abi.call_clobbers & ~REGSET_FLAGS;
	kept &= ~REG_BIT(wrong_target.stack_reg);
	right->add_number(c, to, off, n, temps);
	right->constant(c, lowest_reg(kept), n);
	used();
}

static void other_constant(struct code *c, unsigned reg, uint64_t n)
{
	right->constant(c, reg, n + 1);
	used();
}

static void other_address(struct code *c, unsigned reg, uint32_t sym, int64_t n)
{
	right->address(c, reg, sym, n + 1);
	used();
}

static void other_slot(struct code *c, unsigned reg, int32_t off)
{
	right->from_stack(c, reg, off + right->slot);
	used();
}

static void stack_plus_more(struct code *c, unsigned reg, int32_t off)
{
	right->stack_plus(c, reg, off + right->slot);
	used();
}

static void enter_nothing(struct code *c, uint32_t sym)
{
	(void)c;
	(void)sym;
	used();
}

/* What the predicate returns is lost. */
static uint32_t ask_another(struct code *c, unsigned reg)
{
	right->constant(c, reg, 1);
	used();
	return right->branch_if_zero(c, reg);
}

/* It is in another register. */
static uint32_t ask_elsewhere(struct code *c, unsigned reg)
{
	used();
	return right->branch_if_zero(c, reg ^ 1);
}

static void jump_farther(struct code *c, uint32_t n)
{
	right->jump(c, n + 4);
	*uses += c->claims && n < LONG_JUMP; /* that is changed later */
}

static void enter_twice(struct code *c, uint32_t sym)
{
	right->enter(c, sym);
	right->enter(c, sym);
	used();
}

static enum { TELL_RIGHT, TELL_OTHER_CODE, TELL_OTHER_PLACE, TELL_LESS } telling;

static void other_operand(struct code *c, unsigned reg, const struct address *o, unsigned spare)
{
	struct address other = *o;
	other.n += 8;
	right->operand(c, reg, &other, spare);
	used();
}

static void operand_of_another(struct code *c, unsigned reg, const struct address *o,
	unsigned spare)
{
	struct address other = *o;
	other.base ^= other.base >= 0;
	right->operand(c, reg, &other, spare);
	*uses += o->base >= 0;
}

static void operand_without_index(struct code *c, unsigned reg, const struct address *o,
	unsigned spare)
{
	struct address other = *o;
	other.index = -1;
	right->operand(c, reg, &other, spare);
	*uses += o->index >= 0;
}

static bool condition_of_another(struct code *c, unsigned reg, const struct condition *condition)
{
	struct condition other = *condition;
	other.negated ^= other.relation == RELATION_NONE;
	other.a ^= other.relation != RELATION_NONE;
	*uses += c->claims != NULL; /* else the code is not inserted */
	return right->condition(c, reg, &other);
}

static void other_bytes(struct code *c, unsigned reg, unsigned from, unsigned size)
{
	right->low_bytes(c, reg, from, size == 1 ? 2 : size / 2);
	used();
}

static void operand_not_loaded(struct code *c, unsigned reg, const struct address *o,
	unsigned spare)
{
	struct address other = *o;
	other.loads = false;
	right->operand(c, reg, &other, spare);
	*uses += o->loads;
}

/* Not of the next one: a copy of the first register may be in the second. */
static void bytes_of_another(struct code *c, unsigned reg, unsigned from, unsigned size)
{
	right->low_bytes(c, reg, from ^ 2, size);
	used();
}

/* Of an instruction: what is inserted in front of it; of a function: its first instruction. */
static void address_around(struct code *c, unsigned reg, uint32_t sym, int64_t n)
{
	right->address(c, reg, sym & PLACE_SYM ? sym ^ PLACE_EXACT : sym, n);
	*uses += (sym & PLACE_SYM) != 0;
}

/* Of the place that was asked for before. */
static void address_before(struct code *c, unsigned reg, uint32_t sym, int64_t n)
{
	static uint32_t last;
	static int64_t at;
	bool other = last && sym & PLACE_SYM && (last != sym || at != n);
	right->address(c, reg, other ? last : sym, other ? at : n);
	if (sym & PLACE_SYM)
		last = sym, at = n;
	*uses += other;
}

static void count_byte_behind(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	uint32_t n = c->rel.n;
	right->count_byte(c, to, off, temps);
	damage_addend(c, n, 1);
}

static void count_byte_twice(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	right->count_byte(c, to, off, temps);
	right->count_byte(c, to, off, temps);
	used();
}

/* What was 255 becomes 1 all the same. */
static void mark_for_byte(struct code *c, const struct counter_addressing *to, int64_t off,
	regset temps)
{
	right->set_byte(c, to, off, temps);
	used();
}

/* Another number than the argument. */
static bool fold_another(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
	const uint8_t *reg, int result, struct tool_body *out)
{
	struct call_arg other[CALL_ARGS];
	struct tool_body was;
	bool folds = right->fold_body(b, arg, nargs, reg, result, &was);
	memcpy(other, arg, nargs * sizeof *arg);
	for (unsigned k = 0; k < nargs; k++)
		other[k].number += arg[k].gives == GIVES_NUMBER;
	bool good = right->fold_body(b, other, nargs, reg, result, out);
	if (folds && good && memcmp(out, &was, sizeof was) != 0)
		used();
	return good;
}

/* Another place in memory. */
static bool fold_elsewhere(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
	const uint8_t *reg, int result, struct tool_body *out)
{
	bool good = right->fold_body(b, arg, nargs, reg, result, out);
	if (good && out->nrel) {
		out->rel[0].addend += 8;
		used();
	}
	return good;
}

/* A predicate returns another number, or what was in its register before. */
static bool fold_to_another(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
	const uint8_t *reg, int result, struct tool_body *out)
{
	struct call_arg other[CALL_ARGS];
	struct tool_body was;
	memcpy(other, arg, nargs * sizeof *arg);
	for (unsigned k = 0; k < nargs; k++)
		other[k].number += result >= 0 && arg[k].gives == GIVES_NUMBER;
	bool folds = right->fold_body(b, arg, nargs, reg, result, &was);
	bool good = right->fold_body(b, other, nargs, reg, result, out);
	if (folds && good && memcmp(out, &was, sizeof was) != 0)
		used();
	return good;
}
static bool fold_to_nothing(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
	const uint8_t *reg, int result, struct tool_body *out)
{
	struct tool_body was;
	bool folds = right->fold_body(b, arg, nargs, reg, result, &was);
	bool good = right->fold_body(b, arg, nargs, reg, -1, out);
	if (folds && good && memcmp(out, &was, sizeof was) != 0)
		used();
	return good;
}

/* Other registers than the arguments are in. */
static bool rename_another(const struct tool_body *b, const uint8_t *to, struct tool_body *out)
{
	uint8_t other[32];
	struct body_uses used_by;
	if (!right->body_uses(b, &used_by))
		return false;
	regset reads = used_by.reads & ~REGSET_FLAGS & ~used_by.pinned;
	for (unsigned r = 0; r < 32; r++)
		other[r] = reads >> r & 1 ? to[r] ^ 8 : to[r];
	if (reads)
		used();
	return right->rename_body(b, other, out);
}

/* Two values in one register. */
static bool shrink_together(const struct tool_body *b, regset kept, int *result,
	struct tool_body *out)
{
	uint8_t to[32];
	struct tool_body right_one;
	struct body_uses used_by;
	if (!right->shrink_body(b, kept, result, &right_one) ||
		!right->body_uses(&right_one, &used_by))
		return false;
	regset own = used_by.changes &
		~(used_by.reads | used_by.pinned | REGSET_FLAGS |
			(*result < 0 ? 0 : REG_BIT(*result)));
	for (unsigned r = 0; r < 32; r++)
		to[r] = (uint8_t)r;
	if (own & (own - 1)) {
		to[lowest_reg(own)] = (uint8_t)lowest_reg(own & (own - 1));
		used();
	}
	return right->rename_body(&right_one, to, out);
}

/* A predicate's result is said to be in another register. */
static bool shrink_to_another(const struct tool_body *b, regset kept, int *result,
	struct tool_body *out)
{
	if (!right->shrink_body(b, kept, result, out))
		return false;
	if (*result >= 0) {
		*result ^= 8;
		used();
	}
	return true;
}

/* A branch of a routine ------------------------------------------------- */

static enum {
	LEADS_FARTHER,	 /* one instruction */
	LEADS_BEYOND,	 /* over one that restores a register, perhaps */
	LEADS_OTHERWISE, /* by the opposite condition */
	LEADS_NEARLY,	 /* by a condition that is the same for most flags */
	COMPARES_ANOTHER,
	LOSES_NUMBER, /* that a register must hold where a branch leads */
} skewed;

/* Bytes up to the end of part i. */
static uint32_t size_up_to(const struct parts *parts, unsigned i)
{
	struct parts first = *parts;
	struct tool_body b;
	first.n = i + 1;
	for (unsigned k = 0; k <= i; k++)
		first.v[k].to = (uint8_t)(i + 1);
	x86_write_parts(&first, &b);
	return b.n;
}

/* Without the last part in front of branch i that sets a register to a number. */
static bool lose_number(struct parts *parts, unsigned i)
{
	while (i > 0 && (parts->v[i].two || parts->v[i].op != 0xb8))
		i--;
	if (parts->v[i].op != 0xb8)
		return false;
	memmove(&parts->v[i], &parts->v[i + 1], (--parts->n - i) * sizeof parts->v[0]);
	for (unsigned k = i; k < parts->n; k++)
		parts->v[k].to -= parts->v[k].jumps;
	return true;
}

/* Of part i; false: it is no such branch. */
static bool skew_branch(struct parts *parts, unsigned i)
{
	struct part *p = &parts->v[i], *before = p - 1;
	switch (skewed) {
	case LEADS_FARTHER:
	case LEADS_BEYOND: p->to++; return p->to <= parts->n;
	case LEADS_OTHERWISE: p->op ^= 1; return true;
	case LEADS_NEARLY: p->op ^= 4; return (p->op & 10) == 2;
	case COMPARES_ANOTHER: before->imm.n++; return before->imm_size == 1;
	case LOSES_NUMBER: return lose_number(parts, i);
	}
	return false;
}

static bool rename_skewed(const struct tool_body *b, const uint8_t *to, struct tool_body *out)
{
	struct parts parts;
	unsigned i = 0;
	if (!right->rename_body(b, to, out))
		return false;
	if (!x86_read_parts(out, &parts))
		return true;
	while (i < parts.n && !parts.v[i].jumps)
		i++;
	if (i == parts.n || !i)
		return true;
	if (skewed == LEADS_BEYOND && parts.v[i].to == parts.n) {
		out->byte[size_up_to(&parts, i) - 1]++;
		used();
	} else if (skew_branch(&parts, i) && x86_write_parts(&parts, out)) {
		used();
	}
	return true;
}

static void choose_branch(int round)
{
	skewed = round;
	if (right->rename_body)
		wrong_micro.rename_body = rename_skewed;
}
enum { BRANCH = LOSES_NUMBER + 1 };

/* Vectors and floating point -------------------------------------------- */

/* Not the first, nor its pair. */
static regset fewer(regset vectors)
{
	return vectors ? vectors & ~((regset)3 << (lowest_reg(vectors) & ~1u)) : 0;
}

static int32_t size_of_fewer(regset vectors)
{
	return right->vectors_size(fewer(vectors));
}

static void push_fewer(struct code *c, regset vectors, unsigned reg)
{
	right->push_vectors(c, fewer(vectors), reg);
	*uses += vectors && c->claims;
}

static void pop_fewer(struct code *c, regset vectors, unsigned reg)
{
	right->pop_vectors(c, fewer(vectors), reg);
}

/* Another in place of the last; even ones, which may be pairs. */
static void pop_other_vectors(struct code *c, regset vectors, unsigned reg)
{
	const regset even = (regset)0x55555555 << REG_VECTOR;
	unsigned last = vectors ? highest_reg(vectors) & ~1u : 0;
	regset both = (regset)3 << last;
	regset free = even & ~vectors;
	if (vectors && free) {
		vectors = (vectors & ~both) | REG_BIT(highest_reg(free)) * (vectors >> last & 3);
		used();
	}
	right->pop_vectors(c, vectors, reg);
}

/* Instructions that set the control and status of floating point, and what does nothing instead. */
static const struct {
	uint16_t machine;
	uint32_t mask, bits, instead;
} setter[] = {
	{EM_X86_64, 0xffffffff, 0x2454ae0f, 0x245cae0f}, /* ldmxcsr n(%rsp): stmxcsr */
	{EM_X86_64, 0xffffffff, 0x2494ae0f, 0x249cae0f},
	{EM_AARCH64, 0xffffffc0, 0xd51b4400, 0xd503201f}, /* msr fpcr; fpsr */
	{EM_RISCV, 0xfff07fff, 0x00301073, 0x00000013},	  /* csrrw fcsr, of no result */
	{EM_RISCV, 0xfffff07f, 0x00301073, 0},		  /* of zero: csrrs */
	{EM_MIPS, 0xffe0ffff, 0x44c0f800, 0x00000000},	  /* ctc1 */
};

/* The last of them, or the first, from that byte of the code on. */
static void drop_setter(struct code *c, uint32_t from, bool last)
{
	uint8_t *p = small_v(&c->bytes), *found = NULL;
	uint32_t instead = 0;
	for (uint32_t at = from; at + 4 <= c->bytes.n; at++)
		for (size_t i = 0; i < sizeof setter / sizeof *setter; i++) {
			uint32_t w = (uint32_t)get_word(p + at, 4, right_target->big);
			if (setter[i].machine != right_target->machine ||
				(w & setter[i].mask) != setter[i].bits || (found && !last))
				continue;
			found = p + at;
			instead = setter[i].instead ? setter[i].instead : w ^ 0x3000;
			instead = right_target->machine == EM_MIPS ? 0 : instead;
		}
	if (!found)
		return;
	put_word(found, 4, right_target->big, instead);
	used();
}

static void push_as_it_is(struct code *c, regset vectors, unsigned reg)
{
	uint32_t from = c->bytes.n;
	right->push_vectors(c, vectors, reg);
	drop_setter(c, from, false);
}

static void pop_without_first(struct code *c, regset vectors, unsigned reg)
{
	uint32_t from = c->bytes.n;
	right->pop_vectors(c, vectors, reg);
	drop_setter(c, from, false);
}

static void pop_without_last(struct code *c, regset vectors, unsigned reg)
{
	uint32_t from = c->bytes.n;
	right->pop_vectors(c, vectors, reg);
	drop_setter(c, from, true);
}

static void choose_vectors(int round)
{
	switch (round) {
	case 0:
		wrong_micro.push_vectors = push_fewer;
		wrong_micro.pop_vectors = pop_fewer;
		wrong_micro.vectors_size = size_of_fewer;
		break;
	case 1: wrong_micro.pop_vectors = pop_other_vectors; break;
	case 2: wrong_micro.push_vectors = push_as_it_is; break;
	case 3: wrong_micro.pop_vectors = pop_without_first; break;
	case 4: wrong_micro.pop_vectors = pop_without_last; break;
	}
}
enum { VECTORS = 5 };

enum { FIRST_TOOL = FIRST_BEHIND + BEHIND };
static bool choose_tool(int round)
{
	switch (round - FIRST_TOOL) {
	case 0: wrong_micro.add_number = add_number_behind; break;
	case 1: wrong_micro.add_number = add_another_number; break;
	case 2: wrong_micro.add_number = add_number_anyhow; break;
	case 3: wrong_micro.constant = other_constant; break;
	case 4: wrong_micro.address = other_address; break;
	case 5: wrong_micro.from_stack = other_slot; break;
	case 6: wrong_micro.stack_plus = stack_plus_more; break;
	case 7: wrong_micro.enter = enter_nothing; break;
	case 8: wrong_micro.enter = enter_twice; break;
	case 9: telling = TELL_OTHER_CODE; break;
	case 10: telling = TELL_OTHER_PLACE; break;
	case 11: telling = TELL_LESS; break;
	case 12: wrong_micro.operand = other_operand; break;
	case 13: wrong_micro.operand = operand_of_another; break;
	case 14: wrong_micro.operand = operand_without_index; break;
	case 15: wrong_micro.condition = condition_of_another; break;
	case 16: wrong_micro.low_bytes = other_bytes; break;
	case 17: wrong_micro.operand = operand_not_loaded; break;
	case 18: wrong_micro.branch_if_zero = ask_another; break;
	case 19: wrong_micro.jump = jump_farther; break;
	case 20: wrong_micro.address = address_around; break;
	case 21: wrong_micro.address = address_before; break;
	case 22: wrong_micro.count_byte = count_byte_behind; break;
	case 23: wrong_micro.count_byte = count_byte_twice; break;
	case 24: wrong_micro.count_byte = mark_for_byte; break;
	case 25: wrong_micro.low_bytes = bytes_of_another; break;
	case 26:
		if (right->fold_body)
			wrong_micro.fold_body = fold_another;
		break;
	case 27:
		if (right->fold_body)
			wrong_micro.fold_body = fold_elsewhere;
		break;
	case 28:
		if (right->rename_body)
			wrong_micro.rename_body = rename_another;
		break;
	case 29: wrong_micro.branch_if_zero = ask_elsewhere; break;
	case 30:
		if (right->fold_body)
			wrong_micro.fold_body = fold_to_another;
		break;
	case 31:
		if (right->fold_body)
			wrong_micro.fold_body = fold_to_nothing;
		break;
	case 32:
		if (right->shrink_body)
			wrong_micro.shrink_body = shrink_together;
		break;
	case 33:
		if (right->shrink_body)
			wrong_micro.shrink_body = shrink_to_another;
		break;
	default:
		if (round >= FIRST_TOOL + 34 + VECTORS)
			choose_branch(round - FIRST_TOOL - 34 - VECTORS);
		else
			choose_vectors(round - FIRST_TOOL - 34);
	}
	return round >= FIRST_TOOL;
}
enum { ROUNDS = FIRST_TOOL + 34 + VECTORS + BRANCH };

static void choose(int round)
{
	wrong_micro = *right;
	telling = TELL_RIGHT;
	wrong_target.syscall.number = right_target->syscall.number;
	instruction = round - FIRST_BEHIND;
	if (choose_tool(round))
		return;
	if (instruction >= 0)
		wrong_micro.increment = increment_and_instruction;
	switch (round) {
	case 1: wrong_micro.increment = increment_behind; break;
	case 2: wrong_micro.increment = increment_next; break;
	case 3: wrong_micro.increment = increment_twice; break;
	case 4: wrong_micro.increment = increment_and_more; break;
	case 5: wrong_micro.increment = increment_by_another; break;
	case 6: wrong_micro.set_byte = mark_behind; break;
	case 7: wrong_micro.add_to = add_to_behind; break;
	case 8: wrong_micro.add_to = add_another; break;
	case 9: wrong_micro.take_from = take_to; break;
	case 10: wrong_micro.set = set_another; break;
	case 11: wrong_micro.add = add_two; break;
	case 12: wrong_micro.subtract = subtract_other; break;
	case 13: wrong_micro.shift = shift_more; break;
	case 14: wrong_micro.restore_flags = keep_no_flags; break;
	case 15:
		wrong_micro.pop = pop_another;
		replace_pairs(NULL, pop_another_pair);
		break;
	case 16: wrong_micro.branch_unless_zero = branch_always; break;
	case 17: wrong_micro.call = call_nothing; break;
	case 18: wrong_micro.increment = increment_half; break;
	case 19: wrong_micro.increment = increment_in_steps; break;
	case 20: wrong_micro.increment = increment_elsewhere; break;
	case 21:
		wrong_micro.push = push_untold;
		wrong_micro.pop = pop_untold;
		wrong_micro.add = add_untold;
		replace_pairs(push_pair_untold, pop_pair_untold);
		break;
	case 22: wrong_micro.increment = increment_unlocked; break;
	case 23: wrong_micro.add_to = add_unlocked; break;
	case 24: wrong_target.syscall.number = never_forks; break;
	case 25: wrong_micro.increment = increment_anyhow; break;
	case 26: wrong_micro.increment = increment_of_others; break;
	case 27: wrong_micro.set_byte = mark_of_others; break;
	case 28: wrong_micro.add = add_nothing_to_stack; break;
	case 29: wrong_micro.save_flags = save_nothing; break;
	case 30: wrong_micro.move = move_another; break;
	case 31: wrong_micro.move = move_back; break;
	case 32:
		wrong_micro.push = push_another;
		replace_pairs(push_another_pair, NULL);
		break;
	case 33:
		wrong_micro.push = push_twice;
		replace_pairs(push_pair_twice, NULL);
		break;
	case 34: wrong_micro.set = set_nothing; break;
	case 35: wrong_micro.call = call_twice; break;
	case 36: wrong_micro.shift = shift_nothing; break;
	case 37: wrong_micro.carry = carry_to_next; break;
	case 38:
		if (right->branch_unless_wrapped)
			wrong_micro.branch_unless_wrapped = branch_by_another;
		break;
	}
}
/* In a process of its own, as what is wrong is fatal. */
static int in_child(int (*fn)(char **), char **argv)
{
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid)
		exit(fn(argv));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* Is the verifier told another thing of it? */
static bool is_told(const struct tool_body *b)
{
	return telling && b && (telling != TELL_OTHER_PLACE || b->nrel);
}

/* What is pasted is another routine than what the verifier is told. */
static void tell_another(struct tool_body *b)
{
	if (!is_told(b))
		return;
	if (telling == TELL_OTHER_CODE)
		b->byte[b->n - 1] ^= 1;
	else if (telling == TELL_OTHER_PLACE)
		b->rel[0].addend += 8;
	else if (telling == TELL_LESS)
		b->n--;
}

/* What a call refers to follows it in the file. */
static void write_more(const struct tool_call *call, FILE *f)
{
	if (call->body)
		fwrite(call->body, sizeof *call->body, 1, f);
	if (call->when) {
		fwrite(call->when, sizeof *call->when, 1, f);
		write_more(call->when, f);
	}
}

static void *read_one(bool is, size_t size, FILE *f)
{
	void *p = is ? calloc(1, size) : NULL;
	if (p && !fread(p, size, 1, f))
		fatal("a file of calls is too short");
	return p;
}

static void read_more(struct tool_call *call, FILE *f)
{
	struct tool_body *body = read_one(call->body, sizeof *body, f);
	call->body = body;
	tell_another(body);
	call->when = read_one(call->when, sizeof *call->when, f);
	if (call->when)
		read_more(call->when, f);
}

static void calls_file(const char *object, const char *mode, tool_call_vec *calls)
{
	char name[4096];
	struct tool_call call;
	snprintf(name, sizeof name, "%s.calls", object);
	FILE *f = fopen(name, mode);
	if (!f)
		fatal("cannot open %s", name);
	for (size_t i = 0; *mode == 'w' && i < calls->n; i++) {
		fwrite(&calls->v[i], sizeof call, 1, f);
		write_more(&calls->v[i], f);
	}
	while (*mode == 'r' && fread(&call, sizeof call, 1, f)) {
		read_more(&call, f);
		vec_push(calls, call);
	}
	fclose(f);
}

static int do_rewrite(char **argv)
{
	struct tool_use tool = {.name = "t", .options = "", .package = "t"};
	struct rewrite_options opt = {.mode = LDX_MODE_EDGES, .tool = &tool};
	struct arena a = {0};
	claim_vec claims = {0};
	struct stated stated = {0};
	tool_call_vec calls = {0};
	opt.claims = &claims;
	opt.stated = &stated;
	opt.calls = &calls;
	char linked[4096];
	snprintf(linked, sizeof linked, "%s.linked", argv[3]);
	tool.linked = linked;
	if (!strcmp(argv[1], "cover"))
		opt.mode = LDX_MODE_COVER;
	else if (!strcmp(argv[1], "every"))
		opt.mode = LDX_MODE_BLOCKS, opt.placement = PLACE_EVERY;
	else if (!strcmp(argv[1], "threads"))
		opt.counters = ACCESS_THREAD, opt.dynamic = opt.rows = true;
	else if (!strcmp(argv[1], "atomic"))
		opt.counters = ACCESS_ATOMIC, opt.dynamic = true;
	else if (!strcmp(argv[1], "edges"))
		opt.dynamic = true;
	else if (!strcmp(argv[1], "tool"))
		opt.mode = LDX_MODE_NONE, opt.ntools = 1;
	for (int k = 0; opt.ntools && k < ACCESS_KINDS; k++)
		tool.asks = argv[4], tool.routines[k] = argv[5];
	rewrite_object(&a, argv[2], argv[3], &opt);
	claims_write(argv[3], &claims);
	facts_write(argv[3], &stated);
	calls_file(argv[3], "w", &calls);
	for (size_t i = 0; i < calls.n; i++)
		if (is_told(calls.v[i].body) || (calls.v[i].when && is_told(calls.v[i].when->body)))
			used();
	return 0;
}

static int do_verify(char **argv)
{
	claim_vec claims = {0};
	struct stated stated = {0};
	tool_call_vec calls = {0};
	claims_read(argv[3], &claims);
	facts_read(argv[3], &stated);
	calls_file(argv[3], "r", &calls);
	wrong_target.syscall.number = right_target->syscall.number;
	struct verify_options opt = {.atomic = !strcmp(argv[1], "atomic"),
		.alone = target_steps(&wrong_target) && strcmp(argv[1], "atomic") != 0,
		.claims = &claims,
		.stated = &stated,
		.calls = &calls,
		.dwarf = lld_dwarf()};
	FILE *report = fopen("/dev/null", "w");
	return !verify_object(argv[2], argv[3], &opt, report);
}

/* Rounds whose wrong emitter writes bytes of x86-64. */
static bool has_bytes(int round)
{
	return round == 5 || (round >= 18 && round <= 20) || round == 16 ||
		(round >= FIRST_BEHIND && round < FIRST_TOOL);
}

/* Are there rows that tell where the stack pointer is?  What code does not tell shows there only.
 */
static bool has_rows(const struct object *o)
{
	for (uint32_t i = 1; i < o->sec.n; i++)
		if (!strcmp(o->sec.v[i].name, ".eh_frame"))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	int failures = 0;
	struct arena a = {0};
	if (argc != 4 && argc != 6)
		return 2;
	const struct object *o = object_read(&a, argv[2]);
	right_target = target_for(o);
	/* load LLVM for all children */
	right_target->decoder_free(right_target->decoder_new());
	lld_find(LDX_LLD_DIR);
	lld_dwarf();
	wrong_target = *right_target;
	right = wrong_target.micro;
	wrong_target.micro = &wrong_micro;
	uses = mmap(NULL, sizeof *uses, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (uses == MAP_FAILED)
		return 2;
	for (int round = 0; round < ROUNDS; round++) {
		if ((has_bytes(round) && wrong_target.machine != EM_X86_64) ||
			(round == 21 && !has_rows(o)) || (round >= FIRST_TOOL && argc == 4))
			continue;
		choose(round);
		*uses = 0;
		if (in_child(do_rewrite, argv)) {
			printf("round %d: the rewriter fails\n", round);
			failures++;
			continue;
		}
		bool changed = *uses, verifies = !in_child(do_verify, argv);
		if (verifies != !changed) {
			printf("round %d: %s\n", round, verifies ? "verifies" : "does not verify");
			failures++;
		}
		if (changed && !verifies)
			printf("found %d\n", round);
	}
	return failures != 0;
}
