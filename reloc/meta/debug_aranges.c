/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_aranges.c - the table of units by address (DWARF 5, section 6.1.2)
 *
 * Addresses have relocations, lengths have not.  No field changes its size.
 */
#include "reloc/meta/dwarf.h"

static void put_set(struct recode *rc, const struct section *s, struct reader *r)
{
	uint64_t at = reader_at(r);
	struct dw_length len = dw_read_length(s, r);
	struct reader set = *r;
	set.end = r->start + len.end;
	unsigned version = read_u16(&set);
	dw_offset(&set, len.wide);
	unsigned addr_size = read_u8(&set), seg_size = read_u8(&set);
	if (set.bad || version != 2 || addr_size != 8 || seg_size)
		fatal_at(s, at, "bad header of address ranges");
	/* Tuples are aligned to their size from the set's start. */
	read_skip(&set, (16 - (reader_at(&set) - at) % 16) % 16);
	recode_copy(rc, at, len.end);
	while (set.end - set.p >= 16) {
		uint64_t tuple = reader_at(&set);
		struct place p = dw_place(rc->o, s, tuple);
		read_u64(&set);
		uint64_t size = read_u64(&set);
		if (dw_moves(&p))
			put_u64(rc->out.v + tuple + 8,
				dw_new_length(&p, size, REF_SCOPE_END, s, tuple));
	}
	r->p = r->start + len.end;
}

void debug_aranges_rewrite(struct object *o, struct section *s)
{
	struct recode rc = {.o = o};
	struct reader r = reader_make(s->data, s->size);
	recode_open(&rc, s);
	while (r.p < r.end)
		put_set(&rc, s, &r);
	recode_close(&rc);
	recode_finish(&rc, s);
}
