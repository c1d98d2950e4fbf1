/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.h - the calls of a run: from which instruction, to which function, how often
 */
#ifndef LDX_REPORT_CALLS_H
#define LDX_REPORT_CALLS_H

#include "report/program.h"

enum call_kind {
	CALL_DIRECT,   /* to a function of the map */
	CALL_NAMED,    /* to a symbol outside: through the PLT or GOT, or to code without a map */
	CALL_INDIRECT, /* to an address that is computed: the callee is not known */
};

struct call {
	const struct program *p;
	const struct map_func *from;
	const struct map_block *block;
	uint64_t address, offset; /* of the instruction: see insns.h */
	enum call_kind kind;
	bool tail; /* a jump to another function */
	const struct program
		*to_object;	   /* of to, which may be another object of the run; or NULL */
	const struct map_func *to; /* CALL_DIRECT, or a named function that is found in the run */
	const char *name;	   /* of the callee as in the symbol table; NULL: CALL_INDIRECT */
	uint64_t count;		   /* executions of the instruction as a call: a branch taken */
	bool known;
};

struct calls {
	struct call *v; /* by object, function, address */
	size_t n;
};
struct calls calls_find(const struct run *run);

#endif
