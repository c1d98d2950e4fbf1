/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - which line of the source an instruction is of: the line tables, read when a tool asks
 */
#include "instr/tool/session.h"

#include "reloc/meta/codec.h"

/* Of a sequence, the row that waits for the next one: it has code if that is at another place. */
struct reading {
	struct tools *t;
	struct line_row row;
};

static int compare_rows(const void *a, const void *b)
{
	const struct line_row *x = a, *y = b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return (x->file != NULL) - (y->file != NULL); /* what ends there, then what begins */
}

static void take_row(void *ctx, uint32_t sec, uint64_t off, const char *file, uint32_t line)
{
	struct reading *w = ctx;
	if (w->row.file && (w->row.sec != sec || w->row.off != off))
		vec_push(&w->t->line, w->row);
	w->row = (struct line_row){sec, line, off, file};
	if (!file)
		vec_push(&w->t->line, w->row);
}

static void read_lines(struct tools *t)
{
	struct reading w = {.t = t};
	t->has_lines = true;
	debug_rows(t->g->obj, take_row, &w);
	sort(t->line.v, t->line.n, sizeof *t->line.v, compare_rows);
}

bool ldx_insn_line(const ldx_insn *i, const char **file, unsigned *line)
{
	struct tools *t = asking;
	const struct insn *in = insn_of(i);
	struct line_row at = {.sec = section_with(in)->sec->index, .off = in->off, .file = ""};
	size_t k;
	if (!t->has_lines)
		read_lines(t);
	BISECT(k, 0, t->line.n, compare_rows(&t->line.v[k], &at) <= 0);
	const struct line_row *r = k ? &t->line.v[k - 1] : NULL;
	if (!r || r->sec != at.sec || !r->file || !r->line)
		return false;
	*file = r->file;
	*line = r->line;
	return true;
}
