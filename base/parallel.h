/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel.h - work on several parts of the object at once
 *
 * What a part makes must depend on nothing that another part makes, and parts must not
 * depend on the number of threads: then neither does the output.  What it writes often is best
 * its own, and copied to where the others' is when it is done: they share cache lines there.
 */
#ifndef LDX_BASE_PARALLEL_H
#define LDX_BASE_PARALLEL_H

#include <stddef.h>

/* How many threads work; 0: one for each processor. */
extern unsigned parallel_threads;

/* At most as many workers are at work at once, numbered from 0; the same number at every call. */
unsigned parallel_workers(void);

/*
 * Calls fn(ctx, part, worker) once for each part of [0, n), in any order.  What is fatal() in
 * one ends the others, and is fatal() here; of several, the first part's.
 */
void parallel(size_t n, void (*fn)(void *ctx, size_t part, unsigned worker), void *ctx);

/* The same for parts that allocate, each from an arena of its own; a has it all in the end. */
struct arena;
void parallel_into(struct arena *a, size_t n,
	void (*fn)(void *ctx, size_t part, struct arena *arena), void *ctx);

#endif
