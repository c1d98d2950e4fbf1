/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - relocations of sections that hold no code; see data.h
 */
#include "instr/data.h"

#include "base/parallel.h"
#include "cfg/refs.h"
#include "instr/layout.h"
#include "reloc/fix.h"

struct data {
	const struct cfg *g;
	const struct layout *lay;
};

/* As cfg_data_ref(); an entry of a jump table may lead through code of its jump's edge. */
static struct ref data_ref(const void *ctx, const struct section *s, uint32_t rel)
{
	const struct data *w = ctx;
	const struct cfg *g = w->g;
	struct ref ref = cfg_data_ref(g, s, rel);
	if (ref.use != REF_TABLE || !g->text_of[ref.sec])
		return ref;
	uint32_t b = cfg_table_of(g, s->index, rel)->jump;
	uint32_t jump = b == NO_BLOCK ? NO_INSN : g->block.v[b].insn + g->block.v[b].ninsn - 1;
	struct stub stub = layout_entry_stub(&w->lay[g->text_of[ref.sec] - 1], jump, ref.off);
	ref.use = stub.use;
	ref.skip = stub.skip;
	return ref;
}

static void fix_part(void *ctx, size_t part, struct arena *arena)
{
	const struct data *w = ctx;
	struct object *o = w->g->obj;
	for (uint32_t i = o->part.v[part]; i < o->part.v[part + 1]; i++) {
		struct section *s = &o->sec.v[i];
		if (s->nrel && !s->dropped && !section_is_code(s) && !s->out_rel)
			fix_data_section(arena, o, s, data_ref, w);
	}
}

void data_rewrite(const struct cfg *g, const struct layout *lay)
{
	struct data w = {g, lay};
	parallel_into(g->obj->arena, g->obj->part.n - 1, fix_part, &w);
}
