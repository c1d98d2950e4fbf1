/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.h - the rewriter's claims: place and purpose of each piece of inserted code
 *
 * The verifier does not search for inserted code.  It does not trust the claims either: it executes
 * the code that each one names, and checks that it does what is claimed (verify/prove.c).
 */
#ifndef LDX_RELOC_CLAIM_H
#define LDX_RELOC_CLAIM_H

#include "base/base.h"

enum claim_kind {
	CLAIM_COUNT,   /* the counter is incremented, or marked */
	CLAIM_HELD,    /* changes a register that holds a counter: enum hold */
	CLAIM_FORK,    /* calls the hook when the system call just made returned 0 */
	CLAIM_THREAD,  /* calls the hook unless this thread has counters of its own */
	CLAIM_SKIP,    /* jumps over inserted code */
	CLAIM_LANDING, /* a landing instruction for an indirect target, in front of an old one */
	CLAIM_POISON,  /* overwrites dead registers */
	CLAIM_BASE,    /* sets the register base */
	CLAIM_LEAVE,   /* jumps to where the branch in front of the inserted code leads */
	CLAIM_CALL,  /* what a tool has asked for: counter is the number of its struct tool_call */
	CLAIM_RELAY, /* jumps to where branches that lead through it led */
};
enum { CLAIM_KINDS = CLAIM_RELAY + 1 };

/* The effect on register reg, which holds a counter; by: another register, or a number. */
enum hold {
	HOLD_BEGIN = 1, /* set to 0 */
	HOLD_COUNT,	/* incremented */
	HOLD_END,	/* reg is added to the counter in memory */
	HOLD_FOLLOW,	/* reg = by: from here the program's own induction register counts */
	HOLD_STEP,	/* no code: the next instruction steps the induction register */
	HOLD_FETCH,	/* reg = by, which held it so far */
	HOLD_DISTANCE, /* reg -= by: minus the change of the induction register since HOLD_FOLLOW */
	HOLD_DIVIDE,   /* reg /= 2^by, exactly */
	HOLD_END_LESS, /* reg is subtracted from the counter in memory */
};
enum { HOLDS = HOLD_END_LESS + 1 };

/* What a tool's routine is given in an argument: a word. */
enum gives {
	GIVES_NUMBER,
	GIVES_REGISTER, /* reg, as it is in front of the inserted code */
	GIVES_STACK,	/* the stack pointer + number, likewise */
	GIVES_ADDRESS,	/* of symbol sym + number */
	GIVES_ACCESS,	/* the address of access reg of the instruction `of' */
	GIVES_LENGTH,	/* its length in bytes */
	GIVES_VALUE,	/* what it stores; what it has loaded, behind it: size bytes */
	GIVES_TAKEN,	/* 1 if the branch `of' will be taken, else 0 */
	GIVES_COMPARED, /* value reg of those that it compares: size bytes */
	GIVES_DELAYED,	/* what the delay slot of the branch `of' puts into reg */
	GIVES_TARGET,	/* where the indirect branch `of' leads */
	GIVES_RETURN,	/* at a function's entry: where it returns to */
	GIVES_PLACE,	/* of offset number of section sym of the original object */
};
struct address;
struct condition;
struct call_arg {
	uint8_t gives; /* enum gives */
	uint8_t reg;
	uint8_t from, size;
	bool exact; /* GIVES_PLACE: of the very instruction there, else of what may be called */
	/* What it is made of, for the rewriter only: an address, a register or a condition. */
	const struct address *operand;
	const struct condition *condition;
	uint32_t sym;
	int64_t number;
};

/* A routine that is pasted instead of called: its code, without its return. */
enum { BODY_BYTES = 192, BODY_RELOCS = 16 };
enum { BODY_BRANCHES = 4 }; /* at most, of one that is made for its place: see targets/body.h */
struct body_reloc {
	uint32_t off, type, sym; /* of the program's object */
	int64_t addend;
};
struct tool_body {
	uint8_t n, nrel;
	uint8_t byte[BODY_BYTES];
	struct body_reloc rel[BODY_RELOCS];
};

/* What a tool asks for in front of offset off of section sec of the original object. */
enum { CALL_ARGS = 4 };
enum does {
	DOES_CALL, /* calls a routine */
	DOES_LEAD, /* leads to one in place of the function there, with RUNS_REPLACED */
	DOES_ADD, /* adds number, which may be negative, to the word of 64 bits at bytes behind sym,
		     a variable */
	DOES_MARK,	 /* sets the byte there to 1 */
	DOES_COUNT_BYTE, /* adds 1 to the byte there; 255 becomes 1.  All threads have the same */
};
/* What a routine may change that is in no set of registers: see targets/micro.h. */
enum rest {
	REST_PRODUCTS = 1, /* where multiplications and divisions leave their results */
	REST_FLOAT = 2,	   /* the control and status of floating point */
};
struct tool_call {
	uint8_t does;
	uint32_t sec, off;
	uint32_t of;	 /* the offset of the instruction that arguments are of */
	uint8_t runs;	 /* enum runners: reloc/frag.h */
	uint32_t end;	 /* of an edge: where the code of the block that it leaves ends */
	uint32_t sym;	 /* the routine, or the variable */
	uint8_t landing; /* bytes that it begins with for indirect calls, which are left out */
	int64_t at;	 /* of a variable: from its start */
	int64_t number;
	uint32_t original; /* DOES_LEAD: by which the routine calls the function; 0: it does not */
	uint8_t nargs;
	struct call_arg arg[CALL_ARGS];
	__extension__ unsigned __int128 changes; /* regset: what the routine may change */
	const struct tool_body *body;		 /* pasted; NULL: the routine is called */
	struct tool_call *when; /* a pasted routine that returns 0 if none of this shall be done */
	uint8_t rest;		/* and also what is in no regset: enum rest */
};
typedef VEC(struct tool_call) tool_call_vec;

/* Calls of a function that is not in the object lead to a tool's routine. */
struct redirect {
	uint32_t from, to; /* symbols */
};
typedef VEC(struct redirect) redirect_vec;

struct claim {
	uint32_t sec;	    /* of the original object */
	uint32_t at, len;   /* in the rewritten section */
	int64_t counter;    /* offset of its counter from the first one, in bytes */
	uint8_t kind, hold; /* enum claim_kind, enum hold */
	uint8_t reg, by;    /* CLAIM_HELD; reg: CLAIM_CALL, too */
	/*
	 * CLAIM_COUNT, CLAIM_BASE: 1 + the register that has the high part of the counter's address
	 * (set_base() of targets/micro.h), 0: none; does the code set it?
	 */
	uint8_t base;
	bool makes;
	bool plain; /* no handler counts there: see struct plan's reentered */
	/*
	 * CLAIM_CALL: where a predicate that is made for this place ends, behind at, and its result
	 * is in reg; 0: none is.
	 */
	uint16_t asked;
};
typedef VEC(struct claim) claim_vec;

#endif
