/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - the objects of ldx/program.h, made from a run
 *
 * There is one run for tools at a time.  What a function consists of is made when it is first asked
 * for, and stays until walk_forget().
 */
#ifndef LDX_REPORT_TOOL_WALK_H
#define LDX_REPORT_TOOL_WALK_H

#include <ldx/program.h>
#include "report/figures/calls.h"
#include "report/figures/source.h"

struct ldx_insn {
	const ldx_block *block;
	const uint8_t *bytes;
	uint64_t address;
	uint64_t offset; /* from the function's start, in the original code */
	struct insn insn;
	uint8_t size;
	bool decoded; /* insn and bytes are valid */
	bool is_last; /* see struct insn_at */
	bool left_out;
};

struct ldx_block {
	const ldx_func *func;
	const struct map_block *b;
	ldx_insn *insn;
	size_t ninsns;
};

struct ldx_edge {
	const ldx_func *func;
	const struct map_edge *e;
};

struct ldx_loop {
	const ldx_block *head;
	const ldx_loop *parent;
};

struct ldx_func {
	const ldx_object *object;
	const struct map_func *f;
	const char *demangled; /* NULL: not asked for yet */
	ldx_block *block;
	ldx_edge *edge;
	ldx_insn *insn; /* of all blocks; NULL: not decoded */
	ldx_loop *loop; /* see loops.c; NULL: not asked for yet */
	size_t nloops;
	const ldx_loop **loop_of; /* by block: the innermost one; or NULL */
};

struct ldx_object {
	const struct program *p;
	ldx_func *func;		 /* as in the map */
	const ldx_func **placed; /* by address; NULL: not asked for yet */
	size_t nplaced;
	struct source *source;
	struct disassembly *disassembly; /* NULL: not asked for yet */
};

/* keep: until the end, as the tool may have pointers; then walk_forget() does nothing. */
void walk_open(const struct run *run, bool keep);

/* Free what the function consists of. */
void walk_forget(const ldx_func *f);

/* The call that the instruction is; false: it is none. */
bool walk_call(const ldx_insn *i, struct call *c);

/* The innermost place in the source; NULL: not known. */
const struct source_frame *walk_frame(const ldx_insn *i);

/* The function in the source; NULL: not known. */
const struct source_func *walk_declaration(const ldx_func *f);

#endif
