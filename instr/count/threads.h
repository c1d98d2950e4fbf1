/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.h - checks that a thread counts in its own cells, and a process in its own profile
 */
#ifndef LDX_INSTR_COUNT_THREADS_H
#define LDX_INSTR_COUNT_THREADS_H

#include "instr/count/spot.h"

/* The blocks at which a new thread of a libc outside the object may start, as a set of bits. */
uint64_t *thread_entries(const struct plan *p);
bool is_checked(const struct plan *p, uint32_t b);
/* Insert code that checks whether the thread has counters of its own. */
void plan_check(struct plan *p, uint32_t text, struct spot s);
/* Add these checks to function fi, unless it is opaque. */
void check_threads(struct plan *p, uint32_t fi);

/*
 * Insert checks behind system calls in blocks from..to that may make a process or a thread (unless
 * their number is known and is another one), and behind calls of functions that make one and have
 * no pthread_atfork(3) handlers.
 */
void plan_forks(struct plan *p, uint32_t from, uint32_t to, struct decoder *decoder);

/* Does an opaque function contain a system call that may make a process or a thread? */
bool hides_forks(const struct cfg *g);
/* Does any function? */
bool may_fork(const struct cfg *g);

#endif
