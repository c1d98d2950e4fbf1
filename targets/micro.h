/* SPDX-License-Identifier: Apache-2.0 */
/*
 * micro.h - a CPU's micro-operations, which inserted code is made of
 *
 * Each appends the instructions of one step, a single one if the CPU has it.  code/ makes sequences
 * of them, and knows no CPU.  A step changes its result and may change any register or flag in dead
 * or temps; one without dead may change the flags that a call may change.  Vector registers are
 * recognised by their numbers.  Steps record moves of the stack pointer in the code.
 */
#ifndef LDX_TARGETS_MICRO_H
#define LDX_TARGETS_MICRO_H

#include "targets/body.h"
#include "targets/code.h"
#include "targets/insn.h"
#include "targets/operand.h"

struct condition;
struct micro {
	/* facts */
	regset count_flags; /* flags that increment() always changes; none on a CPU without flags */
	regset add_flags;   /* those that add_number(), add_to() and count_byte() change */
	regset test_flags;  /* those that branch_if_zero() changes */
	regset flag_holders; /* registers that save_flags() can put flags in */
	regset base_regs;    /* registers that thread_pointer() can load */
	/* number of temporary registers that a step on a counter needs */
	uint8_t memory_regs[ACCESS_KINDS];
	uint8_t count_regs[ACCESS_KINDS]; /* the same of increment() alone */
	uint8_t byte_regs;		  /* the same of count_byte() */
	int32_t add_least, add_most;	  /* the numbers of add_number() */
	regset hold_vectors;		  /* vector registers that can hold counters */
	regset hold_unit;		  /* the register with their increment */
	regset vectors;			  /* those that scramble() can overwrite */
	/*
	 * high(a) = (a + base_bias) >> base_bits << base_bits, the high part of a counter's
	 * address.  base_bits >= 12: counters of a page of 4096 bytes, which begins base_bias %
	 * 4096 in front of a multiple of 4096 from the first one, have the same.  0: addresses of
	 * counters have no such parts.
	 */
	uint16_t base_bias;
	uint8_t base_bits;
	int32_t red_zone; /* bytes below the stack pointer that a leaf function may use */
	uint8_t slot;	  /* bytes of the stack that push() takes */
	/* what enter() may change besides, and any function that is entered; what address() may */
	regset enter_changes, address_changes;

	/* Registers.  set: n is 0, or -1 for vectors.  shift: arithmetic, to the right. */
	void (*set)(struct code *c, unsigned reg, int32_t n, regset dead);
	void (*move)(struct code *c, unsigned to, unsigned from); /* changes no flags */
	void (*add)(struct code *c, unsigned reg, int32_t n, regset dead);
	void (*subtract)(struct code *c, unsigned reg, unsigned by);
	void (*shift)(struct code *c, unsigned reg, unsigned by);
	void (*push)(struct code *c, unsigned reg); /* changes no flags */
	void (*pop)(struct code *c, unsigned reg);  /* changes no flags */
	/* The same of two in one slot; NULL: they are pushed one by one. */
	void (*push_pair)(struct code *c, unsigned reg, unsigned second);
	void (*pop_pair)(struct code *c, unsigned reg, unsigned second);

	/*
	 * reg = n; the address of symbol sym + n; the word at stack pointer + off; stack pointer +
	 * off.  They change no flags.
	 */
	void (*constant)(struct code *c, unsigned reg, uint64_t n);
	void (*address)(struct code *c, unsigned reg, uint32_t sym, int64_t n);
	void (*from_stack)(struct code *c, unsigned reg, int32_t off);
	void (*stack_plus)(struct code *c, unsigned reg, int32_t off);

	/*
	 * reg = an operand's address, which code/operand.h has made; spare is another register,
	 * which it may change, if the operand says so.  They change no flags.  operand_reloc: sets
	 * the relocation that operand() needs in place of the instruction's own one; returns NULL,
	 * or why it cannot.
	 */
	void (*operand)(struct code *c, unsigned reg, const struct address *o, unsigned spare);
	const char *(*operand_reloc)(struct address *o);

	/*
	 * reg = the low bytes of a register, without sign.  condition: reg = 1 if it holds, 0 if
	 * not; its registers are read first, and flags are as they were.  False: it cannot.  They
	 * change no flags.
	 */
	void (*low_bytes)(struct code *c, unsigned reg, unsigned from, unsigned size);
	bool (*condition)(struct code *c, unsigned reg, const struct condition *condition);

	/*
	 * NULL: routines are pasted as they are.  fold_body: the same with arguments that are
	 * numbers; reg: the registers of arguments; result: the one that is read behind it, or -1.
	 * shrink_body: the same in fewer registers; those it reads from outside stay, and nothing
	 * else is put into kept ones; result as before, but it may change.
	 * rename_body: the same in registers to[], by register.  They are false for bodies of which
	 * not all is known.  See targets/body.h.
	 */
	bool (*fold_body)(const struct tool_body *b, const struct call_arg *arg, unsigned nargs,
		const uint8_t *reg, int result, struct tool_body *out);
	bool (*shrink_body)(const struct tool_body *b, regset kept, int *result,
		struct tool_body *out);
	bool (*body_uses)(const struct tool_body *b, struct body_uses *to);
	bool (*rename_body)(const struct tool_body *b, const uint8_t *to, struct tool_body *out);

	/*
	 * What routines may change that is in no set of registers: does the instruction of len
	 * bytes at p change it?  Push it, by way of reg, in rest_slots slots, and pop it again.
	 * NULL: there is none.
	 */
	bool (*changes_rest)(const uint8_t *p, unsigned len);
	void (*push_rest)(struct code *c, unsigned reg);
	void (*pop_rest)(struct code *c, unsigned reg);
	uint8_t rest_slots;

	/*
	 * For routines with floating point or vectors.  push_vectors: save these registers, of
	 * vector_bytes each, and the float_words words of the control and status of floating point,
	 * which become float_begins[], as when a program begins; it may change reg if
	 * float_regs.  In between the stack pointer is vectors_size() lower.  paired: two registers
	 * of 32 bits may be one of 64, and then the second has none of its own that routines
	 * change.  They change no flags.
	 */
	void (*push_vectors)(struct code *c, regset vectors, unsigned reg);
	void (*pop_vectors)(struct code *c, regset vectors, unsigned reg);
	int32_t (*vectors_size)(regset vectors);
	uint64_t float_begins[2];
	uint8_t float_words, float_regs, vector_bytes;
	bool paired;

	/*
	 * Why no routine may have the instruction at p, though it declares vectors; NULL: it
	 * may.  keeps_more: does the function with this instruction, or with this symbol (its
	 * st_other), use more of vector registers than push_vectors() keeps, and routines change?
	 * NULL: there is no such thing.
	 */
	const char *(*unfit)(const uint8_t *p, const struct insn *in);
	bool (*keeps_more)(const uint8_t *p);
	uint8_t keeps_more_other;

	/*
	 * The counter off bytes behind the first: += 1; += n; += reg; -= reg.  set_byte: its first
	 * byte = 1, changing no flags, as plain as branch_if_equal().  temps contain at least as
	 * many registers as memory_regs says, and not reg; dead of increment() as many as
	 * count_regs says.
	 */
	void (*increment)(struct code *c, const struct counter_addressing *to, int64_t off,
		regset dead);
	void (*add_number)(struct code *c, const struct counter_addressing *to, int64_t off,
		int32_t n, regset temps);
	void (*add_to)(struct code *c, const struct counter_addressing *to, int64_t off,
		unsigned reg, regset temps);
	void (*take_from)(struct code *c, const struct counter_addressing *to, int64_t off,
		unsigned reg, regset temps);
	void (*set_byte)(struct code *c, const struct counter_addressing *to, int64_t off,
		regset temps);
	/* The byte off bytes behind sym += 1; of 255 comes 1.  Never atomic. */
	void (*count_byte)(struct code *c, const struct counter_addressing *to, int64_t off,
		regset temps);

	/*
	 * Set reg to the high part of the address of the counter off bytes behind the first, for
	 * increment() with to->base: see base_bits; with to->row, to the word of its page, or what
	 * would be the word.  alone: no increment() of this counter follows at once.  temps: it
	 * may change one of these if base_temp() says so.  NULL:
	 * increments need no such register.  base_pic: in code that
	 * may be loaded at any address, too.
	 */
	void (*set_base)(struct code *c, const struct counter_addressing *to, int64_t off,
		unsigned reg, bool alone, regset temps);
	bool base_pic;
	/*
	 * Counters may be a thread's own by to->row if no word of it is farther from the thread
	 * pointer than row_most (0: never); up to row_near they are in reach of one instruction.
	 * Increments reach a page of 1 << row_bits bytes from row_bias bytes behind its start.
	 * row_temps: registers that the address of a page without a word takes besides.  row_brief:
	 * the load of a word is shorter than an address that is not known when linking.
	 */
	uint32_t row_near, row_most;
	uint16_t row_bias;
	uint8_t row_bits, row_temps;
	bool row_brief;
	uint8_t more_regs[ACCESS_KINDS]; /* that increment() needs besides to->base */

	/*
	 * NULL: a register has all bits of a counter.  Otherwise it has the low ones, which wrap,
	 * so that induction variables do not count: a forward branch unless reg is 0, and += 1 of
	 * the bits above it.
	 */
	uint32_t (*branch_unless_wrapped)(struct code *c, unsigned reg);
	void (*carry)(struct code *c, const struct counter_addressing *to, int64_t off,
		regset temps);

	/*
	 * Save to reg, one of flag_holders, and restore: the flags that increment() changes and
	 * that are not dead.  In between, increment() without flags in dead changes no others.
	 */
	void (*save_flags)(struct code *c, unsigned reg, regset dead);
	void (*restore_flags)(struct code *c, unsigned reg, regset dead);

	/*
	 * Control.  enter: call symbol sym.  call: the same, saving enter_changes on the stack.
	 * lead: jump to symbol sym, however far it is, as a call of it would; may change
	 * lead_changes.  jump: over the next n bytes.  landing: the instruction that an indirect
	 * target begins with; NULL: no other can take the place of one.
	 */
	void (*enter)(struct code *c, uint32_t sym);
	void (*call)(struct code *c, uint32_t sym);
	void (*lead)(struct code *c, uint32_t sym);
	regset lead_changes;
	void (*jump)(struct code *c, uint32_t n);
	void (*landing)(struct code *c);

	/*
	 * Forward branches: if the system call just made did not return 0; if reg is 0, changing
	 * test_flags; if reg equals the counter off bytes behind the first.  land() sets the
	 * returned branch's target to the current end of the code, which is near but for
	 * branch_if_zero().
	 */
	uint32_t (*branch_unless_zero)(struct code *c, regset dead);
	uint32_t (*branch_if_zero)(struct code *c, unsigned reg);
	uint32_t (*branch_if_equal)(struct code *c, unsigned reg,
		const struct counter_addressing *to, int64_t off, regset temps);
	void (*land)(struct code *c, uint32_t branch);

	/* reg = the thread pointer; reg is one of base_regs. */
	void (*thread_pointer)(struct code *c, unsigned reg);

	/*
	 * Overwrite reg, changing no flags; overwrite flags of dead, and perhaps registers of dead.
	 * The values depend on a random number.  No memory is accessed.
	 */
	void (*scramble)(struct code *c, unsigned reg, uint32_t random);
	void (*scramble_flags)(struct code *c, uint32_t random, regset dead);
};

/* The word of to->row by which the counter off bytes behind the first is addressed. */
static inline uint32_t row_word(const struct micro *m, const struct counter_addressing *to,
	int64_t off)
{
	uint64_t page = (uint64_t)off >> m->row_bits;
	return page < to->row_words ? (uint32_t)page : to->row_words - 1u;
}

/* Needs set_base() another register? */
static inline bool base_temp(const struct micro *m, const struct counter_addressing *to,
	int64_t off)
{
	return to->row && m->row_temps && (uint64_t)off >> m->row_bits >= to->row_words;
}

#endif
