/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.c - the table of a jump; does the static map have an edge for each of its targets?
 *
 * Of a jump of which a table is stated, these are the words of that table, up to the next place
 * that code refers to.  One by a table that is not known may use each table that the function
 * refers to; any other indirect jump has no edges within its function.
 */
#include "verify/map.h"
#include "verify/places.h"
#include "verify/tables.h"

/* Has the map an edge from block from to block to (0: outside)? */
static bool has_edge(const struct mapread *m, uint32_t from, uint32_t to)
{
	const struct medge *e = m->edge.v;
	size_t i;
	BISECT(i, 0, m->edge.n, e[i].from < from || (e[i].from == from && e[i].to < to));
	return i < m->edge.n && e[i].from == from && e[i].to == to;
}

/* Has the map a path from block b to instruction k: one edge, or one out and one in? */
static bool may_lead(const struct mapread *m, uint32_t b, uint32_t k)
{
	const struct vtext *t = &m->v->text.v[m->text];
	uint32_t to = k >= t->first && k < t->first + t->n ? block_at(m, m->v->insn.v[k].off) : 0;
	return has_edge(m, b, to) || (to && has_edge(m, b, 0) && has_edge(m, 0, to));
}

/* Has block b an edge to each target of the table's words? */
static void check_table(struct mapread *m, uint32_t b, const struct vtable *table)
{
	const struct verify *v = m->v;
	struct vwords w = vtable_words(v, table);
	uint32_t sec;
	uint64_t to;
	while (vtable_next(v, &w, &sec, &to)) {
		const struct vtext *t = text_at(v, sec);
		if (to < t->a->size && is_boundary(v, sec, to) &&
			!may_lead(m, b, insn_at(v, t, to)))
			bad_edges(m, b, "not all edges of the table jump at the end of");
	}
}

/* Users ----------------------------------------------------------------- */

/* How often the code from x to end of section s refers to the table. */
static size_t references(const struct verify *v, const struct section *s, uint64_t x, uint64_t end,
	const struct vbase *table)
{
	size_t n = 0;
	struct vbase base;
	for (uint32_t i = section_first_reloc(s, x); i < s->nrel && s->rel[i].off < end; i++)
		n += refers_to(v, &s->rel[i], &base) && !vbase_cmp(&base, table);
	return n;
}

/* Block b may jump by the table. */
static void note_user(struct mapread *m, uint32_t b, struct vbase table)
{
	struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	size_t i, all = 0;
	BISECT(i, 0, v->base.n, vbase_cmp(&v->base.v[i], &table) < 0);
	while (i + all < v->base.n && !vbase_cmp(&v->base.v[i + all], &table))
		all++;
	bool own = all == references(v, t->a, m->start, m->block.v[m->block.n - 1].end, &table);
	uint32_t jump = own ? insn_at(v, t, m->block.v[b].end - 1) : NO_INSN;
	vec_push(&v->user, ((struct vuser){table, jump}));
}

uint32_t jump_by(const struct verify *v, struct vbase table)
{
	const struct vuser *u = v->user.v;
	size_t i;
	BISECT(i, 0, v->user.n, vbase_cmp(&u[i].table, &table) < 0);
	uint32_t jump = i < v->user.n && !vbase_cmp(&u[i].table, &table) ? u[i].jump : NO_INSN;
	for (; i < v->user.n && !vbase_cmp(&u[i].table, &table); i++)
		if (u[i].jump != jump)
			return NO_INSN;
	return jump;
}

/* Edges ----------------------------------------------------------------- */

/* Has block b edges to the targets of all tables that its function refers to? */
static void check_all_tables(struct mapread *m, uint32_t b)
{
	const struct section *s = m->v->text.v[m->text].a;
	uint32_t i = section_first_reloc(s, m->start);
	struct vtable table = {0};
	for (; i < s->nrel && s->rel[i].off < m->block.v[m->block.n - 1].end; i++)
		if (refers_to(m->v, &s->rel[i], &table.at)) {
			check_table(m, b, &table);
			note_user(m, b, table.at);
		}
}

void check_jump(struct mapread *m, uint32_t b, bool within)
{
	const struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	uint32_t jump = insn_at(v, t, m->block.v[b].end - 1);
	const struct vscaled *s = scaled_at(v, jump);
	const struct vtable *table = table_at(v, jump);
	for (uint32_t k = 0; s && k < s->n; k++) {
		uint32_t to = scaled_target(v, s, k);
		if (to != NO_INSN && !may_lead(m, b, to))
			bad_edges(m, b, "not all edges of the table jump at the end of");
	}
	if (s)
		return;
	if (table) {
		check_table(m, b, table);
		note_user(m, b, table->at);
	} else if (jump_at(v, jump)) {
		check_all_tables(m, b);
	} else if (within) {
		bad_edges(m, b, "edges by a table that is not stated, from");
	}
}
