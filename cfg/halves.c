/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.c - which high half of an address a low half belongs to, by data flow; see halves.h
 */
#include "cfg/halves.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/tables.h"

#include "reloc/fix.h"

#include <stdlib.h>

/* A page that no section has.  Nobody knows to which data such an address refers. */
#define NOWHERE (-(INT64_C(1) << 30))

/* Where a value is: in a register, or in the word of the stack frame at off. */
struct holder {
	bool frame;
	int64_t off;
	unsigned reg;
};

/* The value of a holder in front of insn of block. */
struct value {
	uint32_t block, insn;
	struct holder in;
};

/* The search for the high halves that reach low half low, whose page is not known. */
struct search {
	const struct cfg *g;
	const uint32_t *first, *pred; /* by block, CSR: the blocks that control comes from */
	const struct code_section *c;
	const struct func *f;
	const struct reloc *low;
	int64_t page;	  /* of the high halves found */
	bool of_code;	  /* low is of an address of code */
	bool found, same; /* a high half; of the same address */
	/*
	 * Ends of blocks, as 2 * block, + 1 where control falls through a branch-likely, which
	 * skips its delay slot: for each the number of the last value that was sought there.
	 */
	uint32_t *seen;
	uint32_t number;
	VEC(uint32_t) todo;
	VEC(struct value) value; /* all that are to be sought, each once */
};

/* No compiler copies a value more often. */
enum { MAX_COPIES = 256 };

static bool same_holder(const struct holder *a, const struct holder *b)
{
	return a->frame == b->frame && (a->frame ? a->off == b->off : a->reg == b->reg);
}

/* False: there are too many. */
static bool add_value(struct search *s, uint32_t block, uint32_t insn, struct holder in)
{
	for (size_t k = 0; k < s->value.n; k++)
		if (s->value.v[k].insn == insn && same_holder(&s->value.v[k].in, &in))
			return true;
	vec_push(&s->value, ((struct value){.block = block, .insn = insn, .in = in}));
	return s->value.n < MAX_COPIES;
}

/* Takes the high half that insn in, which changes the register, puts there.  False: none fits. */
static bool take_high(struct search *s, const struct insn *in, unsigned reg)
{
	const struct object *o = s->g->obj;
	uint32_t n;
	const struct reloc *r = insn_relocs(s->c, in, &n);
	for (; n; n--, r++)
		if (o->reloc_info(r->type)->high && r->sym == s->low->sym &&
			o->half_reg(s->c->sec->data + r->off, false) == reg)
			break;
	if (!n || (s->found && reloc_page(r) != s->page))
		return false;
	s->found = true;
	s->page = reloc_page(r);
	s->same |= r->addend == s->page - UNKNOWN_PAGE + s->low->addend;
	return true;
}

static bool is_call(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_CALL_IND || in->kind == INSN_SYSCALL;
}

/* The instruction as an operation; of a call or jump with a delay slot, what is in that. */
static void describe(const struct search *s, const struct insn *in, struct operation *op)
{
	const struct target *t = s->g->target;
	struct decoder *d = cfg_decoder(s->g, 0);
	const uint8_t *p = insn_bytes(s->c, in);
	struct insn slot;
	bool delayed = in->len == 2 * t->insn_size;
	if (delayed && t->decode(d, p + t->insn_size, t->insn_size, &slot))
		t->describe(d, p + t->insn_size, &slot, op);
	else
		t->describe(d, p, in, op);
}

static bool is_in_frame(const struct search *s, const struct operation *op)
{
	return op->base == s->g->target->stack_reg && op->index < 0 && !op->pc_rel;
}

/*
 * Does insn number k of block b, at *in, change what h holds?  Then *good: it is a high half that
 * fits, or a copy of another holder's value, which is to be sought in front of it.
 */
static bool changes(struct search *s, uint32_t b, uint32_t k, const struct holder *h, bool *good)
{
	const struct target *t = s->g->target;
	const struct insn *in = &s->g->insn.v[k];
	regset lost = insn_effects(in)->clobbers;
	struct operation op;
	*good = false;
	if (h->frame && lost & REG_BIT(t->stack_reg))
		return true;
	if (!h->frame) {
		if (is_call(in) && t->call_clobbers & REG_BIT(h->reg))
			return true;
		if (!(lost & REG_BIT(h->reg)))
			return false;
		*good = take_high(s, in, h->reg);
		if (*good)
			return true;
	} else if (!(in->flags & INSN_MEM)) {
		return false;
	}
	describe(s, in, &op);
	struct holder from = {.reg = (unsigned)op.src};
	if (h->frame) {
		if (op.op != OP_STORE || !is_in_frame(s, &op) || op.disp != h->off)
			return false;
	} else if (op.dst != (int)h->reg) {
		return true;
	} else if (op.op == OP_LOAD && is_in_frame(s, &op)) {
		from = (struct holder){.frame = true, .off = op.disp};
	} else if (op.op != OP_MOVE) {
		return true;
	}
	*good = add_value(s, b, k, from);
	return true;
}

/* Goes back in block b from insn k, not included.  False: nothing fits.  *none: no change. */
static bool go_back(struct search *s, uint32_t b, uint32_t k, const struct holder *h, bool *none)
{
	bool good;
	*none = false;
	while (k-- > s->g->block.v[b].insn)
		if (changes(s, b, k, h, &good))
			return good;
	*none = true;
	return true;
}

static void add_end(struct search *s, uint32_t b, bool skips)
{
	uint32_t end = 2 * b + skips;
	if (s->seen[end] != s->number)
		vec_push(&s->todo, end);
	s->seen[end] = s->number;
}

/* Queues the ends of blocks in front of b.  False: control may come from elsewhere. */
static bool add_preds(struct search *s, uint32_t b)
{
	const struct block *bl = &s->g->block.v[b];
	uint32_t n = s->first[b + 1] - s->first[b];
	if (!n || bl->entry || b == s->f->block ||
		set_has(s->c->taken, s->g->insn.v[bl->insn].off) ||
		set_has(s->c->pads, s->g->insn.v[bl->insn].off))
		return false;
	for (uint32_t i = s->first[b]; i < s->first[b + 1]; i++) {
		const struct block *p = &s->g->block.v[s->pred[i]];
		bool likely = insn_is_likely(&s->g->insn.v[p->insn + p->ninsn - 1]);
		if (!likely || p->target == b)
			add_end(s, s->pred[i], false);
		if (likely && p->fall == b)
			add_end(s, s->pred[i], true);
	}
	return true;
}

static bool find_value(struct search *s, struct value v)
{
	bool none, good = go_back(s, v.block, v.insn, &v.in, &none);
	s->todo.n = 0;
	s->number++;
	if (good && none)
		good = add_preds(s, v.block);
	while (good && s->todo.n) {
		uint32_t end = s->todo.v[--s->todo.n];
		const struct block *bl = &s->g->block.v[end / 2];
		good = go_back(s, end / 2, bl->insn + bl->ninsn - end % 2, &v.in, &none);
		if (good && none)
			good = add_preds(s, end / 2);
	}
	return good;
}

static bool find_high(struct search *s, uint32_t b, uint32_t insn)
{
	unsigned reg = s->g->obj->half_reg(s->c->sec->data + s->low->off, true);
	s->found = s->same = false;
	s->value.n = 0;
	bool good = add_value(s, b, insn, (struct holder){.reg = reg});
	for (size_t k = 0; good && k < s->value.n; k++)
		good = find_value(s, s->value.v[k]);
	return good && (s->same || (s->found && !s->of_code));
}

/*
 * Compilers keep high halves on the stack too, and leave them there within a function only: are all
 * high halves in this one that have the low half of one page?
 */
static bool find_in_function(struct search *s)
{
	const struct section *sec = s->c->sec;
	s->found = false;
	for (uint32_t k = section_first_reloc(sec, s->f->start);
		k < sec->nrel && sec->rel[k].off < s->f->end; k++) {
		const struct reloc *r = &sec->rel[k];
		if (!s->g->obj->reloc_info(r->type)->high || r->sym != s->low->sym ||
			(uint16_t)r->addend != (uint16_t)s->low->addend)
			continue;
		if (s->found && s->page != reloc_page(r))
			return false;
		s->found = true;
		s->page = reloc_page(r);
	}
	return s->found;
}

static uint32_t block_with(const struct search *s, uint32_t insn)
{
	uint32_t b, end = s->f->block + s->f->nblock;
	BISECT(b, s->f->block, end, s->g->block.v[b].insn <= insn);
	return b - 1;
}

static void pair_section(struct search *s)
{
	const struct cfg *g = s->g;
	const struct section *sec = s->c->sec;
	uint32_t i = s->c->insn;
	for (uint32_t k = 0; k < sec->nrel; k++) {
		struct reloc *r = &sec->rel[k];
		if (!reloc_is_ambiguous(r))
			continue;
		uint32_t in = cfg_reloc_insn(g, s->c, r, &i);
		uint32_t f = in == NO_INSN ? NO_FUNC : cfg_func_at(g, s->c, r->off);
		s->low = r;
		s->f = f == NO_FUNC ? NULL : &g->func.v[f];
		s->of_code = g->text_of[g->obj->sym.v[r->sym].sec];
		bool found = s->f && s->f->nblock &&
			(find_high(s, block_with(s, in), in) || find_in_function(s));
		if (!found && s->of_code)
			fatal_at(sec, r->off, "%s may belong to several high halves",
				g->obj->reloc_info(r->type)->name);
		r->addend += (found ? s->page : NOWHERE) - UNKNOWN_PAGE;
	}
}

void halves_pair(struct cfg *g)
{
	struct search s = {.g = g};
	uint32_t *first, *pred;
	if (!g->obj->half_reg)
		return;
	find_preds(g, &first, &pred);
	s.first = first;
	s.pred = pred;
	s.seen = calloc(2 * g->block.n + 2, sizeof *s.seen);
	if (!s.seen)
		fatal("out of memory");
	for (size_t k = 0; k < g->text.n; k++) {
		s.c = &g->text.v[k];
		pair_section(&s);
	}
	free(first);
	free(pred);
	free(s.seen);
	vec_free(&s.todo);
	vec_free(&s.value);
}
