/* SPDX-License-Identifier: Apache-2.0 */
/* insertion.c - lists of inserted code; see insertion.h */
#include "instr/insertion.h"

#include <stdlib.h>

#define APPEND(vec, from, count)                                                                   \
	do {                                                                                       \
		vec_reserve(vec, (vec)->n + (count));                                              \
		if (count)                                                                         \
			memcpy((vec)->v + (vec)->n, from, (count) * sizeof *(vec)->v);             \
		(vec)->n += (count);                                                               \
	} while (0)

void insertions_add(struct insertions *to, struct insertion at, const struct code *code)
{
	size_t nclaim = code->claims ? code->claims->n : 0;
	at.size = code->bytes.n;
	at.byte = (uint32_t)to->byte.n;
	at.rel = (uint32_t)to->rel.n;
	at.stack = (uint32_t)to->stack.n;
	at.claim = (uint32_t)to->claim.n;
	at.nrel = (uint16_t)code->rel.n;
	at.nstack = (uint16_t)code->stack.n;
	at.nclaim = (uint16_t)nclaim;
	vec_push(&to->v, at);
	APPEND(&to->byte, small_v(&code->bytes), code->bytes.n);
	APPEND(&to->rel, small_v(&code->rel), code->rel.n);
	APPEND(&to->stack, small_v(&code->stack), code->stack.n);
	APPEND(&to->claim, code->claims->v, nclaim);
}

void insertions_free(struct insertions *in)
{
	vec_free(&in->v);
	vec_free(&in->stub);
	vec_free(&in->byte);
	vec_free(&in->rel);
	vec_free(&in->stack);
	vec_free(&in->claim);
}
