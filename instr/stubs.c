/* SPDX-License-Identifier: Apache-2.0 */
/* stubs.c - code of single edges; see stubs.h */
#include "instr/stubs.h"

#include <stdlib.h>

static bool is_entered(const struct cfg *g, uint32_t b)
{
	return g->block.v[b].entered || b == g->func.v[g->block.v[b].func].block;
}

bool stubs_need_skip(const struct cfg *g, uint32_t b)
{
	return is_entered(g, b) || g->block.v[b - 1].fall == b;
}

/* A jump over n bytes of code behind it. */
static struct insertion make_skip(const struct cfg *g, struct inserter *w,
	const struct insertion *at, enum runners runs, uint32_t n)
{
	g->target->micro->jump(&w->code, n);
	code_claim(&w->code, 0, (struct claim){.kind = CLAIM_SKIP});
	insert(w,
		(struct insertion){.text = at->text,
			.off = at->off,
			.branch = at->branch,
			.runs = (uint8_t)runs,
			.maker = MAKER_STUBS});
	return w->to->v.v[--w->to->v.n];
}

static void reverse(struct insertion *from, struct insertion *to)
{
	while (from < to) {
		struct insertion x = *from;
		*from++ = *--to;
		*to = x;
	}
}

/* How much `often' is greater of an edge that is a quarter more frequent. */
enum { CLEARLY = 32 };

/*
 * Puts the insertions of the most frequent edge behind those of the others, which jump over them.
 * Of edges with similar estimates, the last one is the most frequent (measured).
 */
static void put_last(struct insertion *from, struct insertion *to)
{
	struct insertion *most = to - 1, *first, *end;
	for (struct insertion *s = to; s-- > from && s->runs == to[-1].runs;)
		if (s->often > most->often + (most == to - 1 ? CLEARLY : 0))
			most = s;
	for (first = most; first > from && first[-1].branch == most->branch;)
		first--;
	for (end = most + 1; end < to && end->branch == most->branch;)
		end++;
	reverse(first, end);
	reverse(end, to);
	reverse(first, to);
}

/*
 * Appends the insertions from..to of one offset; those of an edge are adjacent, jump tables come
 * first.  The last one of an edge jumps over those behind it.  Works backwards, because the size of
 * a jump depends on what it skips.
 */
static void make_stubs(const struct cfg *g, struct inserter *w, struct insertion *from,
	struct insertion *to)
{
	uint32_t b = cfg_block_at(g, &g->text.v[from->text], from->off), behind = 0;
	bool table = from->runs == RUNS_TABLE;
	enum runners skipped_in = is_entered(g, b) || table ? RUNS_ENTRY : RUNS_EDGE;
	insertion_vec back = {0};
	size_t stub = w->to->stub.n;
	uint32_t all = 0, tables = 0; /* of RUNS_EDGE, of RUNS_TABLE */
	put_last(from, to);
	for (const struct insertion *s = to; s-- > from;) {
		if (behind && s[1].branch != s->branch) {
			vec_push(&back, make_skip(g, w, s, s->runs, behind));
			behind += back.v[back.n - 1].size;
		}
		behind += s->size;
		vec_push(&back, *s);
		*(s->runs == RUNS_TABLE ? &tables : &all) = behind;
		if (s == from || s[-1].branch != s->branch)
			vec_push(&w->to->stub,
				(struct stub){s->branch, s->off, behind,
					s->runs == RUNS_TABLE ? REF_TABLE : REF_EDGE});
	}
	if (stubs_need_skip(g, b)) {
		vec_push(&back, make_skip(g, w, from, skipped_in, behind));
		if (skipped_in == RUNS_EDGE)
			all += back.v[back.n - 1].size;
	}
	for (size_t i = stub; i < w->to->stub.n; i++) {
		struct stub *s = &w->to->stub.v[i];
		s->skip = (s->use == REF_TABLE ? tables : all) - s->skip;
	}
	while (back.n)
		vec_push(&w->to->v, back.v[--back.n]);
	vec_free(&back);
}

void stubs_jump(const struct cfg *g, struct insn *jump, uint8_t bytes[16])
{
	struct code c;
	*jump = (struct insn){0};
	code_start(&c);
	g->target->micro->jump(&c, LONG_JUMP);
	g->target->decode(cfg_decoder(g, 0), small_v(&c.bytes), c.bytes.n, jump);
	memcpy(bytes, small_v(&c.bytes), c.bytes.n);
	code_free(&c);
}

/* A jump to where the branch at *at leads; emit.c knows where that is. */
static struct insertion make_leave(const struct cfg *g, struct inserter *w,
	const struct insertion *at)
{
	g->target->micro->jump(&w->code, LONG_JUMP);
	code_claim(&w->code, 0, (struct claim){.kind = CLAIM_LEAVE});
	insert(w,
		(struct insertion){.text = at->text,
			.off = at->off,
			.branch = at->branch,
			.runs = RUNS_LEAVE,
			.maker = MAKER_STUBS,
			.leads_on = true});
	return w->to->v.v[--w->to->v.n];
}

/* Appends the insertions from..to of one branch out of its function, and a jump over all of that.
 */
static void make_leaving(const struct cfg *g, struct inserter *w, const struct insertion *from,
	const struct insertion *to)
{
	struct insertion leave = make_leave(g, w, from);
	uint32_t n = leave.size;
	for (const struct insertion *s = from; s < to; s++)
		n += s->size;
	struct insertion skip = make_skip(g, w, from, RUNS_LEAVE, n);
	vec_push(&w->to->v, skip);
	for (const struct insertion *s = from; s < to; s++)
		vec_push(&w->to->v, *s);
	vec_push(&w->to->v, leave);
	vec_push(&w->to->stub, (struct stub){from->branch, from->off, skip.size, REF_LEAVE});
}

static int stub_cmp(const void *a, const void *b)
{
	const struct stub *x = a, *y = b;
	if (x->branch != y->branch)
		return x->branch < y->branch ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

static bool is_redirected(const struct insertion *s)
{
	return s->runs == RUNS_TABLE || s->runs == RUNS_EDGE || s->runs == RUNS_LEAVE;
}

/* Is x of the same stubs as s? */
static bool is_beside(const struct insertion *s, const struct insertion *x)
{
	return is_redirected(x) && x->text == s->text && x->off == s->off &&
		(x->runs == RUNS_LEAVE) == (s->runs == RUNS_LEAVE);
}

void stubs_make(const struct cfg *g, struct inserter *w, insertion_vec *old)
{
	struct insertions *in = w->to;
	vec_reserve(old, in->v.n);
	old->n = in->v.n;
	if (old->n)
		memcpy(old->v, in->v.v, old->n * sizeof *old->v);
	in->v.n = 0;
	for (size_t i = 0, k; i < old->n; i = k) {
		struct insertion *s = &old->v[i];
		k = i + 1;
		if (!is_redirected(s)) {
			vec_push(&in->v, *s);
			continue;
		}
		while (k < old->n && is_beside(s, &old->v[k]))
			k++;
		if (s->runs == RUNS_LEAVE)
			make_leaving(g, w, s, old->v + k);
		else
			make_stubs(g, w, s, old->v + k);
	}
	sort(in->stub.v, in->stub.n, sizeof *in->stub.v, stub_cmp);
}
