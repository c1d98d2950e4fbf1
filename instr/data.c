/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data.c - relocations of sections that hold no code; see data.h
 */
#include "instr/data.h"

#include "base/parallel.h"
#include "cfg/refs.h"
#include "reloc/fix.h"

static void fix_part(void *ctx, size_t part, struct arena *arena)
{
	const struct cfg *g = ctx;
	struct object *o = g->obj;
	for (uint32_t i = o->part.v[part]; i < o->part.v[part + 1]; i++) {
		struct section *s = &o->sec.v[i];
		if (s->nrel && !s->dropped && !section_is_code(s) && !s->out_rel)
			fix_data_section(arena, o, s, cfg_data_ref, g);
	}
}

void data_rewrite(const struct cfg *g)
{
	parallel_into(g->obj->arena, g->obj->part.n - 1, fix_part, (void *)g);
}
