/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup.c - find instructions, blocks, functions and tables by section and offset, and what is
 * beside them
 */
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/regions.h"
#include "cfg/scaled.h"
#include "cfg/tables.h"

#include <stdlib.h>

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

bool block_continues(const struct block *b)
{
	return b->end == END_FALL || b->end == END_BRANCH || b->end == END_CALL ||
		b->end == END_SYSCALL;
}

void find_preds(const struct cfg *g, uint32_t **first_of, uint32_t **pred)
{
	size_t n = g->block.n;
	uint32_t *first = *first_of = calloc(n + 2, sizeof *first);
	if (!first)
		fatal("out of memory");
	for (size_t b = 0; b < n; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->fall != NO_BLOCK)
			first[bl->fall + 1]++;
		if (bl->target != NO_BLOCK && bl->end != END_CALL)
			first[bl->target + 1]++;
	}
	for (size_t b = 0; b < n; b++)
		first[b + 1] += first[b];
	*pred = calloc((size_t)first[n] + 1, sizeof **pred);
	uint32_t *next = malloc(array_bytes(n + 1, sizeof *next));
	if (!*pred || !next)
		fatal("out of memory");
	memcpy(next, first, (n + 1) * sizeof *next);
	for (size_t b = 0; b < n; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->fall != NO_BLOCK)
			(*pred)[next[bl->fall]++] = (uint32_t)b;
		if (bl->target != NO_BLOCK && bl->end != END_CALL)
			(*pred)[next[bl->target]++] = (uint32_t)b;
	}
	free(next);
}

bool lump_holds(const struct cfg *g, const struct code_section *c, const struct lump *p, uint32_t f)
{
	const struct func *fn = &g->func.v[f];
	bool first = f == c->func, last = f + 1 == c->func + c->nfunc;
	return (first || p->to > fn[-1].end) && (last || p->from < fn[1].start);
}

bool is_held(const struct cfg *g, uint32_t f)
{
	const struct code_section *c = &g->text.v[g->func.v[f].text];
	for (size_t i = 0; i < c->lump.n; i++)
		if (lump_holds(g, c, &c->lump.v[i], f))
			return true;
	return false;
}

enum block_end end_of(const struct insn *in)
{
	switch ((enum insn_kind)in->kind) {
	case INSN_JUMP: return END_JUMP;
	case INSN_BRANCH:
	case INSN_XBEGIN: return END_BRANCH;
	case INSN_CALL:
	case INSN_CALL_IND: return END_CALL;
	case INSN_JUMP_IND: return END_LEAVE;
	case INSN_RET: return END_RET;
	case INSN_TRAP: return END_TRAP;
	case INSN_SYSCALL: return END_SYSCALL;
	case INSN_OTHER:
	case INSN_NOP: break;
	}
	return END_FALL;
}

uint32_t region_at(const struct regions *rs, uint32_t text, uint64_t off)
{
	uint32_t lo = rs->first[text], hi = rs->first[text + 1];
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (rs->v.v[mid].off <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

uint64_t scaled_label(const struct cfg *g, const struct scaled_table *t, uint32_t k)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	const uint8_t *p = s->data + t->off + (uint64_t)k * t->size;
	uint32_t n = 0;
	for (unsigned b = t->size; b--;)
		n = n << 8 | p[b];
	int64_t distance =
		t->sext ? (int64_t)((uint64_t)n << (64 - 8 * t->size)) >> (64 - 8 * t->size) : n;
	return t->base + (uint64_t)(distance * t->scale);
}

void scaled_targets(const struct cfg *g, const struct scaled_table *t,
	void (*visit)(void *, uint32_t), void *ctx)
{
	for (uint32_t k = 0; k < t->n; k++)
		visit(ctx, cfg_block_at(g, &g->text.v[t->text], scaled_label(g, t, k)));
}

bool scaled_leads_into(const struct cfg *g, const struct scaled_table *t, uint32_t k, uint64_t from,
	uint64_t to)
{
	uint64_t label = scaled_label(g, t, k);
	return label >= from &&
		(label < to ? set_has(g->text.v[t->text].starts, label) : label == to);
}

struct scaled_table *scaled_by_jump(const struct cfg *g, uint32_t i)
{
	struct scaled_table *t = g->scaled.v;
	size_t k;
	BISECT(k, 0, g->scaled.n, t[k].insn[SCALED_JUMP] < i);
	return k < g->scaled.n && t[k].insn[SCALED_JUMP] == i ? t + k : NULL;
}

bool is_anchor(const struct cfg *g, const struct code_section *c, uint32_t i)
{
	return c->anchors && set_has(c->anchors, g->insn.v[i].off);
}

const struct table *cfg_table_of(const struct cfg *g, uint32_t sec, uint32_t rel)
{
	const struct table *t = g->table.v;
	size_t i;
	BISECT(i, 0, g->table.n, t[i].sec < sec || (t[i].sec == sec && t[i].rel <= rel));
	if (!i)
		return NULL;
	t += i - 1;
	return t->sec == sec && rel - t->rel < t->n ? t : NULL;
}

size_t table_ref_from(const struct cfg *g, uint32_t code, uint64_t off)
{
	const struct table_ref *r = g->table_ref.v;
	size_t i;
	BISECT(i, 0, g->table_ref.n, r[i].text < code || (r[i].text == code && r[i].off < off));
	return i;
}

uint32_t relative_table_at(const struct cfg *g, uint32_t code, uint64_t off)
{
	const struct table_ref *r = g->table_ref.v;
	size_t i = table_ref_from(g, code, off);
	for (; i < g->table_ref.n && r[i].text == code && r[i].off == off; i++)
		if (g->table.v[r[i].table].relative)
			return r[i].table;
	return NO_TABLE;
}

/* Tables are in the order of their sections and places. */
bool is_in_other_table(const struct cfg *g, uint32_t table, int64_t by)
{
	const struct table *all = g->table.v, *t = &all[table];
	const uint64_t at = t->base + (uint64_t)by;
	const struct section *s = &g->obj->sec.v[t->sec];
	size_t k;
	if (at >= s->size)
		return false;
	BISECT(k, 0, g->table.n,
		all[k].sec < t->sec || (all[k].sec == t->sec && all[k].base <= at));
	return k-- && k != table && all[k].sec == t->sec &&
		at <= s->rel[all[k].rel + all[k].n - 1].off;
}

size_t func_table_refs(const struct cfg *g, const struct func *f, size_t *first)
{
	*first = table_ref_from(g, f->text, f->start);
	return table_ref_from(g, f->text, f->end);
}

void cfg_table_targets(const struct cfg *g, uint32_t b, void (*visit)(void *, uint32_t), void *ctx)
{
	const struct func *f = &g->func.v[g->block.v[b].func];
	const struct table_jump *j = g->table_jump.v;
	uint32_t first = f->by_table, n = f->nby_table;
	size_t k;
	BISECT(k, 0, g->table_jump.n, j[k].block < b);
	if (k < g->table_jump.n && j[k].block == b)
		first = j[k].by_table, n = j[k].nby_table;
	for (uint32_t i = first; i < first + n; i++)
		visit(ctx, g->by_table.v[i]);
}
