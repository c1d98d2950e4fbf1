/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fdata.c - the profile that llvm-bolt reads: how often each branch was taken, and was not
 *
 * A place is a function's symbol and an offset in its original code, so llvm-bolt optimises the
 * plain link of the same objects.  A line has two places, the source and the target of a branch or
 * call, the number of mispredictions, which is not known, and the count.  Fall-through without a
 * branch is not listed: llvm-bolt derives it.  Entries that no listed call explains, such as
 * indirect ones, come from outside.
 */
#include "report/figures/calls.h"
#include "report/figures/insns.h"
#include "report/read/symbols.h"
#include "report/figures/views.h"

#include <inttypes.h>

/* How control leaves a block. */
struct leaving {
	uint64_t offset; /* of its last instruction */
	size_t edges;
};

struct fdata {
	const struct program *p;
	struct local_symbols locals;
	const struct map_func *f;
	struct leaving *leaving; /* by the block's number in the function */
	struct calls calls;
	size_t call;	   /* the first call of the next function */
	uint64_t *entered; /* by the function's number: entries by listed calls */
	FILE *out;
};

static void note_last(void *ctx, const struct insn_at *in)
{
	struct fdata *d = ctx;
	d->leaving[in->b - in->p->map.block - d->f->block].offset = in->offset;
}

static void find_leaving(struct fdata *d, const struct map_func *f)
{
	d->f = f;
	for (size_t i = 0; i < f->nblocks; i++)
		d->leaving[i] = (struct leaving){0};
	for (size_t i = f->edge; i < f->edge + f->nedges; i++)
		if (d->p->map.edge[i].from)
			d->leaving[d->p->map.edge[i].from - 1].edges++;
	each_insn(d->p, f, note_last, d);
}

static void put_name(const char *name, FILE *out)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			fputc('\\', out);
		fputc(*name, out);
	}
}

/*
 * Functions with hidden visibility are local in some links, global in others: they are listed
 * twice, and llvm-bolt ignores the names that it does not know.
 */
static bool is_hidden(const struct fdata *d, const struct map_func *f)
{
	const struct local_symbol *local = f ? local_symbol(&d->locals, f) : NULL;
	return local && !f->file[0] && local->alone;
}

/* f NULL: outside.  A local function is NAME/FILE/NUMBER, a hidden one NAME or NAME/1. */
static void put_place(const struct fdata *d, const struct map_func *f, uint64_t offset, bool local)
{
	if (!f) {
		fputs("0 [unknown] 0 ", d->out);
		return;
	}
	fputs("1 ", d->out);
	put_name(f->name, d->out);
	if (f->file[0] && local_symbol(&d->locals, f)) {
		fputc('/', d->out);
		put_name(f->file, d->out);
		fprintf(d->out, "/%u", local_symbol(&d->locals, f)->number);
	} else if (local && is_hidden(d, f)) {
		fputs("/1", d->out);
	}
	fprintf(d->out, " %" PRIx64 " ", offset);
}

static void put_jump(const struct fdata *d, const struct map_func *from, uint64_t from_offset,
	const struct map_func *to, uint64_t to_offset, uint64_t count)
{
	bool twice = is_hidden(d, from) || is_hidden(d, to);
	for (int local = 0; count && local <= twice; local++) {
		put_place(d, from, from_offset, local);
		put_place(d, to, to_offset, local);
		fprintf(d->out, "0 %" PRIu64 "\n", count);
	}
}

/* Is the edge a branch within the function, or where one is not taken? */
static bool is_branch(const struct fdata *d, const struct map_edge *e)
{
	if (!e->from || !e->to)
		return false;
	const struct map_block *from = &d->p->map.block[d->f->block + e->from - 1];
	bool falls = from->flags & LDX_BLOCK_CALL || e->flags & LDX_EDGE_FALL;
	return !falls || (d->leaving[e->from - 1].edges > 1 && !(from->flags & LDX_BLOCK_CALL));
}

static void put_branch(const struct fdata *d, const struct map_edge *e)
{
	uint64_t count;
	if (is_branch(d, e) && edge_count(d->p, e, &count))
		put_jump(d, d->f, d->leaving[e->from - 1].offset, d->f,
			d->p->map.block[d->f->block + e->to - 1].offset, count);
}

/* Can llvm-bolt use the call: is it between functions whose blocks are counted? */
static bool is_usable(const struct fdata *d, const struct call *c)
{
	return c->p == d->p && c->to && c->to_in == d->p && c->to->nblocks && c->known;
}

static void sum_entered(struct fdata *d)
{
	for (size_t i = 0; i < d->calls.n; i++) {
		const struct call *c = &d->calls.v[i];
		uint64_t *sum = is_usable(d, c) ? &d->entered[c->to - d->p->map.func] : NULL;
		if (sum)
			*sum = add_sat(*sum, c->count);
	}
}

static void put_calls(struct fdata *d, const struct map_func *f)
{
	const struct call *v = d->calls.v;
	while (d->call < d->calls.n && v[d->call].p == d->p && v[d->call].from < f)
		d->call++;
	for (; d->call < d->calls.n && v[d->call].from == f; d->call++)
		if (is_usable(d, &v[d->call]))
			put_jump(d, f, v[d->call].offset, v[d->call].to, 0, v[d->call].count);
}

static void put_func(struct fdata *d, const struct map_func *f)
{
	struct func_sum s = func_sum(d->p, f);
	uint64_t entered = d->entered[f - d->p->map.func];
	if (!s.covered)
		return;
	find_leaving(d, f);
	put_jump(d, NULL, 0, f, 0, s.calls > entered ? s.calls - entered : 0);
	for (size_t i = f->edge; i < f->edge + f->nedges; i++)
		put_branch(d, &d->p->map.edge[i]);
	put_calls(d, f);
}

static size_t most_blocks(const struct static_map *m)
{
	size_t most = 0;
	for (size_t i = 0; i < m->nfuncs; i++)
		most = m->func[i].nblocks > most ? m->func[i].nblocks : most;
	return most;
}

void view_fdata(const struct run *run, FILE *out)
{
	const struct program *p = &run->v[0];
	if (p->map.mode != LDX_MODE_EDGES)
		die("%s: branches were not counted: mode edges counts them, not mode %s", p->path,
			mode_name(p->map.mode));
	struct fdata d = {.p = p,
		.locals = local_symbols(p),
		.calls = calls_find(run, false),
		.out = out};
	d.leaving = NEW_ARRAY(struct leaving, most_blocks(&p->map));
	d.entered = NEW_ARRAY(uint64_t, p->map.nfuncs);
	sum_entered(&d);
	for (size_t i = 0; i < p->map.nfuncs; i++)
		if (func_linked(p, &p->map.func[i]))
			put_func(&d, &p->map.func[i]);
}
