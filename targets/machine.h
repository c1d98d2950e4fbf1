/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - a machine that executes inserted code, for the verifier
 *
 * Registers and memory have concrete values; the verifier executes code with several of them.  The
 * machine knows only the few forms of instructions that inserted code may consist of.
 */
#ifndef LDX_TARGETS_MACHINE_H
#define LDX_TARGETS_MACHINE_H

#include "targets/insn.h"

#include <stddef.h>

/* A byte of memory that was written. */
struct machine_byte {
	uint64_t at;
	uint8_t old, now;
};

/* Accesses to memory, of one instruction those with the same number: its place among such. */
struct machine_access {
	uint64_t at, value;
	uint8_t size;
	bool stores, atomic;
	unsigned insn;
};
struct machine_log {
	struct machine_access v[64];
	unsigned n;
	bool full;
};

enum { MACHINE_FLOAT = 2, MACHINE_REST = 4 };

/* machine_copy() copies of bytes what there is. */
struct machine {
	uint64_t reg[REG_FLAG]; /* by number in a regset; of vectors the low 64 bits */
	uint64_t high[REG_FLAG - REG_VECTOR]; /* of vectors of 128 bits the others */
	bool paired;  /* of registers of 64 bits that may be two of 32: they are */
	regset flags; /* those that are set */
	/* What is in no regset: HI and LO of MIPS; the control and status of floating point. */
	uint64_t rest[MACHINE_REST];
	uint64_t pc;	 /* the address of the next instruction */
	uint64_t thread; /* the thread's base, which ACCESS_THREAD adds to addresses */
	uint64_t tls;	 /* where the thread pointer is, if it is in memory its own address */
	uint64_t called; /* the last function that was called, which keeps all registers */
	unsigned calls;
	uint64_t exclusive; /* a store there succeeds if (watched) nothing came between it and
			       the load */
	bool watched;
	bool atomic;   /* the last instruction changed memory atomically; cleared by the caller */
	uint64_t seed; /* determines the contents of memory that was not written */
	unsigned nbytes;
	bool bad;	     /* byte[] overflowed, or code was written */
	bool big;	     /* most significant byte first */
	const uint8_t *code; /* what is executed: ncode bytes from start on, at most 1024 */
	uint64_t start;
	unsigned ncode;
	uint8_t *loaded;	 /* by byte of it: 1: it was loaded, as data */
	struct machine_log *log; /* of at, value, size, stores; NULL: none is kept */
	struct machine_byte byte[1024];
};

static inline void machine_copy(struct machine *to, const struct machine *from)
{
	memcpy(to, from, offsetof(struct machine, byte) + from->nbytes * sizeof from->byte[0]);
}

/* n bytes at most 8, in the machine's order. */
uint64_t machine_load(const struct machine *m, uint64_t at, unsigned n);
void machine_store(struct machine *m, uint64_t at, unsigned n, uint64_t value);

#endif
