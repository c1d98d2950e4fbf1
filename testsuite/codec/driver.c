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
#include "testsuite/layout.h"

#include <stdlib.h>

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
	if (kind == LABEL_LANDING_PAD || kind == LABEL_FDE_START)
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
		if (section_is_code(s) && s->map) {
			s->out_nrel = 0; /* linkers refuse branches to odd addresses */
			continue;
		}
		if (s->nrel && !s->dropped && !s->out_rel && !is_table(s))
			fix_data_section(o->arena, o, s, NULL, NULL);
	}
}

int main(int argc, char **argv)
{
	struct arena a = {0};
	if (argc != 4)
		fatal("usage: driver IN.o OUT.o SEED");
	struct object *o = object_read(&a, argv[1]);
	fix_check(o, target_for(o)->reloc_info);
	uint64_t seed = strtoull(argv[3], NULL, 0);
	draw_seed(seed);
	unwind_labels(o, print_label, NULL);
	for (size_t i = 1; seed && i < o->sec.n; i++)
		if (section_is_code(&o->sec.v[i]) && o->sec.v[i].size) {
			lay_out(o, &o->sec.v[i]);
			fix_code(o, &o->sec.v[i]);
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
