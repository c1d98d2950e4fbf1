/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.c - a builder of machine code; see code.h
 */
#include "targets/code.h"

#include <stdlib.h>

/* Grow heap to want elements; its have elements, or without a heap those of own, are copied. */
static void *move_to_heap(void *heap, const void *own, uint32_t have, uint32_t want, uint32_t *cap,
	size_t size)
{
	size_t room = heap ? *cap : 0;
	void *v = vec_grow(heap, &room, want, size);
	if (!heap)
		memcpy(v, own, have * size);
	*cap = (uint32_t)room;
	return v;
}

#define small_reserve(vec, want)                                                                   \
	((want) > ((vec)->heap ? (vec)->cap : sizeof(vec)->own / sizeof(vec)->own[0])              \
			? (void)((vec)->heap = move_to_heap((vec)->heap, (vec)->own, (vec)->n,     \
					 (want), &(vec)->cap, sizeof(vec)->own[0]))                \
			: (void)0)

void code_free(struct code *c)
{
	free(c->bytes.heap);
	free(c->rel.heap);
	free(c->stack.heap);
	code_start(c);
}

void code_grow(struct code *c, uint32_t n)
{
	small_reserve(&c->bytes, c->bytes.n + n);
	small_reserve(&c->rel, c->rel.n + 1);
}

void code_lower_stack(struct code *c, int32_t by)
{
	c->down += (uint32_t)by;
	small_reserve(&c->stack, c->stack.n + 1);
	small_v(&c->stack)[c->stack.n++] = (struct stack_move){c->bytes.n, c->down};
}
