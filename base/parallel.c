/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parallel.c - work on several parts of the object at once; see parallel.h
 *
 * Threads live for one call: there are few calls, and each works for milliseconds.
 */
#include "base/parallel.h"

#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MAX_WORKERS = 64 };

unsigned parallel_threads;

struct job {
	size_t n;
	void (*fn)(void *ctx, size_t part, unsigned worker);
	void *ctx;
	_Atomic size_t next; /* part to be done */
	struct worker {
		struct job *job;
		unsigned number;
		size_t part;
		pthread_t thread;
		struct arena arena;
		const char *failed; /* at part: what was fatal */
	} worker[MAX_WORKERS];
};

unsigned parallel_workers(void)
{
	static unsigned n;
	cpu_set_t set;
	if (parallel_threads)
		return parallel_threads < MAX_WORKERS ? parallel_threads : MAX_WORKERS;
	if (!n && !sched_getaffinity(0, sizeof set, &set))
		n = (unsigned)CPU_COUNT(&set);
	return n < 1 ? 1 : n < MAX_WORKERS ? n : MAX_WORKERS;
}

static void do_part(void *arg)
{
	const struct worker *w = arg;
	w->job->fn(w->job->ctx, w->part, w->number);
}

/* Parts are taken in order, so that all parts before one that fails are complete. */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct job *j = w->job;
	while (!w->failed && (w->part = atomic_fetch_add(&j->next, 1)) < j->n) {
		w->failed = attempt(&w->arena, do_part, w);
		if (w->failed)
			atomic_store(&j->next, j->n);
	}
	return NULL;
}

void parallel(size_t n, void (*fn)(void *ctx, size_t part, unsigned worker), void *ctx)
{
	unsigned workers = parallel_workers();
	if (workers > n)
		workers = (unsigned)n;
	for (size_t part = 0; workers <= 1 && part < n; part++)
		fn(ctx, part, 0);
	if (workers <= 1)
		return;
	struct job *j = calloc(1, sizeof *j);
	if (!j)
		fatal("out of memory");
	j->n = n;
	j->fn = fn;
	j->ctx = ctx;
	const struct worker *first = NULL;
	unsigned started = 1;
	for (unsigned i = 0; i < workers; i++)
		j->worker[i] = (struct worker){.job = j, .number = i};
	/* If a thread cannot be created, the others do its parts. */
	while (started < workers &&
		!pthread_create(&j->worker[started].thread, NULL, work, &j->worker[started]))
		started++;
	work(&j->worker[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(j->worker[i].thread, NULL);
	for (unsigned i = 0; i < started; i++)
		if (j->worker[i].failed && (!first || j->worker[i].part < first->part))
			first = &j->worker[i];
	if (first)
		fatal("%s", first->failed);
	free(j);
}

struct into {
	void (*fn)(void *ctx, size_t part, struct arena *arena);
	void *ctx;
	struct arena *arena; /* by part */
};

static void do_into(void *ctx, size_t part, unsigned worker)
{
	const struct into *in = ctx;
	struct arena arena = {0};
	(void)worker;
	in->fn(in->ctx, part, &arena);
	in->arena[part] = arena;
}

void parallel_into(struct arena *a, size_t n,
	void (*fn)(void *ctx, size_t part, struct arena *arena), void *ctx)
{
	struct into in = {fn, ctx, arena_array(a, struct arena, n)};
	parallel(n, do_into, &in);
	for (size_t part = 0; part < n; part++)
		arena_join(a, &in.arena[part]);
}
