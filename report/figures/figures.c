/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.c - one number for each function or line of a run
 */
#include "report/figures/figures.h"

#include "report/figures/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *object_of(const struct run *run, const struct program *p)
{
	return p == run->v ? "" : last_part(p->path);
}

static int compare_figures(const void *a, const void *b)
{
	const struct figure *x = a, *y = b;
	int d = strcmp(x->object, y->object);
	d = d ? d : strcmp(x->file, y->file);
	d = d ? d : (x->line > y->line) - (x->line < y->line);
	return d ? d : strcmp(x->name, y->name);
}

void figures_sort(struct figures *f)
{
	size_t n = 0;
	qsort(f->v, f->n, sizeof *f->v, compare_figures);
	for (size_t i = 0; i < f->n; i++) {
		if (n && !compare_figures(&f->v[n - 1], &f->v[i]))
			f->v[n - 1].value = add_sat(f->v[n - 1].value, f->v[i].value);
		else
			f->v[n++] = f->v[i];
	}
	f->n = n;
}

uint64_t figures_sum(const struct figures *f)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < f->n; i++)
		sum = add_sat(sum, f->v[i].value);
	return sum;
}

static uint64_t figure_value(const struct func_sum *s, enum figure_kind kind)
{
	switch (kind) {
	case FIGURE_CALLS: return s->calls;
	case FIGURE_BLOCKS: return s->covered;
	default: return s->insns;
	}
}

/* die() in modes that do not count these figures. */
static void check_mode(const struct program *p, enum figure_kind kind)
{
	static const char *const needs[] = {[FIGURE_INSNS] = "instructions are counted in modes "
							     "blocks and edges",
		[FIGURE_CALLS] = "calls are counted in modes functions, blocks and edges",
		[FIGURE_BLOCKS] = "blocks are counted in modes cover, blocks and edges",
		[FIGURE_LINES] = "lines are counted in modes blocks and edges"};
	uint32_t mode = p->map.mode;
	bool good = mode == LDX_MODE_BLOCKS || mode == LDX_MODE_EDGES;
	good |= kind == FIGURE_CALLS && mode == LDX_MODE_FUNCTIONS;
	good |= kind == FIGURE_BLOCKS && map_has_marks(&p->map);
	if (!good)
		die("%s: %s, not in %s", p->path, needs[kind], mode_name(mode));
}

static void add_functions(struct figures *out, const struct run *run, const struct program *p,
	enum figure_kind kind, const struct view_options *opt)
{
	for (const struct map_func *f = p->map.func; f < p->map.func + p->map.nfuncs; f++) {
		if (!func_linked(p, f) || !filter_takes(&opt->filter, p, f, NULL))
			continue;
		struct func_sum sum = func_sum(p, f);
		uint64_t value = figure_value(&sum, kind);
		if (value)
			out->v[out->n++] =
				(struct figure){.name = opt->mangled ? f->name : demangled(f->name),
					.file = f->file,
					.object = object_of(run, p),
					.input = f->input,
					.value = value};
	}
}

static struct figures functions_of(const struct run *run, enum figure_kind kind,
	const struct view_options *opt)
{
	struct figures f = {.n = 0};
	size_t most = 0;
	for (size_t i = 0; i < run->n; i++) {
		check_mode(&run->v[i], kind);
		most += run->v[i].map.nfuncs;
	}
	f.v = NEW_ARRAY(struct figure, most);
	for (size_t i = 0; i < run->n; i++)
		add_functions(&f, run, &run->v[i], kind, opt);
	return f;
}

static struct figures lines_of(const struct run *run, const struct view_options *opt)
{
	for (size_t i = 0; i < run->n; i++)
		check_mode(&run->v[i], FIGURE_LINES);
	lines l = lines_find(run, &opt->filter, true);
	struct figures f = {.v = NEW_ARRAY(struct figure, l.n)};
	for (size_t i = 0; i < l.n; i++) {
		const struct line *at = &l.v[i];
		const char *name = line_function(at);
		if (!at->insns)
			continue;
		f.v[f.n++] = (struct figure){.name = opt->mangled ? name : demangled(name),
			/* builds may have the same source in different directories */
			.file = at->file ? last_part(at->file) : "",
			.object = object_of(run, at->p),
			.input = "",
			.line = at->number,
			.value = at->insns};
	}
	return f;
}

struct figures figures_of(const struct run *run, enum figure_kind kind,
	const struct view_options *opt)
{
	struct figures f = kind == FIGURE_LINES ? lines_of(run, opt) : functions_of(run, kind, opt);
	figures_sort(&f);
	return f;
}

static void add_change(struct changes *c, const struct figure *old, const struct figure *new,
	bool equal)
{
	struct change x = {.of = new ? new : old,
		.was = old,
		.is = new,
		.old = old ? old->value : 0,
		.new = new ? new->value : 0};
	x.rank = c->n;
	if (equal || x.old != x.new)
		c->v[c->n++] = x;
}

struct changes changes_find(const struct figures *old, const struct figures *new, bool equal)
{
	struct changes c = {.v = NEW_ARRAY(struct change, old->n + new->n)};
	for (size_t i = 0, j = 0; i < old->n || j < new->n;) {
		int d = i == old->n   ? 1
			: j == new->n ? -1
				      : compare_figures(&old->v[i], &new->v[j]);
		const struct figure *x = d <= 0 ? &old->v[i++] : NULL;
		const struct figure *y = d >= 0 ? &new->v[j++] : NULL;
		add_change(&c, x, y, equal);
	}
	return c;
}

uint64_t change_size(const struct change *c)
{
	return c->new > c->old ? c->new - c->old : c->old - c->new;
}

const char *change_difference(const struct change *c)
{
	static char text[32];
	const char *sign = c->new > c->old ? "+" : c->new < c->old ? "-" : "";
	snprintf(text, sizeof text, "%s%" PRIu64, sign, change_size(c));
	return text;
}

const char *change_percent(const struct change *c)
{
	static char text[64];
	if (c->old == c->new)
		return "";
	if (!c->old || !c->new)
		return c->new ? "new" : "gone";
	double part = 100.0 * (double)change_size(c) / (double)c->old;
	snprintf(text, sizeof text, "%s%.2f%%", c->new < c->old ? "-" : "+", part);
	return text;
}
