/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.h - checks that a thread counts in its own cells
 */
#ifndef LDX_INSTR_COUNT_THREADS_H
#define LDX_INSTR_COUNT_THREADS_H

#include "instr/plan.h"

/* Mark in p->checked the blocks at which a new thread may come in; once, before check_threads(). */
void plan_threads(struct plan *p);
bool is_checked(const struct plan *p, uint32_t b);
/* A site for the check whether the thread has counters of its own. */
void plan_check(struct plan *p, uint32_t text, struct spot s);
/* Sites at those of function fi, if it is understood. */
void check_threads(struct plan *p, uint32_t fi);

/* Is there a system call that may fork, or make a thread, where nothing can be inserted? */
bool hides_forks(const struct cfg *g);

#endif
