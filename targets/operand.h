/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand.h - an address that inserted code makes, as the instruction behind it does
 */
#ifndef LDX_TARGETS_OPERAND_H
#define LDX_TARGETS_OPERAND_H

#include "base/base.h"

/*
 * base + (the low index_size bytes of index) * scale + n + the base of a segment, rounded down to a
 * multiple of 2^round.  As in struct access.  With a relocation, n is its addend: that of the
 * address, and not of a field, if it is pc-relative.
 */
struct address {
	int8_t base, index;
	uint8_t scale, index_size;
	bool index_sext, low;
	uint8_t segment, round;
	bool pc_rel;
	bool relaxes; /* the last link may change the relocated instruction: see R_RISCV_RELAX */
	bool loads;   /* not the address, but the word there */
	bool spare;   /* micro's operand() needs another register, or code/call.c does */
	bool local;   /* the relocation's symbol is */
	bool foreign; /* the same: another object defines it */
	uint32_t type, sym; /* of the relocation; type 0: there is none */
	int64_t n;
};

#endif
