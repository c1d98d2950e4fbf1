/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.c - the codecs alone: rewrite an object's tables for an artificial layout
 *
 *	driver IN.o OUT.o SEED
 *
 * Code is not decoded: at offsets drawn from SEED, parts of drawn lengths go in,
 * so that each of a label's meanings has an offset of its own.  SEED 0 changes
 * nothing.  Standard output has the maps, a place a line, for check.py.  OUT.o
 * cannot run; it is there to be read.
 */
#include "reloc/fix.h"
#include "reloc/meta/codec.h"
#include "targets/target.h"

#include <stdlib.h>

static uint64_t state;

static uint32_t draw(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % n;
}

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
		len[0] = draw(3);
		len[1] = draw(4) ? 0 : draw(16);
		len[2] = draw(4) ? 0 : draw(300);
		len[3] = draw(8);
		put_place(&list, &b, off, len);
		buf_put(&b, s->data + off, next - off);
	}
	put_place(&list, &b, s->size, (uint32_t[PLACE]){0, draw(20)});
	*m = (struct addrmap){.frag = list.v, .n = list.n, .old_size = s->size, .new_size = b.n};
	s->map = m;
	s->rewritten = true;
	s->out = b.v;
	s->out_size = b.n;
}

static void print_map(const struct section *s)
{
	for (size_t i = 0; i < s->map->n; i += PLACE) {
		const struct frag *f = &s->map->frag[i];
		printf("%u %llu %llu %u %u %u %u\n", s->index, (unsigned long long)f->old,
			(unsigned long long)f->new, f[0].len, f[1].len, f[2].len, f[3].len);
	}
}

static void print_label(void *ctx, uint32_t sec, uint64_t off, uint64_t len, enum unwind_label kind)
{
	(void)ctx;
	(void)len;
	if (kind != LABEL_CAUGHT)
		printf("label %u %llu %d\n", sec, (unsigned long long)off, (int)kind);
}

/* Code and jump tables are not what is tested, and take a decoder to get right. */
static bool is_table(const struct section *s)
{
	return !strncmp(s->name, ".rodata", 7) || !strncmp(s->name, ".data", 5);
}

static void fix_code(struct object *o, struct section *s)
{
	s->out_nrel = s->nrel;
	s->out_rel = arena_array(o->arena, struct reloc, s->nrel + 1);
	for (uint32_t i = 0; i < s->nrel; i++) {
		s->out_rel[i] = s->rel[i];
		s->out_rel[i].off = map_addr(s->map, s->rel[i].off, REF_EXACT);
	}
}

static void fix_sections(struct object *o)
{
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (section_is_code(s) && s->map)
			fix_code(o, s);
		else if (s->nrel && !s->dropped && !s->out_rel && !is_table(s))
			fix_data_section(o->arena, o, s, NULL, NULL);
	}
}

int main(int argc, char **argv)
{
	struct arena a = {0};
	if (argc != 4)
		fatal("usage: driver IN.o OUT.o SEED");
	struct object *o = object_read(&a, argv[1]);
	fix_check(o, target_find(o->machine)->reloc_info);
	state = strtoull(argv[3], NULL, 0);
	unwind_labels(o, print_label, NULL);
	for (size_t i = 1; state && i < o->sec.n; i++)
		if (section_is_code(&o->sec.v[i]) && o->sec.v[i].size) {
			lay_out(o, &o->sec.v[i]);
			print_map(&o->sec.v[i]);
		}
	lsda_rewrite(o);
	eh_frame_rewrite(o);
	debug_rewrite(o);
	for (size_t i = 1; i < o->sec.n; i++)
		if (o->sec.v[i].why)
			fatal("%s is dropped: %s", o->sec.v[i].name, o->sec.v[i].why);
	fix_sections(o);
	fix_symbols(o);
	object_write(o, argv[2]);
	return 0;
}
