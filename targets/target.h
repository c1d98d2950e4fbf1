/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - what generic code asks about a CPU
 *
 * A target is chosen once from e_machine and carried in the link.  Facts come
 * before functions; generic code reads a fact and never asks which CPU it is.
 */
#ifndef LDX_TARGETS_TARGET_H
#define LDX_TARGETS_TARGET_H

#include "reloc/map.h"
#include "reloc/object.h"

/*
 * A set of registers and flags.  Bits 0..31: integer registers by hardware
 * number, and vector registers that the target has a number for.  Bits 32..:
 * condition flags, numbered by the target.
 */
typedef uint64_t regset;
#define REG_BIT(n) ((regset)1 << (n))
#define REGSET_FLAGS ((regset)0xffffffff << 32)

enum insn_kind {
	INSN_OTHER,
	INSN_NOP,	/* does nothing, any length: may be padding */
	INSN_JUMP,	/* direct, unconditional */
	INSN_BRANCH,	/* direct, conditional */
	INSN_CALL,	/* direct */
	INSN_JUMP_IND,
	INSN_CALL_IND,
	INSN_RET,
	INSN_TRAP,	/* control never continues behind it: ud2, hlt, int3 */
	INSN_SYSCALL,
	INSN_XBEGIN,	/* direct branch to an abort handler, or continues */
};

enum insn_flags {
	INSN_MEM = 1,		/* may fault: touches memory, divides, is privileged */
	INSN_LANDING = 2,	/* must stay first at an indirect target: endbr64, bti */
	INSN_SHORT_ONLY = 4,	/* a branch with no long form of its own: jrcxz, loop */
	INSN_LOCK_SPLIT = 8,	/* a branch may enter it behind its lock prefix (one byte) */
	INSN_VAGUE = 16,	/* reads/writes are not known: treat all as read, none written */
	INSN_OPERAND_PC = 32,	/* its pc-relative field is a data operand, not a branch */
	INSN_GLUED = 64,	/* nothing may be inserted before it (TLS sequences) */
	INSN_THREAD_BASE = 128,	/* uses the register by which ACCESS_THREAD finds a thread's counters */
};

/* What an instruction does to registers and flags. */
struct effects {
	regset reads;		/* may be read before it is written */
	regset writes;		/* certainly overwritten as a whole, and on every path */
	regset clobbers;	/* may be changed, in part or at times; includes writes */
};

/* There are millions of these, and they are walked again and again: they are kept small. */
struct insn {
	uint32_t off;		/* in its section; set by the caller */
	uint32_t rel;		/* 1 + its first relocation in the section, 0: none; set by the caller */
	uint32_t effects;	/* see insn_effects() */
	uint8_t len;
	uint8_t kind;		/* enum insn_kind */
	uint8_t flags;		/* enum insn_flags */
	/*
	 * The field that holds a distance from the end of the instruction, of a
	 * branch or (INSN_OPERAND_PC) a memory or address operand: where in the
	 * instruction, and its size in bytes; 0 size: none.
	 */
	uint8_t pc_off : 4, pc_size : 3;
	uint8_t caught : 1;	/* an exception that it raises is caught in its function; set by the caller */
};

/*
 * Equal effects have one number, and memory for as long as the process lives: there are only
 * some thousand different ones.  Any thread may ask for a number.
 */
enum { EFFECTS_CHUNK = 1024, EFFECTS_CHUNKS = 4096 };
extern struct effects *effects_chunk[EFFECTS_CHUNKS];
uint32_t effects_number(const struct effects *e);
static inline const struct effects *insn_effects(const struct insn *in)
{
	return &effects_chunk[in->effects / EFFECTS_CHUNK][in->effects % EFFECTS_CHUNK];
}

/*
 * An instruction as the jump-table analysis sees it.  Registers are hardware
 * numbers, -1: none.  Anything that fits none of the operations is OP_OTHER with
 * clobbers from insn_decode().
 */
enum op {
	OP_OTHER,
	OP_LEA,		/* dst = base + index * scale + disp */
	OP_LOAD,	/* dst = mem[base + index * scale + disp], see size and sext */
	OP_MOVE,	/* dst = src (size bytes; zero-extended when less than 8) */
	OP_SELECT,	/* dst = dst or src, by the flags */
	OP_SEXT,	/* dst = sign extension of the low size bytes of src */
	OP_ADD,		/* dst += src */
	OP_ADD_LOAD,	/* dst += mem[...] */
	OP_SUB,		/* dst -= src */
	OP_IMM,		/* dst = imm; the field may be relocated: imm_off */
	OP_AND_IMM,	/* dst &= imm */
	OP_CMP_IMM,	/* flags = dst - imm; dst is only read */
	OP_SHIFT,	/* dst <<= imm */
	OP_JUMP_REG,	/* jump to src */
	OP_JUMP_MEM,	/* jump to mem[...] */
	OP_CALL_REG,
	OP_CALL_MEM,
	OP_PUSH,	/* src; a store to the stack */
	OP_POP,		/* dst; a load from there */
	OP_STORE,	/* mem[...] = src */
	OP_STORE_VECTOR,	/* mem[...] = a vector register */
	OP_STORE_IMM,	/* mem[...] = imm; the field may be relocated: imm_off */
};
struct operation {
	enum op op;
	int dst, src;
	int base, index;	/* of the memory operand; base -1 and pc_rel: the pc */
	int scale;		/* 1, 2, 4, 8 */
	bool pc_rel;
	int64_t disp, imm;
	uint8_t disp_off, imm_off;	/* of the field in the instruction; 0: none */
	uint8_t disp_size, imm_size;
	uint8_t size;		/* of the memory operand or source, in bytes */
	bool sext;
};

/*
 * Code to be inserted.  Its relocations are against symbols of the object.  From
 * byte stack[i].at on the stack pointer is down bytes lower than in front of it; the
 * last of these is 0.
 */
enum { POISON_REGS = 4 };	/* a snippet has room to overwrite so many, and flags */
struct snippet {
	uint8_t bytes[64];
	uint32_t n;
	struct reloc rel[4];	/* off: within bytes */
	uint32_t nrel;
	struct stack_move stack[4];
	uint32_t nstack;
};

/*
 * How a counter is incremented at a place: the kinds --ldx-stats counts.  Always by
 * one instruction, so that no signal handler comes between; the others save the
 * flags around it, in a free register or beside a saved one.  Held: a register counts;
 * stepped: one of the program's does, which it adds a constant to at this place only.
 */
enum count_kind {
	COUNT_DIRECT, COUNT_FLAGS, COUNT_SAVE, COUNT_HELD, COUNT_STEPPED, COUNT_KINDS
};

/* A counter in register reg, and what is done to that; by: another register, or a number. */
enum hold {
	HOLD_BEGIN = 1,	/* set to 0 */
	HOLD_COUNT,	/* incremented */
	HOLD_END,	/* added to the counter in memory */
	HOLD_FOLLOW,	/* set to by, which counts in its stead */
	HOLD_STEP,	/* nothing: the next instruction counts */
	HOLD_FETCH,	/* moved to reg from by */
	HOLD_DISTANCE,	/* how far by has gone since, with the other sign */
	HOLD_DIVIDE,	/* divided by 2 to the power of by, of which it is a multiple */
	HOLD_END_LESS,	/* taken from the counter in memory */
};

/* Whose counter is incremented. */
enum counter_access {
	ACCESS_PLAIN,	/* everybody's; increments of several threads at once may get lost */
	ACCESS_ATOMIC,	/* everybody's, by an atomic instruction */
	ACCESS_THREAD,	/* this thread's: see runtime/threads.c */
};

/* When the same counter is incremented again. */
enum repeat {
	REPEAT_SOON,	/* maybe at once */
	REPEAT_LATER,	/* when the store before is done: an address that delays loads serves */
	REPEAT_RARELY,	/* and few are incremented there: slow code serves when it is short */
};

/* How inserted code reaches the counters: near, fixed or both. */
struct reach {
	uint32_t sym, sym_fixed;	/* the symbols of the first */
	enum counter_access access;
	bool near;		/* at a distance from the code that the link decides */
	bool fixed;		/* at an address below 2 GB that the link decides: in the instruction */
	bool moved;		/* what is fixed may be elsewhere: the thread's base says how far */
	enum repeat repeat;
};

/* What an instruction does with the stack pointer. */
enum stack_use {
	STACK_UNUSED,
	STACK_FRAME,	/* pushes, pops, adds a constant, or returns to the frame pointer's */
	STACK_TOP,	/* reads or writes what it points at: the return address, at an entry */
	STACK_ODD,	/* sets it to anything else */
};

struct target {
	const char *name;		/* "x86_64" */
	uint16_t machine;		/* EM_* */

	/* facts */
	regset ret_live;		/* the psABI: live when a function returns */
	regset entry_live;		/* may be live when a function is entered by a call or tail call */
	regset call_clobbers;		/* the psABI: lost over a call, flags included */
	regset no_scratch;		/* never to be used as a scratch register: the stack pointer... */
	regset kept_elsewhere;		/* of call_clobbers: what other ABIs' functions have to keep */
	regset hold_vectors;		/* vector registers that can hold counters, */
	regset hold_unit;		/* with what they are incremented by in this one */
	uint8_t stack_reg;		/* the stack pointer */
	uint8_t arg[3], result;		/* the psABI: of the first arguments, and of what is returned */
	uint8_t stack_dwarf;		/* the stack pointer's number in DWARF */
	uint32_t abs64_type, pc32_type, pc64_type; /* R_* for relocations we make */

	/* NULL name when the type is not known */
	const struct reloc_info *(*reloc_info)(uint32_t type);

	/* Decoder state: one for each thread; the first is made while there is only one. */
	struct decoder *(*decoder_new)(void);
	void (*decoder_free)(struct decoder *d);

	/*
	 * Decode the instruction at p (n bytes are readable; n > 0).  Sets all of
	 * *in but off and rel.  False: no instruction, or one that needs more than n bytes.
	 */
	bool (*decode)(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);

	/* The same instruction for the jump-table analysis.  Slow; called rarely. */
	void (*describe)(struct decoder *d, const uint8_t *p, const struct insn *in,
		struct operation *op);

	/*
	 * True when the instructions first and second, which follow one another,
	 * are parts of a sequence the linker recognises as a whole (psABI, TLS
	 * general and local dynamic): nothing may be inserted between them.
	 */
	bool (*glued)(const struct object *o, const struct section *s, const struct insn *first,
		const struct insn *second);

	/*
	 * The length of branch in (kind JUMP, BRANCH, CALL or XBEGIN) when its
	 * target is dist bytes from its own start in the new layout, given that it
	 * may be no shorter than now: in->len, or the length of the long form.
	 */
	unsigned (*branch_len)(const struct insn *in, int64_t dist, unsigned now);

	/*
	 * Encode branch in, bytes p, to length len so that it leads dist bytes from
	 * its own start.  out has room for 16 bytes.  False: dist does not fit, or
	 * what would be made is longer than an instruction can be.
	 */
	bool (*branch_encode)(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist,
		uint8_t *out);

	/*
	 * Where the relocation of a branch encoded to length len has its field,
	 * from the start of the instruction, and its distance to the end.
	 */
	unsigned (*branch_field)(const struct insn *in, unsigned len);

	/* Fill n bytes with as few no-op instructions as possible. */
	void (*nops)(uint8_t *out, size_t n);

	/*
	 * Append code that adds 1 to the 64-bit counter off bytes behind the first.
	 * dead holds the registers and flags that may be changed.  Without dead
	 * flags it saves them in a dead register; without that it saves one, beyond
	 * what the ABI lets a leaf function keep below its stack pointer.
	 */
	enum count_kind (*emit_count)(struct snippet *c, const struct reach *to, int64_t off,
		regset dead);

	/*
	 * Append code for a counter that register reg holds, of hold_vectors too up to
	 * HOLD_FOLLOW.  HOLD_END and all behind HOLD_FETCH need dead flags; beside the register, and
	 * the hold_unit of vectors, the code changes only dead ones.  Each has a relocation that
	 * tells the counter: of type NONE where memory is not touched, one byte further of
	 * HOLD_STEP.  HOLD_BEGIN makes a vector's unit as well, and HOLD_END may take it for
	 * something else.
	 */
	void (*emit_hold)(struct snippet *c, enum hold what, const struct reach *to, int64_t off,
		unsigned reg, unsigned by, regset dead);

	/*
	 * Append code that sets the byte off bytes behind the first counter to 1, and
	 * changes nothing else.
	 */
	void (*emit_mark)(struct snippet *c, const struct reach *to, int64_t off);

	/*
	 * Append code for the entry of a function: unless the first of this thread's
	 * counters holds its thread pointer, it calls symbol hook, which preserves
	 * all registers.  Where the flags are not dead it is for any place, and calls always.
	 */
	void (*emit_thread_check)(struct snippet *c, const struct reach *to, uint32_t hook,
		regset dead);

	/*
	 * How many of the n instructions at a function's start set up its frame in the
	 * way debuggers recognise by their bytes: code that may wait goes behind them.
	 */
	uint32_t (*frame_setup)(const uint8_t *text, const struct insn *in, uint32_t n);

	/* How compiled functions treat the stack is told from how switches of stacks do. */
	enum stack_use (*stack_use)(const uint8_t *p, const struct insn *in);

	/* Append what an indirect target must begin with: endbr64, bti c. */
	void (*emit_landing)(struct snippet *c);

	/* Append a jump over the n bytes behind it. */
	void (*emit_skip)(struct snippet *c, uint32_t n);

	/*
	 * Append code that calls symbol hook when the system call just made
	 * returned 0.  hook preserves all registers; only dead may change else.
	 */
	void (*emit_fork_check)(struct snippet *c, uint32_t hook, regset dead);

	/*
	 * Append code that overwrites all registers of dead, of which there are POISON_REGS at
	 * most, and those flags that can be without anything else, with what a random number
	 * tells.  It touches no memory.  A relocation of type NONE against symbol mark, with its
	 * length as the addend, tells that it is inserted.  It may be none at all.
	 */
	void (*emit_poison)(struct snippet *c, uint32_t mark, uint32_t random, regset dead);

	/*
	 * True when the system call that ends these n instructions (of a section with
	 * contents text) may create a process: false only when its number is known.
	 */
	bool (*may_fork)(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n);

	/*
	 * What sets the base that ACCESS_THREAD finds counters by, other than INSN_THREAD_BASE:
	 * a function of the C library with this name; the system call that ends these n
	 * instructions, or a call of syscall(2) in its place; something in code of which no
	 * more is known than its bytes, such as a library's, as far as these show it.
	 */
	const char *base_setter;
	bool (*sets_base)(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n);
	bool (*code_sets_base)(const uint8_t *p, size_t n);

	/*
	 * Does the same, or with named a call of mmap(2), ask for memory at a constant address
	 * where counters of struct reach's fixed kind may be?
	 */
	bool (*maps_low)(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
		bool named);

	/*
	 * True when the bytes of a function must not change because other code
	 * recognises them (signal return trampolines) or plays with its own return
	 * address; *why then says so in a few words.
	 */
	bool (*keep_whole)(const char *name, const uint8_t *p, size_t n, const char **why);
};

/* The target for an ELF machine; NULL when ldx has none. */
const struct target *target_find(uint16_t machine);

extern const struct target target_x86_64;

/* The general registers that code may change where they are dead. */
static inline regset target_scratch(const struct target *t)
{
	return (t->ret_live | t->call_clobbers) &
	       ~(t->no_scratch | t->hold_vectors | t->hold_unit | REGSET_FLAGS);
}

#endif
