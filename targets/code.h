/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - a builder of inserted code, and how that code addresses the counters
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
 * A builder of machine code: bytes, relocations (with offsets into the bytes) against symbols of
 * the object, and moves of the stack pointer relative to its value in front of the code.
 * code_start() initialises it, code_clear() empties it, code_free() ends its use.  A copy shares
 * the heap memory.
 */
struct code {
	SMALL_VEC(uint8_t, 64) bytes;
	SMALL_VEC(struct reloc, 4) rel;
	SMALL_VEC(struct stack_move, 4) stack;
	uint32_t down;	   /* how much lower the stack pointer is at the end */
	claim_vec *claims; /* append the code's claims here; or NULL */
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

/* Make room for n more bytes and one more relocation. */
void code_grow(struct code *c, uint32_t n);

/* Append bytes. */
static inline void code_put(struct code *c, const void *bytes, uint32_t n)
{
	if (c->bytes.n + n > sizeof c->bytes.own)
		code_grow(c, n);
	memcpy(small_v(&c->bytes) + c->bytes.n, bytes, n);
	c->bytes.n += n;
}

/* Append a number of 32 bits, the least significant byte first. */
static inline void code_u32(struct code *c, uint32_t x)
{
	uint8_t bytes[4];
	put_u32(bytes, x);
	code_put(c, bytes, sizeof bytes);
}

/* Append a relocation of the next bytes; sets its off. */
static inline void code_reloc(struct code *c, struct reloc r)
{
	if (c->rel.n == sizeof c->rel.own / sizeof c->rel.own[0] || c->rel.heap)
		code_grow(c, 0);
	r.off = c->bytes.n;
	small_v(&c->rel)[c->rel.n++] = r;
}

/* Append a claim for the code from start on. */
static inline void code_claim(struct code *c, uint32_t start, struct claim claim)
{
	if (!c->claims)
		return;
	claim.at = start;
	claim.len = c->bytes.n - start;
	vec_push(c->claims, claim);
}

/* Record that the last instruction lowered the stack pointer by that much (< 0: raised). */
void code_lower_stack(struct code *c, int32_t by);

/* Which threads share a counter, and how it is incremented. */
enum counter_access {
	ACCESS_PLAIN,  /* all threads; increments of several threads at once may get lost */
	ACCESS_ATOMIC, /* all threads, by an atomic instruction */
	ACCESS_THREAD, /* one per thread, found by a base: see runtime/threads.c */
	ACCESS_TURNED, /* plain until a second thread comes, see enum turned */
	ACCESS_KINDS,
};

/* ACCESS_TURNED: the forms between which runtime/turn.c changes the inserted code. */
enum turned {
	TURNED_NOT,    /* plain: one thread */
	TURNED_BASES,  /* plain: one per thread, as ACCESS_THREAD */
	TURNED_BOTH,   /* atomic, one per thread: on the way from the one to the other */
	TURNED_ATOMIC, /* atomic: all threads */
	TURNED_KINDS
};

/*
 * The bytes that differ between them.  All places are counted from the address of the counter.
 */
struct turn {
	int32_t at; /* by this the runtime finds them */
	struct {
		int32_t at;
		uint8_t is[TURNED_KINDS];
	} byte[2];
};

/* How soon the same counter is incremented again. */
enum repeat {
	REPEAT_SOON,   /* maybe at once */
	REPEAT_LATER,  /* after the previous store: an address that delays loads is good enough */
	REPEAT_RARELY, /* in rarely executed code: short code is better than fast code */
};

/* How inserted code addresses the counters: near, fixed or both. */
struct counter_addressing {
	uint32_t sym, sym_fixed; /* symbols of the first counter, near and fixed */
	enum counter_access access;
	bool near;  /* pc-relative */
	bool fixed; /* absolute, below 2 GB: the address is in the instruction */
	bool moved; /* the thread's base is added to the fixed address, even if threads share */
	bool pic;   /* the code may be loaded at any address, or above 2 GB */
	/*
	 * This symbol is of thread-local words of the program, at most row_words, by page of
	 * counters: the address row_bias (targets/micro.h) bytes behind the page's start.  Pages
	 * behind these are reached by the last one.  row_far: the words may be out of reach of one
	 * instruction.  row_own: each thread has counters of its own, and its words lead there.  0:
	 * no such words
	 */
	uint32_t row;
	uint16_t row_words;
	bool row_far, row_own;
	enum repeat repeat;
	uint8_t base; /* 1 + the register that set_base() has set for this counter; 0: none */
};

static inline bool counts_by_thread(const struct counter_addressing *to)
{
	return to->access == ACCESS_THREAD || to->row_own;
}

#endif
