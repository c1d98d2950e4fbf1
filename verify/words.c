/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - jump tables of words with relocations: pointers, or distances from the table or the GOT
 *
 * The rewriter states which tables there are, and which jump leads by which.  values.c checks that
 * the address to which a jump leads is made of a word of its table.
 */
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/tables.h"

#include "targets/stated.h"

#include <stdlib.h>

enum { DISTANCE = 4 }; /* bytes of one */

/* Words of tables ------------------------------------------------------- */

/* Set the target of r, if that is a word of the table.  False: it does not lead to code. */
static bool word_leads(const struct verify *v, const struct reloc *r, const struct vbase *table,
	uint32_t *sec, uint64_t *to)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	int64_t adj = role == ROLE_PCREL ? (int64_t)(table->off - r->off) : 0;
	return (role == ROLE_PCREL || role == ROLE_ABS || role == ROLE_GOTREL) &&
		place_of(v->a, r, adj, sec, to) && text_at(v, *sec);
}

struct vwords vtable_words(const struct verify *v, const struct vtable *table)
{
	const struct section *s = &v->a->sec.v[table->at.sec];
	return (struct vwords){.table = table,
		.x = table->at.off + table->first,
		.stray = UINT64_MAX,
		.rel = section_first_reloc(s, table->at.off + table->first)};
}

bool vtable_word(const struct verify *v, const struct vwords *w, uint32_t *sec, uint64_t *to)
{
	const struct section *s = &v->a->sec.v[w->table->at.sec];
	return w->rel < s->nrel && s->rel[w->rel].off == w->x &&
		word_leads(v, &s->rel[w->rel], &w->table->at, sec, to);
}

/*
 * Code refers to base, which is in the table or behind it.  Is it no other table's, as the word
 * there would lead into an instruction?
 */
static bool is_stray(const struct verify *v, const struct reloc *r, uint64_t base)
{
	uint32_t sec;
	uint64_t to;
	return v->target->reloc_info(r->type)->role == ROLE_PCREL &&
		place_of(v->a, r, (int64_t)(base - r->off), &sec, &to) && !is_boundary(v, sec, to);
}

/* Is the word at the cursor, r, of the table?  A difference says so itself. */
static bool is_of_table(const struct verify *v, struct vwords *w, const struct reloc *r)
{
	const struct vbase *table = &w->table->at;
	const struct section *s = &v->a->sec.v[table->sec];
	uint32_t sec;
	uint64_t base;
	if (is_difference(v, s, r))
		return place_of(v->a, r + 1, 0, &sec, &base) && base == table->off;
	if (!table_base(v, s, w->x, &base))
		return false;
	if (base != table->off && base != w->stray && is_stray(v, r, base))
		w->stray = base;
	return base == table->off || base == w->stray;
}

bool vtable_next(const struct verify *v, struct vwords *w, uint32_t *sec, uint64_t *to)
{
	const struct section *s = &v->a->sec.v[w->table->at.sec];
	if (!vtable_word(v, w, sec, to) || !is_of_table(v, w, &s->rel[w->rel]))
		return false;
	w->x += v->target->reloc_info(s->rel[w->rel].type)->size;
	w->rel += 1 + is_difference(v, s, &s->rel[w->rel]);
	return true;
}

/* What is stated ------------------------------------------------------------ */

/*
 * What words are at a place in data, if one leads to code behind those that lead to data; n is not
 * set.
 *
 * hazard: constant table of functions.  A jump by one that may be written leads anywhere.
 */
static bool find_words(const struct verify *v, struct vbase at, struct vtable *t)
{
	const struct section *s = &v->a->sec.v[at.sec];
	uint32_t i = section_first_reloc(s, at.off), sec;
	uint64_t to;
	if (i == s->nrel || section_is_code(s))
		return false;
	const struct reloc_info *info = v->target->reloc_info(s->rel[i].type);
	bool distance = info->role == ROLE_PCREL || is_difference(v, s, &s->rel[i]);
	*t = (struct vtable){.at = at,
		.kind = info->role == ROLE_GOTREL ? WORD_GOT
			: distance		  ? WORD_DISTANCE
						  : WORD_POINTER,
		.size = info->size};
	for (; info->role == ROLE_ABS && i < s->nrel && s->rel[i].off == at.off + t->first &&
		!word_leads(v, &s->rel[i], &at, &sec, &to);
		i++)
		t->first += t->size;
	struct vwords w = vtable_words(v, t);
	return vtable_word(v, &w, &sec, &to) && (t->kind != WORD_POINTER || section_is_constant(s));
}

bool has_distances(const struct verify *v, uint32_t table)
{
	struct vtable t;
	return find_words(v, v->base.v[table], &t) && t.kind != WORD_POINTER;
}

/* The number of a place in data that code refers to; NO_INSN: code does not. */
static uint32_t number_of(const struct verify *v, const struct vbase *at)
{
	size_t i;
	BISECT(i, 0, v->base.n, vbase_cmp(&v->base.v[i], at) < 0);
	return i < v->base.n && !vbase_cmp(&v->base.v[i], at) ? (uint32_t)i : NO_INSN;
}

/* Has the table n words, which lead to code, up to the next place that code refers to? */
static bool read_table(const struct verify *v, const struct words_at *at, struct vtable *t)
{
	uint32_t sec, n = 0;
	uint64_t to;
	if (at->sec >= v->a->sec.n || !find_words(v, (struct vbase){at->sec, at->off}, t))
		return false;
	t->n = at->n;
	t->base = number_of(v, &t->at);
	struct vwords w = vtable_words(v, t);
	while (vtable_next(v, &w, &sec, &to))
		n++;
	return n == at->n && t->base != NO_INSN;
}

static int jump_cmp(const void *a, const void *b)
{
	const struct vjump *x = a, *y = b;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static void read_jumps(struct verify *v)
{
	const struct stated *all = v->opt.stated;
	for (size_t i = 0; i < all->jump.n; i++) {
		const struct jump_at *at = &all->jump.v[i];
		const struct vtext *t = text_at(v, at->sec);
		uint32_t k = t && at->off < t->a->size ? insn_at(v, t, at->off) : NO_INSN;
		if (k == NO_INSN || v->insn.v[k].off != at->off ||
			v->insn.v[k].kind != INSN_JUMP_IND ||
			(at->words >= v->table.n && at->words != ANY_TABLE))
			vfail(v, &v->a->sec.v[t ? at->sec : 0], at->off, "is no jump by a table");
		else
			vec_push(&v->jump, ((struct vjump){k, at->words}));
	}
	if (v->jump.n)
		sort(v->jump.v, v->jump.n, sizeof *v->jump.v, jump_cmp);
}

void read_tables(struct verify *v)
{
	const struct stated *all = v->opt.stated;
	for (size_t i = 0; all && i < all->words.n; i++) {
		const struct words_at *at = &all->words.v[i];
		struct vtable t, *last = v->table.n ? &v->table.v[v->table.n - 1] : NULL;
		if (!read_table(v, at, &t) || (last && vbase_cmp(&last->at, &t.at) >= 0)) {
			vfail(v, &v->a->sec.v[at->sec < v->a->sec.n ? at->sec : 0], at->off,
				"is no table of %u words", at->n);
			return;
		}
		vec_push(&v->table, t);
	}
	if (all)
		read_jumps(v);
}

const struct vjump *jump_at(const struct verify *v, uint32_t k)
{
	size_t i;
	BISECT(i, 0, v->jump.n, v->jump.v[i].insn < k);
	return i < v->jump.n && v->jump.v[i].insn == k ? &v->jump.v[i] : NULL;
}

const struct vtable *table_at(const struct verify *v, uint32_t k)
{
	const struct vjump *j = jump_at(v, k);
	return j && j->table != ANY_TABLE ? &v->table.v[j->table] : NULL;
}

/* What instructions make ------------------------------------------------------ */

static bool in_table(struct vword x)
{
	return x.holds == HOLDS_TABLE || x.holds == HOLDS_ENTRY;
}

/* The place in data to which relocation r of code refers. */
static struct vword named(const struct verify *v, const struct reloc *r)
{
	struct vbase at;
	uint32_t n = r && refers_to(v, r, &at) ? number_of(v, &at) : NO_INSN;
	return n == NO_INSN ? (struct vword){0} : (struct vword){HOLDS_TABLE, n};
}

/*
 * x, once the low half of an address has been added to it, if r is its relocation.  An index may
 * have been added to the high half before.
 */
static struct vword completed(const struct verify *v, const struct reloc *r, struct vword x)
{
	struct vbase at;
	if (!r || !v->target->reloc_info(r->type)->low || !refers_to(v, r, &at))
		return x;
	struct vword whole = named(v, r);
	if (whole.holds && x.holds == HOLDS_ENTRY)
		whole.holds = HOLDS_ENTRY;
	return whole;
}

/*
 * An address in a table, and a number.  Where another table is, too, it is not known of which it is
 * then.
 */
static struct vword moved(const struct verify *v, struct vword x, int64_t by)
{
	if (!in_table(x) || !by)
		return x;
	const struct vtable t = {.at = v->base.v[x.table]};
	const struct section *s = &v->a->sec.v[t.at.sec];
	uint64_t base, to, at = t.at.off + (uint64_t)by;
	uint32_t sec, i = at < s->size ? section_first_reloc(s, at) : s->nrel;
	bool other = i < s->nrel && s->rel[i].off == at && table_base(v, s, at, &base) &&
		base != t.at.off && word_leads(v, &s->rel[i], &t.at, &sec, &to);
	return other ? (struct vword){0} : x;
}

/* A word is a distance from the GOT, or from its table: it is not known what was added to it. */
static struct vword sum_with_word(const struct verify *v, struct vword word, struct vword x)
{
	struct vtable t;
	bool got = word.table != ANY_TABLE && find_words(v, v->base.v[word.table], &t) &&
		t.kind == WORD_GOT;
	bool own = x.holds == HOLDS_TABLE && (x.table == word.table || word.table == ANY_TABLE);
	if (got || !x.holds || own)
		return (struct vword){HOLDS_TARGET, got ? word.table : own ? x.table : ANY_TABLE};
	return (struct vword){0};
}

static struct vword sum_of(const struct verify *v, struct vword x, struct vword y)
{
	if (x.holds == HOLDS_WORD)
		return sum_with_word(v, x, y);
	if (y.holds == HOLDS_WORD)
		return sum_with_word(v, y, x);
	if (in_table(y))
		return x.holds ? (struct vword){0} : (struct vword){HOLDS_ENTRY, y.table};
	return in_table(x) && !y.holds ? (struct vword){HOLDS_ENTRY, x.table} : (struct vword){0};
}

/* The address at which the instruction reads. */
static struct vword address(const struct verify *v, const struct reloc *r,
	const struct operation *op, const struct vword_operands *of)
{
	if (op->base < 0)
		return named(v, r);
	struct vword x = completed(v, r, of->base);
	if (!in_table(x) && op->scale == 1)
		x = of->index;
	return r ? x : moved(v, x, op->disp);
}

/* What fills a register is said to have eight bytes, also where that has four. */
static bool has_size(const struct verify *v, const struct operation *op, unsigned size)
{
	return op->size == size || (op->size == 8 && size == v->a->word);
}

/* May a word that is loaded from a place that is not known be a distance, from the GOT or not? */
static bool may_be_distance(const struct verify *v, const struct operation *op)
{
	return op->op != OP_JUMP_MEM &&
		(has_size(v, op, DISTANCE) || (v->target->abi.entry_label && op->size == 8));
}

static struct vword loaded(const struct verify *v, const struct reloc *r,
	const struct operation *op, const struct vword_operands *of)
{
	struct vword x = address(v, r, op, of);
	if (!in_table(x))
		return may_be_distance(v, op) ? (struct vword){HOLDS_WORD, ANY_TABLE}
					      : (struct vword){0};
	struct vtable t;
	if (!find_words(v, v->base.v[x.table], &t) || !has_size(v, op, t.size))
		return (struct vword){0};
	x.holds = t.kind == WORD_POINTER ? HOLDS_TARGET : HOLDS_WORD;
	return x;
}

static struct vword computed(const struct verify *v, const struct reloc *r,
	const struct operation *op, const struct vword_operands *of)
{
	if (op->base < 0)
		return op->index < 0 ? named(v, r) : (struct vword){0};
	if (op->index < 0) {
		struct vword x = completed(v, r, of->base);
		bool back = x.holds == HOLDS_ENTRY && op->disp < 0;
		return r ? x : back ? moved(v, x, op->disp) : (struct vword){0};
	}
	if (op->disp)
		return (struct vword){0};
	return op->scale == 1 || of->base.holds == HOLDS_TABLE ? sum_of(v, of->base, of->index)
							       : (struct vword){0};
}

struct vword word_made(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct operation *op, const struct vword_operands *of)
{
	const struct reloc *r = in->has_rel ? insn_reloc(t, in, op->disp_off) : NULL;
	switch (op->op) {
	case OP_IMM: return named(v, in->has_rel ? insn_reloc(t, in, op->imm_off) : NULL);
	case OP_LEA: return computed(v, r, op, of);
	case OP_MOVE: return op->size == 8 ? of->src : (struct vword){0};
	case OP_SEXT: return of->src.holds == HOLDS_WORD ? of->src : (struct vword){0};
	case OP_LOAD: return loaded(v, r, op, of);
	case OP_ADD_GOT: return sum_of(v, of->src, (struct vword){0});
	case OP_ADD: return sum_of(v, of->dst, of->src);
	case OP_ADD_LOAD: return sum_of(v, of->dst, loaded(v, r, op, of));
	case OP_JUMP_MEM: return loaded(v, r, op, of);
	case OP_JUMP_REG: return of->src;
	default: return (struct vword){0};
	}
}
