/* SPDX-License-Identifier: Apache-2.0 */
/*
 * insn.h - an instruction as a target's decoder describes it
 */
#ifndef LDX_TARGETS_INSN_H
#define LDX_TARGETS_INSN_H

#include "base/base.h"

/*
 * A set of registers and flags.  Bits 0..31: general registers by hardware number.  Bits 32..63:
 * vector or floating-point registers by theirs.  Bits 64..95: condition flags, numbered by the
 * target.
 */
__extension__ typedef unsigned __int128 regset;
enum { REG_VECTOR = 32, REG_FLAG = 64, REGSET_BITS = 128 };
#define REG_BIT(n) ((regset)1 << (n))
#define REGSET_GENERAL ((regset)0xffffffff)
#define REGSET_VECTORS (REGSET_GENERAL << REG_VECTOR)
#define REGSET_FLAGS (REGSET_GENERAL << REG_FLAG)

/* The lowest and the highest of a set that is not empty. */
static inline unsigned lowest_reg(regset set)
{
	uint64_t low = (uint64_t)set;
	return low ? (unsigned)__builtin_ctzll(low)
		   : REG_FLAG + (unsigned)__builtin_ctzll((uint64_t)(set >> REG_FLAG));
}
static inline unsigned highest_reg(regset set)
{
	uint64_t high = (uint64_t)(set >> REG_FLAG);
	return high ? REGSET_BITS - 1 - (unsigned)__builtin_clzll(high)
		    : REG_FLAG - 1 - (unsigned)__builtin_clzll((uint64_t)set);
}
static inline unsigned count_regs(regset set)
{
	return (unsigned)__builtin_popcountll((uint64_t)set) +
		(unsigned)__builtin_popcountll((uint64_t)(set >> REG_FLAG));
}

enum insn_kind {
	INSN_OTHER,
	INSN_NOP,    /* does nothing, any length: may be padding */
	INSN_JUMP,   /* direct, unconditional */
	INSN_BRANCH, /* direct, conditional */
	INSN_CALL,   /* direct */
	INSN_JUMP_IND,
	INSN_CALL_IND,
	INSN_RET,
	INSN_TRAP, /* control never continues behind it: ud2; or (INSN_VAGUE) perhaps: int3 */
	INSN_SYSCALL,
	INSN_XBEGIN, /* direct branch to an abort handler, or continues */
};
enum { INSN_KINDS = INSN_XBEGIN + 1 };

enum insn_flags {
	INSN_MEM = 1,	      /* may fault: touches memory, divides, is privileged */
	INSN_LANDING = 2,     /* must stay first at an indirect target: endbr64, bti */
	INSN_SHORT_ONLY = 4,  /* a branch with no long form of its own: jrcxz, tbz, beql */
	INSN_LOCK_SPLIT = 8,  /* a branch may enter it behind its lock prefix (one byte) */
	INSN_VAGUE = 16,      /* reads/writes are not known: treat all as read, none written */
	INSN_OPERAND_PC = 32, /* its pc-relative field is a data operand, not a branch */
	INSN_GLUED = 64,      /* nothing may be inserted before it (TLS sequences) */
	/*
	 * Uses the register by which ACCESS_THREAD finds a thread's counters; where there is none,
	 * writes the thread pointer.
	 */
	INSN_THREAD_BASE = 128,
};

/* ldxr, ll, lr and the like; and the stores that succeed only if nothing came between. */
enum exclusive { EXCLUSIVE_NOT, EXCLUSIVE_LOAD, EXCLUSIVE_STORE };

/*
 * One of two instructions that load reg from the bytes from base + at on, which are not aligned:
 * the bytes on the left of the register, or the others.  It keeps the other's bytes.
 */
struct load_part {
	uint8_t reg, base, bytes;
	bool left;
	int32_t at;
};

/* How an instruction uses registers and flags. */
struct effects {
	regset reads;	 /* may be read before it is written */
	regset writes;	 /* always overwritten completely */
	regset clobbers; /* may be changed, perhaps in part; includes writes */
};

/*
 * Kept small: there are millions of these, walked often.  An instruction is also the record of the
 * reference in its pc-relative field: see cfg/refs.h.
 */
struct insn {
	uint32_t off; /* in its section; set by the caller */
	/*
	 * Set by the caller.  The label of a resolved field, in the same section; else the number
	 * of the relocation on the field, or of the instruction's first one.
	 */
	uint32_t ref;
	uint32_t effects; /* see insn_effects() */
	uint8_t len;
	uint8_t kind : 5;     /* enum insn_kind */
	uint8_t has_rel : 1;  /* it has relocations; set by the caller */
	uint8_t resolved : 1; /* but none on its pc-relative field; set by the caller */
	uint8_t stays : 1;    /* a branch within its function; set by the caller */
	uint8_t flags;	      /* enum insn_flags */
	/*
	 * The bytes with the pc-relative field of a branch or (INSN_OPERAND_PC) of a memory or
	 * address operand; size 0: none.  The target's distance() and encode() interpret them.
	 */
	uint8_t pc_off : 4, pc_size : 3;
	uint8_t caught : 1; /* an exception that it raises is caught in its function; set by the
			       caller */
};

/*
 * Most instructions that the CPU executes for one of ours, one after the other: a branch, which
 * reads its registers first, and what is in its delay slot.
 */
enum { INSN_PARTS = 2 };

/* Is the second part of in, if it has one, executed only if the first branches?  (MIPS II: "branch
 * likely")
 */
static inline bool insn_is_likely(const struct insn *in)
{
	return in->kind == INSN_BRANCH && in->flags & INSN_SHORT_ONLY;
}

/*
 * Equal effects share one number and one record, which is never freed: there are only some
 * thousand different ones.  effects_number() is thread-safe.
 */
enum { EFFECTS_CHUNK = 1024, EFFECTS_CHUNKS = 4096 };
extern struct effects *effects_chunk[EFFECTS_CHUNKS];
uint32_t effects_number(const struct effects *e);
static inline const struct effects *insn_effects(const struct insn *in)
{
	return &effects_chunk[in->effects / EFFECTS_CHUNK][in->effects % EFFECTS_CHUNK];
}

/*
 * An instruction as an operation on registers, for the jump-table analysis and others.  Registers
 * are hardware numbers, -1: none.  All other instructions are OP_OTHER: see their effects.
 */
enum op {
	OP_OTHER,
	OP_LEA,		 /* dst = base + index * scale + disp */
	OP_LOAD,	 /* dst = mem[base + index * scale + disp], see size and sext */
	OP_MOVE,	 /* dst = src (size bytes; zero-extended when less than 8) */
	OP_SELECT,	 /* dst = src, or index (-1: dst), by the flags */
	OP_SEXT,	 /* dst = sign extension of the low size bytes of src */
	OP_ADD,		 /* dst += src */
	OP_ADD_GOT,	 /* dst = src + the register with the GOT's address */
	OP_ADD_EXTENDED, /* dst = base + (the low size bytes of index, extended: sext) * scale */
	OP_ADD_LOAD,	 /* dst += mem[...] */
	OP_SUB,		 /* dst = index (-1: dst) - src */
	OP_AND,		 /* dst &= src */
	OP_OR,		 /* dst |= src */
	OP_MASK,	 /* dst = 0 or -1, by the flags */
	OP_IMM,		 /* dst = imm; the field may be relocated: imm_off */
	OP_AND_IMM,	 /* dst = src (-1: dst) & imm */
	OP_CMP_IMM,	 /* flags = dst - imm; dst is only read */
	OP_BRANCH_ABOVE, /* branch if the flags say: unsigned greater, or (imm) equal */
	OP_BRANCH_UP_TO, /* branch if they say: unsigned less, or (imm 0) equal */
	OP_TEST,	 /* flags = dst & src (-1: imm), of size bytes; both are only read */
	OP_BRANCH_ZERO,	 /* branch if the flags say: the result is 0, or (imm 0) is not */
	OP_SHIFT,	 /* dst <<= imm */
	OP_JUMP_REG,	 /* jump to src */
	OP_JUMP_MEM,	 /* jump to mem[...] */
	OP_CALL_REG,
	OP_CALL_MEM,
	OP_PUSH,	 /* src; a store to the stack */
	OP_POP,		 /* dst; a load from there */
	OP_STORE,	 /* mem[...] = src */
	OP_STORE_PAIR,	 /* mem[base + disp] = src, index */
	OP_STORE_VECTOR, /* mem[...] = a vector register */
	OP_STORE_IMM,	 /* mem[...] = imm; the field may be relocated: imm_off */
};
struct operation {
	enum op op;
	int dst, src;
	int base, index; /* of the memory operand; base -1 and pc_rel: the pc */
	int scale;	 /* 1, 2, 4, 8 */
	bool pc_rel;
	int64_t disp, imm;
	uint8_t disp_off, imm_off; /* of the field in the instruction; 0: none */
	uint8_t disp_size, imm_size;
	uint8_t size; /* of the memory operand or source, in bytes */
	bool sext;
	int16_t moves;	    /* of any operation: what it adds to its base register besides */
	uint8_t index_size; /* 4: only the low half of index counts */
	uint64_t max;	    /* of any operation: its result is not larger; 0: not known */
};

#endif
