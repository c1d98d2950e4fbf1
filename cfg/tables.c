/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - jump tables: found by relocations, proved by code
 *
 * The relocation of a pc-relative table entry does not refer to the entry's label.  Entry i at
 * place P = base + 4i is .long label - base, which the assembler writes as S + A - P with A larger
 * by P - base.  The label therefore depends on the base, and the base is known only from code: it
 * is the nearest address at or before P that an instruction refers to.
 *
 * A table is proved if a function that refers to its base jumps to base + a word loaded from memory
 * (jumps.c), and all its entries are instructions.  The words of a table that is not proved make
 * all functions opaque that they may point to: an opaque function moves as a whole, so the words
 * are right for any base.
 */
#include "cfg/blocks.h"
#include "cfg/cfg.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"
#include "cfg/tables.h"

#include <stdlib.h>

/* Finding -------------------------------------------------------------- */

/*
 * The last point of section sec at or before off, from *cursor on; NULL if none.
 *
 * hazard: table without a bound.  The compare in front of a jump may bound another index.
 * A table ends where the next address begins that code refers to, not where a cmp says.
 */
static const struct point *point_before(const point_vec *pts, size_t *cursor, uint32_t sec,
	uint64_t off)
{
	while (*cursor < pts->n &&
		(pts->v[*cursor].sec < sec ||
			(pts->v[*cursor].sec == sec && pts->v[*cursor].off <= off)))
		(*cursor)++;
	if (!*cursor || pts->v[*cursor - 1].sec != sec)
		return NULL;
	return &pts->v[*cursor - 1];
}

/*
 * Where entry r of table t leads: an offset in the section of its symbol.
 *
 * hazard: biased table entry.  The relocation of entry i of a pc-relative jump table names
 * label + 4 * i: the label needs the base of the table.
 */
static uint64_t entry_label(const struct cfg *g, const struct table *t, uint32_t r,
	struct code_section **c)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	struct ref ref = cfg_word_ref(g, &s->rel[r], t);
	*c = cfg_section(g, ref.sec);
	return ref.off;
}

/*
 * Code refers to base, inside table t.  Is that the last entry of t, one word in front of an array,
 * as in lea array-4(%rip), and not the start of another table, with first entry r?  It is if entry
 * r would then lead into the middle of an instruction; bytes that do not decode prove nothing.
 *
 * hazard: array behind a table.  A loop that counts from 1 refers to array - 4, which is
 * the last entry of the table in front of the array.
 */
static bool is_stray(const struct cfg *g, const struct table *t, uint32_t r, uint64_t base)
{
	struct table own = *t;
	struct code_section *c;
	own.base = base;
	uint64_t label = entry_label(g, &own, r, &c), old = entry_label(g, t, r, &c);
	return old < c->sec->size && set_has(c->starts, old) &&
		(label > c->sec->size ||
			(cfg_insn_at(g, c, label) != UINT32_MAX && !set_has(c->starts, label)));
}

/*
 * Sections in ascending order; *cursor starts as 0.
 *
 * hazard: lookup table.  clang makes tables of pc-relative words to strings: same
 * relocations, but no entry leads to code.
 */
static void find_in_section(struct cfg *g, const point_vec *pts, size_t *cursor, uint32_t sec)
{
	const struct section *s = &g->obj->sec.v[sec];
	uint64_t stray = UINT64_MAX;
	uint8_t role = ROLE_NONE;
	for (uint32_t r = 0; r < s->nrel; r++) {
		const struct reloc *rl = &s->rel[r];
		struct ref ref = cfg_word_ref(g, rl, NULL);
		uint64_t from;
		bool terms = cfg_is_difference(g, s, r, &from);
		bool relative = terms || ref_is_relative(&ref);
		if (!g->text_of[ref.sec] ||
			(!relative && ref.role != ROLE_ABS && ref.role != ROLE_GOTREL))
			continue;
		const struct point *p = terms ? NULL : point_before(pts, cursor, sec, rl->off);
		uint64_t base = terms ? from : p ? p->off : rl->off;
		struct table *last = g->table.n ? &g->table.v[g->table.n - 1] : NULL;
		if (!last || last->sec != sec || last->relative != relative ||
			last->step != (terms ? 2 : 1) || last->rel + last->n != r ||
			rl->off != s->rel[r - 1].off + ref.size || (!relative && role != ref.role))
			last = NULL; /* r does not continue it */
		role = ref.role;
		if (last && relative && p && (base == stray || is_stray(g, last, r, base))) {
			stray = base;
			base = last->base;
		}
		if (last && last->base == base)
			last->n += last->step;
		else
			vec_push(&g->table,
				(struct table){.sec = sec,
					.base = base,
					.rel = r,
					.n = terms ? 2 : 1,
					.step = terms ? 2 : 1,
					.relative = relative});
		struct code_section *c;
		uint64_t label = entry_label(g, &g->table.v[g->table.n - 1], r, &c);
		if (relative && label < c->sec->size && set_has(c->starts, label))
			cfg_label(g, c->sec->index, label, LABEL_BRANCH);
	}
}

static int ref_cmp(const void *a, const void *b)
{
	const struct table_ref *x = a, *y = b;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->table < y->table ? -1 : x->table > y->table;
}

/* The instructions that refer to the start of each table. */
static void find_refs(struct cfg *g, const point_vec *pts)
{
	size_t p = 0;
	for (uint32_t t = 0; t < g->table.n; t++) {
		const struct table *tb = &g->table.v[t];
		if (tb->relative && g->obj->sec.v[tb->sec].rel[tb->rel].off != tb->base)
			continue; /* something else begins at the base */
		while (p < pts->n &&
			(pts->v[p].sec < tb->sec ||
				(pts->v[p].sec == tb->sec && pts->v[p].off < tb->base)))
			p++;
		for (size_t k = p;
			k < pts->n && pts->v[k].sec == tb->sec && pts->v[k].off == tb->base; k++)
			vec_push(&g->table_ref,
				(struct table_ref){pts->v[k].text, pts->v[k].insn_off, t});
	}
	if (g->table_ref.n)
		sort(g->table_ref.v, g->table_ref.n, sizeof *g->table_ref.v, ref_cmp);
}

void tables_find(struct cfg *g)
{
	point_vec pts = {0};
	size_t cursor = 0;
	collect_points(g, &pts);
	for (uint32_t i = 1; i < g->obj->sec.n; i++) {
		const struct section *s = &g->obj->sec.v[i];
		if (s->dropped || g->text_of[i] || is_metadata(s))
			continue;
		find_in_section(g, &pts, &cursor, i);
	}
	find_refs(g, &pts);
	vec_free(&pts);
}

void table_targets(const struct cfg *g, uint32_t table, void (*visit)(void *, uint32_t), void *ctx)
{
	const struct table *t = &g->table.v[table];
	for (uint32_t r = t->rel; r < t->rel + t->n; r += t->step) {
		struct code_section *c;
		uint64_t label = entry_label(g, t, r, &c);
		uint32_t to = c && label < c->sec->size ? cfg_block_at(g, c, label) : NO_BLOCK;
		if (to != NO_BLOCK)
			visit(ctx, to);
	}
}

/*
 * Add block to, or the targets of table t, to the list that begins at g->by_table.v[first].  seen,
 * by block: its index in g->by_table.
 */
static void add_target(struct cfg *g, uint32_t to, uint32_t first, uint32_t *seen)
{
	if (to == NO_BLOCK ||
		(seen[to] >= first && seen[to] < g->by_table.n && g->by_table.v[seen[to]] == to))
		return;
	seen[to] = (uint32_t)g->by_table.n;
	vec_push(&g->by_table, to);
}

struct adding {
	struct cfg *g;
	uint32_t first, *seen;
};

static void add_visited(void *ctx, uint32_t to)
{
	const struct adding *a = ctx;
	add_target(a->g, to, a->first, a->seen);
}

static void add_targets(struct cfg *g, uint32_t table, uint32_t first, uint32_t *seen)
{
	table_targets(g, table, add_visited, &(struct adding){g, first, seen});
}

/* The same of the table of scaled distances that block b jumps by. */
static void add_scaled(struct cfg *g, uint32_t b, uint32_t first, uint32_t *seen)
{
	const struct block *bl = &g->block.v[b];
	const struct scaled_table *t = scaled_by_jump(g, bl->insn + bl->ninsn - 1);
	scaled_targets(g, t, add_visited, &(struct adding){g, first, seen});
}

static bool table_leads_to(const struct cfg *g, uint32_t table, uint32_t b)
{
	const struct table *t = &g->table.v[table];
	const struct block *bl = &g->block.v[b];
	const struct code_section *own = &g->text.v[g->func.v[bl->func].text];
	for (uint32_t r = t->rel; r < t->rel + t->n; r += t->step) {
		struct code_section *c;
		if (entry_label(g, t, r, &c) == g->insn.v[bl->insn].off && c == own)
			return true;
	}
	return false;
}

static void collect_targets(struct cfg *g, const bool *uses)
{
	uint32_t *seen = calloc(g->block.n + 1, sizeof *seen);
	if (!seen)
		fatal("out of memory");
	size_t jump = 0;
	for (uint32_t k = 0; k < g->func.n; k++) {
		struct func *f = &g->func.v[k];
		size_t i, end = func_table_refs(g, f, &i);
		f->by_table = (uint32_t)g->by_table.n;
		for (; uses[k] && i < end; i++)
			add_targets(g, g->table_ref.v[i].table, f->by_table, seen);
		for (; jump < g->table_jump.n && g->table_jump.v[jump].block < f->block + f->nblock;
			jump++)
			if (g->table_jump.v[jump].table == NO_TABLE)
				add_scaled(g, g->table_jump.v[jump].block, f->by_table, seen);
		f->nby_table = (uint32_t)g->by_table.n - f->by_table;
	}
	for (size_t i = 0; i < g->table_jump.n; i++) {
		struct table_jump *j = &g->table_jump.v[i];
		j->by_table = (uint32_t)g->by_table.n;
		if (j->table == NO_TABLE)
			add_scaled(g, j->block, j->by_table, seen);
		else
			add_targets(g, j->table, j->by_table, seen);
		j->nby_table = (uint32_t)g->by_table.n - j->by_table;
	}
	free(seen);
}

/* Users ---------------------------------------------------------------- */

enum { SEVERAL = NO_BLOCK - 1 };

/* The table that block b jumps by; false: any that its function refers to. */
static bool known_table(const struct cfg *g, uint32_t b, uint32_t *table)
{
	const struct table_jump *j = g->table_jump.v;
	size_t k;
	BISECT(k, 0, g->table_jump.n, j[k].block < b);
	bool known = k < g->table_jump.n && j[k].block == b;
	if (known)
		*table = j[k].table;
	return known;
}

static void add_user(struct cfg *g, uint32_t table, uint32_t b)
{
	struct table *t = &g->table.v[table];
	if (t->jump != b)
		t->jump = t->jump == NO_BLOCK ? b : SEVERAL;
}

/* The jumps of function f, which refers to the tables of refs i..end, use them. */
static void add_users(struct cfg *g, const struct func *f, size_t i, size_t end)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		uint32_t table;
		if (g->block.v[b].gap || g->block.v[b].end != END_TABLE)
			continue;
		if (!known_table(g, b, &table))
			for (size_t k = i; k < end; k++)
				add_user(g, g->table_ref.v[k].table, b);
		else if (table != NO_TABLE)
			add_user(g, table, b);
	}
}

/* A table that two functions refer to has no jump of its own. */
static void find_users(struct cfg *g)
{
	uint32_t *by = calloc(g->table.n + 1, sizeof *by);
	if (!by)
		fatal("out of memory");
	for (size_t t = 0; t < g->table.n; t++)
		g->table.v[t].jump = NO_BLOCK;
	for (uint32_t k = 0; k < g->func.n; k++) {
		const struct func *f = &g->func.v[k];
		size_t i, end = func_table_refs(g, f, &i);
		add_users(g, f, i, end);
		for (; i < end; i++) {
			uint32_t t = g->table_ref.v[i].table;
			if (by[t] && by[t] != k + 1)
				g->table.v[t].jump = SEVERAL;
			by[t] = k + 1;
		}
	}
	for (size_t t = 0; t < g->table.n; t++)
		if (g->table.v[t].jump == SEVERAL)
			g->table.v[t].jump = NO_BLOCK;
	free(by);
}

static int insn_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Two tables of scaled distances are one if the same instructions make their address. */
static void find_shared(struct cfg *g)
{
	VEC(uint32_t) maker = {0};
	for (size_t i = 0; i < g->scaled.n; i++)
		vec_push(&maker, scaled_maker(&g->scaled.v[i]));
	if (maker.n)
		sort(maker.v, maker.n, sizeof *maker.v, insn_cmp);
	for (size_t i = 0, k; i < g->scaled.n; i++) {
		uint32_t own = scaled_maker(&g->scaled.v[i]);
		BISECT(k, 0, maker.n, maker.v[k] < own);
		g->scaled.v[i].shared = k + 1 < maker.n && maker.v[k + 1] == own;
	}
	vec_free(&maker);
}

static void find_labelled(struct cfg *g)
{
	for (size_t k = 0; k < g->func.n; k++)
		g->func.v[k].labelled = g->func.v[k].nby_table && has_inner_label(g, &g->func.v[k]);
}

static const char several[] = "its table is that of another jump, too";

static const char *held_scaled(const struct scaled_table *s)
{
	if (!s->proved)
		return "its table is not understood";
	return s->shared ? several : NULL;
}

static const char *held_table(const struct cfg *g, uint32_t table, uint32_t b)
{
	const struct table *t = &g->table.v[table];
	if (!t->relative)
		return "its table has addresses";
	if (!t->proved)
		return "its table is not understood";
	return t->jump == b ? NULL : several;
}

const char *cfg_entries_held(const struct cfg *g, uint32_t b, uint32_t to)
{
	const struct block *bl = &g->block.v[b];
	const struct func *f = &g->func.v[bl->func];
	const char *why = NULL;
	uint32_t table;
	size_t i, end = func_table_refs(g, f, &i);
	if (!known_table(g, b, &table))
		for (; i < end && !why; i++)
			why = table_leads_to(g, g->table_ref.v[i].table, to)
				? held_table(g, g->table_ref.v[i].table, b)
				: NULL;
	else if (table == NO_TABLE)
		why = held_scaled(scaled_by_jump(g, bl->insn + bl->ninsn - 1));
	else
		why = held_table(g, table, b);
	return !why && f->labelled ? "the program may know where it leads" : why;
}

/* Proving -------------------------------------------------------------- */

/*
 * A proved table's entries must be instructions, or the end of a function.
 *
 * hazard: table entry past the end.  clang fills the holes of a switch without default with
 * the address behind the function, which is the next function or the end of the section.
 */
static bool entry_sound(const struct code_section *c, uint64_t label)
{
	return label == c->sec->size || (label < c->sec->size && set_has(c->starts, label));
}

static void check_table(struct cfg *g, const struct table *t)
{
	for (uint32_t r = t->rel; r < t->rel + t->n; r += t->step) {
		struct code_section *c;
		uint64_t label = entry_label(g, t, r, &c);
		if (label > c->sec->size)
			cfg_opaque_section(c, OPAQUE_READ, 0);
		else if (!entry_sound(c, label))
			cfg_opaque_section(c, OPAQUE_TABLE, label);
	}
}

/* If off is a label in c, its address is taken. */
static void take(struct code_section *c, uint64_t off)
{
	if (off < c->sec->size && set_has(c->leaders, off))
		set_add(c->taken, off);
}

/*
 * A word that no jump uses may name a label in f: its start, if so, as an instruction that is
 * replaced.
 *
 * hazard: table of patches.  A section with a name of its own lists instructions that the program
 * overwrites, the first one of a function too.
 */
static void distrust_func(struct func *f, uint64_t by_base, uint64_t by_self)
{
	cfg_opaque(f, OPAQUE_REFERENCE, by_base);
	f->start_named |= by_base == f->start || by_self == f->start;
}

/*
 * No jump through t was recognised.  Its words may count from its base or from themselves: the
 * labels of both interpretations, and what is between them, must move by the same distance.
 */
static void distrust_table(struct cfg *g, const struct table *t)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	for (uint32_t r = t->rel; r < t->rel + t->n; r += t->step) {
		const struct reloc *rl = &s->rel[r];
		struct code_section *c;
		uint64_t by_base = entry_label(g, t, r, &c), by_self = by_base;
		if (t->step == 1)
			by_self += rl->off - t->base;
		uint64_t symoff = g->obj->sym.v[rl->sym].value;
		take(c, by_base);
		take(c, by_self);
		if (symbol_type(&g->obj->sym.v[rl->sym]) != STT_SECTION &&
			(by_base == symoff || by_self == symoff))
			continue; /* refers to a symbol, whose relocation is fixed */
		if (by_base > c->sec->size && by_self > c->sec->size)
			cfg_opaque_section(c, OPAQUE_READ, 0);
		uint32_t f1 = by_base < c->sec->size ? cfg_func_at(g, c, by_base) : NO_FUNC;
		uint32_t f2 = by_self < c->sec->size ? cfg_func_at(g, c, by_self) : NO_FUNC;
		if (f1 != NO_FUNC && f1 == f2)
			distrust_func(&g->func.v[f1], by_base, by_self);
		else
			cfg_hold(c,
				(struct lump){.from = f1 != NO_FUNC ? by_base : 0,
					.to = f2 != NO_FUNC ? by_self + 1 : UINT64_MAX,
					.why = OPAQUE_REFERENCE,
					.why_off = f1 != NO_FUNC ? by_base
						: f2 != NO_FUNC	 ? by_self
								 : 0,
					.by = NO_FUNC});
	}
}

static void prove_tables_of(struct cfg *g, const struct func *f)
{
	size_t i, end = func_table_refs(g, f, &i);
	for (; i < end; i++)
		g->table.v[g->table_ref.v[i].table].proved = true;
}

void tables_prove(struct cfg *g)
{
	bool *uses = calloc(g->func.n + 1, sizeof *uses);
	if (!uses)
		fatal("out of memory");
	jumps_judge(g, uses);
	for (uint32_t f = 0; f < g->func.n; f++)
		if (uses[f])
			prove_tables_of(g, &g->func.v[f]);
	collect_targets(g, uses);
	find_users(g);
	find_shared(g);
	free(uses);
	for (size_t i = 0; i < g->table.n; i++) {
		const struct table *t = &g->table.v[i];
		if (t->proved)
			check_table(g, t);
		else if (t->relative)
			distrust_table(g, t);
	}
	find_labelled(g);
}
