/* SPDX-License-Identifier: Apache-2.0 */
/* disassembler.h - LLVM's disassemblers; the library is loaded when the first one is made */
#ifndef LDX_TARGETS_DISASSEMBLER_H
#define LDX_TARGETS_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct platform;

/* For use by one thread at a time.  fatal() when LLVM cannot be loaded. */
struct disassembler *disassembler_new(const struct platform *p);
void disassembler_free(struct disassembler *d); /* NULL: does nothing */

/* Show immediate operands in hexadecimal. */
void disassembler_hex(struct disassembler *d);

/*
 * The length of the instruction in the n bytes at p, which is at address pc; 0: there is none.
 * text receives its assembly, in at most size bytes with the final 0.
 */
size_t disassembler_text(struct disassembler *d, const uint8_t *p, size_t n, uint64_t pc,
	char *text, size_t size);

/*
 * The same of an instruction of n bytes with its prefixes, some of which LLVM takes for
 * instructions.  parts receives the mnemonic, NUL and the operands.  False: it cannot be shown.
 */
enum { DISASSEMBLER_PARTS = 512 };
bool disassembler_parts(struct disassembler *d, const uint8_t *p, size_t n, uint64_t pc,
	char parts[DISASSEMBLER_PARTS]);

#endif
