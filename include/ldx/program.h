/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ldx/program.h - a program as tools see it: objects, functions, blocks, instructions, edges, loops
 *
 * Both parts of a tool that walk the program include this: the one that asks for code while the
 * program is linked (ldx/tool.h), and the one that shows what was measured (ldx/report.h).  A
 * function that uses nothing else can be compiled into both.
 *
 * Objects and what is in them belong to ldx: they are valid, and strings that functions here return
 * are, until the tool's last function returns.  ldx_next_*() return the first one for NULL, and
 * NULL behind the last one; the order is that of the code.
 */
#ifndef LDX_PROGRAM_H
#define LDX_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LDX_API __attribute__((visibility("default")))

typedef struct ldx_object ldx_object; /* a program or shared library, as it was linked */
typedef struct ldx_func ldx_func;
typedef struct ldx_block ldx_block; /* a basic block: calls and system calls end blocks, too */
typedef struct ldx_insn ldx_insn;
typedef struct ldx_edge ldx_edge;
typedef struct ldx_loop ldx_loop; /* a natural loop */

LDX_API const ldx_object *ldx_next_object(const ldx_object *o);
LDX_API const ldx_func *ldx_next_func(const ldx_object *o, const ldx_func *f);
LDX_API const ldx_block *ldx_next_block(const ldx_func *f, const ldx_block *b);
LDX_API const ldx_insn *ldx_next_insn(const ldx_block *b, const ldx_insn *i);
LDX_API const ldx_edge *ldx_next_edge(const ldx_func *f, const ldx_edge *e);
LDX_API const ldx_loop *ldx_next_loop(const ldx_func *f, const ldx_loop *l);

/* Options of a tool, as both parts list them; the last one has no name. */
struct ldx_option {
	const char *name;  /* lower case */
	const char *what;  /* what its value is called in the help: N, FILE, ... */
	const char *value; /* unless another is given */
	const char *help;  /* lower case, no full stop */
};
/* The value of an option of the tool; NULL: it has no such option. */
LDX_API const char *ldx_option(const char *name);

/* End with an error message of the tool. */
LDX_API void ldx_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* A number that is not known. */
#define LDX_UNKNOWN UINT64_MAX

/* Objects.  name: of its file; "" if it has none yet.  cpu: "x86_64", "aarch64", ... */
LDX_API const char *ldx_object_name(const ldx_object *o);
LDX_API const char *ldx_object_cpu(const ldx_object *o);

/*
 * Functions.  name: as the symbol table has it; demangled: as the source has it, or the same.
 * input: the object file, or archive(member), that it is from; "" if that is not known.
 * opaque: why nothing is inserted in the function, which has no blocks then: ldx did not understand
 * it, or --ldx-only or --ldx-skip leave it out; else NULL.
 */
LDX_API const char *ldx_func_name(const ldx_func *f);
LDX_API const char *ldx_func_demangled(const ldx_func *f);
LDX_API const char *ldx_func_input(const ldx_func *f);
LDX_API const char *ldx_func_opaque(const ldx_func *f);
LDX_API uint64_t ldx_func_size(const ldx_func *f); /* bytes, before anything is inserted */

/* How control leaves a block. */
enum ldx_end {
	LDX_END_FALL, /* the next block begins at a label */
	LDX_END_JUMP,
	LDX_END_BRANCH, /* conditional */
	LDX_END_CALL,
	LDX_END_TABLE,	  /* a jump by a table whose entries are known */
	LDX_END_INDIRECT, /* any other indirect jump */
	LDX_END_RETURN,
	LDX_END_SYSCALL,
	LDX_END_TRAP, /* control never continues behind it */
};

/*
 * Blocks.  id: the same in both parts of a tool.  All blocks of the object have numbers from 0 on,
 * by function and then by address, also those of functions that the linker removes (--gc-sections):
 * ldxprof does not have these, so the numbers of its blocks have gaps.
 * count: executions, as a profile says; LDX_UNKNOWN if there is none.
 */
LDX_API uint32_t ldx_block_id(const ldx_block *b);
LDX_API const ldx_func *ldx_block_func(const ldx_block *b);
LDX_API enum ldx_end ldx_block_end(const ldx_block *b);
LDX_API uint64_t ldx_block_count(const ldx_block *b);
/* More than all their numbers. */
static inline uint32_t ldx_block_ids(const ldx_object *o)
{
	uint32_t n = 0;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			n = ldx_block_id(b) + 1;
	return n;
}
LDX_API unsigned ldx_block_depth(const ldx_block *b); /* how many loops it is in */

/*
 * Edges, of control within a function, into it and out of it.  from is NULL for one that enters the
 * function, to for one that leaves it.  A call that may not return, or twice, is one out of it, and
 * its return one into it.
 * count: in the link, if it follows from the counts of blocks that a profile has.
 */
enum ldx_edge_kind {
	LDX_EDGE_FALLTHROUGH,
	LDX_EDGE_TAKEN,
	LDX_EDGE_TABLE,
	LDX_EDGE_IN,
	LDX_EDGE_OUT
};
LDX_API enum ldx_edge_kind ldx_edge_kind(const ldx_edge *e);
LDX_API const ldx_block *ldx_edge_from(const ldx_edge *e);
LDX_API const ldx_block *ldx_edge_to(const ldx_edge *e);
LDX_API uint64_t ldx_edge_count(const ldx_edge *e);

/*
 * Loops.  parent: the innermost one around it, or NULL.  In ldxprof only functions of programs
 * linked in mode edges have loops, and all their edges.
 */
LDX_API const ldx_block *ldx_loop_head(const ldx_loop *l);
LDX_API const ldx_loop *ldx_loop_parent(const ldx_loop *l);
LDX_API bool ldx_loop_has(const ldx_loop *l, const ldx_block *b);
/* Does the block end in a call, of a function or of the system? */
static inline bool ldx_calls(const ldx_block *b)
{
	return ldx_block_end(b) == LDX_END_CALL || ldx_block_end(b) == LDX_END_SYSCALL;
}
/*
 * The edges by which control comes into a loop from outside, and by which it leaves.  A call in the
 * loop, and its return, are none of these.
 */
static inline const ldx_edge *ldx_next_entering(const ldx_loop *l, const ldx_edge *e)
{
	const ldx_block *head = ldx_loop_head(l), *before = NULL, *from;
	const ldx_func *f = ldx_block_func(head);
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b)) && b != head;)
		before = b;
	bool returns = before && ldx_calls(before) && ldx_loop_has(l, before);
	while ((e = ldx_next_edge(f, e))) {
		from = ldx_edge_from(e);
		if (ldx_edge_to(e) == head && (from ? !ldx_loop_has(l, from) : !returns))
			return e;
	}
	return NULL;
}
static inline const ldx_edge *ldx_next_leaving(const ldx_loop *l, const ldx_edge *e)
{
	const ldx_block *from, *to;
	while ((e = ldx_next_edge(ldx_block_func(ldx_loop_head(l)), e))) {
		from = ldx_edge_from(e);
		to = ldx_edge_to(e);
		if (from && ldx_loop_has(l, from) && (to ? !ldx_loop_has(l, to) : !ldx_calls(from)))
			return e;
	}
	return NULL;
}

/* What an instruction does: several of these bits. */
enum ldx_class {
	LDX_CLASS_LOAD = 1 << 0,  /* reads memory, also implicitly: pop, ret */
	LDX_CLASS_STORE = 1 << 1, /* writes memory, also implicitly: push, call */
	LDX_CLASS_JUMP = 1 << 2,
	LDX_CLASS_BRANCH = 1 << 3, /* conditional */
	LDX_CLASS_CALL = 1 << 4,
	LDX_CLASS_RETURN = 1 << 5,
	LDX_CLASS_INDIRECT = 1 << 6, /* jumps or calls to a computed address */
	LDX_CLASS_SYSCALL = 1 << 7,
	LDX_CLASS_STRING = 1 << 8, /* repeats itself, maybe not once: rep movsb */
	LDX_CLASS_NOP = 1 << 9,
	LDX_CLASS_UNKNOWN = 1 << 10, /* whether it loads or stores is not known */
};

/*
 * What an instruction does to memory, as accesses that are numbered from 0 on; those of one in a
 * delay slot are its branch's last ones.  None if they are not known: LDX_CLASS_UNKNOWN.
 */
enum ldx_access_kind {
	LDX_ACCESS_READ = 1 << 0,
	LDX_ACCESS_WRITE = 1 << 1,     /* of what is read, too: the same bytes */
	LDX_ACCESS_PERHAPS = 1 << 2,   /* not each time, or not all bytes: by a condition, a mask */
	LDX_ACCESS_IMPLICIT = 1 << 3,  /* by no operand: the stack, strings */
	LDX_ACCESS_REPEATED = 1 << 4,  /* once in each round: rep movsb */
	LDX_ACCESS_SCATTERED = 1 << 5, /* of elements with addresses of their own: gather */
};

/*
 * Instructions.  mnemonic: LLVM's; text: the same with operands.  line: of the source, by the debug
 * information; false if that is not known.  file: absolute; in the link, that of DWARF 4 and before
 * may be relative to the compiler's directory.
 */
LDX_API const ldx_block *ldx_insn_block(const ldx_insn *i);
static inline const ldx_insn *ldx_last_insn(const ldx_block *b)
{
	const ldx_insn *last = NULL;
	for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
		last = i;
	return last;
}
LDX_API unsigned ldx_insn_size(const ldx_insn *i);
LDX_API unsigned ldx_insn_class(const ldx_insn *i);
LDX_API const char *ldx_insn_mnemonic(const ldx_insn *i);
LDX_API const char *ldx_insn_text(const ldx_insn *i);
LDX_API unsigned ldx_insn_accesses(const ldx_insn *i); /* how many */
LDX_API unsigned ldx_access_kind(const ldx_insn *i, unsigned n);
/* Bytes, of one round; of elements with addresses of their own, all; 0: the CPU says it. */
LDX_API unsigned ldx_access_size(const ldx_insn *i, unsigned n);
LDX_API bool ldx_insn_line(const ldx_insn *i, const char **file, unsigned *line);

/*
 * The function that a call or a jump out of its function leads to: NULL if it is chosen when the
 * program runs, or is not in this object; then callee_name is the symbol's name, or NULL.
 */
LDX_API const ldx_func *ldx_insn_callee(const ldx_insn *i);
LDX_API const char *ldx_insn_callee_name(const ldx_insn *i);
/* Does it call or jump to an address that is not known before the program runs? */
static inline bool ldx_calls_by_address(const ldx_insn *i)
{
	unsigned which = ldx_insn_class(i) & (LDX_CLASS_INDIRECT | LDX_CLASS_RETURN);
	return which == LDX_CLASS_INDIRECT && !ldx_insn_callee(i) && !ldx_insn_callee_name(i);
}
/* The calls of a function by a name, also by jumps: behind i; NULL: from the first one on. */
static inline const ldx_insn *ldx_next_call(const ldx_object *o, const char *name,
	const ldx_insn *i)
{
	const ldx_block *b = i ? ldx_insn_block(i) : NULL;
	const ldx_func *f = i ? ldx_block_func(b) : ldx_next_func(o, NULL), *to;
	const char *called;
	for (; f; f = ldx_next_func(o, f), b = NULL, i = NULL)
		for (b = b ? b : ldx_next_block(f, NULL); b; b = ldx_next_block(f, b), i = NULL)
			while ((i = ldx_next_insn(b, i))) {
				called = ldx_insn_callee_name(i);
				if (called && !strcmp(called, name))
					return i;
				to = ldx_insn_callee(i);
				if (to && !strcmp(ldx_func_name(to), name))
					return i;
			}
	return NULL;
}

#ifdef __cplusplus
}
#endif

#endif
