/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends.c - how many entries a jump table of scaled distances has, if no code bounds its index
 *
 * As many as lead into the jump's function, up to the next symbol or other such table.  If it ends
 * elsewhere, code must refer to what is behind its first entry.
 */
#include "verify/places.h"
#include "verify/tables.h"

#include <stdlib.h>

static void add_place(struct vends *e, uint32_t sec, uint64_t off)
{
	vec_push(&e->sure, ((struct vbase){sec, off}));
}

static int vrange_cmp(const void *pa, const void *pb)
{
	const struct vrange *a = pa, *b = pb;
	if (a->sec != b->sec)
		return a->sec < b->sec ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static void add_symbol(struct vends *e, const struct object *o, const struct symbol *s)
{
	unsigned type = symbol_type(s);
	if (s->sec >= o->sec.n || type == STT_SECTION || s->name[0] == '$')
		return;
	if (!section_is_code(&o->sec.v[s->sec]))
		add_place(e, s->sec, s->value);
	else if ((type == STT_FUNC || type == STT_GNU_IFUNC) && s->value <= o->sec.v[s->sec].size &&
		s->size <= o->sec.v[s->sec].size - s->value)
		vec_push(&e->func, ((struct vrange){s->sec, s->value, s->value + s->size}));
}

void vends_find(struct vends *e, const struct verify *v)
{
	struct vbase to;
	for (size_t i = 0; i < v->text.n; i++)
		for (uint32_t k = 0; k < v->text.v[i].a->nrel; k++)
			if (data_named(v, &v->text.v[i].a->rel[k], &to))
				vec_push(&e->named, to);
	for (size_t i = 0; i < v->scaled.n; i++)
		add_place(e, v->scaled.v[i].table.sec, v->scaled.v[i].table.off);
	for (size_t i = 1; i < v->a->sym.n; i++)
		add_symbol(e, v->a, &v->a->sym.v[i]);
	sort(e->func.v, e->func.n, sizeof *e->func.v, vrange_cmp);
	sort(e->sure.v, e->sure.n, sizeof *e->sure.v, vbase_cmp);
	sort(e->named.v, e->named.n, sizeof *e->named.v, vbase_cmp);
}

void vends_free(struct vends *e)
{
	vec_free(&e->sure);
	vec_free(&e->named);
	vec_free(&e->func);
}

/* The first of n places behind p in its section, or end. */
static uint64_t behind(const struct vbase *all, size_t n, struct vbase p, uint64_t end)
{
	size_t i;
	BISECT(i, 0, n, vbase_cmp(&all[i], &p) <= 0);
	return i < n && all[i].sec == p.sec && all[i].off < end ? all[i].off : end;
}

/* The range of the symbol that begins last of the functions around x in section code. */
static struct vrange around(const struct vends *e, const struct section *code, uint64_t x)
{
	struct vrange r = {code->index, 0, 0};
	size_t i;
	BISECT(i, 0, e->func.n,
		e->func.v[i].sec < code->index ||
			(e->func.v[i].sec == code->index && e->func.v[i].from <= x));
	while (i-- && e->func.v[i].sec == code->index && (!r.to || e->func.v[i].from == r.from))
		if (e->func.v[i].to > x && e->func.v[i].to > r.to)
			r = e->func.v[i];
	if (!r.to)
		r.to = code->size;
	return r;
}

uint32_t vends_count(const struct vends *e, const struct verify *v, const struct vscaled *s,
	uint32_t most)
{
	const struct section *data = &v->a->sec.v[s->table.sec], *code = v->text.v[s->text].a;
	uint64_t end = behind(e->sure.v, e->sure.n, s->table, data->size);
	struct vrange f = around(e, code, v->insn.v[s->jump].off);
	uint32_t n = 0;
	for (; n < most && s->table.off + (uint64_t)(n + 1) * s->size <= end; n++) {
		uint64_t x = scaled_label_of(v, s, n);
		if (x < f.from || x > f.to || (x < f.to && !is_boundary(v, code->index, x)))
			break;
	}
	uint64_t stop = s->table.off + (uint64_t)n * s->size;
	bool ends = n == most || stop + s->size > end ||
		behind(e->named.v, e->named.n, s->table, UINT64_MAX) <= stop;
	return ends ? n : 0;
}

uint64_t scaled_label_of(const struct verify *v, const struct vscaled *s, uint32_t k)
{
	const uint8_t *p = v->a->sec.v[s->table.sec].data + s->table.off + (uint64_t)k * s->size;
	unsigned bytes = s->extends && s->extends < s->size ? s->extends : s->size;
	uint64_t x = bytes == 1 ? *p
		: bytes == 2	? (uint64_t)p[0] | (uint64_t)p[1] << 8
				: get_u32(p);
	unsigned unused = 64 - bytes * 8;
	if (s->sext)
		x = (uint64_t)((int64_t)(x << unused) >> unused);
	return s->base + (uint64_t)s->scale * x;
}
