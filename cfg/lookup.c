/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - instructions, blocks and functions by their place
 */
#include "cfg/cfg_priv.h"

struct text *cfg_text(const struct cfg *g, uint32_t sec)
{
	uint32_t c = sec < g->obj->sec.n ? g->text_of[sec] : 0;
	return c ? &g->text.v[c - 1] : NULL;
}

uint32_t cfg_insn_at(const struct cfg *g, const struct text *c, uint64_t off)
{
	uint32_t i;
	BISECT(i, c->insn, c->insn + c->ninsn, g->insn.v[i].off <= off);
	return i == c->insn || off >= insn_end(&g->insn.v[i - 1]) ? UINT32_MAX : i - 1;
}

uint32_t cfg_func_at(const struct cfg *g, const struct text *c, uint64_t off)
{
	uint32_t f;
	BISECT(f, c->func, c->func + c->nfunc, g->func.v[f].start <= off);
	return f == c->func ? NO_FUNC : f - 1;
}

uint32_t cfg_block_at(const struct cfg *g, const struct text *c, uint64_t off)
{
	uint32_t b, end = c->block + c->nblock;
	BISECT(b, c->block, end, g->insn.v[g->block.v[b].insn].off < off);
	return b < end && g->insn.v[g->block.v[b].insn].off == off ? b : NO_BLOCK;
}

uint32_t cfg_part_funcs(const struct cfg *g, size_t k, uint32_t *first)
{
	const struct text *last = &g->text.v[g->part.v[k + 1] - 1];
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

const struct symbol *named_at_end(const struct cfg *g, const struct block *bl)
{
	const struct reloc *r;
	uint32_t sec;
	uint64_t off;
	bool is = cfg_target(g, &g->text.v[g->func.v[bl->func].text], bl->insn + bl->ninsn - 1,
		&sec, &off, &r);
	return is && r ? &g->obj->sym.v[r->sym] : NULL;
}

unsigned referred_bits(const struct object *o, const uint8_t *bits)
{
	unsigned all = 0;
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t r = 0; (o->sec.v[i].flags & SHF_ALLOC) && r < o->sec.v[i].nrel; r++)
			all |= bits[o->sec.v[i].rel[r].sym];
	return all;
}

bool called_from_anywhere(const struct cfg *g, const struct func *f)
{
	return set_has(g->text.v[f->text].taken, f->start) ||
	       (f->is_code && (!f->nblock || g->block.v[f->block].open));
}

bool has_inner_label(const struct cfg *g, const struct func *f)
{
	const struct text *c = &g->text.v[f->text];
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

bool cfg_target(const struct cfg *g, const struct text *c, uint32_t i, uint32_t *sec,
	uint64_t *off, const struct reloc **rel)
{
	const struct insn *in = &g->insn.v[i];
	*rel = NULL;
	*sec = 0;
	*off = 0;
	if (!in->pc_size)
		return false;
	uint64_t field = in->off + in->pc_off;
	for (uint32_t r = in->rel; r && r <= c->sec->nrel; r++) {
		const struct reloc *rl = &c->sec->rel[r - 1];
		if (rl->off > field)
			break;
		const struct reloc_info *ri = g->target->reloc_info(rl->type);
		if (rl->off < field || ri->role == ROLE_NONE)
			continue;
		*rel = rl;
		if (ri->role != ROLE_PCREL && ri->role != ROLE_PLT)
			return true;
		uint64_t symoff;
		const struct section *t = reloc_target(g->obj, rl, &symoff);
		if (t) {
			*sec = t->index;
			*off = symoff + (uint64_t)rl->addend + (insn_end(in) - rl->off);
		}
		return true;
	}
	const uint8_t *p = c->sec->data + field;
	int64_t disp = in->pc_size == 1 ? (int8_t)*p : (int32_t)get_u32(p);
	*sec = c->sec->index;
	*off = insn_end(in) + (uint64_t)disp;
	return true;
}
