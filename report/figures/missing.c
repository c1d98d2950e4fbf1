/* SPDX-License-Identifier: Apache-2.0 */
/*
 * missing.c - what sums over a run do not include; see missing.h
 */
#include "report/figures/missing.h"

#include <inttypes.h>

/* Opaque functions that were called. */
struct missing {
	size_t funcs;
	uint64_t bytes, calls;
	bool uncounted; /* the calls of some are not known */
};

static void add_missing(struct missing *m, const struct map_func *f, const struct func_sum *s)
{
	if (s->insns_known || (s->calls_known && !s->calls))
		return;
	m->funcs++;
	m->bytes += f->size;
	m->calls = add_sat(m->calls, s->calls);
	m->uncounted |= !s->calls_known;
}

static struct missing find_missing(const struct run *run, const struct filter *filter)
{
	struct missing m = {0};
	for (const struct program *p = run->v; p < run->v + run->n; p++)
		for (const struct map_func *f = p->map.func; f < p->map.func + p->map.nfuncs; f++) {
			struct func_sum s = func_sum(p, f);
			if (func_linked(p, f) && filter_takes(filter, p, f, NULL))
				add_missing(&m, f, &s);
		}
	return m;
}

void warn_missing(const struct run *run, const struct filter *filter)
{
	struct lost lost = run_lost(run);
	struct missing m = find_missing(run, filter);
	if (m.funcs)
		warn("not included: %s%" PRIu64 " calls of %zu opaque function%s (%" PRIu64
		     " bytes of code)",
			m.uncounted ? "more than " : "", m.calls, m.funcs, m.funcs == 1 ? "" : "s",
			m.bytes);
	if (lost.processes)
		warn("not included: %" PRIu64 " forked processes whose counts are lost",
			lost.processes);
	if (lost.threads)
		warn("not included: %" PRIu64 " threads whose counts are lost", lost.threads);
}
