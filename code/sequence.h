/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sequence.h - inserted code as sequences of a CPU's micro-operations
 *
 * Sequences that count, hold a counter in a register, or detect a new thread or process; the same
 * for every CPU, made of targets/micro.h.  Each appends to the code, and its claims (reloc/claim.h)
 * if they are wanted.  dead: the registers and flags that may be changed.
 */
#ifndef LDX_CODE_SEQUENCE_H
#define LDX_CODE_SEQUENCE_H

#include "targets/target.h"

/*
 * How a counter is incremented: the kinds in --ldx-stats.  DIRECT, FLAGS and SAVE: in memory by one
 * instruction, so that no signal handler can come in between; the latter two save the flags around
 * it, in a dead register or in one that is saved itself.  HELD: in a register.  STEPPED: by no
 * code, as an induction register of the program counts.
 */
enum count_kind { COUNT_DIRECT, COUNT_FLAGS, COUNT_SAVE, COUNT_HELD, COUNT_STEPPED, COUNT_KINDS };

/* The counter off bytes behind the first, for code that may change dead. */
struct counted {
	const struct counter_addressing *to;
	int64_t off;
	regset dead;
};

/* The kind that code_count() uses for it. */
enum count_kind code_count_kind(const struct target *t, const struct counted *at);

/*
 * Add 1 to the counter of 64 bits.  Live flags are saved in a register; a live register needed for
 * that is saved in a dead one, or else on the stack below the red zone.
 */
enum count_kind code_count(const struct target *t, struct code *c, const struct counted *at);

/*
 * The same, with dead flags, by register base, which set_base() has set for this counter, or one of
 * the same page: makes: the code sets it.  dead has more_regs other general registers.
 */
void code_count_by(const struct target *t, struct code *c, const struct counted *at, unsigned base,
	bool makes);

/* Set base for the counters in the page of this one; it needs one of dead if base_temp() says so.
 */
void code_base(const struct target *t, struct code *c, const struct counted *at, unsigned base);

/* Set the counter, a byte, to 1. */
void code_mark(const struct target *t, struct code *c, const struct counted *at);

/*
 * Add to, or mark, a tool's variable, which is addressed as if it were a counter.  What is live is
 * kept as code_count() keeps it.  id: the claim's.
 */
void code_variable(const struct target *t, struct code *c, const struct counted *at,
	const struct tool_call *asked, int64_t id);

/* An operation on a register that holds the counter. */
struct holding {
	struct counted counter;
	enum hold what;
	unsigned reg, by;
};

/*
 * reg may be in hold_vectors, but not for HOLD_FETCH.  HOLD_END and all after HOLD_FETCH need dead
 * flags; apart from reg, and hold_unit for vectors, the code changes only dead registers.  For a
 * vector, HOLD_BEGIN also sets hold_unit, and HOLD_END and all after HOLD_FETCH may overwrite it.
 * HOLD_STEP has no code.
 */
void code_hold(const struct target *t, struct code *c, const struct holding *h);

/*
 * At a function's entry, with dead flags: unless this thread's first cell holds its thread pointer,
 * call symbol hook, which preserves all registers.  With live flags, anywhere: always call it, and
 * the hook checks.
 */
void code_thread_check(const struct target *t, struct code *c, const struct counter_addressing *to,
	uint32_t hook, regset dead);

/*
 * Call symbol hook, which preserves all registers, if the system call just made returned 0, as in a
 * child process.  Other calls return 0, too: the hook checks.
 */
void code_fork_check(const struct target *t, struct code *c, uint32_t hook, regset dead);

/*
 * Call a tool's routine.  Live registers and flags that the call changes are saved on the stack
 * below the red zone; the stack is not aligned for it beyond what the place has.  id: the claim's.
 */
void code_call(const struct target *t, struct code *c, const struct tool_call *call, int64_t id,
	regset dead);

/* At a function's entry: jump to a tool's routine in place of the function.  id: the claim's. */
void code_lead(const struct target *t, struct code *c, const struct tool_call *call, int64_t id);

/*
 * Overwrite all registers of dead that micro-operations know, and those flags that they can change,
 * with values from a random number.  No memory is accessed.  A relocation of type NONE against
 * symbol mark, with the code's length as addend, marks the code.  It may be empty.
 */
void code_poison(const struct target *t, struct code *c, uint32_t mark, uint32_t random,
	regset dead);

#endif
