/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access.h - what an instruction does to memory, and where control goes behind it
 *
 * A target describes an instruction completely or not at all: what it loads and stores, also by
 * operands that it does not name, on which condition it branches, and where to.  What it does to
 * registers is said by its effects (targets/insn.h); struct operation says what it computes.
 *
 * Units are bytes.  Registers have their numbers in a regset, -1: none, or one that is always zero.
 * All values are those in front of the action; addresses are sums modulo 2^64, or of 32 bits where
 * the target's words have these.  What a relocation puts into an instruction is not in its bytes:
 * there the displacement, the distance or the constant is not the one that the program will have.
 *
 * Sources: Intel SDM, volume 2; Arm ARM, C3.2 and C6.2; The RISC-V Instruction Set Manual, volume
 * I; MIPS32 Architecture for Programmers, volume II-A (MD00086) and MIPS64's (MD00087).
 */
#ifndef LDX_TARGETS_ACCESS_H
#define LDX_TARGETS_ACCESS_H

#include "targets/insn.h"

/* What is added to an address besides. */
enum segment { SEGMENT_NONE, SEGMENT_FS, SEGMENT_GS };

/* Which bytes of memory, if the address is A. */
enum span {
	SPAN_FROM,   /* size bytes from A on */
	SPAN_AROUND, /* size bytes from A rounded down to a multiple of size */
	SPAN_UP,     /* from A to the end of these */
	SPAN_DOWN,   /* from the start of these to A, which is one of them */
};

/* Where a stored value comes from, or a loaded one goes to. */
enum value_kind {
	VALUE_OTHER,  /* neither of these: it is computed, or there are several */
	VALUE_REG,    /* the low bytes of register value */
	VALUE_HIGH,   /* bits 15 to 8 of it */
	VALUE_VECTOR, /* the low bytes of vector or floating-point register value */
	VALUE_CONST,  /* a store of constant */
};

/* The rest of the register that a value is loaded to. */
enum extend {
	EXTEND_ZERO,
	EXTEND_SIGN,
	EXTEND_SIGN_32, /* the sign up to bit 31, zeros from there on */
	EXTEND_KEEP,	/* the register's own; VALUE_VECTOR: not said */
};

/* Which of an access's elements are accessed. */
enum mask {
	MASK_NONE,
	MASK_BITS, /* element i: bit i of mask register mask */
	MASK_SIGN, /* the highest bit of element i of vector register mask */
	MASK_PACK, /* as many from the first one on as the low bits of mask register mask are set */
};

/*
 * Memory at base + (the low index_size bytes of index) * scale + disp + the instruction's own
 * address (pc_rel) + the base of a segment.
 */
struct access {
	uint16_t size;	  /* of an element; 0: as many as the CPU says */
	uint8_t elements; /* that follow one another; 1: the usual case */
	bool reads, writes;
	bool perhaps;  /* it writes only if memory, or what the CPU watches, lets it; or not all */
	bool implicit; /* not by an operand that the instruction names: the stack, strings */
	int8_t base, index;
	uint8_t scale, index_size;
	bool index_sext; /* else zero-extended */
	bool pc_rel;
	bool low; /* only 32 bits of the sum count, in front of the segment's base */
	uint8_t segment, span;
	/*
	 * For each element another one: index is vector register lanes, of which each has
	 * index_size bytes; -1: it is not.
	 */
	int8_t lanes;
	uint8_t mask_kind;
	int8_t mask;
	uint8_t value_kind, extend;
	int8_t value;
	uint8_t disp_off, disp_size; /* of the displacement in x86's instruction; size 0: none */
	int64_t disp;
	int64_t constant;
};

/* Two values are compared.  Those of 4 bytes are the low halves of registers. */
enum relation {
	RELATION_NONE, /* it holds */
	RELATION_EQ,
	RELATION_NE,
	RELATION_LT, /* with signs */
	RELATION_GE,
	RELATION_LE,
	RELATION_GT,
	RELATION_LTU,
	RELATION_GEU,
	RELATION_BIT,	   /* bit `with' of a is 1 */
	RELATION_NO_BIT,   /* it is 0 */
	RELATION_FP_TRUE,  /* MIPS: floating-point condition `with' is 1 */
	RELATION_FP_FALSE, /* it is 0 */
};

/* A condition: both the relation and what is said of flags hold. */
struct condition {
	uint8_t relation;
	uint8_t size;
	int8_t a, b; /* compared: a with b, or if that is none, with `with' */
	int64_t with;
	/*
	 * Any flag of set is set, any of clear is clear, or the two of differ are not the same;
	 * negated: none of these.  All empty: nothing is said of flags.
	 */
	regset set, clear, differ;
	bool negated;
};

/*
 * Two values of size bytes, 0: none.  Of each: a register; COMPARES_NUMBER: `with';
 * COMPARES_MEMORY: what the first access loads.  part: only so many bytes of the second one count,
 * without sign; 0: all.  imm_off: of the number in x86's instruction.
 */
enum { COMPARES_NUMBER = -1, COMPARES_MEMORY = -2 };
struct comparison {
	uint8_t size, part;
	int8_t value[2];
	uint8_t imm_off;
	int64_t with;
};

enum leads {
	LEADS_ON,	/* to the next instruction */
	LEADS_DIRECT,	/* to the instruction's own address + distance */
	LEADS_REGION,	/* to its delay slot's address, the low 28 bits replaced by distance */
	LEADS_REGISTER, /* to reg + distance */
	LEADS_MEMORY,	/* to what the first access loads */
	LEADS_AWAY,	/* to the kernel, or a handler: of its accesses nothing is said */
};

enum rounds {
	ROUNDS_ONE,
	ROUNDS_COUNT,	  /* as many as register `count' says, which counts down to zero */
	ROUNDS_EQUAL,	  /* at most so many: to the first one that finds a difference */
	ROUNDS_DIFFERENT, /* likewise, to the first one that finds none */
};

enum { ACCESSES = 2, ACTIONS = 2 };

/* What a part of an instruction does: see insn_parts(). */
struct action {
	struct access access[ACCESSES]; /* in their order */
	uint8_t naccess;
	uint8_t at; /* the offset of its part in the instruction */

	/*
	 * All accesses are repeated, each behind that of the round before (or, if the direction
	 * flag is set, in front of it).
	 */
	uint8_t rounds;
	int8_t count;

	/* Control goes there if condition holds, else to the next instruction. */
	uint8_t leads;
	int8_t reg;
	bool even; /* bit 0 of the address does not count */
	int64_t distance;
	struct condition condition;
	struct comparison compares; /* by flags, which it sets and does nothing else */
	int8_t link; /* a call: the register that receives the address behind it; -1: none does */
	bool calls, returns;
	bool if_taken; /* it is executed only if the branch in front of it is taken */
};

/* An action that does nothing, and an access that is none yet. */
extern const struct action action_none;
extern const struct access access_none;

/* What it compares, by flags or to branch. */
struct comparison action_compares(const struct action *a, unsigned word);
/* How many bytes of value n count. */
static inline unsigned compares_bytes(const struct comparison *c, unsigned n)
{
	return n && c->part ? c->part : c->size;
}

/* Append an access; returns it. */
struct access *action_add(struct action *a, struct access access);

#endif
