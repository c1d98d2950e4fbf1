/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accesses.h - what the files of accesses.c share
 */
#ifndef LDX_TESTSUITE_ACCESS_ACCESSES_H
#define LDX_TESTSUITE_ACCESS_ACCESSES_H

#include "targets/access.h"
#include "targets/x86_64/x86_64.h"
#include "testsuite/access/trial.h"

#include <elf.h>

enum { FORM_BYTES = 16, BRANCH_TO = 32, TOUCHES = 1024, LIST_MAX = 60 };
enum { ZVA = 512 }; /* dc zva of QEMU's CPU with all features */

struct form {
	uint8_t key[FORM_BYTES], code[FORM_BYTES];
	char text[96];
};

/* Bytes that an access touches, for a round or an element. */
struct touch {
	uint64_t at;
	unsigned size;
	bool reads, writes, perhaps, loose; /* loose: others of the aligned word may be read too */
	unsigned which;			    /* its access */
};

/* A form in one state, and what is expected of it. */
struct planned {
	const struct form *form;
	struct insn in;
	struct action action[ACTIONS];
	unsigned n;
	uint64_t to;	       /* where control is to be */
	bool odd;	       /* an address is not a multiple of the size */
	bool odder;	       /* nor one of 16, as those of pairs may have to be */
	bool vectors;	       /* which of memory depends on more than low halves of vectors */
	bool misses, may_miss; /* memory that may not be accessed is, or perhaps */
	struct touch touch[TOUCHES];
	unsigned ntouch;
};

extern struct tests {
	const struct target *t;
	struct decoder *d;
	const char *runner, *dir, *emulator, *plugin;
	unsigned states;
	bool verbose;
	bool wrong; /* descriptions are made so: */
	unsigned way;
	VEC(struct form) form;
	uint32_t *slot;
	size_t cap;
	struct trial *trial;
	struct outcome *outcome;
	struct planned *planned;
	size_t n; /* planned trials */
	uint64_t seed;
} g;

extern struct counts {
	unsigned long forms, insns, unknown, executed, away, unplaced, absent, odd, trapped,
		vectors, misses, taken, untaken, wrong, ran;
} count;

static inline bool is_x86(void)
{
	return g.t->machine == EM_X86_64;
}

static inline bool is_mips(void)
{
	return g.t->machine == EM_MIPS;
}

static inline uint64_t word_mask(void)
{
	return g.t->word == 8 ? UINT64_MAX : UINT32_MAX;
}

uint64_t reg_value(const struct state *s, int reg);
uint64_t extended(uint64_t value, unsigned size, bool sign);
uint64_t segment_base(unsigned segment);

/* The address of an element. */
uint64_t address(const struct access *a, const struct state *s, unsigned lane);

/* n bytes of memory at first; false: they are not in a window. */
bool content(uint8_t window[REGIONS][WINDOW], uint64_t at, unsigned n, uint8_t **p);

/* What a trial's window has; 0: it is not there. */
uint64_t memory(struct trial *t, uint64_t at, unsigned size);

/* What an action finds: a delay slot behind the branch.  Until the next call. */
const struct state *state_of(const struct planned *p, const struct trial *t,
	const struct action *a);

/* Note what an action accesses, in all rounds. */
void touch_rounds(struct planned *p, struct trial *t, const struct action *a);

/* The two parts of a condition. */
bool relation_holds(const struct condition *c, const struct state *s);
bool flags_hold(const struct condition *c, const struct state *s);

/* enum MAY_...; -1: nothing is known of the memory there. */
int may_access(const struct trial *t, uint64_t at);

/* Compare what came of it. */
void judge(struct planned *p, struct trial *t, struct outcome *o);

#endif
