/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disasm.h - read what objdump and llvm-objdump print
 */
#ifndef LDX_TESTSUITE_DISASM_H
#define LDX_TESTSUITE_DISASM_H

#include "base/base.h"

struct disasm_line {
	uint64_t addr;
	uint8_t bytes[32];
	uint8_t len;
	bool data; /* the disassembler itself does not take it for an instruction */
	bool has_target;
	uint64_t target; /* of a direct branch */
	char text[256];
};

/* The next instruction.  *gap: something else stood in front of it.  False at the end. */
bool disasm_next(FILE *f, struct disasm_line *l, bool *gap);

#endif
