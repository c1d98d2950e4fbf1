/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - the instructions executed by line and by function of the source; see lines.h
 */
#include "report/figures/lines.h"

#include "report/common/progress.h"

#include <stdlib.h>

static bool is_same(const struct line *a, const struct line *b)
{
	return a->p == b->p && a->func == b->func && a->file == b->file && a->number == b->number &&
		a->place == b->place && (a->func || a->symbol == b->symbol);
}

static void add_line(struct line *to, const struct line *from)
{
	to->insns = add_sat(to->insns, from->insns);
	to->copied = add_sat(to->copied, from->copied);
	to->inlined = add_sat(to->inlined, from->inlined);
	to->known |= from->known;
	if (!to->symbol || (from->symbol && from->symbol < to->symbol))
		to->symbol = from->symbol;
}

/* Adds from to the last line if both are the same, in one place. */
static void join_line(lines *l, const struct line *from)
{
	struct line *last = l->n ? &l->v[l->n - 1] : NULL;
	if (!last || !is_same(last, from)) {
		vec_push(l, *from);
		return;
	}
	add_line(last, from);
	last->count = from->count > last->count ? from->count : last->count;
}

void lines_add(lines *l, const struct insn_at *in, const struct source_frame *v, size_t n, bool all)
{
	uint64_t count = in->known ? in->count : 0;
	struct line add = {.p = in->p, .known = in->known};
	for (size_t i = 0; i < n; i++) {
		bool last = all && i + 1 == n;
		add.func = v[i].func;
		add.file = v[i].file;
		add.number = v[i].line;
		add.place = v[i].place;
		add.symbol = last ? in->f : NULL;
		add.insns = i ? 0 : count;
		add.copied = last ? 0 : add.insns;
		add.count = i ? 0 : count;
		add.inlined = i ? count : 0;
		join_line(l, &add);
	}
	if (n)
		return;
	add.symbol = in->f;
	add.insns = add.count = count;
	join_line(l, &add);
}

static int compare_numbers(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* Any order that puts equal lines together. */
static int compare_keys(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int d = compare_numbers((uintptr_t)x->p, (uintptr_t)y->p);
	d = d ? d : compare_numbers((uintptr_t)x->func, (uintptr_t)y->func);
	d = d || x->func ? d : compare_numbers((uintptr_t)x->symbol, (uintptr_t)y->symbol);
	d = d ? d : compare_numbers((uintptr_t)x->file, (uintptr_t)y->file);
	d = d ? d : compare_numbers(x->number, y->number);
	return d ? d : compare_numbers(x->place, y->place);
}

/* Joins equal neighbours of the sorted lines. */
static void fold(lines *l, bool places)
{
	lines in = *l;
	l->n = 0;
	for (size_t i = 0; i < in.n; i++) {
		struct line from = in.v[i];
		struct line *last = l->n ? &l->v[l->n - 1] : NULL;
		if (places) {
			join_line(l, &from);
			continue;
		}
		from.place = 0;
		if (last && is_same(last, &from)) {
			add_line(last, &from);
			last->count = add_sat(last->count, from.count);
		} else {
			vec_push(l, from);
		}
	}
}

/* Drops the line numbers, to join by function. */
static void forget_lines(lines *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct line *x = &l->v[i];
		x->file = x->func ? x->func->file : x->file;
		x->number = x->func ? x->func->line : 0;
	}
}

void lines_fold(lines *l, bool functions)
{
	if (!l->n)
		return;
	if (functions)
		forget_lines(l);
	qsort(l->v, l->n, sizeof *l->v, compare_keys);
	fold(l, true);
	fold(l, false);
}

struct finder {
	struct source *s;
	const struct filter *filter;
	const struct map_func *f; /* the last query to the filter */
	const char *file;
	bool takes; /* its result */
	lines l;
};

static bool takes(struct finder *f, const struct insn_at *in, const char *file)
{
	if (in->f != f->f || file != f->file) {
		f->takes = filter_takes(f->filter, in->p, in->f, file);
		f->f = in->f;
		f->file = file;
	}
	return f->takes;
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	struct finder *f = ctx;
	const struct source_frame *v = NULL;
	size_t n = in->insn || in->left_out ? source_frames(f->s, in->address, &v) : 0;
	if (takes(f, in, n ? v->file : NULL))
		lines_add(&f->l, in, v, n ? 1 : 0, n == 1);
}

static void find_in(struct finder *f, const struct program *p, bool without_zero)
{
	f->s = source_open(p);
	for (size_t i = 0; i < p->map.nfuncs; i++) {
		const struct map_func *g = &p->map.func[i];
		progress("looking up lines", i, p->map.nfuncs);
		if (func_linked(p, g) && (!without_zero || func_sum(p, g).run))
			each_insn(p, g, add_insn, f);
	}
	progress_clear();
}

lines lines_find(const struct run *run, const struct filter *filter, bool without_zero)
{
	struct finder f = {.filter = filter};
	for (size_t i = 0; i < run->n; i++)
		find_in(&f, &run->v[i], without_zero);
	return f.l;
}

/* The debug information has no mangled name for a function that is local to a file. */
const char *line_function(const struct line *l)
{
	if (!l->func)
		return l->symbol ? l->symbol->name : "";
	const char *name = l->func->name, *symbol = l->symbol ? l->symbol->name : "";
	bool better = name[0] != '_' && symbol[0] == '_' && strstr(symbol, name);
	return better ? new_string("%.*s", (int)strcspn(symbol, "."), symbol) : name;
}
