/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lcov.c - coverage as lcov's tracefile, which genhtml and many others read
 *
 * See geninfo(1), "FILES".
 */
#include "report/figures/coverage.h"

#include <inttypes.h>

/* lcov reads counts into signed numbers. */
static uint64_t limited(uint64_t count)
{
	return count < INT64_MAX ? count : INT64_MAX;
}

static void put_funcs(const struct cover_file *f, bool mangled, FILE *out)
{
	size_t found = 0, hit = 0;
	for (size_t i = 0; i < f->func.n; i++) {
		const struct cover_func *g = &f->func.v[i];
		const char *name = shown(mangled ? g->name : demangled(g->name));
		if (!cover_func_has_line(g))
			continue;
		found++;
		hit += g->run;
		fprintf(out, "FN:%" PRIu32 ",%s\nFNDA:%" PRIu64 ",%s\n", g->line, name,
			limited(g->known ? g->calls : 1), name);
	}
	if (found)
		fprintf(out, "FNF:%zu\nFNH:%zu\n", found, hit);
}

static void put_branches(const struct cover_file *f, FILE *out)
{
	for (size_t i = 0; i < f->branch.n; i++) {
		const struct cover_branch *b = &f->branch.v[i];
		fprintf(out, "BRDA:%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",", b->line, b->jump, b->way);
		if (b->reached)
			fprintf(out, "%" PRIu64 "\n", limited(b->count));
		else
			fputs("-\n", out);
	}
	if (f->branch.n)
		fprintf(out, "BRF:%zu\nBRH:%zu\n", f->sum.branches.found, f->sum.branches.hit);
}

static void put_file(const struct cover_file *f, bool mangled, FILE *out)
{
	fprintf(out, "TN:\nSF:%s\n", shown(f->path));
	put_funcs(f, mangled, out);
	put_branches(f, out);
	for (size_t i = 0; i < f->line.n; i++)
		fprintf(out, "DA:%" PRIu32 ",%" PRIu64 "\n", f->line.v[i].number,
			limited(f->line.v[i].count));
	fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", f->sum.lines.found, f->sum.lines.hit);
}

void coverage_lcov(const struct coverage *c, bool mangled, FILE *out)
{
	for (size_t i = 0; i < c->nfiles; i++)
		if (cover_file_has_lines(&c->file[i]))
			put_file(&c->file[i], mangled, out);
}
