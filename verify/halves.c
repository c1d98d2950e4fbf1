/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.c - do high and low halves make the same addresses of code?
 *
 * The rewriter states which registers have high halves where blocks begin (follow.c), so it is
 * known to which one a low half is added.  The sum of each such pair, and the address that the
 * linker completes the high half for, must be the same place in old and new code. A low half of
 * which nothing is known, as from the stack, must fit those of its function with the same low bits;
 * if it fits only some of them, it is not proved.
 */
#include "verify/branches.h"
#include "verify/follow.h"
#include "verify/halves.h"
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"

#include "reloc/fix.h"

#include <stdlib.h>

/* Where both may be, they are halves of one page. */
struct same_page {
	uint32_t text, a, b;
};

/* Halves are relocations of the old section, by their numbers. */
struct state {
	uint32_t high[REGS]; /* 1 + its number; 0: nothing is known */
};

struct pairs {
	VEC(struct same_page) same;
	uint32_t **high;	 /* by text and number of a low half: 1 + its high half, or 0 */
	const struct reloc ***q; /* by text and number: the new relocation */
	struct follow f;
	struct state now, taken, before; /* before: a slot that is executed if a branch is taken */
};

static const struct reloc_info *info_of(const struct verify *v, const struct reloc *r)
{
	return v->target->reloc_info(r->type);
}

static int64_t low_bits(const struct reloc *r)
{
	return sign_extend((uint64_t)r->addend & 0xffff, 16);
}

/* The register that half number i is put in or added to. */
static unsigned half_reg(const struct verify *v, const struct section *a, uint32_t i)
{
	return reloc_half_reg(v->a, info_of(v, &a->rel[i]), a->data + a->rel[i].off);
}

/* What is stated ----------------------------------------------------------- */

/* The number of the high half at off, or nrel. */
static uint32_t high_at(const struct verify *v, const struct section *a, uint32_t off)
{
	uint32_t i = section_first_reloc(a, off);
	while (i < a->nrel && a->rel[i].off == off && !is_high(v, &a->rel[i]))
		i++;
	return i < a->nrel && a->rel[i].off == off ? i : a->nrel;
}

/* The addresses of low halves that may belong to one of several, as is stated. */
static void set_page(struct verify *v, const struct half_at *at)
{
	const struct vtext *t = text_at(v, at->sec);
	uint32_t i = t ? section_first_reloc(t->a, at->off) : 0;
	uint32_t high = t ? high_at(v, t->a, at->high) : 0;
	struct reloc *r = t && i < t->a->nrel ? &t->a->rel[i] : NULL;
	if (!r || r->off != at->off || r->page != PAGE_SOUGHT || high == t->a->nrel ||
		t->a->rel[high].sym != r->sym) {
		vfail(v, t ? t->a : v->a->sec.v, at->off, "is not the low half that is stated");
		return;
	}
	r->page = PAGE_STATED;
	r->addend = reloc_page(&t->a->rel[high]) + low_bits(r);
}

void pair_halves(struct verify *v)
{
	if (!v->a->halves)
		return;
	struct pairs *p = v->pairs = arena_new(&v->arena, struct pairs);
	p->high = arena_array(&v->arena, uint32_t *, v->text.n + 1);
	p->q = arena_array(&v->arena, const struct reloc **, v->text.n + 1);
	for (uint32_t i = 0; i < v->text.n; i++) {
		uint32_t n = v->text.v[i].a->nrel + 1;
		p->high[i] = arena_array(&v->arena, uint32_t, n);
		p->q[i] = arena_array(&v->arena, const struct reloc *, n);
	}
	for (size_t i = 0; v->opt.stated && i < v->opt.stated->half.n; i++)
		set_page(v, &v->opt.stated->half.v[i]);
}

/* The old code ------------------------------------------------------------- */

/* Half number `a', which is stated, has in its place the one that the register has, or its page. */
static bool includes(void *ctx, const struct said *f, const void *state)
{
	struct pairs *p = ctx;
	const struct state *s = state;
	const struct reloc *r = p->f.t->a->rel;
	uint32_t high = high_at(p->f.v, p->f.t->a, f->n), have = s ? s->high[f->place] : 0;
	if (!have || high == p->f.t->a->nrel)
		return false;
	if (have - 1 != high)
		vec_push(&p->same, ((struct same_page){p->f.text, high, have - 1}));
	return r[have - 1].sym == r[high].sym && reloc_page(&r[have - 1]) == reloc_page(&r[high]);
}

static void start(void *ctx)
{
	struct pairs *p = ctx;
	p->now = (struct state){0};
}

static bool add(void *ctx, const struct said *f)
{
	struct pairs *p = ctx;
	p->now.high[f->place] = 1 + high_at(p->f.v, p->f.t->a, f->n);
	return true;
}

/* Notes the halves to which the low ones of instruction in belong. */
static void note_lows(const struct pairs *p, const struct insn *in)
{
	const struct section *a = p->f.t->a;
	uint32_t i = section_first_reloc(a, in->off);
	for (; i < a->nrel && a->rel[i].off < (uint64_t)in->off + in->len; i++) {
		uint32_t high = info_of(p->f.v, &a->rel[i])->low && is_half(p->f.v, &a->rel[i])
			? p->now.high[half_reg(p->f.v, a, i)]
			: 0;
		if (high && a->rel[high - 1].sym == a->rel[i].sym)
			p->high[p->f.text][i] = high;
	}
}

static void set_highs(struct pairs *p, const struct insn *in)
{
	const struct section *a = p->f.t->a;
	uint32_t i = section_first_reloc(a, in->off);
	for (; i < a->nrel && a->rel[i].off < (uint64_t)in->off + in->len; i++)
		if (is_high(p->f.v, &a->rel[i]))
			p->now.high[half_reg(p->f.v, a, i)] = i + 1;
}

static void forget_highs(struct pairs *p, regset set)
{
	for (set &= REGSET_GENERAL; set; set &= set - 1)
		p->now.high[lowest_reg(set)] = 0;
}

/* The registers that a part changes have another half, or nothing that is known. */
static void change(struct pairs *p, const struct insn *in)
{
	const struct target *t = p->f.v->target;
	struct operation op = {.op = OP_OTHER};
	uint32_t moved = 0;
	for (regset some = insn_effects(in)->reads & REGSET_GENERAL; some; some &= some - 1)
		moved |= p->now.high[lowest_reg(some)];
	if (moved && !(in->flags & INSN_MEM))
		t->describe(p->f.v->decoder, p->f.t->a->data + in->off, in, &op);
	moved = op.op == OP_MOVE && op.size == 8 ? p->now.high[op.src] : 0;
	forget_highs(p, insn_effects(in)->clobbers);
	if (moved)
		p->now.high[op.dst] = moved;
	if (in->has_rel)
		set_highs(p, in);
}

/* Its second part may be executed only if the branch is taken. */
static const void *execute(void *ctx, uint32_t k)
{
	struct pairs *p = ctx;
	const struct insn *in = &p->f.v->insn.v[k];
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND || in->kind == INSN_SYSCALL;
	struct insn part[INSN_PARTS];
	for (unsigned i = 0, n = vparts(p->f.v, p->f.t, in, part); i < n; i++) {
		part[i].has_rel = in->has_rel;
		if (i && insn_is_likely(in))
			p->before = p->now;
		if (in->has_rel)
			note_lows(p, &part[i]);
		change(p, &part[i]);
	}
	if (call)
		forget_highs(p, p->f.v->target->abi.call_clobbers);
	if (!insn_is_likely(in))
		return &p->now;
	p->taken = p->now;
	p->now = p->before;
	return &p->taken;
}

void find_pairs(const struct flow *w)
{
	static const struct follower by = {.kinds = 1 << HOLDS_HIGH,
		.includes = includes,
		.start = start,
		.add = add,
		.execute = execute};
	struct pairs *p = w->v->pairs;
	if (!p)
		return;
	follow_open(&p->f, w, &by, p, &p->now);
	for (uint32_t i = 0; i + 1 < w->part.n; i++)
		if (w->part.v[i].func == i) {
			follow_enter(&p->f, i);
			follow_run(&p->f, NULL);
		}
	follow_entries(&p->f, true);
	follow_close(&p->f);
}

/* The high halves of a low one of which nothing is known --------------------- */

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

/* New halves ------------------------------------------------------------ */

void note_half(struct verify *v, const struct vtext *t, const struct reloc *r,
	const struct reloc *q)
{
	if (v->pairs && is_half(v, r))
		v->pairs->q[t - v->text.v][r - t->a->rel] = q;
}

static bool is_of_code(const struct verify *v, const struct reloc *r)
{
	uint32_t sec = v->a->sym.v[r->sym].sec;
	return sec < v->a->sec.n && text_at(v, sec);
}

static bool same_label(const struct verify *v, const struct reloc *r, int64_t addend,
	const struct reloc *q, int64_t new)
{
	const struct symbol *x = &v->a->sym.v[r->sym], *y = &v->b->sym.v[q->sym];
	return same_place(v, x->sec, x->value + (uint64_t)addend, y->sec, y->value + (uint64_t) new,
		USE_ENTER);
}

/*
 * Do low half r and high half number high, if it belongs to that, make the same address as the new
 * ones?
 */
static bool fits(const struct verify *v, uint32_t text, uint32_t high, const struct reloc *r,
	const struct reloc *q)
{
	const struct reloc *h = &v->text.v[text].a->rel[high], *n = v->pairs->q[text][high];
	if (r->page == PAGE_STATED && reloc_page(h) != reloc_page(r))
		return false;
	if (!is_of_code(v, r))
		return true;
	return n && (low_bits(h) != low_bits(r) || low_bits(n) == low_bits(q)) &&
		same_label(v, r, reloc_page(h) + low_bits(r), q, reloc_page(n) + low_bits(q));
}

/* The same of low half r, to which nobody knows what is added.  false: it fits nothing. */
static bool fits_function(struct verify *v, uint32_t text, const struct reloc *r,
	const struct reloc *q)
{
	const struct vtext *t = &v->text.v[text];
	const struct reloc *high;
	uint32_t found = 0, good = 0;
	for (uint32_t i = function_relocs(v, t, r); (high = next_like(v, t, r, &i)); i++) {
		good += fits(v, text, i, r, q);
		found++;
	}
	if (!found && r->page == PAGE_KNOWN && !q->page)
		return same_label(v, r, r->addend, q, q->addend);
	v->unproved += !found || (good && good < found);
	return good || !found;
}

static bool same_half(struct verify *v, uint32_t text, uint32_t i)
{
	const struct reloc *r = &v->text.v[text].a->rel[i], *q = v->pairs->q[text][i];
	bool of_code = is_of_code(v, r);
	if (info_of(v, r)->high)
		return of_code && is_high(v, r) ? same_label(v, r, r->addend, q, q->addend)
						: r->addend == q->addend;
	if (!of_code && (r->page != PAGE_STATED || low_bits(r) != low_bits(q)))
		return low_bits(r) == low_bits(q);
	uint32_t high = v->pairs->high[text][i];
	return high ? fits(v, text, high - 1, r, q) : fits_function(v, text, r, q);
}

/* Where one of two high halves may be in the place of the other, both have one page now. */
static void check_same(struct verify *v, const struct same_page *s)
{
	const struct reloc *x = v->pairs->q[s->text][s->a], *y = v->pairs->q[s->text][s->b];
	const struct vtext *t = &v->text.v[s->text];
	if (!t->broken && (!x || !y || x->sym != y->sym || reloc_page(x) != reloc_page(y)))
		vfail(v, t->a, t->a->rel[s->b].off,
			"has another page than the half that is stated");
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
	for (size_t i = 0; v->pairs && i < v->pairs->same.n; i++)
		check_same(v, &v->pairs->same.v[i]);
	if (v->pairs)
		vec_free(&v->pairs->same);
}
