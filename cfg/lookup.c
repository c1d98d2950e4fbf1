/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - find instructions, blocks and functions by section and offset
 */
#include "cfg/cfg_priv.h"

struct code_section *cfg_section(const struct cfg *g, uint32_t sec)
{
	uint32_t c = sec < g->obj->sec.n ? g->text_of[sec] : 0;
	return c ? &g->text.v[c - 1] : NULL;
}

uint32_t cfg_insn_at(const struct cfg *g, const struct code_section *c, uint64_t off)
{
	uint32_t i;
	BISECT(i, c->insn, c->insn + c->ninsn, g->insn.v[i].off <= off);
	return i == c->insn || off >= insn_end(&g->insn.v[i - 1]) ? UINT32_MAX : i - 1;
}

uint32_t cfg_func_at(const struct cfg *g, const struct code_section *c, uint64_t off)
{
	uint32_t f;
	BISECT(f, c->func, c->func + c->nfunc, g->func.v[f].start <= off);
	return f == c->func ? NO_FUNC : f - 1;
}

uint32_t cfg_block_at(const struct cfg *g, const struct code_section *c, uint64_t off)
{
	uint32_t b, end = c->block + c->nblock;
	BISECT(b, c->block, end, g->insn.v[g->block.v[b].insn].off < off);
	return b < end && g->insn.v[g->block.v[b].insn].off == off ? b : NO_BLOCK;
}

uint32_t cfg_part_funcs(const struct cfg *g, size_t k, uint32_t *first)
{
	const struct code_section *last = &g->text.v[g->part.v[k + 1] - 1];
	*first = g->text.v[g->part.v[k]].func;
	return last->func + last->nfunc;
}

struct decoder *cfg_decoder(const struct cfg *g, unsigned worker)
{
	if (!g->decoder[worker])
		g->decoder[worker] = g->target->decoder_new();
	return g->decoder[worker];
}

bool is_function_symbol(const struct cfg *g, const struct func *f)
{
	unsigned type = f->sym ? symbol_type(&g->obj->sym.v[f->sym]) : STT_NOTYPE;
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

unsigned referred_bits(const struct cfg *g, const uint8_t *bits)
{
	const struct object *o = g->obj;
	unsigned all = 0;
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t r = 0; may_refer(g, &o->sec.v[i]) && r < o->sec.v[i].nrel; r++)
			all |= bits[o->sec.v[i].rel[r].sym];
	return all;
}

bool called_from_anywhere(const struct cfg *g, const struct func *f)
{
	return set_has(g->text.v[f->text].taken, f->start) ||
		(f->is_code && (!f->nblock || g->block.v[f->block].open));
}

/*
 * hazard: shared goto dispatch.  Compilers merge all gotos of an interpreter into one jump
 * through a register: every label of the function whose address is taken is its target.
 */
bool has_inner_label(const struct cfg *g, const struct func *f)
{
	const struct code_section *c = &g->text.v[f->text];
	for (uint32_t b = f->block + 1; b < f->block + f->nblock; b++)
		if (set_has(c->taken, g->insn.v[g->block.v[b].insn].off))
			return true;
	return false;
}

const char *func_name(const struct cfg *g, const struct func *f)
{
	if (f->sym != NO_SYMBOL)
		return g->obj->sym.v[f->sym].name;
	return arena_printf(g->arena, "%s+0x%llx", g->text.v[f->text].sec->name,
		(unsigned long long)f->start);
}
