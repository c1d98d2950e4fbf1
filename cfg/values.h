/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.h - what registers and the words of a function's frame hold, by abstract interpretation
 *
 * A client says which kinds of values it asks for, and what holds where control enters a function.
 * values_walk() follows these values forward until nothing changes, and shows the client each
 * instruction with the state in front of it.  Values of kinds that are not
 * asked for are not made: then most instructions are passed over without a look at their operands.
 *
 * state.c: values and their joins; transfer.c: what instructions and calls make of them;
 * arithmetic.c: of numbers and labels of code; origins.c: of where addresses come from; values.c:
 * the walk over a function's blocks.
 */
#ifndef LDX_CFG_VALUES_H
#define LDX_CFG_VALUES_H

#include "cfg/blocks.h"

enum what {
	ANYTHING,
	NUMBER,	  /* or an old handler: no address of another function */
	FRAME,	  /* the stack pointer plus n, as it was where control came in: entry `base' */
	NEAR,	  /* an address made from several such, of which n is the lowest */
	STACK,	  /* made from the stack pointer, at a distance that is not known */
	DATA,	  /* an address outside the frame */
	ARGUMENT, /* the value of register reg at the function's start plus n */
	CODE,	  /* the address of function n */
	SOME,	  /* a number, or the address of any function that this function takes */
	LINK,	  /* perhaps the return address; n not 0: or what is computed from it */
	HIGH,	  /* the high half of an address, of relocation n or of others of the same page */
	RANGE,	  /* a number from lo to hi */
	LABEL,	  /* label n of code section base, plus a number from lo to hi: cfg/arithmetic.h */
	GOT_DISTANCE, /* the GOT's distance from a label */
	ORIGIN,	      /* from where it comes: cfg/origins.h */
	BOUND,	      /* a number of at most n, whose low half is at most base: cfg/bounds.h */
	COMPARED,     /* the same; and the flags compare reg bytes of it with lo */
	MADE,	      /* by instructions that the client counts: the set n; see makes() */
};
/* The flags of LABEL.  One without others is that label on all paths, or no label. */
enum {
	BOUNDED = 1,	   /* lo to hi are known, and added; RANGE: always */
	LABEL_SEVERAL = 2, /* one of the function's labels, unknown which: base and n are 0 */
	LABEL_WEAK = 4,	   /* perhaps a label: loaded, or computed from one otherwise */
	LABEL_SUM = 8,	   /* a number was added */
	LABEL_OTHERS = 16, /* with one that is not WEAK: or perhaps any other */
	LABEL_ENDS = 32,   /* the start of a function that never returns */
};

struct value {
	uint8_t what, reg, flags;
	uint32_t base;
	int64_t n;
	int32_t lo, hi;
};
/* A set of kinds. */
#define KIND(what) (1u << (what))
enum {
	KINDS_STACK = KIND(FRAME) | KIND(NEAR) | KIND(STACK),
	/* what a function may pass on: with its frame's words */
	KINDS_PASSED = KIND(NUMBER) | KIND(FRAME) | KIND(NEAR) | KIND(DATA) | KIND(ARGUMENT) |
		KIND(CODE) | KIND(SOME),
	/* those that instructions make from nothing */
	KINDS_MADE = KIND(NUMBER) | KIND(DATA) | KIND(CODE) | KIND(SOME) | KIND(RANGE) |
		KIND(LABEL) | KIND(GOT_DISTANCE) | KIND(ORIGIN) | KIND(BOUND) | KIND(COMPARED) |
		KIND(MADE) | KIND(HIGH),
	/* only from what an instruction names */
	KINDS_NAMED = KIND(LABEL) | KIND(GOT_DISTANCE) | KIND(HIGH),
	KINDS_OF_LABELS = KIND(RANGE) | KIND(LABEL) | KIND(GOT_DISTANCE),
};

/*
 * The entries that FRAME distinguishes.  From ENTRY_BLOCK on: the start of that block of the
 * function, where control comes from several with different ones.
 */
enum { ENTRY_FUNC, ENTRY_LOCAL, ENTRY_BLOCK };
/* The words of the frame that are followed: those to which nothing else has an address, or all. */
enum words { WORDS_NONE, WORDS_OF_COMPILER, WORDS_ALL };

enum { REGS = 32, SLOTS = 24 };
struct state {
	regset known; /* registers that hold something */
	struct value reg[REGS];
	struct {
		int64_t off;
		struct value value;
	} slot[SLOTS];
	unsigned nslot;
	uint32_t base; /* of FRAME: where the words' places count from */
	/* an address in the frame was passed on, stored or lost; or a word of MADE was lost */
	bool escapes;
};

/* The state at the start of a block: values in struct values, registers before words. */
struct start {
	uint32_t first, base;
	uint8_t nreg, nslot, room;
	bool reached, escapes, found;
	bool dead;  /* all branches to it lead elsewhere */
	bool waits; /* it is to be interpreted */
};
struct held {
	int64_t place; /* the number of a register, or the word's place in the frame */
	struct value value;
};

/* A word of the frame so far above the stack pointer: is it accessed by that alone? */
struct own_words {
	VEC(struct {
		int64_t at;
		bool own;
	})
	word;
};

struct values;
/* Instruction i, or a part of it: in. */
struct step_at {
	const struct values *v;
	const struct insn *in;
	uint32_t i, b; /* b: its block */
	bool leads;    /* it ends its block by a transfer: values_run() does not execute it */
};
/* What a client does with an instruction, and the state in front of it. */
typedef bool show_fn(void *ctx, const struct step_at *at, const struct state *s);
/*
 * May control come to block b otherwise than by edges of its function?  Then *s, of which nothing
 * is known, gets what holds there.  reached: by edges from what was entered before.
 */
typedef bool enter_fn(struct values *v, uint32_t b, bool reached, struct state *s);
/* The indirect jump at the end of block b leads with *s to those blocks for which this calls
 * values_pass().
 */
typedef void lead_fn(struct values *v, uint32_t b, const struct state *s);

/* In a set of MADE: or by other instructions.  Alone, this is ANYTHING. */
#define MADE_ELSE INT64_MIN
/* Those that the client counts for the instruction, which makes op->dst; 0: for none. */
typedef int64_t makes_fn(const struct step_at *at, const struct state *s,
	const struct operation *op);
/* Does register reg keep what is MADE over the call at the end of block b? */
typedef bool keeps_fn(const struct values *v, uint32_t b, int reg);
/* Control comes to the end of block b with *s. */
typedef void end_fn(const struct values *v, uint32_t b, const struct state *s);

/* The registers that a client asks for in front of instruction i, of block b: with ORIGIN, in front
 * of the last one only.
 */
typedef regset ask_fn(const struct values *v, uint32_t b, uint32_t i);
/* Those that matter to what it asks for: at the start of a block, and anywhere in it. */
struct asked {
	regset in, any, out;
	bool known; /* in, from out */
	bool ends;  /* a call there never returns */
};

/* The analysis of one function after the other.  The client sets the first members. */
struct values {
	const struct cfg *g;
	struct decoder *decoder;
	unsigned kinds; /* a set of enum what */
	unsigned needs; /* a state with none of these leads nowhere; 0: all do */
	enum words words;
	bool calls;	 /* follow the function's calls of its own labels, from there on */
	bool stores;	 /* words of memory may hold labels */
	bool tables;	 /* ORIGIN: what is loaded may be of a table */
	bool called;	 /* only what enter() says holds at the function's start */
	regset even;	 /* registers whose labels, as they are PASSED, are even */
	enter_fn *enter; /* or NULL: only by these calls */
	ask_fn *asks;	 /* or NULL: all; else words are followed only if they matter, too */
	lead_fn *lead;	 /* or NULL: indirect jumps lead nowhere */
	show_fn *seek;	 /* or NULL: see values_walk() */
	makes_fn *makes;
	keeps_fn *keeps;
	end_fn *end;	       /* or NULL */
	struct own_words *own; /* of owns_word(); or NULL: it owns none */
	void *ctx;

	/* of the current function */
	const struct func *f;
	const struct code_section *t;
	VEC(struct start) at; /* by block */
	VEC(struct held) held;
	VEC(uint64_t) todo;   /* a set: blocks of the function that are to be interpreted */
	uint32_t ntodo, next; /* how many; where to go on */
	block_vec unled;      /* where branches did not lead when they were interpreted */
	struct state now, old, skipped, edge;
	VEC(struct asked) asked; /* by block, if the client asks for some */
	bool asks_words;	 /* something of the frame is loaded, and matters */
};

/*
 * Finds the states at the starts of the blocks of function f.  Is there an instruction of which
 * seek() says so, by the states in the end?
 */
bool values_walk(struct values *v, uint32_t f);
/* The state at the start of block b; false: control does not come there. */
bool values_at(const struct values *v, uint32_t b, struct state *s);
/*
 * Turn the state at the start of block b into that before its last instruction, if that leads
 * elsewhere, but behind its second part.  show, or NULL, is asked in front of each part of an
 * instruction that may matter: did it say so of any?
 */
bool values_run(const struct values *v, uint32_t b, struct state *s, show_fn *show, void *ctx);

/* Control comes to block b with *s. */
void values_pass(struct values *v, uint32_t b, const struct state *s);
/* An indirect jump leads to all labels of its function whose address is taken. */
lead_fn lead_to_taken;

void values_free(struct values *v);

/* At the start of a function registers hold arguments; elsewhere nothing is known. */
enter_fn enter_with_arguments;

/* Is block b behind a call of itself?  Then it may pop its own address. */
static inline bool calls_itself(const struct values *v, uint32_t b)
{
	const struct block *before = &v->g->block.v[b] - 1;
	return b > v->t->block && before->end == END_CALL && before->target == b &&
		before->fall == b;
}
/* May the last instruction of a block lead elsewhere? */
bool ends_in_transfer(const struct block *bl);

/* state.c: the registers that hold values of this kind. */
regset state_holds(const struct state *s, enum what what);

/* asked.c: finds v->asked, and whether words are followed. */
void find_asked(struct values *v);
/* The registers that states at the start of block b, or (NO_BLOCK) elsewhere, hold. */
static inline regset asked_at(const struct values *v, uint32_t b)
{
	bool all = !v->asks || b == NO_BLOCK;
	regset sp = v->words != WORDS_NONE ? REG_BIT(v->g->target->stack_reg) : 0;
	return all ? ~(regset)0 : v->asked.v[b - v->f->block].in | sp;
}

/* frame.c: is the word so far above the stack pointer accessed by that alone in the function? */
bool owns_word(const struct values *v, int64_t disp);

/* Those of s: what is MADE is followed wherever it is. */
static inline regset followed(const struct values *v, uint32_t b, const struct state *s)
{
	regset set = asked_at(v, b);
	return s->known & (set | (v->makes && ~set ? state_holds(s, MADE) : 0));
}

/* state.c ---------------------------------------------------------------- */

static inline bool is_in_frame(struct value v)
{
	return v.what == FRAME || v.what == NEAR;
}
static inline bool is_constant_value(struct value v)
{
	return v.what == NUMBER || v.what == CODE || v.what == SOME;
}
static inline bool is_same_value(struct value a, struct value b)
{
	return a.what == b.what && a.reg == b.reg && a.flags == b.flags && a.base == b.base &&
		a.n == b.n && a.lo == b.lo && a.hi == b.hi;
}
static inline struct value unbounded(struct value v)
{
	v.flags &= (uint8_t)~BOUNDED;
	v.lo = v.hi = 0;
	return v;
}
/* One of the labels of the function. */
static inline struct value one_of_several(unsigned flags)
{
	return (struct value){LABEL, .flags = (uint8_t)(LABEL_SEVERAL | flags)};
}
/* No path is known to lead there. */
static inline bool is_from_nowhere(struct value v)
{
	return (v.what == ORIGIN || v.what == MADE) && !v.n;
}
static inline regset bit_of(int reg)
{
	return reg < 0 ? 0 : REG_BIT(reg);
}

/* Nothing is known. */
void state_clear(struct state *s);
void state_set(const struct values *v, struct state *s, int reg, struct value to);
/* What may be one or the other: of LABELs, at least one, that are not the same; of any values. */
struct value join_labels(struct value a, struct value b);
struct value join_values(const struct values *v, struct value a, struct value b);
/*
 * *to, at the start of block b or (NO_BLOCK) elsewhere, is joined with *from.  False: it has not
 * changed.
 */
bool state_join(const struct values *v, uint32_t b, struct state *to, const struct state *from);

/* Is it a value for whose sake a word of the frame is followed? */
bool is_followed_word(struct value v);
/* What the word at address at + off in the frame, which is a FRAME, holds. */
struct value slot_value(const struct state *s, struct value at, int64_t off);
void slot_set(const struct values *v, struct state *s, struct value at, int64_t off,
	struct value to);
/* Forget all words that overlap n bytes there. */
void slots_forget(const struct values *v, struct state *s, struct value at, int64_t off, int64_t n);
/* Forget those below the stack pointer, sp, and those of the caller. */
void slots_keep_own(struct state *s, int64_t sp);

static inline void step_describe(const struct step_at *at, struct operation *op)
{
	at->v->g->target->describe(at->v->decoder, insn_bytes(at->v->t, at->in), at->in, op);
}

/* transfer.c ------------------------------------------------------------- */

void step_execute(const struct step_at *at, struct state *s);
/* The call at the end of a block. */
void step_over_call(const struct values *v, const struct block *bl, struct state *s);
/* The registers that the instruction reads, but in ways that states follow, and as addresses. */
regset step_lost(const struct step_at *at, const struct operation *op);
/* The address of a function that the instruction makes or loads; another value: it does neither. */
struct value step_taken(const struct step_at *at);

/* Registers in which a function may get arguments. */
static inline regset arguments(const struct target *t)
{
	return t->abi.entry_live & t->abi.call_clobbers & REGSET_GENERAL;
}

#endif
