/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_aranges.c - the table of units by address (DWARF 5, section 6.1.2)
 *
 * Addresses have relocations, lengths have not.  No field changes its size.
 */
#include "reloc/meta/dwarf.h"

#include <stddef.h>

static void put_set(struct recode *rc, const struct section *s, struct reader *r)
{
	uint64_t at = reader_at(r);
	struct dw_length len = dw_read_length(s, r);
	struct reader set = *r;
	set.end = r->start + len.end;
	unsigned version = read_u16(&set);
	dw_offset(&set, len.wide);
	unsigned addr_size = read_u8(&set), seg_size = read_u8(&set);
	const unsigned word = rc->o->word;
	if (set.bad || version != 2 || addr_size != word || seg_size)
		fatal_at(s, at, "bad header of address ranges");
	/* Tuples are aligned to their size from the set's start. */
	read_skip(&set, (2 * word - (reader_at(&set) - at) % (2 * word)) % (2 * word));
	recode_copy(rc, at, len.end);
	while (set.end - set.p >= 2 * (ptrdiff_t)word) {
		uint64_t tuple = reader_at(&set);
		struct place p = dw_place(rc->o, s, tuple);
		dw_address(rc->o, &set);
		uint64_t size = dw_address(rc->o, &set);
		if (!dw_moves(&p))
			continue;
		struct dw_span new = dw_new_span(&p, size, REF_SCOPE_END, s, tuple);
		recode_patch_distance(rc, new.code, new.from, new.to, 8 * word, tuple + word);
	}
	r->p = r->start + len.end;
}

void debug_aranges_rewrite(struct object *o, struct section *s)
{
	struct recode rc = {.o = o};
	struct reader r = dw_reader(o, s, 0, s->size);
	recode_open(&rc, s);
	while (r.p < r.end)
		put_set(&rc, s, &r);
	recode_close(&rc);
	recode_finish(&rc, s);
}
