/* SPDX-License-Identifier: Apache-2.0 */
/* insertion.c - lists of inserted code; see insertion.h */
#include "instr/insertion.h"

#include <stdlib.h>

static struct place place_of(const struct insertion *in)
{
	return (struct place){in->text, in->off, in->branch, in->runs};
}

static int insertion_cmp(const void *a, const void *b)
{
	const struct insertion *x = a, *y = b;
	int order = place_cmp(place_of(x), place_of(y));
	if (order)
		return order;
	return x->maker < y->maker ? -1 : x->maker > y->maker;
}

void insertions_sort(struct insertions *in)
{
	sort(in->v.v, in->v.n, sizeof *in->v.v, insertion_cmp);
}

void insertions_free(struct insertions *in)
{
	insertions_free_code(in);
	vec_free(&in->stub);
}

void insertions_free_code(struct insertions *in)
{
	vec_free(&in->v);
	vec_free(&in->byte);
	vec_free(&in->rel);
	vec_free(&in->stack);
	vec_free(&in->claim);
}

static void empty(struct inserter *w)
{
	code_clear(&w->code);
	w->claims.n = 0;
}

void inserter_start(struct inserter *w, struct insertions *to, bool claims)
{
	*w = (struct inserter){.to = to};
	code_start(&w->code);
	w->code.claims = claims ? &w->claims : NULL;
}

void inserter_end(struct inserter *w)
{
	code_free(&w->code);
	vec_free(&w->claims);
}

#define APPEND(vec, from, count)                                                                   \
	do {                                                                                       \
		vec_reserve(vec, (vec)->n + (count));                                              \
		if (count)                                                                         \
			memcpy((vec)->v + (vec)->n, from, (count) * sizeof *(vec)->v);             \
		(vec)->n += (count);                                                               \
	} while (0)

void insert(struct inserter *w, struct insertion at)
{
	struct insertions *to = w->to;
	const struct code *code = &w->code;
	at.size = code->bytes.n;
	at.byte = (uint32_t)to->byte.n;
	at.rel = (uint32_t)to->rel.n;
	at.stack = (uint32_t)to->stack.n;
	at.claim = (uint32_t)to->claim.n;
	at.nrel = (uint16_t)code->rel.n;
	at.nstack = (uint16_t)code->stack.n;
	at.nclaim = (uint16_t)w->claims.n;
	vec_push(&to->v, at);
	APPEND(&to->byte, small_v(&code->bytes), code->bytes.n);
	APPEND(&to->rel, small_v(&code->rel), code->rel.n);
	APPEND(&to->stack, small_v(&code->stack), code->stack.n);
	APPEND(&to->claim, w->claims.v, w->claims.n);
	empty(w);
}
