/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.c - LLVM's sample profile, as text: clang -fprofile-sample-use reads it, and llvm-profdata
 */
#include "report/figures/spots.h"
#include "report/figures/views.h"

#include <inttypes.h>

struct sample {
	const struct spots *s;
	FILE *out;
};

static void put_at(const struct sample *d, size_t indent, uint32_t at)
{
	fprintf(d->out, "%*s%u", (int)indent, "", at >> 16);
	if (at & 0xffff)
		fprintf(d->out, ".%u", at & 0xffff);
}

/* Prints place i and its calls.  Returns the index behind them. */
static size_t put_spot(const struct sample *d, size_t i, size_t end)
{
	const struct spot *v = d->s->v;
	size_t next = i + 1;
	put_at(d, v[i].depth, v[i].at);
	fprintf(d->out, ": %" PRIu64, v[i].count);
	for (; next < end && v[next].callee && v[next].depth == v[i].depth && v[next].at == v[i].at;
		next++)
		fprintf(d->out, " %s:%" PRIu64, v[next].callee, v[next].count);
	fputc('\n', d->out);
	return next;
}

/* Prints the function at this depth, and the functions inlined in it. */
static void put_body(const struct sample *d, size_t i, size_t end, size_t depth)
{
	const struct spot *v = d->s->v;
	while (i < end && v[i].depth == depth)
		i = put_spot(d, i, end);
	for (size_t next; i < end; i = next) {
		next = spots_same(d->s, i, end, depth + 1);
		uint64_t total = spots_total(d->s, i, next);
		if (!total)
			continue;
		put_at(d, depth, v[i].path[depth].at);
		fprintf(d->out, ": %s:%" PRIu64 "\n", v[i].path[depth].name, total);
		put_body(d, i, next, depth + 1);
	}
}

void view_sample(const struct run *run, FILE *out)
{
	struct spots s = spots_find(run, DISCRIMINATORS_LLVM);
	struct sample d = {.s = &s, .out = out};
	for (size_t i = 0, next; i < s.n; i = next) {
		next = spots_same(&s, i, s.n, 1);
		fprintf(out, "%s:%" PRIu64 ":%" PRIu64 "\n", s.v[i].path[0].name,
			spots_total(&s, i, next), spots_calls(&s, i));
		put_body(&d, i, next, 1);
	}
}
