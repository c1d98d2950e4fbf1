/* SPDX-License-Identifier: Apache-2.0 */
/* part.h - the instructions of a routine that is pasted, split into their operands; see part.c */
#ifndef LDX_TARGETS_X86_64_PART_H
#define LDX_TARGETS_X86_64_PART_H

#include "targets/x86_64/x86_64.h"

enum { PARTS = 40, NO_REG = -1 };

/* What is known of a register or a field. */
enum known {
	UNKNOWN,
	NUMBER,
	ABSOLUTE, /* the address of sym, of 31 bits, + n */
	RELATIVE, /* the address of sym, as code is relative to it, + n */
};
struct value {
	uint8_t known;
	uint32_t sym, type; /* type: of the relocation; 0: any */
	int64_t n;
};

/* An instruction.  Registers are numbers, or NO_REG. */
struct part {
	uint8_t prefix[4], nprefix; /* without REX */
	bool two;		    /* opcodes behind 0f */
	uint8_t op, size;	    /* size: of its operands, in bytes */
	bool wide;		    /* REX.W */
	bool byte_reg, byte_rm;	    /* operands of one byte */
	bool modrm, extends;	    /* reg is part of the opcode */
	bool memory;
	int8_t reg, rm, base, index, low; /* low: in the opcode's low bits */
	uint8_t scale;			  /* 2^scale */
	struct value disp, imm;
	uint8_t imm_size;
	bool jumps; /* a branch, with the opcode of its short form */
	uint8_t to; /* the number of the part that it leads to, which is behind it */
};

struct parts {
	struct part v[PARTS];
	unsigned n;
};

static inline bool is_alu(uint8_t op)
{
	return op < 0x40 && (op & 7) < 4;
}

/* A part without operands. */
extern const struct part x86_no_operands;

/* False: there are instructions that are not simple, or too many. */
bool x86_read_parts(const struct tool_body *b, struct parts *to);
bool x86_write_parts(const struct parts *from, struct tool_body *b);
/* named: registers that its operands name. */
void x86_part_effects(const struct part *p, struct effects *e, regset *named);
/*
 * What may be read before it is written: in front of each part, and behind all of them, which is
 * given.  Branches read all flags.
 */
void x86_find_live(const struct parts *parts, regset live[PARTS + 1]);
/* to: by the number that a part had, the one that it has; of one that is gone, that of the next. */
void x86_lead_branches(struct parts *parts, const uint8_t *to);
/* to: by what it has in place of registers. */
void x86_rename_part(struct part *p, const uint8_t *to);

#endif
