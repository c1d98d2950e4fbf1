/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disassembly.h - instructions as text
 */
#ifndef LDX_REPORT_DISASSEMBLY_H
#define LDX_REPORT_DISASSEMBLY_H

#include "report/figures/insns.h"

/* The functions of a program by address. */
struct disassembly;
struct disassembly *disassembly_make(const struct program *p, bool mangled);

/*
 * Print the instruction, with its target as the name of a function or block.  Returns its mnemonic,
 * which is valid until the next call; NULL: there is none.
 */
const char *put_insn(FILE *out, struct disassembly *d, const struct insn_at *in);

/* Only the mnemonic. */
const char *insn_mnemonic(struct disassembly *d, const struct insn_at *in);

/* A jump that is taken or not. */
struct branch {
	uint64_t taken, executed;
	bool known;		    /* are these known? */
	const struct map_block *to; /* the target; NULL: outside the function */
};
bool insn_is_branch(const struct insn_at *in, struct branch *br);

#endif
