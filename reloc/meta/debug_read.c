/* SPDX-License-Identifier: Apache-2.0 */
/* debug_read.c - what the files that rewrite debug information share */
#include "reloc/meta/dwarf.h"

#include "reloc/fix.h"
#include "reloc/meta/codec.h"

bool section_named(const struct section *s, const char *name)
{
	return !strcmp(s->name, name);
}

struct reader dw_reader(const struct object *o, const struct section *s, uint64_t from,
	uint64_t end)
{
	struct reader r = reader_make(s->data, end);
	r.big = o->big;
	read_skip(&r, from);
	return r;
}

struct dw_length dw_read_length(const struct section *s, struct reader *r)
{
	struct dw_length l = {.field = reader_at(r)};
	uint64_t len = read_u32(r);
	l.wide = len == UINT32_MAX;
	if (l.wide)
		len = read_u64(r);
	if (r->bad || (!l.wide && len >= 0xfffffff0) || len > s->size - reader_at(r))
		fatal_at(s, l.field, "bad length of debug information");
	l.end = reader_at(r) + len;
	return l;
}

void dw_put_length(struct recode *rc, const struct dw_length *l, uint64_t out)
{
	uint64_t len = rc->out.n - out - (l->wide ? 12 : 4);
	if (l->wide)
		put_word(rc->out.v + out + 4, 8, rc->o->big, len);
	else if (len >= 0xfffffff0)
		fatal_at(rc->in, l->field, "debug information of more than 4 GB");
	else
		put_word(rc->out.v + out, 4, rc->o->big, len);
}

struct place dw_place(const struct object *o, const struct section *s, uint64_t field)
{
	uint32_t i = section_first_reloc(s, field);
	uint64_t symoff;
	if (i == s->nrel || s->rel[i].off != field || !fix_names_label(o, &s->rel[i]))
		return (struct place){0};
	struct section *t = reloc_target(o, &s->rel[i], &symoff);
	if (!t)
		return (struct place){0};
	uint64_t off = symoff + (uint64_t)s->rel[i].addend;
	if (off > t->size)
		fatal_at(s, field, "refers to a place outside section %s", t->name);
	return (struct place){.sec = t, .off = off};
}

struct place dw_addrx(const struct object *o, const struct place *base, uint64_t index)
{
	if (!base->sec || index >= (base->sec->size - base->off) / o->word)
		return (struct place){0};
	return dw_place(o, base->sec, base->off + index * o->word);
}

uint64_t dw_new(const struct place *p, uint64_t off, enum ref_use use, const struct section *s,
	uint64_t at)
{
	if (off > p->sec->size - p->off)
		fatal_at(s, at, "refers to code outside section %s", p->sec->name);
	off += p->off;
	if (off == p->sec->size && use != REF_SCOPE_END && use != REF_UNWIND_END)
		use = REF_RANGE_END;
	return map_addr(p->sec->map, off, use);
}

void dw_note(const struct place *p, uint64_t from, uint64_t to, bool base)
{
	if (dw_moves(p) && p->sec->map->spans && from < to)
		vec_push(p->sec->map->spans, (struct map_span){p->off + from, p->off + to, base});
}

struct dw_span dw_new_span(const struct place *p, uint64_t len, enum ref_use end,
	const struct section *s, uint64_t at)
{
	uint64_t from = dw_new(p, 0, REF_ADDRESS, s, at), to = dw_new(p, len, end, s, at);
	dw_note(p, 0, len, false);
	return (struct dw_span){p->sec, from, len && to > from ? to : from};
}

void dw_put_span(struct recode *rc, const struct dw_span *s, unsigned bits)
{
	recode_distance(rc, s->code, s->from, s->to, bits, 0);
}

int dw_cmp_ref(const void *pa, const void *pb)
{
	const struct field_ref *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

void dw_check_address(const struct object *o, unsigned size, unsigned segment,
	const struct section *s, uint64_t at)
{
	if (size != o->word || segment)
		fatal_at(s, at, "debug information with addresses that are not flat and %u-bit",
			8u * o->word);
}

struct dw_lines dw_read_lines(const struct object *o, const struct section *s, struct reader *r,
	const struct dw_length *len)
{
	uint64_t at = reader_at(r);
	struct dw_lines h = {.version = read_u16(r)};
	if (h.version < 2 || h.version > 5)
		fatal_at(s, at, "line table of unknown version %u", h.version);
	if (h.version >= 5) {
		unsigned size = read_u8(r);
		dw_check_address(o, size, read_u8(r), s, at);
	}
	uint64_t rest = dw_offset(r, len->wide);
	uint64_t from = reader_at(r);
	if (r->bad || rest > len->end - from)
		fatal_at(s, at, "bad length of a line table's header");
	h.program = from + rest;
	h.min_insn = read_u8(r);
	uint8_t max_ops = h.version >= 4 ? read_u8(r) : 1;
	h.stmt = read_u8(r);
	h.line_base = (int8_t)read_u8(r);
	h.line_range = read_u8(r);
	h.opcode_base = read_u8(r);
	if (!h.min_insn || max_ops > 1 || !h.line_range || !h.opcode_base)
		fatal_at(s, at, "bad header of a line table");
	for (unsigned i = 1; i < h.opcode_base; i++)
		h.operands[i] = read_u8(r);
	h.names = reader_at(r);
	if (r->bad || h.names > h.program)
		fatal_at(s, at, "truncated header of a line table");
	return h;
}
