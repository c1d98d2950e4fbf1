/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - an artificial layout of a section, for tests of the codecs
 *
 * Code is not decoded: at offsets drawn at random, fragments of drawn lengths go
 * in, so that each use of a label has an offset of its own.
 */
#ifndef LDX_TESTSUITE_LAYOUT_H
#define LDX_TESTSUITE_LAYOUT_H

#include "reloc/object.h"
#include "testsuite/draw.h"

static void put_nops(struct buf *b, uint32_t n)
{
	while (n--)
		buf_u8(b, 0x90);
}

/* The fragments at each place, in the order of check.py's columns; then the old bytes. */
enum { PLACE = 5 };
static const struct frag place[PLACE] = {
	{.kind = FRAG_INSERTED, .runs = RUNS_FALL},
	{.kind = FRAG_ALIGN, .runs = RUN_PAST},
	{.kind = FRAG_INSERTED, .runs = RUNS_ENTRY},
	{.kind = FRAG_INSERTED, .runs = RUNS_ALL},
	{.kind = FRAG_KEPT, .runs = RUNS_OLD},
};

typedef VEC(struct frag) frag_vec;

static void put_place(frag_vec *list, struct buf *b, uint64_t old, const uint32_t len[PLACE])
{
	for (size_t i = 0; i < PLACE; i++) {
		struct frag f = place[i];
		f.old = old;
		f.new = b->n;
		f.len = len[i];
		put_nops(b, len[i]);
		vec_push(list, f);
	}
}

/* Every few bytes a place, at function starts always. */
static void lay_out(struct object *o, struct section *s)
{
	struct addrmap *m = arena_new(o->arena, struct addrmap);
	frag_vec list = {0};
	struct buf b = {0};
	for (uint64_t off = 0, next; off < s->size; off = next) {
		uint32_t len[PLACE] = {0};
		next = off + 1 + draw(12);
		if (next > s->size)
			next = s->size;
		len[0] = (uint32_t)draw(3);
		len[1] = (uint32_t)draw(4) ? 0 : (uint32_t)draw(16);
		len[2] = (uint32_t)draw(4) ? 0 : (uint32_t)draw(300);
		len[3] = (uint32_t)draw(8);
		put_place(&list, &b, off, len);
		buf_put(&b, s->data + off, next - off);
	}
	put_place(&list, &b, s->size, (uint32_t[PLACE]){0, (uint32_t)draw(20)});
	*m = (struct addrmap){.frag = list.v, .n = list.n, .old_size = s->size, .new_size = b.n};
	s->map = m;
	s->rewritten = true;
	s->out = b.v;
	s->out_size = b.n;
}

#endif
