/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.c - do high and low halves make the same addresses of code?
 *
 * From each instruction with a high half its register is followed, along all paths in the function,
 * to instructions that add a low half of the same symbol to it.  The sum of each such pair, and the
 * address that the linker completes the high half for, must be the same place in old and new code.
 * A low half that no high one reaches, as from the stack, must fit those of its function with the
 * same low bits; if it fits only some of them, it is not proved.
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/halves.h"
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"

#include "reloc/fix.h"

#include <stdlib.h>

/* Relocations of a text, by their numbers in the old section. */
struct pair {
	uint32_t text, low, high;
};

struct pairs {
	VEC(struct pair) pair;	 /* by text and low */
	const struct reloc ***q; /* by text and number: the new relocation */
	uint32_t *seen;		 /* by insn: the last walk that came there */
	uint32_t walk;
	VEC(uint32_t) todo;
	uint32_t from, to; /* the current function */
};

static const struct reloc_info *info_of(const struct verify *v, const struct reloc *r)
{
	return v->target->reloc_info(r->type);
}

static int64_t low_bits(const struct reloc *r)
{
	return sign_extend((uint64_t)r->addend & 0xffff, 16);
}

static int pair_cmp(const void *pa, const void *pb)
{
	const struct pair *a = pa, *b = pb;
	if (a->text != b->text)
		return a->text < b->text ? -1 : 1;
	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

/* Following a register -------------------------------------------------- */

static void go_to(struct pairs *p, uint32_t k)
{
	if (k < p->from || k >= p->to || p->seen[k] == p->walk)
		return;
	p->seen[k] = p->walk;
	vec_push(&p->todo, k);
}

/* Where control goes from k, taken or (falls) by falling through. */
static void go_on(struct verify *v, struct pairs *p, uint32_t k, bool taken, bool falls)
{
	enum insn_kind kind = v->insn.v[k].kind;
	const struct vbranch *b = branch_of(v, k);
	if (b && taken)
		go_to(p, b->target);
	for (size_t i = 0; kind == INSN_JUMP_IND && i < v->by_table.n; i++)
		go_to(p, v->by_table.v[i]);
	if (falls && kind != INSN_JUMP && kind != INSN_JUMP_IND && kind != INSN_RET &&
		kind != INSN_TRAP)
		go_to(p, k + 1);
}

static regset lost_by(const struct verify *v, const struct insn *in, regset changed)
{
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND || in->kind == INSN_SYSCALL;
	return changed | (call ? v->target->abi.call_clobbers : 0);
}

/* The register that half number i is put in or added to. */
static regset half_reg(const struct verify *v, const struct section *a, uint32_t i)
{
	return REG_BIT(reloc_half_reg(v->a, info_of(v, &a->rel[i]), a->data + a->rel[i].off));
}

static void add_pairs(struct verify *v, uint32_t text, uint32_t k, uint32_t high, regset reg)
{
	const struct section *a = v->text.v[text].a;
	const struct insn *in = &v->insn.v[k];
	for (uint32_t i = section_first_reloc(a, in->off);
		i < a->nrel && a->rel[i].off < (uint64_t)in->off + in->len; i++)
		if (info_of(v, &a->rel[i])->low && a->rel[i].sym == a->rel[high].sym &&
			half_reg(v, a, i) == reg)
			vec_push(&v->pairs->pair, (struct pair){text, i, high});
}

static void follow(struct verify *v, uint32_t text, uint32_t k, uint32_t high)
{
	const struct section *a = v->text.v[text].a;
	struct pairs *p = v->pairs;
	const struct insn *in = &v->insn.v[k];
	regset reg = half_reg(v, a, high);
	bool slot = a->rel[high].off != in->off;
	p->walk++;
	p->todo.n = 0;
	if (!(lost_by(v, in, 0) & reg))
		go_on(v, p, k, true, !slot || !insn_is_likely(in));
	while (p->todo.n) {
		k = p->todo.v[--p->todo.n];
		in = &v->insn.v[k];
		const struct effects *e = insn_effects(in);
		if (in->kind == KIND_RAW)
			continue;
		add_pairs(v, text, k, high, reg);
		bool gone = lost_by(v, in, e->clobbers) & reg;
		go_on(v, p, k, !gone, !gone || (insn_is_likely(in) && !(e->writes & reg)));
	}
}

static void pair_function(struct verify *v, uint32_t text, uint32_t *r)
{
	const struct vtext *t = &v->text.v[text];
	struct pairs *p = v->pairs;
	uint32_t k = p->from;
	uint64_t end = p->to < t->first + t->n ? v->insn.v[p->to].off : t->a->size;
	for (; *r < t->a->nrel && t->a->rel[*r].off < end; ++*r) {
		while (v->insn.v[k].off + (uint64_t)v->insn.v[k].len <= t->a->rel[*r].off)
			k++;
		if (is_high(v, &t->a->rel[*r]) && v->insn.v[k].kind != KIND_RAW)
			follow(v, text, k, *r);
	}
}

/* Set the range of the function that begins at or behind insn k. */
static void next_function(const struct verify *v, const struct vtext *t, uint32_t k)
{
	v->pairs->from = k++;
	while (k < t->first + t->n && !bit_get(t->start, v->insn.v[k].off))
		k++;
	v->pairs->to = k;
}

/* The pages of old low halves ------------------------------------------- */

static const struct pair *first_pair(const struct verify *v, uint32_t text, uint32_t low)
{
	const struct pairs *p = v->pairs;
	struct pair key = {text, low, 0};
	size_t i;
	BISECT(i, 0, p->pair.n, pair_cmp(&p->pair.v[i], &key) < 0);
	return p->pair.v + i;
}

static bool is_pair_of(const struct verify *v, const struct pair *p, uint32_t text, uint32_t low)
{
	return p < v->pairs->pair.v + v->pairs->pair.n && p->text == text && p->low == low;
}

/* The next high half, from *i on, in the function with low half r, with its symbol and low bits. */
static const struct reloc *next_like(const struct verify *v, const struct vtext *t,
	const struct reloc *r, uint32_t *i)
{
	uint32_t to = insn_at(v, t, r->off) + 1;
	while (to < t->first + t->n && !bit_get(t->start, v->insn.v[to].off))
		to++;
	uint64_t end = to < t->first + t->n ? v->insn.v[to].off : t->a->size;
	for (; *i < t->a->nrel && t->a->rel[*i].off < end; ++*i) {
		const struct reloc *high = &t->a->rel[*i];
		if (is_high(v, high) && high->sym == r->sym && low_bits(high) == low_bits(r))
			return high;
	}
	return NULL;
}

static uint32_t function_relocs(const struct verify *v, const struct vtext *t,
	const struct reloc *r)
{
	return section_first_reloc(t->a, v->insn.v[function_of(v, t, insn_at(v, t, r->off))].off);
}

/* The page of low half number low, if all high halves that it may belong to agree. */
static bool page_of(const struct verify *v, uint32_t text, uint32_t low, int64_t *page)
{
	const struct vtext *t = &v->text.v[text];
	const struct reloc *r = &t->a->rel[low], *high;
	const struct pair *p = first_pair(v, text, low);
	bool found = is_pair_of(v, p, text, low);
	*page = found ? reloc_page(&t->a->rel[p->high]) : 0;
	for (const struct pair *x = p; is_pair_of(v, x, text, low); x++)
		if (reloc_page(&t->a->rel[x->high]) != *page)
			return false;
	if (found)
		return true;
	for (uint32_t i = function_relocs(v, t, r); (high = next_like(v, t, r, &i)); i++) {
		if (found && reloc_page(high) != *page)
			return false;
		*page = reloc_page(high);
		found = true;
	}
	return found;
}

static void find_pages(struct verify *v, uint32_t text)
{
	const struct section *a = v->text.v[text].a;
	for (uint32_t i = 0; i < a->nrel; i++) {
		struct reloc *r = &a->rel[i];
		int64_t page;
		if (r->page != PAGE_SOUGHT)
			continue;
		r->page = page_of(v, text, i, &page) ? PAGE_KNOWN : PAGE_NONE;
		r->addend = (r->page ? 0 : page) + low_bits(r);
	}
}

void pair_halves(struct verify *v)
{
	if (!v->a->halves)
		return;
	struct pairs *p = v->pairs = arena_new(&v->arena, struct pairs);
	p->seen = arena_array(&v->arena, uint32_t, v->insn.n + 1);
	p->q = arena_array(&v->arena, const struct reloc **, v->text.n + 1);
	for (uint32_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		uint32_t r = 0;
		p->q[i] = arena_array(&v->arena, const struct reloc *, t->a->nrel + 1);
		for (p->to = t->first; p->to < t->first + t->n;) {
			next_function(v, t, p->to);
			pair_function(v, i, &r);
		}
	}
	if (p->pair.n)
		sort(p->pair.v, p->pair.n, sizeof *p->pair.v, pair_cmp);
	vec_free(&p->todo);
	for (uint32_t i = 0; i < v->text.n; i++)
		find_pages(v, i);
}

/* New halves ------------------------------------------------------------ */

void note_half(struct verify *v, const struct vtext *t, const struct reloc *r,
	const struct reloc *q)
{
	if (v->pairs && is_half(v, r))
		v->pairs->q[t - v->text.v][r - t->a->rel] = q;
}

static bool same_label(const struct verify *v, const struct reloc *r, int64_t addend,
	const struct reloc *q, int64_t new)
{
	const struct symbol *x = &v->a->sym.v[r->sym], *y = &v->b->sym.v[q->sym];
	return same_place(v, x->sec, x->value + (uint64_t)addend, y->sec, y->value + (uint64_t) new,
		USE_ENTER);
}

/* Do high half number high and low half r make the same address as the new ones? */
static bool same_sum(const struct verify *v, uint32_t text, uint32_t high, const struct reloc *r,
	const struct reloc *q)
{
	const struct reloc *h = &v->text.v[text].a->rel[high], *n = v->pairs->q[text][high];
	return n && (low_bits(h) != low_bits(r) || low_bits(n) == low_bits(q)) &&
		same_label(v, r, reloc_page(h) + low_bits(r), q, reloc_page(n) + low_bits(q));
}

/* Low half r, that no high half reaches.  false: it fits none that it may belong to. */
static bool fits_function(struct verify *v, uint32_t text, const struct reloc *r,
	const struct reloc *q)
{
	const struct vtext *t = &v->text.v[text];
	const struct reloc *high;
	uint32_t found = 0, good = 0;
	for (uint32_t i = function_relocs(v, t, r); (high = next_like(v, t, r, &i)); i++) {
		good += same_sum(v, text, i, r, q);
		found++;
	}
	v->unproved += good && good < found;
	if (found)
		return good;
	if (!r->page && !q->page)
		return same_label(v, r, r->addend, q, q->addend);
	v->unproved++;
	return true;
}

static bool same_half(struct verify *v, uint32_t text, uint32_t i)
{
	const struct reloc *r = &v->text.v[text].a->rel[i], *q = v->pairs->q[text][i];
	uint32_t sec = v->a->sym.v[r->sym].sec;
	bool of_code = sec < v->a->sec.n && text_at(v, sec);
	if (info_of(v, r)->high)
		return of_code && is_high(v, r) ? same_label(v, r, r->addend, q, q->addend)
						: r->addend == q->addend;
	if (!of_code)
		return low_bits(r) == low_bits(q);
	const struct pair *p = first_pair(v, text, i);
	if (!is_pair_of(v, p, text, i))
		return fits_function(v, text, r, q);
	for (; is_pair_of(v, p, text, i); p++)
		if (!same_sum(v, text, p->high, r, q))
			return false;
	return true;
}

void verify_halves(struct verify *v)
{
	for (uint32_t t = 0; v->pairs && t < v->text.n; t++) {
		const struct section *a = v->text.v[t].a;
		for (uint32_t i = 0; i < a->nrel; i++)
			if (v->pairs->q[t][i] && !same_half(v, t, i))
				vfail(v, a, a->rel[i].off,
					"makes another address with the other half");
	}
	if (v->pairs)
		vec_free(&v->pairs->pair);
}
