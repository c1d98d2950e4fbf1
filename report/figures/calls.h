/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - the calls of a run: from which instruction, to which function, how often
 */
#ifndef LDX_REPORT_CALLS_H
#define LDX_REPORT_CALLS_H

#include "report/figures/insns.h"
#include "report/read/program.h"

enum call_kind {
	CALL_DIRECT,   /* to a function of the map */
	CALL_NAMED,    /* to a symbol outside: through the PLT or GOT, or to code without a map */
	CALL_INDIRECT, /* to a computed address: the callee is known if a tool has told it */
};

struct call {
	const struct program *p;
	const struct map_func *from;
	const struct map_block *block;
	uint64_t address, offset; /* of the instruction: see insns.h */
	enum call_kind kind;
	bool tail;		     /* a jump to another function */
	const struct program *to_in; /* the object of the run that has the callee; or NULL */
	const struct map_func *to;   /* NULL: it is in no map, or not known */
	const char *name;	     /* of the callee as in the symbol table; NULL: not known */
	uint64_t count;		     /* in mode cover 1 if it was executed, else 0 */
	bool known;		     /* is the count known? if not, it is 0 */
	bool measured;		     /* a tool has measured what was executed until it ended */
	uint64_t insns;		     /* that; a call within a call of the same place counts again */
};

struct calls {
	/* By object and caller as in the map, then by offset; an indirect call for each callee. */
	struct call *v;
	size_t n;
};

/*
 * The calls in all objects of the run; all: also calls in blocks that were not executed, which
 * takes far longer if much code was not.  A name that several objects export is bound to the first
 * one in the run.  Jumps within a function, and back into the middle of one, are no calls.
 */
struct calls calls_find(const struct run *run, bool all);

/* The call that the instruction is; false: it is none. */
struct call_finder;
struct call_finder *call_finder_new(const struct run *run);
bool call_at(struct call_finder *f, const struct insn_at *in, struct call *c);

/*
 * The instructions executed in each function and its callees, by object and number in the map:
 * exact if a tool has measured all calls (arcs.h), else an estimate.  Then the inclusive cost of a
 * function is divided among its callers in proportion to their calls (gprof: Graham, Kessler,
 * McKusick 1982); functions that called each other recursively are one.  It is exact if each callee
 * has one caller, or costs the same for all its callers.
 */
struct inclusive {
	double **insns;	 /* by object, function */
	double *of_call; /* by call; < 0: not known, the callee has called the caller */
	bool exact;	 /* all calls were measured */
};
struct inclusive calls_inclusive(const struct run *run, const struct calls *c);

#endif
