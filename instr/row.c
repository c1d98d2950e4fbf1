/* SPDX-License-Identifier: Apache-2.0 */
/* row.c - the thread-local words by which threads find their counters; see row.h */
#include "instr/row.h"

static uint64_t words_of(const struct plan *p)
{
	uint64_t page = (uint64_t)1 << p->g->target->micro->row_bits;
	uint64_t pages = (plan_cells(p) * 8 + page - 1) / page;
	return pages < p->addressing.row_words ? pages : p->addressing.row_words;
}

static struct reloc *words_relocs(const struct plan *p, uint64_t n)
{
	const struct micro *m = p->g->target->micro;
	struct reloc *rel = arena_array(p->g->obj->arena, struct reloc, n);
	for (uint64_t i = 0; i < n; i++)
		rel[i] = (struct reloc){.off = 8 * i,
			.type = p->g->target->made.address,
			.sym = p->addressing.sym,
			.addend = (int64_t)(i << m->row_bits) + m->row_bias};
	return rel;
}

void row_add(const struct plan *p)
{
	struct object *o = p->g->obj;
	if (!p->addressing.row)
		return;
	uint64_t n = words_of(p), size = 8 * (n + 1); /* the last one is 0 */
	uint8_t *zero = arena_array(o->arena, uint8_t, size);
	struct section s = {.name = ".tdata.ldx",
		.type = SHT_PROGBITS,
		.align = 8,
		.flags = SHF_ALLOC | SHF_WRITE | SHF_TLS,
		.size = size,
		.data = zero,
		.rewritten = true,
		.out = zero,
		.out_size = size,
		.out_rel = words_relocs(p, n),
		.out_nrel = (uint32_t)n};
	o->sym.v[p->addressing.row].sec = object_add_section(o, &s);
}
