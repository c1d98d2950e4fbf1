/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.c - instructions by stack, a line each, as programs that draw flame graphs read them
 *
 * Counts do not record the stack.  It is known as far as one caller made all calls of a function;
 * a function with several callers begins a stack of its own.  Names of inlined functions end in
 * _[i].
 */
#include "report/figures/callers.h"
#include "report/figures/insns.h"
#include "report/figures/source.h"
#include "report/figures/views.h"

#include "base/base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	const struct run *run;
	const struct program *p;
	struct source *source;
	struct callers *callers;
	char *chain;	      /* of the function, the outermost first */
	struct strmap stacks; /* to instructions */
};

/* Semicolons separate frames, so those in names are replaced. */
static char *frame_name(const char *name, const char *suffix)
{
	char *s = new_string("%s%s", shown(demangled(name)), suffix);
	for (char *c = s; *c; c++)
		*c = *c == ';' ? ':' : *c;
	return s;
}

static char *chain_of(const struct writer *w, const struct map_func *f)
{
	char *chain = frame_name(f->name, "");
	const struct caller *c = only_caller(w->callers, w->p, f);
	for (unsigned depth = 0; c && depth < CALLERS_DEEPEST; depth++) {
		chain = new_string("%s;%s", frame_name(c->f->name, ""), chain);
		c = only_caller(w->callers, c->p, c->f);
	}
	return chain;
}

static void add_insn(void *ctx, const struct insn_at *in)
{
	struct writer *w = ctx;
	const struct source_frame *v;
	const char *stack = w->chain;
	if (!in->known || !in->count)
		return;
	for (size_t n = source_frames(w->source, in->address, &v); n > 1; n--) {
		const char *name = v[n - 2].func ? v[n - 2].func->name : "???";
		stack = new_string("%s;%s", stack, frame_name(name, "_[i]"));
	}
	uint64_t *sum = strmap_slot(&w->stacks, stack);
	*sum = add_sat(*sum, in->count);
}

static int compare_stacks(const void *a, const void *b)
{
	return strcmp(((const struct strmap_entry *)a)->key, ((const struct strmap_entry *)b)->key);
}

static void put_stacks(const struct writer *w, FILE *out)
{
	VEC(struct strmap_entry) v = {0};
	for (size_t i = 0; i < w->stacks.cap; i++)
		if (w->stacks.v[i].key)
			vec_push(&v, w->stacks.v[i]);
	if (v.n)
		qsort(v.v, v.n, sizeof *v.v, compare_stacks);
	for (size_t i = 0; i < v.n; i++)
		fprintf(out, "%s %" PRIu64 "\n", v.v[i].key, v.v[i].value);
}

void view_folded(const struct run *run, FILE *out)
{
	struct writer w = {.run = run};
	run_need_counts(run);
	w.callers = callers_find(run);
	for (size_t i = 0; i < run->n; i++) {
		w.p = &run->v[i];
		w.source = source_open(w.p);
		for (size_t k = 0; k < w.p->map.nfuncs; k++) {
			const struct map_func *f = &w.p->map.func[k];
			if (!func_linked(w.p, f) || !func_sum(w.p, f).run)
				continue;
			w.chain = chain_of(&w, f);
			each_insn(w.p, f, add_insn, &w);
		}
	}
	put_stacks(&w, out);
}
