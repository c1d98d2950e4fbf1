/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial.h - one instruction to be executed, and what came of it
 *
 * What accesses.c writes to a file, runner.c executes, on another CPU perhaps, and answers in
 * another file.  Words are in the byte order of the CPU that executes, `seen' in that of the one
 * that emulates it.
 */
#ifndef LDX_TESTSUITE_ACCESS_TRIAL_H
#define LDX_TESTSUITE_ACCESS_TRIAL_H

#include <stdint.h>

enum { TRIALS = 4096, REGIONS = 3, PAGE = 4096, WINDOW = 512, SLOT = 64, SEEN = 127 };

/*
 * Trial i is executed at CODE + i * SLOT, among traps.  Memory operands are around the middle of
 * the four pages of a region: the second and third one have the trial's own protections.
 */
#define CODE UINT64_C(0x20000000)
#define DATA UINT64_C(0x30000000)
#define REGION UINT64_C(0x10000)
#define MIDDLE(r) (DATA + (r)*REGION + 2 * PAGE)
/* x86-64: bases of segments; two pages of the first one are there */
#define FS_BASE UINT64_C(0x31001000)
#define GS_BASE MIDDLE(2)

struct state {
	uint64_t reg[32];
	uint64_t flags; /* as the CPU has them; MIPS: those of floating point */
	uint64_t pc;
	uint64_t mask[8];
	uint8_t vector[32][64];
};

enum { MAY_NOTHING = 0, MAY_READ = 1, MAY_WRITE = 3 };

struct trial {
	struct state before;
	uint8_t code[24];
	uint8_t may[REGIONS][2];
	uint8_t len; /* of code */
	uint8_t pad;
	uint8_t window[REGIONS][WINDOW]; /* contents around the middle */
};

struct seen {
	uint64_t n;
	struct {
		uint64_t at, how; /* size, and from bit 8 on: 1: a store */
	} access[SEEN];
};

struct outcome {
	struct state after;
	uint64_t signal, fault, features; /* fault: the address, if it is one */
	uint8_t window[REGIONS][WINDOW];
	struct seen seen;
};

#endif
