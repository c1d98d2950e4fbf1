/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.c - the list of the bytes of inserted code that runtime/turn.c changes; see turns.h
 *
 * Each is at a fixed distance from the address of a counter, so the relocations of code against the
 * counters tell all of them.
 */
#include "instr/turns.h"

#include "instr/emit.h"
#include "instr/static_map.h"
#include "runtime/abi.h"

#include <stdlib.h>

/* Offsets in a section, rising. */
static struct buf deltas_of(const struct plan *p, const struct section *s, struct ldx_turns *part)
{
	struct buf b = {.big = p->g->obj->big};
	struct turn turn;
	*part = (struct ldx_turns){0};
	for (uint32_t i = 0; i < s->out_nrel; i++) {
		const struct reloc *r = &s->out_rel[i];
		if (r->sym != p->addressing.sym || !p->g->target->turn(s->out + r->off, &turn))
			continue;
		uint64_t at = r->off + (uint64_t)(int64_t)turn.at;
		part->first = part->n++ ? part->first : at;
		buf_uleb(&b, at - part->last);
		part->last = at;
	}
	return b;
}

/* A section of the list that is being made. */
struct list {
	const struct plan *p;
	struct buf bytes;
	VEC(struct reloc) rel;
};

/* The first field of the part leads to symbol sym; 0: nowhere. */
static void put_part(struct list *l, const struct ldx_turns *part, const struct buf *deltas,
	uint32_t sym)
{
	static const uint8_t zero[8];
	uint32_t size = (uint32_t)(deltas->n + 7) & ~(uint32_t)7;
	struct reloc r[2] = {0}, *end = r;
	if (sym)
		end = distance_reloc(l->p->g, r, (uint32_t)l->p->g->obj->sec.n, l->bytes.n, sym, 0);
	for (const struct reloc *k = r; k < end; k++)
		vec_push(&l->rel, *k);
	buf_u64(&l->bytes, 0);
	buf_u32(&l->bytes, part->n);
	buf_u32(&l->bytes, size);
	buf_u64(&l->bytes, part->first);
	buf_u64(&l->bytes, part->last);
	buf_put(&l->bytes, deltas->v, deltas->n);
	buf_put(&l->bytes, zero, size - deltas->n);
}

static uint32_t end_section(struct list *l)
{
	struct object *o = l->p->g->obj;
	uint8_t *bytes = arena_array(o->arena, uint8_t, l->bytes.n);
	struct reloc *rel = arena_array(o->arena, struct reloc, l->rel.n + 1);
	memcpy(bytes, l->bytes.v, l->bytes.n);
	if (l->rel.n)
		memcpy(rel, l->rel.v, l->rel.n * sizeof *rel);
	struct section s = {.name = ".ldx.turns",
		.type = SHT_PROGBITS,
		.align = 8,
		.flags = SHF_ALLOC,
		.size = l->bytes.n,
		.data = bytes,
		.rewritten = true,
		.out = bytes,
		.out_size = l->bytes.n,
		.out_rel = rel,
		.out_nrel = (uint32_t)l->rel.n};
	l->bytes.n = l->rel.n = 0;
	return object_add_section(o, &s);
}

/* The last link is to keep section part if and only if it keeps section code. */
static void join(struct object *o, uint32_t part, uint32_t code, uint32_t signature)
{
	uint8_t *members = arena_array(o->arena, uint8_t, 8); /* flags, and the first of them */
	struct section group = {.name = ".group",
		.type = SHT_GROUP,
		.align = 4,
		.entsize = 4,
		.size = 8,
		.data = members,
		.link = o->symtab,
		.info = signature};
	put_word(members + 4, 4, o->big, code);
	if (!o->sec.v[code].group) {
		uint32_t index = object_add_section(o, &group);
		o->sec.v[code].group = index;
	}
	o->sec.v[part].group = o->sec.v[code].group;
	o->sec.v[part].flags |= SHF_GROUP;
	o->sec.v[code].flags |= SHF_GROUP;
}

/* A section of code, and its part. */
struct code_part {
	uint32_t sec;
	struct ldx_turns part;
	struct buf deltas;
};

/*
 * The first part has no places; it leads to the last one, so that this is not dropped either.
 *
 * hazard: list of dropped sections.  With --gc-sections the list must not retain code.
 */
void turns_write(const struct plan *p)
{
	const struct cfg *g = p->g;
	struct object *o = g->obj;
	const uint32_t *symbol = section_symbols(o->arena, o);
	const struct ldx_turns none = {0};
	const struct buf empty = {0};
	struct list l = {.p = p, .bytes = {.big = o->big}};
	struct symbol sym = {.name = "__ldx_turns",
		.sec = (uint32_t)o->sec.n,
		.other = STV_HIDDEN,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)};
	VEC(struct code_part) parts = {0};
	/* before sections are added: their addresses change */
	for (size_t i = 0; i < g->text.n; i++) {
		struct code_part c = {.sec = g->text.v[i].sec->index};
		c.deltas = deltas_of(p, g->text.v[i].sec, &c.part);
		if (c.part.n)
			vec_push(&parts, c);
	}
	uint32_t list = object_add_symbol(o, &sym);
	put_part(&l, &none, &empty, list);
	if (p->opt->collects)
		end_section(&l);
	for (struct code_part *c = parts.v; c < parts.v + parts.n; c++) {
		uint32_t to = symbol[c->sec] ? symbol[c->sec] : object_label(o, c->sec, 0);
		put_part(&l, &c->part, &c->deltas, to);
		vec_free(&c->deltas);
		if (p->opt->collects)
			join(o, end_section(&l), c->sec, list);
	}
	uint64_t end = l.bytes.n;
	put_part(&l, &none, &empty, 0);
	uint32_t last = end_section(&l);
	o->sec.v[sym.sec].out_rel[0].sym = object_label(o, last, end);
	vec_free(&parts);
	vec_free(&l.bytes);
	vec_free(&l.rel);
}
