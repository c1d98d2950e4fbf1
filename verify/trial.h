/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial.h - an execution of inserted code (prove.c), and what routines must be given there
 * (given.c)
 */
#ifndef LDX_VERIFY_TRIAL_H
#define LDX_VERIFY_TRIAL_H

#include "targets/machine.h"
#include "verify/inserted.h"

enum { UNSEEN = UINT32_MAX };
/* States in which code is executed, for each way of its branches; instructions. */
enum { STATES = 16, FEW_STATES = 4, STEPS = 256, FIELD_END = 4 };
#define STACK_SIZE 4096u

/* A routine of PATTERN_CALL. */
struct routine {
	const struct tool_call *call; /* NULL: there is none */
	uint32_t body;		      /* the offset of its pasted code, or UINT32_MAX */
	unsigned times;		      /* how often it was entered */
	uint64_t given[CALL_ARGS];
};

/* A branch of a routine that code is compared with: see step.c. */
struct decision {
	regset by;     /* flags that the routine has set */
	regset are;    /* which of them are set in front of the branch */
	regset become; /* which it is given */
};

/* One pattern in all states. */
struct trial {
	struct verify *v;
	struct pattern *p;
	bool by_thread;			  /* the cell is this thread's */
	enum turned turned;		  /* the form of the code */
	uint64_t stack;			  /* the stack pointer in front of the code */
	uint32_t down[PATTERN_BYTES + 1]; /* by offset: stack - stack pointer, or UNSEEN */
	uint8_t loaded[PATTERN_BYTES];	  /* by offset: 1: data */
	uint64_t lowest, highest;	  /* addresses written, other than the cell */
	regset changed;
	struct routine predicate, routine;
	bool compares; /* the routine, or the predicate in front of it, is compared, not found */
	struct machine_log log;	     /* of that: what the code accesses, but its stack */
	unsigned asked;		     /* accesses up to the end of the predicate */
	uint64_t answer;	     /* what it returned */
	struct machine_log acts;     /* what the routine accesses */
	uint64_t wanted;	     /* what it returns */
	bool leads;		     /* it is executed now, not the code */
	regset set;		     /* flags that it has set */
	unsigned decisions, decided; /* branches that it has executed; likewise, now */
	struct decision decision[BODY_BRANCHES];
};

/* Where the data of arguments is. */
#define ARGUMENT_DATA 0x611000u

static inline uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed ^ *seed >> 29;
}

/* The largest value of a register. */
static inline uint64_t word_max(const struct verify *v)
{
	return UINT64_MAX >> (64 - 8 * v->target->word);
}

/* Where the words with the addresses of this thread's counters are, if there are any. */
static inline uint64_t row_of(const struct verify *v, const struct machine *m)
{
	return v->row ? machine_load(m, m->tls, v->target->word) + v->row_at : 0;
}

/* Is at one of them, if they are at row? */
static inline bool is_in_row(const struct verify *v, uint64_t row, uint64_t at)
{
	return at - row < 8 * v->row_words;
}

/* A relocation that has no field. */
static inline bool is_hint(const struct verify *v, const struct reloc *r)
{
	return !v->target->reloc_info(r->type)->size;
}

/* Is the byte in what the code may use as its own stack? */
static inline bool is_own_stack(uint64_t stack, uint64_t at)
{
	return stack - 1 - at < STACK_SIZE;
}

/*
 * Execute one instruction; atomic: only an atomic one may change the cell.  Its accesses are
 * appended to log.
 */
bool trial_step(struct trial *t, struct machine *m, const uint8_t *code, uint32_t n, uint64_t cell,
	bool atomic, struct machine_log *log);

/*
 * Execute the routine, or the predicate, that code is compared with, given its arguments as they
 * are in a state; false: it cannot be.  Behind the code: has that accessed the same, and returned
 * the same, if it is a predicate?
 */
bool routine_acts(struct trial *t, const struct machine *before);
bool acts_as_routine(const struct trial *t, uint64_t tls);
/* Branches in its code; UINT_MAX: not known. */
unsigned routine_branches(const struct trial *t);

/*
 * What a relocation names, of an instruction whose accesses are arguments or of the code that makes
 * these: a different address for each symbol and way to it.  Labels of code are all one, as
 * check_labels() compares them.
 */
uint64_t named_address(const struct verify *v, const struct object *o, const struct reloc *r,
	unsigned field_end, uint64_t seed);

/* The address of a label of code that is an argument. */
uint64_t argument_label(unsigned number, uint64_t seed);

/* What argument a, which is the address of no code, must be with state before; false: not known. */
bool given_value(const struct trial *t, const struct call_arg *a, const struct machine *before,
	uint64_t *want);
/* Was the routine given what was asked for? */
bool given_well(const struct trial *t, const struct routine *r, const struct machine *before);

#endif
