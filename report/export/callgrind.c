/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callgrind.c - costs by line and calls, as valgrind's callgrind writes them
 *
 * The format is described in "Callgrind Format Specification" of valgrind's manual.  Event Ir
 * counts instructions executed.  As in callgrind, inlined code belongs to the function that
 * contains it, under the file and line that it comes from.
 */
#include "report/figures/calls.h"
#include "report/figures/disassembly.h"
#include "report/figures/insns.h"
#include "report/figures/source.h"
#include "report/figures/views.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Instructions of a line, or a call or a conditional jump there. */
struct cost {
	const char *file;
	uint32_t line;
	enum { COST_SELF, COST_CALL, COST_JUMP } kind;
	uint64_t insns;
	const struct call *call;
	struct branch branch;
};

/* Names are numbered; the first use of a name prints both. */
struct names {
	struct strmap map;
	uint64_t n;
};

struct writer {
	const struct run *run;
	FILE *out;
	struct names objects, files, functions;
	struct source **source; /* by object */
	const struct program *p;
	const struct calls *calls;
	const struct inclusive *inclusive;
	size_t call; /* the first call of the next function */
	VEC(struct cost) cost;
};

static void put_name(struct writer *w, const char *key, struct names *names, const char *name)
{
	uint64_t *id = strmap_slot(&names->map, name);
	bool first = !*id;
	if (first)
		*id = ++names->n;
	const char *text = names == &w->functions ? demangled(name) : name;
	fprintf(w->out, "%s=(%" PRIu64 ")%s%s\n", key, *id, first ? " " : "",
		first ? shown(text) : "");
}

static const char *file_of(const struct source_frame *f)
{
	return f && f->file ? f->file : "???";
}

static const struct source_frame *innermost(struct source *s, uint64_t address)
{
	const struct source_frame *v;
	return source_frames(s, address, &v) ? &v[0] : NULL;
}

/* The file and line of a function's declaration; if not known, of its first instruction. */
static const char *declared_at(struct source *s, const struct program *p, const struct map_func *f,
	uint32_t *line)
{
	program_flow(p, f);
	uint64_t entry = f->nblocks ? p->map.block[f->block].address : f->address;
	const struct source_frame *v;
	size_t n = source_frames(s, entry, &v);
	const struct source_frame *own = n ? &v[n - 1] : NULL;
	bool known = own && own->func && own->func->file;
	*line = known ? own->func->line : own ? own->line : 0;
	return known ? own->func->file : own ? file_of(own) : *f->file ? f->file : "???";
}

static struct cost cost_at(const struct writer *w, uint64_t address)
{
	const struct source_frame *f = innermost(w->source[w->p - w->run->v], address);
	return (struct cost){.file = file_of(f), .line = f ? f->line : 0};
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	struct writer *w = ctx;
	if (!in->known || !in->count)
		return;
	struct cost c = cost_at(w, in->address);
	c.insns = in->count;
	vec_push(&w->cost, c);
	if (insn_is_branch(in, &c.branch) && c.branch.known && c.branch.to) {
		c.kind = COST_JUMP;
		vec_push(&w->cost, c);
	}
}

static void add_call(struct writer *w, const struct call *call)
{
	struct cost c = cost_at(w, call->address);
	c.kind = COST_CALL;
	c.call = call;
	vec_push(&w->cost, c);
}

static int compare_places(const struct cost *x, const struct cost *y)
{
	int files = strcmp(x->file, y->file);
	int lines = (x->line > y->line) - (x->line < y->line);
	return files ? files : lines ? lines : (x->kind > y->kind) - (x->kind < y->kind);
}

/* A stable order: calls and jumps at one place stay in the order of the code. */
static int compare_costs(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;
	int d = compare_places(x, y);
	if (d || x->kind == COST_SELF)
		return d;
	if (x->kind == COST_CALL)
		return (x->call > y->call) - (x->call < y->call);
	return (x->branch.to > y->branch.to) - (x->branch.to < y->branch.to);
}

static uint64_t rounded(double x)
{
	return x < 0 ? 0 : x < 1e18 ? (uint64_t)(x + 0.5) : (uint64_t)1e18;
}

static void put_call(struct writer *w, const struct cost *at)
{
	const struct call *c = at->call;
	uint32_t line = 0;
	if (c->to_in && c->to_in != w->p)
		put_name(w, "cob", &w->objects, c->to_in->path);
	else if (!c->to_in)
		put_name(w, "cob", &w->objects, "???");
	const char *file = c->to
		? declared_at(w->source[c->to_in - w->run->v], c->to_in, c->to, &line)
		: "???";
	put_name(w, "cfi", &w->files, file);
	put_name(w, "cfn", &w->functions, c->name);
	fprintf(w->out, "calls=%" PRIu64 " %" PRIu32 "\n%" PRIu32 " %" PRIu64 "\n", c->count, line,
		at->line, rounded(w->inclusive->of_call[c - w->calls->v]));
}

static void put_jump(struct writer *w, const struct cost *at)
{
	const struct branch *b = &at->branch;
	struct cost to = cost_at(w, b->to->address);
	if (!map_is_placed(b->to))
		return;
	if (strcmp(to.file, at->file))
		put_name(w, "jfi", &w->files, to.file);
	fprintf(w->out, "jcnd=%" PRIu64 "/%" PRIu64 " %" PRIu32 "\n%" PRIu32 "\n", b->taken,
		b->executed, to.line, at->line);
}

/* The cost of a line: the sum over all its instructions. */
static size_t put_line(struct writer *w, size_t i)
{
	uint64_t insns = 0;
	const struct cost *c = &w->cost.v[i];
	for (; i < w->cost.n && !compare_costs(c, &w->cost.v[i]); i++)
		insns = add_sat(insns, w->cost.v[i].insns);
	fprintf(w->out, "%" PRIu32 " %" PRIu64 "\n", c->line, insns);
	return i;
}

/* fi= names the file of inlined lines, fe= the function's own file again. */
static void put_costs(struct writer *w, const char *own)
{
	const char *in = own;
	if (w->cost.n)
		qsort(w->cost.v, w->cost.n, sizeof *w->cost.v, compare_costs);
	for (size_t i = 0; i < w->cost.n;) {
		const struct cost *c = &w->cost.v[i];
		if (strcmp(in, c->file))
			put_name(w, strcmp(own, c->file) ? "fi" : "fe", &w->files, c->file);
		in = c->file;
		if (c->kind == COST_SELF) {
			i = put_line(w, i);
			continue;
		}
		(c->kind == COST_CALL ? put_call : put_jump)(w, c);
		i++;
	}
}

static void put_function(struct writer *w, const struct map_func *f)
{
	uint32_t line;
	w->cost.n = 0;
	if (program_has_flow(w->p, f))
		each_insn(w->p, f, add_insn, w);
	for (; w->call < w->calls->n && w->calls->v[w->call].from == f; w->call++) {
		const struct call *c = &w->calls->v[w->call];
		if (c->name && c->known && c->count)
			add_call(w, c);
	}
	if (!w->cost.n)
		return;
	const char *own = declared_at(w->source[w->p - w->run->v], w->p, f, &line);
	fputc('\n', w->out);
	put_name(w, "ob", &w->objects, w->p->path);
	put_name(w, "fl", &w->files, own);
	put_name(w, "fn", &w->functions, f->name);
	put_costs(w, own);
}

static uint64_t total(const struct run *run)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < run->n; i++)
		for (size_t k = 0; k < run->v[i].map.nfuncs; k++)
			if (func_linked(&run->v[i], &run->v[i].map.func[k]))
				sum = add_sat(sum,
					func_sum(&run->v[i], &run->v[i].map.func[k]).insns);
	return sum;
}

void view_callgrind(const struct run *run, FILE *out)
{
	run_need_counts(run);
	struct calls calls = calls_find(run, false);
	struct inclusive inclusive = calls_inclusive(run, &calls);
	struct writer w = {.run = run,
		.out = out,
		.calls = &calls,
		.inclusive = &inclusive,
		.source = NEW_ARRAY(struct source *, run->n)};
	uint64_t sum = total(run);
	fprintf(out, "# callgrind format\nversion: 1\ncreator: ldx " LDX_VERSION "\ncmd: %s\n",
		shown(run->v[0].path));
	fprintf(out,
		"\npositions: line\nevent: Ir : Instructions\nevents: Ir\nsummary: %" PRIu64 "\n",
		sum);
	for (size_t i = 0; i < run->n; i++)
		w.source[i] = source_open(&run->v[i]);
	for (size_t i = 0; i < run->n; i++) {
		w.p = &run->v[i];
		for (size_t k = 0; k < w.p->map.nfuncs; k++)
			if (func_linked(w.p, &w.p->map.func[k]))
				put_function(&w, &w.p->map.func[k]);
	}
	fprintf(out, "\ntotals: %" PRIu64 "\n", sum);
}
