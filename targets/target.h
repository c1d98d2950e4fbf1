/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - a CPU, for generic code: facts and functions
 *
 * A target is chosen once from e_machine and carried in the link.  Facts come
 * before functions; generic code reads a fact and never asks which CPU it is.
 */
#ifndef LDX_TARGETS_TARGET_H
#define LDX_TARGETS_TARGET_H

#include "reloc/map.h"
#include "reloc/object.h"
#include "targets/code.h"
#include "targets/insn.h"
#include "targets/micro.h"

/* How an instruction uses the stack pointer. */
enum stack_use {
	STACK_UNUSED,
	STACK_FRAME, /* pushes, pops, adds a constant, or restores it from the frame pointer */
	STACK_TOP,   /* accesses the word that it points at: at an entry, the return address */
	STACK_ODD,   /* sets it to any other value */
};

/*
 * Memory at a constant distance from register base; with another register, index, or (far) an
 * unknown distance farther, as by a multiple of a register.  Registers are -1 if there is none.
 */
struct zone {
	int base, index;
	bool far;
	int64_t at;
	uint8_t size;	  /* bytes of it at most */
	uint8_t disp_off; /* of at in the instruction, if it has a field of its own; or 0 */
};

struct action;
struct decoder;
struct machine;

/* The psABI, and the other conventions that compilers follow. */
struct psabi {
	regset ret_live;       /* live when a function returns */
	regset ret_more;       /* the same, if code outside the object may have called it: registers
				* that compilers return in beyond the psABI */
	regset entry_live;     /* may be live when a function is entered by a call or tail call */
	regset entry_label;    /* of these: hold the function's address, if anything reads them */
	regset chain;	       /* of these: only for functions within others, if that is known */
	regset beside_args;    /* of these: are no arguments, and calls may change them */
	regset variadic;       /* of these: only functions with any number of arguments read them */
	regset call_clobbers;  /* lost over a call, flags included */
	regset kept_elsewhere; /* of these: functions of other ABIs must save them */
	uint8_t arg[4];	       /* registers of the first arguments */
	uint8_t result;	       /* the register of a result */
	uint8_t thread_reg;    /* that of the thread pointer; 0: it is found otherwise */
	uint8_t arg_home; /* bytes of its caller's frame that a function may store arguments in */
	uint8_t stack_dwarf;   /* the stack pointer's number in DWARF */
	uint8_t handler_off;   /* of sa_handler in the C library's struct sigaction */
	const char *profiler;  /* a function that is called with more arguments: gcc -pg; or NULL */
	regset profiler_reads; /* these */
};

/* Symbols that mark what follows them as code or as data; NULL: there are none. */
struct code_marks {
	const char *code, *data;
	const char *isa; /* how the name of a CPU's variant behind these begins; or NULL */
};

/* R_* of the relocations that are made. */
struct made_types {
	uint32_t address;   /* of a word */
	uint32_t distance;  /* likewise, from the field */
	uint32_t distance4; /* likewise, in 4 bytes */
	uint32_t subtract;  /* distance is an address: this takes one off it; 0: there is none */
	uint32_t jump;	    /* of the field of a jump to a symbol; 0: the type that a branch has */
	/*
	 * Of an instruction that makes the high part of a distance, and of the rest of it in the
	 * next one, together, and of that rest alone; 0: there is none.
	 */
	uint32_t pair, pair_rest;
};

struct syscalls {
	/*
	 * The number of the system call that ends these n instructions, which are not none, of a
	 * section with contents text; false: not known.
	 */
	bool (*number)(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
		int64_t *nr);
	uint8_t reg; /* the register with that number */
	/* lists of numbers that end with 0 */
	const int64_t *forks;	 /* that create a process or a thread */
	const int64_t *installs; /* that install signal handlers */
	const int64_t *leaves;	 /* that do not return to what a handler interrupted: exit(2),
				  * rt_sigreturn(2) */
	const int64_t *exits;	 /* that end the thread or process */

	/*
	 * Does the system call, or with named a call of mmap(2), ask for memory at a constant
	 * address where counters of struct counter_addressing's fixed kind may be?  NULL: there are
	 * no such counters.
	 */
	bool (*maps_low)(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n,
		bool named);
};

/*
 * The base that ACCESS_THREAD finds a thread's counters by, and what else sets it than instructions
 * that are INSN_THREAD_BASE.
 */
struct thread_base {
	const char *setter; /* a function of the C library */
	/* The system call that ends these n instructions, or a call of syscall(2) in its place. */
	bool (*sets)(struct decoder *d, const uint8_t *text, const struct insn *in, uint32_t n);
	/* Code of which no more is known than its bytes, as far as these show it. */
	bool (*code_sets)(const uint8_t *p, size_t n);
};

/* The pc-relative fields of instructions, and the lengths that branches can have. */
struct branch_forms {
	bool at_field; /* a field counts from its own start, not from the instruction's end */

	/*
	 * The length of branch in (kind JUMP, BRANCH, CALL or XBEGIN) when its
	 * target is dist bytes from its own start in the new layout, given that it
	 * may be no shorter than now: in->len, or the length of the long form.
	 */
	unsigned (*len)(const struct insn *in, int64_t dist, unsigned now);

	/*
	 * The length of the form of branch in, longer than those of len(), that reaches any
	 * code, and the registers that it changes besides; 0: it has none.  NULL: no branch has.
	 */
	unsigned (*far_len)(const struct insn *in, regset *changes);

	/* The offset of in's field in the instruction; len: the length that it is encoded to. */
	unsigned (*field)(const struct insn *in, unsigned len);

	/*
	 * The distance from the start of instruction in, with bytes p, to its target; len: the
	 * length that it is encoded to.
	 */
	int64_t (*distance)(const struct insn *in, const uint8_t *p, unsigned len);

	/*
	 * In a linked program: where instruction in at address at, with bytes p, leads or points
	 * by its field.  NULL: distance() says it.
	 */
	uint64_t (*leads_to)(const struct insn *in, const uint8_t *p, uint64_t at);

	/*
	 * Encode instruction in, bytes p, to length len so that its target is dist bytes from its
	 * own start.  out has room for 24 bytes.  False: dist does not fit, or the result would be
	 * longer than an instruction can be.
	 */
	bool (*encode)(const struct insn *in, const uint8_t *p, unsigned len, int64_t dist,
		uint8_t *out);

	/*
	 * The relocation by which branch in, encoded to length len, reaches a label so far away,
	 * and the offset of its field; 0: it needs none.  Code whose address is not fixed cannot
	 * have it.  NULL: no branch needs one.
	 */
	uint32_t (*far_reloc)(const struct insn *in, unsigned len, int64_t dist, unsigned *field);

	/*
	 * The type of the relocation on in's field, if in has one and is encoded to length len.
	 * NULL: no branch with a relocation has a longer form.
	 */
	uint32_t (*reloc)(const struct insn *in, unsigned len);

	/* Are the bytes p and q of instruction in equal, except for the bits of its field? */
	bool (*same_but_field)(const struct insn *in, const uint8_t *p, const uint8_t *q);
};

/* Tables of scaled distances (cfg/scaled.h) whose entries are widened to words. */
struct word_tables {
	/*
	 * Change a load of an entry, and the sum of the base and the entry, to entries of four
	 * bytes with a sign.
	 */
	void (*read_words)(uint8_t *load, uint8_t *sum);

	/*
	 * Change such a changed load, which has room for own_len bytes, at most MOST_OWN, to code
	 * that makes the table's address in reg before: types are those of the relocations of its
	 * first two instructions, of four bytes each, by that address.
	 */
	void (*read_own)(uint8_t *load, unsigned reg, uint32_t types[2]);
	uint8_t own_len;
};
enum { MOST_OWN = 16 };

struct target {
	const char *name;		 /* "x86_64" */
	uint16_t machine;		 /* EM_* */
	uint8_t word;			 /* of its objects: see struct object */
	bool big;			 /* likewise */
	uint8_t code_align;		 /* all instructions' lengths are multiples of this */
	uint8_t insn_size;		 /* an instruction that is longer is two of the CPU's, the
					  * second in a delay slot or joined; 0: there are none */
	uint8_t stack_reg;		 /* the stack pointer */
	int8_t link_reg;		 /* that calls leave the return address in; or -1 */
	regset zero;			 /* always zero */
	regset no_scratch;		 /* never to be used as scratch registers: the stack
					  * pointer, ... */
	regset reserved;		 /* nor are these: the linker's between a branch and its
					  * target, ... */
	const char *const *reg_name;	 /* by bit of a regset, 64 of them; NULL: none */
	const char *const *linker_names; /* symbols that a linker defines, up to NULL; or NULL */
	const char *got_distance;	 /* one whose value is a distance to the GOT; or NULL */
	struct psabi abi;		 /* registers of calls */
	struct syscalls syscall;	 /* system calls */
	struct code_marks mark;		 /* symbols that mark code and data */
	struct made_types made;		 /* types of relocations */
	const struct thread_base *thread_base; /* NULL: counters are found by no base, and none is
						* at a constant address */
	const struct branch_forms *form;       /* pc-relative fields */
	const struct word_tables *words;       /* NULL: there are no tables of scaled distances */
	const struct micro *micro;	       /* what inserted code is made of */

	/* Why code of the object is not for this target, by its e_flags or attributes; NULL: it is.
	 */
	const char *(*refuses)(const struct object *o);

	/* NULL name when the type is not known */
	const struct reloc_info *(*reloc_info)(uint32_t type);

	/* Decoder state: one for each thread; the first is made while there is only one. */
	struct decoder *(*decoder_new)(void);
	void (*decoder_free)(struct decoder *d);

	/*
	 * Decode the instruction at p (n bytes are readable; n > 0).  Sets all of *in except the
	 * caller's fields.  False: no instruction, or one that needs more than n bytes.
	 */
	bool (*decode)(struct decoder *d, const uint8_t *p, size_t n, struct insn *in);

	/*
	 * The parts of instruction in, at p, as if each had been decoded alone; and how many, at
	 * most INSN_PARTS: see targets/insn.h.  NULL: each instruction is one.
	 */
	unsigned (*parts)(struct decoder *d, const uint8_t *p, const struct insn *in,
		struct insn *out);

	/*
	 * Execute the instruction at p, of inserted code.  False: it is unknown, and *m is invalid
	 * from then on.  NULL: nothing can be verified.
	 */
	bool (*run)(struct machine *m, const uint8_t *p, const struct insn *in);

	/*
	 * Put into the field of a relocation in inserted code, at p and address at, what the last
	 * link puts there for symbol and addend to.  False: no such code is inserted.
	 */
	bool (*relocate)(uint8_t *p, uint32_t type, uint64_t to, uint64_t at);

	/* A part of a decoded instruction as an operation.  Slow. */
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
	 * Optional.  Do in, at p, and the instruction behind it make an address, relative to the
	 * pc?  Then in becomes both.  Only if the assembler has resolved it: no relocation is on
	 * them.  It writes the result, and clobbers the register with a part of that.
	 */
	bool (*join)(const uint8_t *p, size_t n, struct insn *in);

	/*
	 * In a linked program: the address of the word with the address to which the code at p
	 * leads, if it is an indirect call or jump through a word at a constant address, or a
	 * linkage stub; n bytes are readable.  0: it is none.  NULL: there is no such code.
	 */
	uint64_t (*leads_through)(struct decoder *d, const uint8_t *p, size_t n, uint64_t at);

	/*
	 * Is the instruction of len bytes at p, or a part of it, a load-exclusive or a
	 * store-exclusive?  NULL: there are none.
	 */
	enum exclusive (*exclusive)(const uint8_t *p, unsigned len);
	/*
	 * Does the instruction of len bytes at p load some bytes of a register?  A branch with such
	 * a delay slot must not read that register itself.  NULL: there are none.
	 */
	bool (*load_part)(const uint8_t *p, unsigned len, struct load_part *l);

	/*
	 * Does the instruction access size bytes at a constant distance above the stack pointer,
	 * without changing that?  size 0: it makes that address.  NULL: not known.
	 */
	bool (*frame_access)(const uint8_t *p, const struct insn *in, int64_t *at, unsigned *size,
		bool *store);

	/*
	 * What the instruction does to memory, and where it leads: actions in their order, and how
	 * many, at most ACTIONS: see targets/access.h.  0: not known.
	 */
	unsigned (*actions)(const uint8_t *p, const struct insn *in, struct action *out);

	/*
	 * Where the memory is that the instruction accesses, of any instruction: see struct zone.
	 * False: it accesses none, or its address is in no general register.
	 */
	bool (*zone)(const uint8_t *p, const struct insn *in, struct zone *a);

	/* Fill n bytes with as few no-op instructions as possible. */
	void (*nops)(uint8_t *out, size_t n);

	/*
	 * How many of the n instructions at a function's start set up its frame in the form that
	 * debuggers recognise: counting code goes behind them where it may.
	 */
	uint32_t (*frame_setup)(const uint8_t *text, const struct insn *in, uint32_t n);

	/* Distinguishes compiled functions from code that switches stacks. */
	enum stack_use (*stack_use)(const uint8_t *p, const struct insn *in);

	/*
	 * ACCESS_TURNED: what is changed of an inserted instruction on a counter, whose address is
	 * at field.  False: nothing is.  NULL: there is no such access.
	 */
	bool (*turn)(const uint8_t *field, struct turn *turn);

	/*
	 * Must a function's bytes stay unchanged, because other code recognises them (signal return
	 * trampolines) or the function manipulates its own return address?  Then sets *why.
	 */
	bool (*keep_whole)(const char *name, const uint8_t *p, size_t n, const char **why);
};

/*
 * May the system call that ends these n instructions create a process or a thread?  True if its
 * number is not known, or n is 0.
 */
bool syscall_may_fork(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n);

/* Likewise, install a signal handler? */
bool syscall_may_install(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n);

/* Likewise, in a signal handler, not return to what that interrupted, or make a process there? */
bool syscall_may_leave(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n);

/* Has a list of system calls, that ends with 0, this number? */
bool syscall_listed(const int64_t *list, int64_t nr);

/* Is the system call that ends these n instructions known to end the thread or process? */
bool syscall_ends(const struct target *t, struct decoder *d, const uint8_t *text,
	const struct insn *in, uint32_t n);

/*
 * The last of n instructions of a block that changes the register; NULL: a call is behind it, or
 * none does.
 */
const struct insn *last_set(const struct insn *in, uint32_t n, unsigned reg);

/* The target for an ELF machine, class and byte order; NULL when ldx has none. */
const struct target *target_find(uint16_t machine, uint8_t word, bool big);
static inline const struct target *target_for(const struct object *o)
{
	return target_find(o->machine, o->word, o->big);
}

extern const struct target target_x86_64, target_aarch64, target_mips, target_mipsel,
	target_mips64el, target_riscv64;

/* The parts of in, at p, in the order in which they are executed; and how many. */
static inline unsigned insn_parts(const struct target *t, struct decoder *d, const uint8_t *p,
	const struct insn *in, struct insn part[INSN_PARTS])
{
	if (t->parts)
		return t->parts(d, p, in, part);
	part[0] = *in;
	return 1;
}

/* Where in leads in a linked program: see leads_to.  It must have a field. */
static inline uint64_t insn_leads_to(const struct target *t, const struct insn *in,
	const uint8_t *p, uint64_t at)
{
	return t->form->leads_to ? t->form->leads_to(in, p, at)
				 : at + (uint64_t)t->form->distance(in, p, in->len);
}

/* The registers that a function keeps for its caller (psABI: callee-saved). */
static inline regset callee_saved(const struct target *t)
{
	return t->abi.entry_live & ~t->abi.call_clobbers;
}

/* Has branch in a longer form, for targets farther away? */
static inline bool insn_grows(const struct target *t, const struct insn *in)
{
	return in->pc_size && !(in->flags & INSN_OPERAND_PC) &&
		t->form->len(in, INT64_MAX / 2, in->len) != in->len;
}

/* far_len() of in, with no registers if it has no such form. */
static inline unsigned insn_far_len(const struct target *t, const struct insn *in, regset *changes)
{
	unsigned len = t->form->far_len ? t->form->far_len(in, changes) : 0;
	if (!len)
		*changes = 0;
	return len;
}

/* Has branch in any longer form? */
static inline bool insn_stretches(const struct target *t, const struct insn *in)
{
	regset changes;
	return insn_grows(t, in) || insn_far_len(t, in, &changes);
}

/* From the pc-relative field of in, encoded to length len, to the pc that it is relative to. */
static inline int64_t insn_field_origin(const struct target *t, const struct insn *in, unsigned len)
{
	return t->form->at_field ? 0 : (int64_t)len - t->form->field(in, len);
}

/* Does a plain increment of a counter take several instructions? */
static inline bool target_steps(const struct target *t)
{
	return t->micro->count_regs[ACCESS_PLAIN] > 0;
}

/* The general registers that code may change where they are dead. */
static inline regset target_scratch(const struct target *t)
{
	return (t->abi.ret_live | t->abi.call_clobbers) & REGSET_GENERAL &
		~(t->no_scratch | t->reserved);
}

#endif
