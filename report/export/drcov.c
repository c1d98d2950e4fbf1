/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drcov.c - which blocks were executed, in DynamoRIO's drcov format, version 2
 *
 * Addresses are link-time addresses of the instrumented objects: open these files in a
 * disassembler.
 */
#include "report/figures/insns.h"
#include "report/figures/views.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdlib.h>

struct writer {
	const struct program *p;
	uint16_t module;
	uint64_t base, limit;
	const struct map_block *b; /* the block of the instructions from..to */
	uint64_t from, to;
	struct buf blocks;
	uint64_t n;
};

static void find_limits(struct writer *w)
{
	w->base = UINT64_MAX;
	w->limit = 0;
	for (const struct segment *s = w->p->segment; s < w->p->segment + w->p->nsegments; s++) {
		w->base = s->address < w->base ? s->address : w->base;
		w->limit = s->address + s->size > w->limit ? s->address + s->size : w->limit;
	}
}

/* A block's size has 16 bits. */
static void put_block(struct writer *w)
{
	while (w->from < w->to) {
		uint64_t n = w->to - w->from < UINT16_MAX ? w->to - w->from : UINT16_MAX;
		buf_u32(&w->blocks, (uint32_t)(w->from - w->base));
		buf_u16(&w->blocks, (uint16_t)n);
		buf_u16(&w->blocks, w->module);
		w->from += n;
		w->n++;
	}
}

/* A block whose instructions are not adjacent becomes several blocks. */
static void add_insn(void *ctx, const struct insn_at *in)
{
	struct writer *w = ctx;
	if (!in->known || !in->count || !in->insn)
		return;
	if (in->b != w->b || in->from != w->to) {
		put_block(w);
		w->b = in->b;
		w->from = in->from;
	}
	w->to = in->address + in->size;
}

static void put_module(struct writer *w, FILE *out)
{
	find_limits(w);
	fprintf(out, "%3u, 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016" PRIx64 ", %s\n",
		(unsigned)w->module, w->base, w->limit, (uint64_t)0, shown(w->p->path));
	for (size_t i = 0; i < w->p->map.nfuncs; i++)
		if (func_linked(w->p, &w->p->map.func[i]))
			each_insn(w->p, &w->p->map.func[i], add_insn, w);
	put_block(w);
	w->b = NULL;
}

void view_drcov(const struct run *run, FILE *out)
{
	struct writer w = {0};
	run_need_blocks(run);
	fprintf(out,
		"DRCOV VERSION: 2\nDRCOV FLAVOR: ldx\nModule Table: version 2, count %zu\n"
		"Columns: id, base, end, entry, path\n",
		run->n);
	for (size_t i = 0; i < run->n && i <= UINT16_MAX; i++) {
		w.p = &run->v[i];
		w.module = (uint16_t)i;
		put_module(&w, out);
	}
	fprintf(out, "BB Table: %" PRIu64 " bbs\n", w.n);
	fwrite(w.blocks.v, 1, w.blocks.n, out);
	free(w.blocks.v);
}
