/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.h - what registers and the words of a function's frame hold, by abstract interpretation
 */
#ifndef LDX_PROGRAM_FRAMES_H
#define LDX_PROGRAM_FRAMES_H

#include "cfg/cfg.h"

enum what {
	ANYTHING,
	NUMBER,	  /* or an old handler: no address of another function */
	FRAME,	  /* the stack pointer at the function's start plus n bytes */
	NEAR,	  /* an address made from several such, of which n is the lowest */
	DATA,	  /* an address outside the frame */
	ARGUMENT, /* the value of register reg at the function's start plus n */
	CODE,	  /* the address of function n */
	SOME,	  /* a number, or the address of any function that this function takes */
};
struct value {
	uint8_t what, reg;
	int64_t n;
};
enum { REGS = 32, SLOTS = 24 };
struct state {
	struct value reg[REGS];
	struct {
		int64_t off;
		struct value value;
	} slot[SLOTS];
	unsigned nslot, word; /* bytes of a slot */
	bool reached;
	bool escapes; /* an address in the frame was passed on, stored or lost */
};

/* Registers in which a function may get arguments. */
static inline regset arguments(const struct target *t)
{
	return t->entry_live & t->call_clobbers & ~REGSET_FLAGS;
}

/* What a slot at this offset in the frame holds. */
struct value slot_value(const struct state *s, int64_t off);

/* An instruction: number i, or (NO_INSN) the second half of one. */
struct step_at {
	const struct cfg *g;
	const struct code_section *t;
	const struct insn *in;
	uint32_t i;
};
void step_describe(const struct step_at *at, struct operation *op);
void step_execute(const struct step_at *at, struct state *s);
/* The registers that the instruction reads, but in ways that states follow, and as addresses. */
regset step_lost(const struct step_at *at, const struct operation *op);
/* The address of a function that the instruction makes or loads; another value: it does neither. */
struct value step_taken(const struct step_at *at);

/*
 * The states at the starts of the blocks of function f, which the caller frees; NULL: it is opaque,
 * or too large.  Nothing is known where control may come from elsewhere.  whole: what is elsewhere,
 * such as the function's unlikely part, comes back with the frame that the block has otherwise.
 */
struct state *frame_states(const struct cfg *g, uint32_t f, bool whole);

/* May the last instruction of a block lead elsewhere? */
bool ends_in_transfer(const struct block *bl);

/*
 * Turn the state at the start of block b into that before its last instruction, if that leads
 * elsewhere, and behind what is in its delay slot.
 */
void frame_run(const struct cfg *g, uint32_t b, struct state *s);

#endif
