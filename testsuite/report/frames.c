/* SPDX-License-Identifier: Apache-2.0 */
/* frames.c - prints what report/figures/source.h says of each original instruction of a program */
#include "base/base.h"
#include "report/figures/insns.h"
#include "report/figures/source.h"

#include <inttypes.h>

static void put_frames(void *ctx, const struct insn_at *in)
{
	const struct source_frame *v;
	printf("%" PRIx64 "\t%" PRIx64 "\t%d", in->address, in->offset,
		source_begins_statement(ctx, in->from, in->address));
	for (size_t i = 0, n = source_frames(ctx, in->address, &v); i < n; i++) {
		const struct source_func *f = v[i].func;
		printf("\t%s\t%s\t%u\t%u\t%s\t%u", f ? f->name : "", v[i].file ? v[i].file : "",
			v[i].line, v[i].discriminator, f && f->file ? f->file : "",
			f ? f->line : 0);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct program p;
	diag_name = "ldxprof";
	if (argc != 2 || !program_open(&p, argv[1]))
		return 2;
	p.profile.count = NEW_ARRAY(uint64_t, p.map.ncounters);
	solve_counts(&p.map, p.profile.count, &p.counts);
	struct source *s = source_open(&p);
	printf("%d\n", source_has_lines(s));
	for (const struct map_func *f = p.map.func; f < p.map.func + p.map.nfuncs; f++)
		each_insn(&p, f, put_frames, s);
}
