/* SPDX-License-Identifier: Apache-2.0 */
/* callers.h - functions that one other function has called only: what is known of stacks */
#ifndef LDX_REPORT_CALLERS_H
#define LDX_REPORT_CALLERS_H

#include "report/figures/calls.h"

/* What has made all calls of a function. */
struct caller {
	const struct program *p;
	const struct map_func *f;
	uint64_t address; /* of the call; 0: there are several */
	uint64_t count;
	bool several; /* functions, or the function itself: it is none of them */
};
struct callers;

/* Of all functions of the run; belongs to the process. */
struct callers *callers_find(const struct run *run);
/*
 * The function that has made all calls of f of object p; NULL: there are several, or not all calls
 * are known.  Those of a chain of callers may come round: at most CALLERS_DEEPEST are a stack.
 */
enum { CALLERS_DEEPEST = 500 };
const struct caller *only_caller(const struct callers *v, const struct program *p,
	const struct map_func *f);

#endif
