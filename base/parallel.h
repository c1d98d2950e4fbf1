/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel.h - work on several parts of the object at once
 *
 * For deterministic output, a part's results must not depend on other parts', and the division into
 * parts must not depend on the number of threads.  A part should work in memory of its own and copy
 * its results at the end, as the results of several parts share cache lines.
 */
#ifndef LDX_BASE_PARALLEL_H
#define LDX_BASE_PARALLEL_H

#include <stddef.h>

/* How many threads work; 0: one for each processor. */
extern unsigned parallel_threads;

/* The greatest number of workers at once, numbered from 0; the same at every call. */
unsigned parallel_workers(void);

/*
 * Calls fn(ctx, part, worker) once for each part of [0, n), in any order.  After a fatal() in a
 * part no other part begins, and the message of the first part that failed is fatal() here.
 */
void parallel(size_t n, void (*fn)(void *ctx, size_t part, unsigned worker), void *ctx);

/* The same; each part allocates from an arena of its own, which is joined to a at the end. */
struct arena;
void parallel_into(struct arena *a, size_t n,
	void (*fn)(void *ctx, size_t part, struct arena *arena), void *ctx);

#endif
