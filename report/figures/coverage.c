/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.c - which parts of the source were executed; see coverage.h
 *
 * A function's instructions show which of its blocks have code of a line.  A line that is in
 * several places (copies of inlined functions) is counted in each of them, and the counts are
 * added.
 */
#include "report/figures/coverage.h"

#include "report/figures/excluded.h"
#include "report/figures/insns.h"
#include "report/common/progress.h"
#include "report/figures/source.h"
#include "report/figures/visits.h"

#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A block has code of a line. */
struct piece {
	const char *file;
	uint32_t line;
	uint64_t place; /* see source.h */
	size_t block;	/* of the function, from 0 */
	bool begins;	/* the block, or a statement of the line, begins with that code */
};

struct maker {
	const struct cover_options *opt;
	struct coverage *c;
	void *files; /* struct cover_file, a tree of tsearch(3) */
	struct visits *visits;
	/* the current function */
	const struct program *p;
	const struct map_func *f;
	struct source *source;
	VEC(struct piece) piece;
	VEC(size_t) blocks;
	VEC(size_t) first_out, out;	/* by block: its first edge out in out; edges of the map */
	VEC(struct source_frame) frame; /* of the current instruction */
	const char *built;		/* the path of the last lookup, and its file */
	struct cover_file *file;
};

/* Files ----------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
	const struct cover_file *x = a, *y = b;
	int d = strcmp(x->group, y->group);
	return d ? d : strcmp(x->path, y->path);
}

static const char *mapped(const struct cover_options *opt, const char *path)
{
	for (size_t i = opt->nprefixes; i-- > 0;) {
		const char *rule = opt->prefixes[i], *equals = strchr(rule, '=');
		size_t n = (size_t)(equals - rule);
		if (!strncmp(path, rule, n))
			return new_string("%s%s", equals + 1, path + n);
	}
	return path;
}

static const char *below_root(const struct cover_options *opt, const char *path)
{
	size_t n = opt->root ? strlen(opt->root) : 0;
	return n && !strncmp(path, opt->root, n) && path[n] == '/' ? path + n + 1 : path;
}

static const char *group_of(const struct maker *m)
{
	switch (m->opt->by) {
	case COVER_BY_OBJECT: return m->p->path;
	case COVER_BY_MEMBER: return func_origin(m->f);
	default: return "";
	}
}

static bool is_wanted(const struct maker *m, const char *path)
{
	const struct cover_options *o = m->opt;
	return filter_takes(o->filter, m->p, m->f, path) &&
		!(o->exclude->n && filter_takes(o->exclude, m->p, m->f, path));
}

static const char *find_place(const struct cover_options *opt, const char *path, const char *built)
{
	const char *place = opt->root && *path != '/' ? new_string("%s/%s", opt->root, path) : path;
	if (!access(place, R_OK))
		return place;
	return access(built, R_OK) ? NULL : built;
}

/* Finds or makes a file; NULL: the filters leave it out for the current function. */
static struct cover_file *make_file(struct maker *m, const char *built)
{
	const char *path = below_root(m->opt, mapped(m->opt, built));
	struct cover_file key = {.group = group_of(m), .path = path};
	if (!is_wanted(m, path))
		return NULL;
	struct cover_file **found = tfind(&key, &m->files, compare_files);
	if (found)
		return *found;
	struct cover_file *f = new_array(1, sizeof *f);
	*f = key;
	f->place = find_place(m->opt, path, built);
	if (!tsearch(f, &m->files, compare_files))
		die("out of memory");
	return f;
}

/* The file of a path in the debug information, with a cache of one. */
static struct cover_file *find_file(struct maker *m, const char *built)
{
	if (m->built != built) {
		m->built = built;
		m->file = make_file(m, built);
	}
	return m->file;
}

/* Lines ----------------------------------------------------------------- */

/*
 * The place of a row.  The last row is that of the code, which belongs to the innermost frame.  A
 * row without code belongs to the function whose declaration is the last one above it.
 */
static uint64_t place_of(const struct maker *m, const struct source_row *r, bool last)
{
	const struct source_frame *best = m->frame.n ? &m->frame.v[0] : NULL;
	uint32_t line = 0;
	for (size_t i = 0; i < m->frame.n && !last; i++) {
		const struct source_func *f = m->frame.v[i].func;
		if (!f || f->file != r->file || f->line > r->line || f->line <= line)
			continue;
		line = f->line;
		best = &m->frame.v[i];
	}
	return best ? best->place : 0;
}

static void add_piece(struct maker *m, const struct source_row *r, uint64_t place, size_t block,
	bool begins)
{
	struct piece *last = m->piece.n ? &m->piece.v[m->piece.n - 1] : NULL;
	if (!r->line || !r->file)
		return;
	if (last && last->block == block && last->line == r->line && last->file == r->file &&
		last->place == place)
		last->begins |= begins;
	else
		vec_push(&m->piece, (struct piece){r->file, r->line, place, block, begins});
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	struct maker *m = ctx;
	const struct source_frame *frame;
	const struct source_row *row;
	if (!in->insn)
		return;
	size_t nframes = source_frames(m->source, in->address, &frame);
	m->frame.n = 0;
	for (size_t i = 0; i < nframes; i++)
		vec_push(&m->frame, frame[i]);
	size_t n = source_rows(m->source, in->from, in->address, &row);
	size_t block = (size_t)(in->b - m->p->map.block) - m->f->block;
	for (size_t i = 0; i < n; i++) {
		bool last = i + 1 == n;
		add_piece(m, &row[i], place_of(m, &row[i], last), block,
			row[i].statement || (last && !in->number));
	}
}

/* Equal paths have equal pointers. */
static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	if (x->file != y->file)
		return (uintptr_t)x->file < (uintptr_t)y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return y->begins - x->begins;
}

/*
 * Adds n pieces of one line in one place.  A compiler moves code of a statement among that of
 * others, so the code at which statements begin determines the count.
 */
static void add_line(struct maker *m, struct cover_file *file, const struct piece *s, size_t n)
{
	struct cover_line line = {.number = s->line};
	bool begins = false;
	m->blocks.n = 0;
	for (size_t i = 0; i < n; i++)
		begins |= s[i].begins;
	for (size_t i = 0; i < n; i++)
		if ((s[i].begins || !begins) &&
			!(m->blocks.n && m->blocks.v[m->blocks.n - 1] == s[i].block))
			vec_push(&m->blocks, s[i].block);
	line.known = visits_count(m->visits, m->blocks.v, m->blocks.n, &line.count);
	line.count = m->c->marks ? line.count != 0 : line.count;
	vec_push(&file->line, line);
}

static void add_lines(struct maker *m)
{
	if (m->piece.n)
		qsort(m->piece.v, m->piece.n, sizeof *m->piece.v, compare_pieces);
	for (size_t i = 0, n; i < m->piece.n; i += n) {
		const struct piece *s = &m->piece.v[i];
		for (n = 1; i + n < m->piece.n && s[n].file == s->file && s[n].line == s->line &&
			s[n].place == s->place;)
			n++;
		struct cover_file *file = find_file(m, s->file);
		if (file)
			add_line(m, file, s, n);
	}
}

/* Branches -------------------------------------------------------------- */

static void index_edges(struct maker *m)
{
	const struct map_func *f = m->f;
	m->first_out.n = m->out.n = 0;
	for (size_t b = 0; b < f->nblocks + 2; b++)
		vec_push(&m->first_out, 0);
	for (size_t i = f->edge; i < f->edge + f->nedges; i++) {
		vec_push(&m->out, 0);
		if (m->p->map.edge[i].from)
			m->first_out.v[m->p->map.edge[i].from + 1]++;
	}
	for (size_t b = 1; b < f->nblocks + 2; b++)
		m->first_out.v[b] += m->first_out.v[b - 1];
	for (size_t i = f->edge; i < f->edge + f->nedges; i++)
		if (m->p->map.edge[i].from)
			m->out.v[m->first_out.v[m->p->map.edge[i].from]++] = i;
}

/* Does the block end in a jump with several edges out, all of which have counts? */
static bool is_counted_jump(const struct maker *m, const struct map_block *b, const size_t *out,
	size_t n)
{
	uint64_t count;
	if (n < 2 || b->flags & LDX_BLOCK_CALL)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!edge_count(m->p, &m->p->map.edge[out[i]], &count))
			return false;
	return true;
}

/* Adds the edges of a jump, which is numbered among all jumps of the file for now. */
static void add_ways(struct maker *m, struct cover_file *file, struct cover_branch b,
	const size_t *out, size_t nout)
{
	size_t n = file->branch.n;
	b.jump = n ? file->branch.v[n - 1].jump + 1 : 0;
	for (int fall = 1; fall >= 0; fall--)
		for (size_t i = 0; i < nout; i++) {
			const struct map_edge *e = &m->p->map.edge[out[i]];
			if (((e->flags & LDX_EDGE_FALL) != 0) != fall)
				continue;
			edge_count(m->p, e, &b.count);
			vec_push(&file->branch, b);
			b.way++;
		}
}

/* A jump's line is that of the instruction by which control leaves the block. */
static void add_jump(void *ctx, const struct insn_at *in)
{
	struct maker *m = ctx;
	const struct source_frame *frame;
	if (!in->is_last || !in->insn)
		return;
	size_t block = (size_t)(in->b - m->p->map.block) - m->f->block;
	const size_t *out = &m->out.v[m->first_out.v[block]];
	size_t n = m->first_out.v[block + 1] - m->first_out.v[block];
	if (!is_counted_jump(m, in->b, out, n) || !source_frames(m->source, in->address, &frame) ||
		!frame->file || !frame->line)
		return;
	struct cover_file *file = find_file(m, frame->file);
	if (file)
		add_ways(m, file, (struct cover_branch){.line = frame->line, .reached = in->count},
			out, n);
}

/* Functions ------------------------------------------------------------- */

static bool has_suffix(const char *name, const char *suffix)
{
	const char *found = strstr(name, suffix);
	return found && (!found[strlen(suffix)] || found[strlen(suffix)] == '.');
}

/* Is it a part of a function that the compiler has split off?  Entering it is no call. */
static bool is_part(const char *name)
{
	return has_suffix(name, ".cold") || has_suffix(name, ".part");
}

/* Adds the source function of the code, summed over specialised copies (f.constprop.0). */
static void add_function(struct maker *m)
{
	const struct source_frame *frame;
	size_t n = source_frames(m->source, m->f->address, &frame);
	const struct source_func *s = n ? frame[n - 1].func : NULL;
	struct cover_func f = {.name = m->f->name};
	const char *path = func_origin(m->f);
	if (s && s->file && s->line) {
		f.name = s->name;
		f.line = s->line;
		path = s->file;
	}
	m->c->no_source += !f.line;
	struct cover_file *file = is_part(m->f->name) ? NULL : find_file(m, path);
	if (!file)
		return;
	struct func_sum sum = func_sum(m->p, m->f);
	f.calls = m->c->marks ? sum.run : sum.calls;
	f.known = sum.calls_known || (m->c->marks && (sum.run || sum.counted));
	f.run = sum.run;
	vec_push(&file->func, f);
}

static void add_map_func(struct maker *m, const struct map_func *f)
{
	if (!func_linked(m->p, f))
		return;
	m->f = f;
	m->built = NULL;
	m->piece.n = 0;
	add_function(m);
	m->c->opaque += (f->flags & LDX_FUNC_OPAQUE) != 0;
	if (m->p->map.mode == LDX_MODE_FUNCTIONS || !source_covers(m->source, f))
		return;
	visits_begin(m->visits, m->p, f);
	each_insn(m->p, f, add_insn, m);
	add_lines(m);
	if (map_has_marks(&m->p->map))
		return;
	index_edges(m);
	each_insn(m->p, f, add_jump, m);
}

/* Joining --------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
	const struct cover_line *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare_branches(const void *a, const void *b)
{
	const struct cover_branch *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->jump != y->jump)
		return x->jump < y->jump ? -1 : 1;
	return (x->way > y->way) - (x->way < y->way);
}

static int compare_funcs(const void *a, const void *b)
{
	const struct cover_func *x = a, *y = b;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return strcmp(x->name, y->name);
}

static uint64_t joined(bool marks, uint64_t a, uint64_t b)
{
	return marks ? a | b : add_sat(a, b);
}

static void join_lines(struct cover_file *f, bool marks)
{
	size_t n = 0;
	if (f->line.n)
		qsort(f->line.v, f->line.n, sizeof *f->line.v, compare_lines);
	for (size_t i = 0; i < f->line.n; i++) {
		struct cover_line *to = &f->line.v[n ? n - 1 : 0], *l = &f->line.v[i];
		if (!n || to->number != l->number) {
			f->line.v[n++] = *l;
			continue;
		}
		to->count = joined(marks, to->count, l->count);
		to->known = (to->known && l->known) || (marks && to->count);
	}
	f->line.n = n;
}

static void join_funcs(struct cover_file *f, bool marks)
{
	size_t n = 0;
	if (f->func.n)
		qsort(f->func.v, f->func.n, sizeof *f->func.v, compare_funcs);
	for (size_t i = 0; i < f->func.n; i++) {
		struct cover_func *to = &f->func.v[n ? n - 1 : 0], *g = &f->func.v[i];
		if (!n || to->line != g->line || strcmp(to->name, g->name)) {
			f->func.v[n++] = *g;
			continue;
		}
		to->calls = joined(marks, to->calls, g->calls);
		to->run |= g->run;
		to->known = (to->known && g->known) || (marks && to->run);
	}
	f->func.n = n;
}

/* Jumps of a line are numbered from 0, in the order in which they were found. */
static void number_jumps(struct cover_file *f)
{
	uint32_t jump = 0;
	if (f->branch.n)
		qsort(f->branch.v, f->branch.n, sizeof *f->branch.v, compare_branches);
	for (size_t i = 0; i < f->branch.n; i++) {
		struct cover_branch *b = &f->branch.v[i];
		if (!i || b[-1].line != b->line)
			jump = 0;
		else if (!b->way)
			jump++;
		b->jump = jump;
	}
}

/* Also leaves out lines behind the end of the file, which has changed since it was compiled. */
static void exclude(struct cover_file *f)
{
	struct excluded e = excluded_read(f->place);
	size_t n = 0;
	bool changed = e.read && f->line.n && f->line.v[f->line.n - 1].number > e.n;
	if (changed)
		warn("%s has changed since it was compiled: lines behind its end are left out",
			f->place);
#define KEEP(list, number, what)                                                                   \
	do {                                                                                       \
		n = 0;                                                                             \
		for (size_t i = 0; i < f->list.n; i++)                                             \
			if (!(excluded_at(&e, f->list.v[i].number) & (what)) &&                    \
				!(changed && f->list.v[i].number > e.n))                           \
				f->list.v[n++] = f->list.v[i];                                     \
		f->list.n = n;                                                                     \
	} while (0)
	KEEP(line, number, EXCLUDED_LINE);
	KEEP(branch, line, EXCLUDED_LINE | EXCLUDED_BRANCH);
	KEEP(func, line, EXCLUDED_LINE);
#undef KEEP
	excluded_free(&e);
}

static void count_part(struct cover_part *p, bool known, bool hit)
{
	p->found += known;
	p->hit += known && hit;
}

static void sum_up(struct cover_file *f)
{
	for (size_t i = 0; i < f->line.n; i++)
		count_part(&f->sum.lines, f->line.v[i].known, f->line.v[i].count);
	for (size_t i = 0; i < f->branch.n; i++)
		count_part(&f->sum.branches, true, f->branch.v[i].count);
	for (size_t i = 0; i < f->func.n; i++)
		count_part(&f->sum.funcs, f->func.v[i].known || f->func.v[i].run, f->func.v[i].run);
}

static void drop_unknown(struct cover_file *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->line.n; i++)
		if (f->line.v[i].known)
			f->line.v[n++] = f->line.v[i];
	f->line.n = n;
}

static void finish_file(struct coverage *c, struct cover_file *f)
{
	join_lines(f, c->marks);
	join_funcs(f, c->marks);
	drop_unknown(f);
	if (f->place)
		exclude(f);
	number_jumps(f);
	sum_up(f);
	cover_sum_add(&c->sum, &f->sum);
}

static void collect_file(const void *node, VISIT visit, void *coverage)
{
	struct coverage *c = coverage;
	struct cover_file *f = *(struct cover_file *const *)node;
	if (visit != postorder && visit != leaf)
		return;
	finish_file(c, f);
	if (!f->line.n && !f->func.n)
		return;
	c->file = realloc(c->file, (c->nfiles + 1) * sizeof *c->file);
	if (!c->file)
		die("out of memory");
	c->file[c->nfiles++] = *f;
}

struct coverage coverage_make(const struct run *run, const struct cover_options *opt)
{
	struct coverage c = {.nfiles = 0};
	struct maker m = {.opt = opt, .c = &c, .visits = visits_new()};
	for (size_t i = 0; i < run->n; i++)
		c.marks |= map_has_marks(&run->v[i].map);
	for (m.p = run->v; m.p < run->v + run->n; m.p++) {
		c.branches |= m.p->map.nedges != 0;
		m.source = source_open(m.p);
		for (size_t i = 0; i < m.p->map.nfuncs; i++) {
			progress("looking up lines", i, m.p->map.nfuncs);
			add_map_func(&m, &m.p->map.func[i]);
		}
		progress_clear();
	}
	twalk_r(m.files, collect_file, &c);
	c.lines = c.sum.lines.found;
	return c;
}

bool cover_func_has_line(const struct cover_func *f)
{
	return f->line && (f->known || f->run);
}

bool cover_file_has_lines(const struct cover_file *f)
{
	for (size_t i = 0; i < f->func.n; i++)
		if (cover_func_has_line(&f->func.v[i]))
			return true;
	return f->line.n;
}

void cover_sum_add(struct cover_sum *a, const struct cover_sum *b)
{
	a->lines.found += b->lines.found;
	a->lines.hit += b->lines.hit;
	a->branches.found += b->branches.found;
	a->branches.hit += b->branches.hit;
	a->funcs.found += b->funcs.found;
	a->funcs.hit += b->funcs.hit;
}

unsigned cover_permille(struct cover_part p)
{
	return p.found ? (unsigned)(1000 * (uint64_t)p.hit / p.found) : 1000;
}
