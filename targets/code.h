/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - a builder of code to be inserted, and how that reaches the counters
 */
#ifndef LDX_TARGETS_CODE_H
#define LDX_TARGETS_CODE_H

#include "reloc/claim.h"
#include "reloc/map.h"
#include "reloc/object.h"
#include "targets/insn.h"

/* A vector whose first elements have room in the struct itself. */
#define SMALL_VEC(T, room)                                                                         \
	struct {                                                                                   \
		T *heap; /* all elements, once there are more; else NULL */                        \
		uint32_t n, cap;                                                                   \
		T own[room];                                                                       \
	}
#define small_v(vec) ((vec)->heap ? (vec)->heap : (vec)->own)

/*
 * A builder of machine code: bytes, relocations (their offsets are within the bytes) against
 * symbols of the object, and moves of the stack pointer relative to where it is in front of the
 * code.  Whoever begins one with code_start() ends it with code_free(); between the two
 * code_clear() makes it empty again.  A copy shares what is on the heap.
 */
struct code {
	SMALL_VEC(uint8_t, 64) bytes;
	SMALL_VEC(struct reloc, 4) rel;
	SMALL_VEC(struct stack_move, 4) stack;
	uint32_t down;	   /* how much lower the stack pointer is at the end */
	claim_vec *claims; /* where to append what the code claims to be; or NULL */
};

static inline void code_clear(struct code *c)
{
	c->bytes.n = c->rel.n = c->stack.n = c->down = 0;
}

static inline void code_start(struct code *c)
{
	c->bytes.heap = NULL;
	c->rel.heap = NULL;
	c->stack.heap = NULL;
	c->claims = NULL;
	code_clear(c);
}

void code_free(struct code *c);

/* Make room for n more bytes and one more relocation, on the heap where they need it. */
void code_grow(struct code *c, uint32_t n);

/* Append bytes. */
static inline void code_put(struct code *c, const void *bytes, uint32_t n)
{
	if (c->bytes.n + n > sizeof c->bytes.own)
		code_grow(c, n);
	memcpy(small_v(&c->bytes) + c->bytes.n, bytes, n);
	c->bytes.n += n;
}

/* Append a relocation of the bytes that come next; its off is set here. */
static inline void code_reloc(struct code *c, struct reloc r)
{
	if (c->rel.n == sizeof c->rel.own / sizeof c->rel.own[0] || c->rel.heap)
		code_grow(c, 0);
	r.off = c->bytes.n;
	small_v(&c->rel)[c->rel.n++] = r;
}

/* The code from start on is what is claimed. */
static inline void code_claim(struct code *c, uint32_t start, struct claim claim)
{
	if (!c->claims)
		return;
	claim.at = start;
	claim.len = c->bytes.n - start;
	vec_push(c->claims, claim);
}

/* The code so far leaves the stack pointer lower by so much more, or higher. */
void code_lower_stack(struct code *c, int32_t by);

/* Whose counter is incremented. */
enum counter_access {
	ACCESS_PLAIN,  /* everybody's; increments of several threads at once may get lost */
	ACCESS_ATOMIC, /* everybody's, by an atomic instruction */
	ACCESS_THREAD, /* this thread's: see runtime/threads.c */
};

/* When the same counter is incremented again. */
enum repeat {
	REPEAT_SOON,   /* maybe at once */
	REPEAT_LATER,  /* when the store before is done: an address that delays loads serves */
	REPEAT_RARELY, /* and few are incremented there: slow code serves when it is short */
};

/* How inserted code reaches the counters: near, fixed or both. */
struct counter_addressing {
	uint32_t sym, sym_fixed; /* the symbols of the first */
	enum counter_access access;
	bool near;  /* at a distance from the code that the link decides */
	bool fixed; /* at an address below 2 GB that the link decides: in the instruction */
	bool moved; /* what is fixed may be elsewhere: the thread's base says how far */
	enum repeat repeat;
};

#endif
