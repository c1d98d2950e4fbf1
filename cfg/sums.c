/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.c - sums of a code address and a number
 *
 * The assembler computes the distance of two labels of one section, and leaves a number: `lea
 * 1f(%rip),%rax; 1: add $(target-1b),%rax; call *%rax', or arrays of code, as in x264: `lea
 * row-64(%rip),%r9; add %r8,%r9; call *%r9'.  What the sum may be stays together: as much as the
 * number's bounds say, or the label's whole section.
 *
 * In every function that makes a code address, values are followed forward through registers.  A
 * number added to a label that is known to be code is such a sum.  If the label may be data in
 * text, or was perhaps loaded, the sum counts only if it is jumped to or called; so tables in text
 * hold nothing.  A sum that stays in the function of its label makes only that function opaque.
 *
 * Where a label is passed to another function of the object, that is interpreted with it: what it
 * reads by way of the label, and the distance of two labels that it computes, counts as well.
 */
#include "cfg/libc.h"
#include "base/parallel.h"
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"
#include "cfg/tables.h"
#include "targets/access.h"

#include <stdlib.h>

/* The value of a register: a label, by its number in struct walk, with flags, or a number. */
enum {
	NOTHING = 0,		/* no label: a number, or a value that is not followed */
	SEVERAL = 0xffffff,	/* one of the labels, unknown which */
	LABEL = 0xffffff,	/* mask: the label's number */
	GOT_DISTANCE = 1 << 24, /* without a label: the GOT's distance from one */
	WEAK = 1 << 25,		/* perhaps a label: loaded, or computed from one otherwise */
	SUM = 1 << 26,		/* a number was added: from lo to hi, if known */
	OTHERS = 1 << 27,	/* with one label that is not WEAK: or perhaps any other */
	ENDS = 1 << 28,		/* the start of a function that never returns */
};
struct value {
	uint32_t what;
	bool known;
	int32_t lo, hi;
};

enum { REGS = 32 };
#define NO_LABEL UINT64_MAX

enum { ARGUMENT = UINT32_MAX };
struct offset_label {
	uint32_t text; /* ARGUMENT: off is the register that the label was passed in */
	uint64_t off;
	bool asked, code; /* is_code_label() */
};

struct state {
	bool known;
	bool dead; /* no control is known to come there: all branches to it lead elsewhere */
	struct value reg[REGS];
};
/* Where a branch leads, as far as the values that it compares say. */
enum way { EITHER_WAY, TO_TARGET, TO_NEXT };

/* An instruction, or (number NO_INSN) what is in the delay slot of one. */
struct part {
	const struct insn *in;
	uint32_t i;
	struct zone a; /* see accesses() */
};

/* A label, and what is added to it, in register reg of a call. */
struct argument {
	uint32_t text; /* as in struct offset_label */
	uint64_t off;
	struct value plus;
	uint8_t reg;
};
enum {
	ARGUMENTS = 4, /* of one call that are looked at together */
	DEEP = 3,      /* through so many calls, one in the other */
	JUDGED = 64,
};
struct passing {
	uint32_t by, func; /* the caller, and the function that is called */
	uint32_t n, deep;  /* arguments; how many more calls they came through */
	struct argument arg[ARGUMENTS];
};
typedef VEC(struct passing) passing_vec;

/* Bytes at a label in register reg are accessed, or (other not reg) it is subtracted from another.
 */
struct use {
	uint8_t reg, other;
	bool known; /* the bytes [from, to) from the label on; else: any */
	int64_t from, to;
};
/* What a function does with labels that are passed in registers args. */
struct summary {
	uint32_t func;
	regset args;
	VEC(struct use) use;
	passing_vec passing; /* in terms of the arguments */
};

struct walk {
	struct cfg *g;
	struct decoder *decoder;
	const struct code_section *c;
	const struct func *f;
	VEC(struct offset_label) label; /* number 1 first */
	VEC(uint32_t) number;		/* hash table of their numbers, half full; 0: free */
	size_t held[2];			/* by code_only: how many labels SEVERAL has held */
	struct reached reached;
	VEC(struct state) at; /* by block: the state at its start */
	block_vec todo;
	block_vec unled;    /* where branches did not lead when they were interpreted */
	VEC(regset) labels; /* by block: registers that hold labels, for computes() */
	struct state now;
	enum way way;		       /* of the last instruction */
	bool ends;		       /* that called a function that never returns */
	bool stores;		       /* a label is stored, so memory may hold labels */
	VEC(struct based_field) based; /* of f; .label NO_LABEL: it is not known */
	VEC(struct based_field) all_based;
	opaque_parts opaque;
	passing_vec passing;
	struct summary *summary; /* of the function, which is interpreted for that only; or NULL */

	/* to judge functions that are called; made when it is first needed */
	struct walk *inner;
	unsigned deep; /* how many functions it is inside of others */
	struct judged {
		uint32_t func; /* + 1; 0: none */
		bool computes;
		regset args;
	} judged[JUDGED]; /* by a hash of func and args */
};

/* The slot of a label's number, or the free one for it. */
static uint32_t *number_slot(struct walk *w, uint32_t text, uint64_t off)
{
	size_t n = w->number.n, k = (off ^ (uint64_t)text << 32) * 0x9e3779b97f4a7c15 >> 32;
	for (k %= n; w->number.v[k]; k = (k + 1) % n) {
		const struct offset_label *p = &w->label.v[w->number.v[k] - 1];
		if (p->text == text && p->off == off)
			break;
	}
	return &w->number.v[k];
}

static void more_numbers(struct walk *w)
{
	size_t n = w->number.n ? 2 * w->number.n : 16;
	vec_reserve(&w->number, n);
	memset(w->number.v, 0, n * sizeof *w->number.v);
	w->number.n = n;
	for (size_t k = 0; k < w->label.n; k++)
		*number_slot(w, w->label.v[k].text, w->label.v[k].off) = (uint32_t)k + 1;
}

static uint32_t label_number(struct walk *w, uint32_t text, uint64_t off)
{
	if (w->number.n < 2 * (w->label.n + 1))
		more_numbers(w);
	uint32_t *slot = number_slot(w, text, off);
	if (!*slot) {
		vec_push(&w->label, (struct offset_label){.text = text, .off = off});
		*slot = (uint32_t)w->label.n;
	}
	return *slot;
}

static void forget_labels(struct walk *w)
{
	w->label.n = w->number.n = 0;
	w->held[0] = w->held[1] = 0;
}

/* Is r the address of a function that never returns? */
static bool ends(const struct cfg *g, const struct ref *r)
{
	const struct code_section *t = cfg_section(g, r->sec);
	if (g->shared && r->rel && is_preemptible(&g->obj->sym.v[r->rel->sym]))
		return false;
	uint32_t f = t && r->off < t->sec->size ? cfg_func_at(g, t, r->off) : NO_FUNC;
	return f != NO_FUNC && g->func.v[f].start == r->off && g->func.v[f].never_returns;
}

static void set_func(struct walk *w, uint32_t f)
{
	w->f = &w->g->func.v[f];
	w->c = &w->g->text.v[w->f->text];
	forget_labels(w);
}

/* The label that a relocated word holds, or NOTHING. */
static uint32_t relocated(struct walk *w, const struct ref *r)
{
	uint32_t text = w->g->text_of[r->sec];
	if (!text || (r->role != ROLE_ABS && r->role != ROLE_GOT))
		return NOTHING;
	return label_number(w, text - 1, r->off) | (ends(w->g, r) ? ENDS : 0);
}

/* The label in the data that an instruction refers to. */
static uint32_t pointer(struct walk *w, uint32_t sec, uint64_t off)
{
	const struct section *s = &w->g->obj->sec.v[sec];
	uint32_t k = s->nrel ? section_first_reloc(s, off) : 0;
	if (k == s->nrel || s->rel[k].off != off)
		return NOTHING;
	struct ref r = cfg_word_ref(w->g, &s->rel[k], NULL);
	uint32_t v = relocated(w, &r) & LABEL;
	return v ? v | WEAK : NOTHING;
}

/* The label that the instruction refers to, or that is in the word it refers to. */
static uint32_t named(struct walk *w, const struct part *p)
{
	const struct insn *in = p->in;
	struct ref ref;
	uint32_t n;
	for (const struct reloc *r = insn_relocs(w->c, in, &n); n; n--, r++) {
		ref = cfg_reloc_ref(w->g, w->c, p->i, r);
		const struct reloc_info *info = w->g->target->reloc_info(r->type);
		bool half = info->role == ROLE_GOTREL && (info->high || info->low);
		if ((ref.role == ROLE_BASE && ref.sec) || half || cfg_names_got(w->g, r))
			return GOT_DISTANCE;
		uint32_t v = relocated(w, &ref);
		if (!v && info->low && in->flags & INSN_MEM && ref.role == ROLE_ABS)
			v = pointer(w, ref.sec, ref.off);
		if (v)
			return v;
	}
	if (!(in->flags & INSN_OPERAND_PC) || is_anchor(w->g, w->c, p->i) ||
		!cfg_ref(w->g, w->c, p->i, &ref) || !ref.sec)
		return NOTHING;
	if (!w->g->text_of[ref.sec])
		return in->flags & INSN_MEM ? pointer(w, ref.sec, ref.off) : NOTHING;
	if (in->flags & INSN_MEM)
		return NOTHING;
	return label_number(w, w->g->text_of[ref.sec] - 1, ref.off) | (ends(w->g, &ref) ? ENDS : 0);
}

/* A label is code if control reaches it otherwise than by its address. */
static bool is_code_label(struct walk *w, struct offset_label *p)
{
	if (!p->asked && p->text != ARGUMENT) {
		const struct code_section *t = &w->g->text.v[p->text];
		p->code = p->off < t->sec->size && control_reaches(w->g, t, p->off, &w->reached);
	}
	p->asked = true;
	return p->code || p->text == ARGUMENT;
}

/*
 * Do all sums of label p and v stay in the function of p, *func?  Not if p is the start of another
 * function than the current one, or has it in a register: an opaque function may have its counter
 * between p and its code.
 */
static bool stays_inside(const struct walk *w, const struct offset_label *p, const struct value *v,
	uint32_t *func)
{
	const struct code_section *t = &w->g->text.v[p->text];
	if (!v->known || p->off >= t->sec->size)
		return false;
	*func = cfg_func_at(w->g, t, p->off);
	if (*func == NO_FUNC)
		return false;
	const struct func *f = &w->g->func.v[*func];
	int64_t before = (int64_t)(p->off - f->start), behind = (int64_t)(f->end - p->off);
	if (!before && (f != w->f || w->g->target->abi.entry_label))
		return false;
	return v->lo >= -before && v->hi < behind;
}

/* What must stay together if v is a sum of label p. */
static struct lump reached_by(const struct walk *w, const struct offset_label *p,
	const struct value *v)
{
	struct lump l = {.to = UINT64_MAX,
		.why = OPAQUE_JUMP,
		.why_off = p->off,
		.by = (uint32_t)(w->f - w->g->func.v)};
	uint64_t before = v->lo < 0 ? (uint64_t) - (int64_t)v->lo : 0;
	if (v->known && p->off < w->g->text.v[p->text].sec->size) {
		l.from = before < p->off ? p->off - before : 0;
		l.to = p->off + (v->hi > 0 ? (uint64_t)v->hi : 0) + 1;
	}
	return l;
}

static void hold_label(struct walk *w, struct offset_label *p, const struct value *v,
	bool code_only)
{
	uint32_t f;
	if (w->summary || (code_only && !is_code_label(w, p)))
		return;
	if (stays_inside(w, p, v, &f))
		list_opaque_func(&w->opaque, f, OPAQUE_JUMP, p->off);
	else
		list_lump(&w->opaque, p->text, reached_by(w, p, v));
}

/*
 * Hold what sums of the labels of v may be; if code_only, only of labels that are known to be code.
 *
 * hazard: distance added to a label.  lea 1f(%rip); add $(target-1b) leads out of the
 * function by a number: nothing in between may move.
 */
static void hold(struct walk *w, struct value v, bool code_only)
{
	uint32_t label = v.what & OTHERS && !code_only ? (uint32_t)SEVERAL : v.what & LABEL;
	size_t *done = &w->held[code_only];
	if (label != SEVERAL && label)
		hold_label(w, &w->label.v[label - 1], &v, code_only);
	for (; label == SEVERAL && *done < w->label.n; ++*done)
		hold_label(w, &w->label.v[*done], &v, code_only);
}

static struct value number(int64_t lo, int64_t hi)
{
	bool small = lo >= INT32_MIN && hi <= INT32_MAX;
	return small ? (struct value){NOTHING, true, (int32_t)lo, (int32_t)hi} : (struct value){0};
}

/* Any number of size bytes, fewer than eight. */
static struct value of_size(unsigned size, bool sext)
{
	int64_t end = (int64_t)1 << (size * 8 - sext);
	return number(sext ? -end : 0, end - 1);
}

static struct value label(uint32_t what)
{
	return (struct value){what, (what & LABEL) && (what & LABEL) != SEVERAL, 0, 0};
}

static bool same_value(struct value a, struct value b)
{
	return a.what == b.what && a.known == b.known &&
		(!a.known || (a.lo == b.lo && a.hi == b.hi));
}

/* The join of a and b. */
static struct value either(struct value a, struct value b)
{
	uint32_t x = a.what & LABEL, y = b.what & LABEL;
	if (same_value(a, b))
		return a;
	if (!(a.what & b.what & ENDS))
		a.what &= ~(uint32_t)ENDS, b.what &= ~(uint32_t)ENDS;
	if (!x || !y)
		return (struct value){.what = x ? a.what : y ? b.what : NOTHING};
	uint32_t all = a.what | b.what, sum = all & (SUM | ENDS);
	if (x == y)
		return (struct value){.what = x | sum | (all & OTHERS) | (a.what & b.what & WEAK)};
	if (!(all & WEAK) || a.what & b.what & WEAK)
		return (struct value){.what = SEVERAL | sum | (all & WEAK)};
	x = a.what & WEAK ? y : x;
	return (struct value){.what = x | sum | (x == SEVERAL ? 0 : OTHERS)};
}

static struct value plus(struct value a, struct value b)
{
	if (!b.what && b.known && !b.lo && !b.hi)
		return a;
	if (a.what == GOT_DISTANCE || b.what == GOT_DISTANCE)
		return (struct value){.what = a.what == b.what ? a.what : NOTHING};
	struct value v = {0};
	if (a.known && b.known)
		v = number((int64_t)a.lo + b.lo, (int64_t)a.hi + b.hi);
	if ((a.what | b.what) & LABEL)
		v.what = (either((struct value){.what = a.what}, (struct value){.what = b.what})
					 .what &
				 ~(uint32_t)ENDS) |
			SUM;
	return v;
}

/*
 * A sum was made.  If its label is code, what it may be is held at once, and the sum need not be
 * followed.
 *
 * hazard: label difference.  A table of &&a - &&b is numbers without relocations, which a
 * computed goto adds to a label.
 */
static struct value summed(struct walk *w, struct value v)
{
	if (v.what & SUM && !(v.what & WEAK))
		hold(w, v, true);
	return v;
}

static struct value reg_value(const struct walk *w, int reg)
{
	if (reg < 0 || reg >= REGS)
		return (struct value){0};
	return w->g->target->zero & REG_BIT(reg) ? number(0, 0) : w->now.reg[reg];
}

/* The register that the label, which is nothing else, was passed in; -1: it is not one. */
static int argument(const struct walk *w, struct value v)
{
	uint32_t k = v.what & LABEL;
	bool one = k && k != SEVERAL && !(v.what & (SUM | WEAK | OTHERS)) &&
		w->label.v[k - 1].text == ARGUMENT;
	return one ? (int)w->label.v[k - 1].off : -1;
}

static void add_use(struct summary *s, int reg, int other, const struct value *v, int64_t size)
{
	for (size_t i = 0; i < s->use.n; i++) {
		struct use *u = &s->use.v[i];
		if (u->reg != reg || u->other != other)
			continue;
		u->known = u->known && v->known;
		u->from = v->lo < u->from ? v->lo : u->from;
		u->to = v->hi + size > u->to ? v->hi + size : u->to;
		return;
	}
	vec_push(&s->use,
		(struct use){(uint8_t)reg, (uint8_t)other, v->known, v->lo, v->hi + size});
}

/* a - b. */
static struct value subtracted(struct walk *w, struct value a, struct value b)
{
	bool both = (a.what & LABEL) && (b.what & LABEL);
	int from = w->summary && both ? argument(w, a) : -1;
	if (from >= 0 && argument(w, b) >= 0 && from != argument(w, b))
		add_use(w->summary, from, argument(w, b), &(struct value){0}, 0);
	if (both && !((a.what | b.what) & (SUM | WEAK))) {
		hold(w, (struct value){.what = a.what}, true);
		hold(w, (struct value){.what = b.what}, true);
	}
	if (b.what & LABEL)
		return (struct value){0};
	b = b.known ? number(-(int64_t)b.hi, -(int64_t)b.lo) : (struct value){0};
	return summed(w, plus(a, b));
}

/* Does the instruction load an address from the GOT, which it finds by a register? */
static bool loads_entry(const struct walk *w, const struct insn *in)
{
	uint32_t n;
	for (const struct reloc *r = insn_relocs(w->c, in, &n); n; n--, r++)
		if (w->g->target->reloc_info(r->type)->entry &&
			symbol_bind(&w->g->obj->sym.v[r->sym]) != STB_LOCAL)
			return true;
	return false;
}

static struct value loaded(struct walk *w, const struct part *p, const struct operation *op)
{
	bool constant = (op->base < 0 && op->index < 0) || cfg_names_whole(w->g, w->c, p->in) ||
		loads_entry(w, p->in);
	uint32_t v = constant ? named(w, p) : NOTHING;
	if (v)
		return label(v);
	if (op->size < 4)
		return of_size(op->size, op->sext);
	return label(op->size == 8 && w->stores ? (uint32_t)SEVERAL | WEAK : NOTHING);
}

/*
 * The result of other arithmetic on the registers reads, and on memory if mem: memory operands
 * there disguise pointers (guard values), and are no distances of labels.
 */
static struct value mixed(const struct walk *w, regset reads, bool mem)
{
	struct value v = {0};
	for (int r = 0; r < REGS; r++)
		if (reads & REG_BIT(r))
			v = either(v, (struct value){.what = w->now.reg[r].what});
	v.what &= ~(uint32_t)ENDS;
	if (!(v.what & LABEL))
		return (struct value){0};
	if (v.what & OTHERS)
		v.what = SEVERAL | (v.what & SUM);
	return (struct value){.what = v.what | (v.what & WEAK || mem ? WEAK : SUM | WEAK)};
}

/*
 * a & b, or a | b.  A label with a mask of zeros or ones is that label, 0 or -1.
 *
 * hazard: label or -1.  clang chooses between a function and the constant -1 by
 * sbb %rax,%rax; or %rax,%r8, and calls %r8 unless it is -1.
 */
static struct value masked(const struct walk *w, const struct insn *in, struct value a,
	struct value b)
{
	bool mask_a = !a.what && a.known && a.lo >= -1 && a.hi <= 0;
	bool mask_b = !b.what && b.known && b.lo >= -1 && b.hi <= 0;
	if (mask_a || mask_b)
		return either(mask_a ? b : a, (struct value){0});
	return mixed(w, insn_effects(in)->reads, false);
}

static struct value scaled(const struct walk *w, int reg, int64_t by)
{
	struct value v = reg_value(w, reg);
	if (by == 1)
		return v;
	if (v.what)
		return mixed(w, REG_BIT(reg), false);
	return v.known ? number(v.lo * by, v.hi * by) : v;
}

/* The relocation of the instruction that may count from a label in a register, or NULL. */
static const struct reloc *based_reloc(const struct walk *w, const struct part *p)
{
	uint32_t n = 0;
	const struct reloc *r = w->c->may_be_based && p->i != NO_INSN ? insn_relocs(w->c, p->in, &n)
								      : NULL;
	for (; n; n--, r++) {
		struct ref ref = cfg_reloc_ref(w->g, w->c, p->i, r);
		bool own = p->in->pc_size && !p->in->resolved && r == &w->c->sec->rel[p->in->ref];
		if (!own && may_be_based(w->g, w->c, p->i, &ref))
			return r;
	}
	return NULL;
}

static struct value lea_value(struct walk *w, const struct part *p, const struct operation *op)
{
	struct value v = label(named(w, p));
	if (cfg_names_whole(w->g, w->c, p->in))
		return v;
	if (based_reloc(w, p)) /* the address of data, if the register holds the label */
		return (struct value){0};
	if (!v.what && !p->in->has_rel && !op->pc_rel)
		v = number(op->disp, op->disp);
	if (op->base >= 0)
		v = plus(reg_value(w, op->base), v);
	if (op->index >= 0)
		v = plus(scaled(w, op->index, op->scale), v);
	return op->base < 0 && op->index < 0 ? v : summed(w, v);
}

/* The low bytes of src, extended as op says. */
static struct value moved(struct value src, const struct operation *op)
{
	bool sext = op->op == OP_SEXT;
	if (op->size == 8 || (op->size == 4 && src.what))
		return src;
	if (!src.what && src.known && src.lo >= 0 && src.hi >> (op->size * 8 - sext) == 0)
		return src;
	return op->size < 4 ? of_size(op->size, sext) : (struct value){0};
}

/* Is instruction i the first behind a call of itself?  Then it pops its own address. */
static bool is_own_address(const struct walk *w, uint32_t b, uint32_t i)
{
	const struct block *bl = &w->g->block.v[b];
	return i == bl->insn && b > w->c->block && bl[-1].end == END_CALL && bl[-1].target == b &&
		bl[-1].fall == b;
}

/* Has the instruction the place of an entry in the GOT, which the linker knows? */
static bool reads_got(const struct walk *w, const struct insn *in)
{
	uint32_t n;
	for (const struct reloc *r = insn_relocs(w->c, in, &n); n; n--, r++)
		if (w->g->target->reloc_info(r->type)->role == ROLE_GOT)
			return true;
	return false;
}

/* The value that the instruction makes, of which the target says at most how large it is. */
static struct value other(struct walk *w, const struct part *p, const struct operation *op)
{
	const struct insn *in = p->in;
	regset made = insn_effects(in)->clobbers & (REG_BIT(REGS) - 1);
	if (cfg_names_whole(w->g, w->c, in) && named(w, p) == GOT_DISTANCE)
		return label(GOT_DISTANCE);
	struct load_part part;
	bool loads = w->g->target->load_part &&
		w->g->target->load_part(insn_bytes(w->c, in), in->len, &part);
	regset reads = insn_effects(in)->reads & ~(loads ? REG_BIT(part.base) : 0);
	struct value v = mixed(w, reads, in->flags & INSN_MEM);
	/*
	 * hazard: unaligned function pointer.  The address that lwl and lwr load from is not part
	 * of the value.
	 */
	if (loads && w->stores)
		v = either(v, label((uint32_t)SEVERAL | WEAK));
	bool small = !v.what && op->max && op->max <= INT32_MAX && !(made & (made - 1));
	return small ? number(0, (int64_t)op->max) : v;
}

/* The value of op->dst after the instruction, of block b. */
static struct value result(struct walk *w, uint32_t b, const struct part *p,
	const struct operation *op)
{
	const struct insn *in = p->in;
	struct value dst = reg_value(w, op->dst);
	switch (op->op) {
	case OP_IMM: /* a place in the GOT is no address yet */
		if (reads_got(w, in))
			return label(NOTHING);
		return in->has_rel ? label(named(w, p)) : number(op->imm, op->imm);
	case OP_MOVE:
	case OP_ADD_GOT: /* a relocation made the distance, as it makes an address */
	case OP_SEXT: return moved(reg_value(w, op->src), op);
	case OP_SELECT:
		return either(op->index < 0 ? dst : reg_value(w, op->index), reg_value(w, op->src));
	case OP_LOAD: return loaded(w, p, op);
	case OP_POP:
		return label(is_own_address(w, b, p->i)
				? label_number(w, (uint32_t)(w->c - w->g->text.v), in->off)
				: w->stores ? (uint32_t)SEVERAL | WEAK
					    : NOTHING);
	case OP_LEA: return lea_value(w, p, op);
	case OP_ADD: return summed(w, plus(dst, reg_value(w, op->src)));
	case OP_ADD_LOAD: return summed(w, plus(dst, loaded(w, p, op)));
	case OP_SUB:
		return subtracted(w, op->index < 0 ? dst : reg_value(w, op->index),
			reg_value(w, op->src));
	case OP_MASK: return number(-1, 0);
	case OP_AND:
	case OP_OR: return masked(w, in, dst, reg_value(w, op->src));
	case OP_AND_IMM:
		if (!dst.what && op->imm >= 0)
			return number(0, op->imm);
		return mixed(w, insn_effects(in)->reads, false);
	case OP_SHIFT:
		return op->imm < 32 && (dst.what || dst.lo >= 0)
			? scaled(w, op->dst, (int64_t)1 << op->imm)
			: (struct value){0};
	default: return other(w, p, op);
	}
}

/* Does instruction i of block b call or jump to op->src, other than by a table? */
static bool leads_to_source(const struct walk *w, uint32_t b, uint32_t i,
	const struct operation *op)
{
	const struct block *bl = &w->g->block.v[b];
	bool last = i + 1 == bl->insn + bl->ninsn;
	return op->op == OP_CALL_REG || (op->op == OP_JUMP_REG && bl->end != END_TABLE) ||
		(op->op == OP_PUSH && !last && w->g->insn.v[i + 1].kind == INSN_RET);
}

/* Does the instruction store a label? */
static bool stores_label(struct walk *w, const struct part *p, const struct operation *op)
{
	if (op->op == OP_STORE || op->op == OP_PUSH)
		return reg_value(w, op->src).what & LABEL;
	if (op->op == OP_STORE_PAIR)
		return (reg_value(w, op->src).what | reg_value(w, op->index).what) & LABEL;
	bool other = op->op == OP_OTHER || op->op == OP_STORE_IMM || op->op == OP_STORE_VECTOR;
	uint32_t v = other && p->in->flags & INSN_MEM ? named(w, p) : NOTHING;
	return (v & LABEL) && !(v & WEAK);
}

/* Does the instruction access memory?  Sets p->a. */
static bool accesses(const struct walk *w, struct part *p)
{
	return p->in->flags & INSN_MEM && w->g->target->zone(insn_bytes(w->c, p->in), p->in, &p->a);
}

/*
 * The address that relocations of the instruction say, or a part of it; true: the whole of it.  An
 * entry of the GOT is no code.
 */
static bool named_address(struct walk *w, const struct part *p, struct value *v)
{
	uint32_t n;
	*v = (struct value){0};
	for (const struct reloc *r = insn_relocs(w->c, p->in, &n); n; n--, r++) {
		bool field = p->a.disp_off && r->off == (uint64_t)p->in->off + p->a.disp_off;
		struct ref ref = cfg_reloc_ref(w->g, w->c, p->i, r);
		bool low = w->g->target->reloc_info(r->type)->low;
		if ((low || field) && ref.role == ROLE_ABS)
			*v = label(relocated(w, &ref));
		if (low || ref.role == ROLE_GOT)
			return true;
	}
	return false;
}

/* A register's part of an address: a label to which nothing was added is just that. */
static struct value base_value(const struct walk *w, int reg)
{
	struct value v = reg_value(w, reg);
	return v.what & LABEL && !(v.what & SUM) ? (struct value){v.what, true, 0, 0} : v;
}

/* The address of the memory that the instruction accesses. */
static struct value accessed(struct walk *w, const struct part *p)
{
	const struct zone *a = &p->a;
	struct value v;
	if (named_address(w, p, &v))
		return v;
	v = plus(base_value(w, a->base), v.what ? v : number(a->at, a->at));
	if (a->index >= 0)
		v = plus(v, base_value(w, a->index));
	return a->far ? plus(v, (struct value){0}) : v;
}

/* The bytes of label p + v are read or written, size of them at each place. */
static void hold_bytes(struct walk *w, struct offset_label *p, const struct value *v, int64_t size)
{
	if (p->text == ARGUMENT) {
		add_use(w->summary, (int)p->off, (int)p->off, v, size);
		return;
	}
	const struct code_section *t = &w->g->text.v[p->text];
	struct lump l = {.to = UINT64_MAX,
		.why = OPAQUE_READ,
		.why_off = p->off,
		.by = (uint32_t)(w->f - w->g->func.v)};
	if (w->summary || !is_code_label(w, p))
		return;
	if (v->known && v->lo + (int64_t)p->off >= 0) {
		l.from = l.why_off = p->off + (uint64_t)v->lo;
		l.to = p->off + (uint64_t)(v->hi + size);
	}
	uint32_t f = l.from < t->sec->size && v->known ? cfg_func_at(w->g, t, l.from) : NO_FUNC;
	/* in front of a function there may be data */
	bool near = f != NO_FUNC && (!w->g->func.v[f].is_code || f == cfg_func_at(w->g, t, p->off));
	if (near && l.to <= w->g->func.v[f].end) {
		list_opaque_func(&w->opaque, f, OPAQUE_READ, l.from);
		return;
	}
	l.from = l.from < p->off ? l.from : p->off;
	l.to = l.to > p->off ? l.to : p->off + 1;
	list_lump(&w->opaque, p->text, l);
}

static void hold_accessed(struct walk *w, struct value v, int64_t size)
{
	uint32_t k = v.what & LABEL;
	for (uint32_t n = 0; k && n < w->label.n; n++)
		if (k == SEVERAL || k == n + 1)
			hold_bytes(w, &w->label.v[n], &v, size);
}

/*
 * hazard: code read as data.  A function whose bytes are read by way of its address, as by
 * `auipc; addi; lbu', stays as it is.  An address that was loaded is that of the word's label, but
 * not one that other arithmetic has made.
 */
static void read_code(struct walk *w, struct part p)
{
	if (!accesses(w, &p) || reads_got(w, p.in))
		return;
	struct value v = accessed(w, &p);
	uint32_t from = reg_value(w, p.a.base).what | reg_value(w, p.a.index).what;
	bool weak = v.what & WEAK &&
		(from & (SUM | OTHERS) || (v.what & LABEL) == SEVERAL || !v.known || v.lo < 0);
	if (!weak)
		hold_accessed(w, v, p.a.size);
}

static bool is_one_label(const struct walk *w, struct value v)
{
	uint32_t k = v.what & LABEL;
	return k && k != SEVERAL && !(v.what & (WEAK | SUM | OTHERS)) && v.known && !v.lo &&
		!v.hi && &w->g->text.v[w->label.v[k - 1].text] == w->c;
}

/*
 * The label that a relocation of the instruction counts from.  In all states it must be the same.
 *
 * hazard: pc-relative word elsewhere.
 */
static void find_base(struct walk *w, struct part p, const struct reloc *r)
{
	struct based_field to = {(uint32_t)(w->c - w->g->text.v), r->off, NO_LABEL};
	size_t k = 0;
	w->g->target->zone(insn_bytes(w->c, p.in), p.in, &p.a);
	struct value base = reg_value(w, p.a.base), index = reg_value(w, p.a.index);
	struct value one = is_one_label(w, base) ? base : index;
	struct value other = is_one_label(w, base) ? index : base;
	bool scaled = p.a.far && is_one_label(w, index);
	/* the sum of two labels is no address, so what may be any label is none */
	if (is_one_label(w, one) && (!other.what || other.what & WEAK) && !scaled)
		to.label = w->label.v[(one.what & LABEL) - 1].off;
	while (k < w->based.n && w->based.v[k].off != r->off)
		k++;
	if (k == w->based.n)
		vec_push(&w->based, to);
	else if (w->based.v[k].label != to.label)
		w->based.v[k].label = NO_LABEL;
}

/* Passing labels ------------------------------------------------------- */

/*
 * Does the transfer at the end of block bl lead to a function of the object, which is not a part of
 * the C library, or to one that is known to access what it is given?
 */
static bool takes_labels(const struct walk *w, const struct block *bl, const struct accessor **lib)
{
	const struct cfg *g = w->g;
	bool call = bl->end == END_CALL;
	*lib = NULL;
	if (!call && bl->end != END_JUMP && bl->end != END_BRANCH && bl->end != END_LEAVE)
		return false;
	if (bl->target != NO_BLOCK && !in_libc(g, g->block.v[bl->target].func)) {
		uint32_t f = g->block.v[bl->target].func;
		return (call || f != bl->func) && g->func.v[f].block == bl->target;
	}
	const struct symbol *s = bl->end == END_BRANCH ? NULL : named_at_end(g, bl);
	*lib = s && is_libcs(g, s) ? callee_accesses(s->name) : NULL;
	return *lib;
}

static regset argument_regs(const struct walk *w)
{
	const struct target *t = w->g->target;
	return t->abi.entry_live & t->abi.call_clobbers & ~(t->no_scratch | t->abi.entry_label) &
		(REG_BIT(REGS) - 1);
}

/* Is v the address of one of some labels, perhaps plus a number?  What is loaded must be just one.
 */
static bool is_address(struct value v)
{
	uint32_t k = v.what & LABEL;
	return k && !(v.what & WEAK && (v.what & (SUM | OTHERS) || k == SEVERAL));
}

/* A function of the C library accesses memory at some of its arguments. */
static void pass_to_library(struct walk *w, const struct accessor *lib)
{
	const uint8_t *arg = w->g->target->abi.arg;
	struct value n = number(1, 1), some = {.known = true, .hi = INT32_MAX};
	for (unsigned k = 0; k < 3; k++) {
		struct value v = reg_value(w, arg[k]);
		bool count = lib->count & 1u << k && n.known;
		n = !count ? n : v.what || !v.known ? some : number(n.lo, (int64_t)n.hi * v.hi);
	}
	n = lib->count && n.known ? n : some;
	for (unsigned k = 0; k < 3; k++) {
		struct value v = base_value(w, arg[k]);
		if (lib->at & 1u << k && is_address(v) && n.hi > 0)
			hold_accessed(w, v, n.hi);
	}
}

static void push_passing(struct walk *w, const struct passing *p)
{
	passing_vec *v = w->summary ? &w->summary->passing : &w->passing;
	bool code = false;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t k = label_number(w, p->arg[i].text, p->arg[i].off);
		code |= is_code_label(w, &w->label.v[k - 1]);
	}
	/* blocks are interpreted until nothing changes */
	for (size_t i = v->n; i && v->v[i - 1].by == p->by && code; i--)
		code = memcmp(&v->v[i - 1], p, sizeof *p) != 0;
	if (code)
		vec_push(v, *p);
}

static void pass_to_function(struct walk *w, uint32_t f)
{
	struct passing p = {.by = (uint32_t)(w->f - w->g->func.v), .func = f}, one = p;
	for (regset some = argument_regs(w); some; some &= some - 1) {
		uint8_t reg = (uint8_t)__builtin_ctzll(some);
		struct value v = base_value(w, reg);
		for (uint32_t k = 1; is_address(v) && k <= w->label.n; k++) {
			struct offset_label *l = &w->label.v[k - 1];
			struct argument a = {l->text, l->off, v, reg};
			if ((v.what & LABEL) == k && p.n < ARGUMENTS) {
				p.arg[p.n++] = a;
			} else if ((v.what & LABEL) == k || (v.what & LABEL) == SEVERAL) {
				one.n = 1;
				one.arg[0] = a;
				push_passing(w, &one);
			}
		}
	}
	push_passing(w, &p);
}

/*
 * hazard: code read by a callee.  A function's address is passed to memcpy or write, or to a
 * function of the program that reads there, or takes the distance of two such addresses.
 */
static void pass(struct walk *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[b];
	const struct accessor *lib;
	if (!takes_labels(w, bl, &lib))
		return;
	if (lib)
		pass_to_library(w, lib);
	else
		pass_to_function(w, w->g->block.v[bl->target].func);
}

/* Interpreting --------------------------------------------------------- */

/* The registers lost change; that of op gets the value made. */
static void change(struct walk *w, const struct operation *op, regset lost, struct value made)
{
	for (int r = 0; r < REGS; r++)
		if (lost & REG_BIT(r))
			w->now.reg[r] = op->dst < 0 || op->dst == r ? made : (struct value){0};
}

/*
 * What is in a delay slot, which describe() does not tell of indirect branches and calls: the
 * registers that it changes there.
 */
static regset step_slot(struct walk *w, uint32_t b, const struct insn *branch)
{
	struct operation op;
	struct insn slot;
	struct part p = {.in = &slot, .i = NO_INSN};
	if (!decode_slot(w->g, w->decoder, w->c, branch, &slot))
		return 0;
	read_code(w, p);
	if (branch->kind == INSN_JUMP || branch->kind == INSN_BRANCH)
		return 0;
	w->g->target->describe(w->decoder, insn_bytes(w->c, &slot), &slot, &op);
	w->stores |= stores_label(w, &p, &op);
	change(w, &op, insn_effects(&slot)->clobbers, result(w, b, &p, &op));
	return insn_effects(&slot)->clobbers;
}

/*
 * hazard: path that is not taken.  clang -O1 sets a register to 1 and branches on it, in a block
 * that was shared once: on the way not taken a register with a label is a counter.
 */
static enum way leads_where(const struct walk *w, const struct insn *in)
{
	const struct target *t = w->g->target;
	struct action act[ACTIONS];
	if (in->kind != INSN_BRANCH || !t->actions || !t->actions(insn_bytes(w->c, in), in, act))
		return EITHER_WAY;
	const struct condition *c = &act[0].condition;
	bool equal = c->relation == RELATION_EQ;
	if (act[0].leads != LEADS_DIRECT || (!equal && c->relation != RELATION_NE) ||
		c->size != t->word || c->a < 0)
		return EITHER_WAY;
	struct value a = reg_value(w, c->a);
	struct value b = c->b < 0 ? number(c->with, c->with) : reg_value(w, c->b);
	if (a.what || b.what || !a.known || !b.known)
		return EITHER_WAY;
	if (a.lo > b.hi || b.lo > a.hi)
		return equal ? TO_NEXT : TO_TARGET;
	if (a.lo == a.hi && same_value(a, b))
		return equal ? TO_TARGET : TO_NEXT;
	return EITHER_WAY;
}

static void step(struct walk *w, uint32_t b, uint32_t i)
{
	const struct insn *in = &w->g->insn.v[i];
	const struct part p = {.in = in, .i = i};
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	regset lost = insn_effects(in)->clobbers;
	struct operation op;
	w->g->target->describe(w->decoder, insn_bytes(w->c, in), in, &op);
	struct value made, to = reg_value(w, op.src);
	w->way = leads_where(w, in);
	w->ends = op.op == OP_CALL_REG && to.what & ENDS && !(to.what & (WEAK | SUM | OTHERS));
	if (to.what & SUM && !w->summary && leads_to_source(w, b, i, &op)) {
		hold(w, to, false);
		w->g->block.v[b].astray = true;
	}
	const struct reloc *based = based_reloc(w, &p);
	if (based)
		find_base(w, p, based);
	else
		read_code(w, p);
	lost &= ~step_slot(w, b, in);
	if (i + 1 == w->g->block.v[b].insn + w->g->block.v[b].ninsn)
		pass(w, b);
	w->stores |= stores_label(w, &p, &op);
	made = call ? (struct value){0} : result(w, b, &p, &op);
	change(w, &op, lost | (call ? w->g->target->abi.call_clobbers : 0), made);
}

/* Control may also come to a block from where nothing is known of numbers. */
static struct value from_outside(struct value v)
{
	return v.what & LABEL ? v : (struct value){.what = v.what};
}

static void lead_to(struct walk *w, uint32_t b)
{
	if (!func_has_block(w->f, b))
		return;
	struct state *s = &w->at.v[b - w->f->block];
	bool changed = !s->known, entered = w->g->block.v[b].entered;
	if (!s->known)
		*s = w->now;
	else if (!memcmp(s->reg, w->now.reg, sizeof s->reg))
		return;
	for (int r = 0; r < REGS; r++) {
		struct value v = either(s->reg[r], w->now.reg[r]);
		v = entered ? from_outside(v) : v;
		changed |= !same_value(v, s->reg[r]);
		s->reg[r] = v;
	}
	s->known = true;
	if (changed)
		vec_push(&w->todo, b);
}

static void lead_to_target(void *ctx, uint32_t b)
{
	lead_to(ctx, b);
}

static void walk_block(struct walk *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[b];
	w->now = w->at.v[b - w->f->block];
	w->way = EITHER_WAY;
	w->ends = false;
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++)
		step(w, b, i);
	if (w->way != EITHER_WAY)
		vec_push(&w->unled, w->way == TO_NEXT ? bl->target : bl->fall);
	if (!never_returns(w->g, bl) && !w->ends && w->way != TO_TARGET)
		lead_to(w, bl->fall);
	if (bl->end != END_CALL && w->way != TO_NEXT)
		lead_to(w, bl->target);
	if (bl->end == END_TABLE)
		cfg_table_targets(w->g, b, lead_to_target, w);
	const uint64_t *labels = bl->by_address ? w->c->addressed : w->c->taken;
	for (uint32_t k = w->f->block; bl->end == END_LEAVE && k < w->f->block + w->f->nblock; k++)
		if (set_has(labels, w->g->insn.v[w->g->block.v[k].insn].off))
			lead_to(w, k);
}

/* Which functions to walk ---------------------------------------------- */

/* Does instruction i make or load a label that it refers to? */
static bool makes_label(struct walk *w, uint32_t i)
{
	const struct part p = {.in = &w->g->insn.v[i], .i = i};
	if (p.in->kind == INSN_CALL || !(p.in->has_rel || p.in->flags & INSN_OPERAND_PC))
		return false;
	return named(w, &p) & LABEL;
}

/* Does the instruction access memory by way of the registers labels, or of its relocations? */
static bool reads_labels(struct walk *w, struct part p, regset labels)
{
	if (!(insn_effects(p.in)->reads & labels || p.in->has_rel) || !accesses(w, &p))
		return false;
	regset by = (p.a.base >= 0 ? REG_BIT(p.a.base) : 0) |
		(p.a.index >= 0 ? REG_BIT(p.a.index) : 0);
	struct value v;
	return (named_address(w, &p, &v) ? 0 : by & labels) || v.what;
}

/* Does what is in the delay slot of a branch? */
static bool slot_computes(struct walk *w, const struct insn *branch, const struct insn *slot,
	regset labels)
{
	bool calls = branch->kind == INSN_CALL || branch->kind == INSN_CALL_IND;
	return reads_labels(w, (struct part){.in = slot, .i = NO_INSN}, labels) ||
		(calls && !w->deep && insn_effects(slot)->reads & labels);
}

static bool computes(struct walk *w, regset args);

/* Does the function, or one that it calls, compute with labels in args?
 */
static bool computes_with(struct walk *w, uint32_t f, regset args)
{
	if (w->deep == DEEP)
		return false;
	if (!w->inner) {
		w->inner = calloc(1, sizeof *w->inner);
		if (!w->inner)
			fatal("out of memory");
		w->inner->g = w->g;
		w->inner->decoder = w->decoder;
		w->inner->deep = w->deep + 1;
	}
	struct judged *j = &w->judged[(f ^ args ^ args >> 8) % JUDGED];
	if (j->func != f + 1 || j->args != args) {
		set_func(w->inner, f);
		*j = (struct judged){f + 1, computes(w->inner, args), args};
	}
	return j->computes;
}

/* Does what the transfer at the end of block bl leads to compute with labels in these registers? */
static bool callee_computes(struct walk *w, const struct block *bl, regset labels)
{
	const struct accessor *lib;
	labels &= argument_regs(w);
	if (!labels || !takes_labels(w, bl, &lib))
		return false;
	for (unsigned k = 0; lib && k < 3; k++)
		if (lib->at & 1u << k && labels & REG_BIT(w->g->target->abi.arg[k]))
			return true;
	return !lib && computes_with(w, w->g->block.v[bl->target].func, labels);
}

static bool subtracts_labels(const struct operation *op, regset labels)
{
	int from = op->index < 0 ? op->dst : op->index;
	return op->op == OP_SUB && from >= 0 && op->src >= 0 && labels & REG_BIT(from) &&
		labels & REG_BIT(op->src);
}

/* Does block b compute with the registers *labels, which hold labels?  Sets *labels at its end. */
static bool block_computes(struct walk *w, uint32_t b, regset *labels)
{
	const struct block *bl = &w->g->block.v[b];
	regset call = w->g->target->abi.call_clobbers;
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &w->g->insn.v[i];
		const struct effects *e = insn_effects(in);
		regset made = e->clobbers & ~REGSET_FLAGS;
		struct insn slot;
		bool has_slot = decode_slot(w->g, w->decoder, w->c, in, &slot);
		if (reads_labels(w, (struct part){.in = in, .i = i}, *labels) ||
			(has_slot && slot_computes(w, in, &slot, *labels)))
			return true;
		regset passed = *labels;
		if (has_slot && insn_effects(&slot)->reads & passed)
			passed |= insn_effects(&slot)->clobbers;
		bool kept = makes_label(w, i),
		     called = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
		if (e->reads & *labels && made && !called && !cfg_names_whole(w->g, w->c, in)) {
			struct operation op;
			w->g->target->describe(w->decoder, insn_bytes(w->c, in), in, &op);
			bool moves = op.op == OP_MOVE || op.op == OP_ADD_GOT || op.op == OP_SEXT ||
				op.op == OP_SELECT;
			if (op.op == OP_JUMP_REG && e->reads & *labels & ~REG_BIT(op.src) &&
				!w->deep)
				return true;
			bool loads = op.op == OP_LOAD &&
				!(op.base >= 0 && *labels & REG_BIT(op.base));
			if (w->deep ? subtracts_labels(&op, *labels)
				    : !moves && op.op != OP_JUMP_REG && !loads && op.op != OP_PUSH)
				return true;
			kept |= w->deep || moves;
		}
		if (i + 1 == bl->insn + bl->ninsn && callee_computes(w, bl, passed))
			return true;
		*labels = (*labels & ~(made | (called ? call : 0))) | (kept ? made : 0);
	}
	return false;
}

/*
 * Does the function compute with labels, also those in args, as far as they are not stored?  A
 * function inside of others: does it access memory there, or subtract two of them?
 */
static bool computes(struct walk *w, regset args)
{
	const struct func *f = w->f;
	bool found = false;
	w->labels.n = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		vec_push(&w->labels, b == f->block ? w->g->target->abi.entry_label | args : 0);
		vec_push(&w->todo, b);
		found |= is_own_address(w, b, w->g->block.v[b].insn);
	}
	while (w->todo.n) {
		uint32_t b = w->todo.v[--w->todo.n];
		const struct block *bl = &w->g->block.v[b];
		regset labels = w->labels.v[b - f->block];
		found = found || block_computes(w, b, &labels);
		uint32_t next[] = {bl->fall, bl->end == END_CALL ? NO_BLOCK : bl->target};
		for (size_t k = 0; k < 2 && !found; k++) {
			if (!func_has_block(f, next[k]) ||
				!(labels & ~w->labels.v[next[k] - f->block]))
				continue;
			w->labels.v[next[k] - f->block] |= labels;
			vec_push(&w->todo, next[k]);
		}
	}
	return found;
}

/*
 * hazard: distance from the own entry.  A function of MIPS may find labels by distances from its
 * address, which is in $t9: makecontext() of glibc does.
 */
static void enter_func(struct walk *w)
{
	uint32_t n = 0;
	if (w->g->target->abi.entry_label) {
		n = label_number(w, w->f->text, w->f->start);
		w->label.v[n - 1].asked = w->label.v[n - 1].code = true;
	}
	for (regset some = w->g->target->abi.entry_label; some; some &= some - 1)
		w->now.reg[__builtin_ctzll(some)] = label(n);
	for (regset some = w->summary ? w->summary->args : 0; some; some &= some - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(some);
		w->now.reg[reg] = label(label_number(w, ARGUMENT, reg));
	}
}

/* Has the function relocations that may count from labels? */
static bool is_based(const struct walk *w)
{
	for (uint32_t b = w->f->block; w->c->may_be_based && b < w->f->block + w->f->nblock; b++) {
		const struct block *bl = &w->g->block.v[b];
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn && !bl->gap; i++)
			if (based_reloc(w, &(struct part){.in = &w->g->insn.v[i], .i = i}))
				return true;
	}
	return false;
}

static bool names_code(struct walk *w)
{
	if (is_based(w))
		return true;
	for (uint32_t b = w->f->block; b < w->f->block + w->f->nblock; b++) {
		const struct block *bl = &w->g->block.v[b];
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &w->g->insn.v[i];
			if (in->kind != INSN_CALL && (in->has_rel || in->flags & INSN_OPERAND_PC))
				named(w, &(struct part){.in = in, .i = i});
		}
		if (is_own_address(w, b, bl->insn))
			return true;
	}
	return w->label.n || w->g->target->abi.entry_label;
}

/* Mark where control would come only if it went where branches do not lead. */
static void find_dead(struct walk *w)
{
	while (w->unled.n) {
		uint32_t b = w->unled.v[--w->unled.n];
		if (!func_has_block(w->f, b))
			continue;
		const struct block *bl = &w->g->block.v[b];
		struct state *s = &w->at.v[b - w->f->block];
		if (s->known || s->dead || bl->entered)
			continue;
		s->dead = true;
		vec_push(&w->unled, bl->fall);
		if (bl->end != END_CALL)
			vec_push(&w->unled, bl->target);
	}
}

static void walk_blocks(struct walk *w)
{
	vec_reserve(&w->at, w->f->nblock);
	w->at.n = w->f->nblock;
	w->unled.n = 0;
	for (uint32_t b = 0; b < w->f->nblock; b++)
		w->at.v[b].known = w->at.v[b].dead = false;
	for (uint32_t b = 0; b < w->f->nblock; b++) {
		find_dead(w);
		if (w->at.v[b].known || w->at.v[b].dead || w->g->block.v[w->f->block + b].gap)
			continue;
		w->now = (struct state){.known = true};
		if (!b)
			enter_func(w);
		lead_to(w, w->f->block + b);
		while (w->todo.n)
			walk_block(w, w->todo.v[--w->todo.n]);
	}
}

static void walk_func(struct walk *w)
{
	w->stores = false;
	w->based.n = 0;
	if (!w->f->is_code || !names_code(w) ||
		!(w->f->leads_to_sum || is_based(w) || computes(w, 0)))
		return;
	walk_blocks(w);
	/* again: values were loaded before it was known that memory may hold labels */
	if (w->stores)
		walk_blocks(w);
	for (size_t k = 0; k < w->based.n; k++)
		if (w->based.v[k].label != NO_LABEL)
			vec_push(&w->all_based, w->based.v[k]);
		else
			list_opaque_section(&w->opaque, w->f->text, OPAQUE_RELOC,
				w->based.v[k].off);
}

/* What functions do with labels that are passed to them ----------------- */

static void walk_free(struct walk *w)
{
	vec_free(&w->label);
	vec_free(&w->number);
	vec_free(&w->reached.block);
	vec_free(&w->at);
	vec_free(&w->labels);
	vec_free(&w->todo);
	vec_free(&w->unled);
	vec_free(&w->based);
	if (w->inner)
		walk_free(w->inner);
	free(w->inner);
}

struct calling {
	struct walk w;
	struct strmap by_args; /* 1 + the number of the summary */
	struct strmap seen;    /* passings */
	VEC(struct summary *) summary;
	passing_vec todo;
};

static const struct summary *summary_of(struct calling *c, uint32_t f, regset args)
{
	struct walk *w = &c->w;
	const char *key = arena_printf(w->g->arena, "%x %llx", f, (unsigned long long)args);
	uint64_t *slot = strmap_slot(&c->by_args, key);
	if (*slot)
		return c->summary.v[*slot - 1];
	struct summary *s = arena_new(w->g->arena, struct summary);
	*s = (struct summary){.func = f, .args = args};
	vec_push(&c->summary, s);
	*slot = c->summary.n;
	w->summary = s;
	w->stores = false;
	set_func(w, f);
	if (computes(w, args))
		walk_blocks(w);
	w->summary = NULL;
	return s;
}

static const struct argument *argument_in(const struct passing *p, uint8_t reg)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->arg[i].reg == reg)
			return &p->arg[i];
	return NULL;
}

/* Hold what lies between two labels. */
static void hold_between(struct walk *w, const struct argument *a, const struct argument *b)
{
	struct offset_label l = {.text = a->text, .off = a->off},
			    m = {.text = b->text, .off = b->off};
	struct lump p = {.from = a->off < b->off ? a->off : b->off,
		.to = (a->off < b->off ? b->off : a->off) + 1,
		.why = OPAQUE_READ,
		.why_off = a->off,
		.by = (uint32_t)(w->f - w->g->func.v)};
	if (!is_code_label(w, &l) && !is_code_label(w, &m))
		return;
	if (a->text == b->text && a->plus.known && b->plus.known) {
		list_lump(&w->opaque, a->text, p);
		return;
	}
	hold_label(w, &l, &(struct value){0}, true);
	hold_label(w, &m, &(struct value){0}, true);
}

static void apply_use(struct walk *w, const struct passing *p, const struct use *u)
{
	const struct argument *a = argument_in(p, u->reg), *b = argument_in(p, u->other);
	if (u->reg != u->other) {
		hold_between(w, a, b);
		return;
	}
	struct offset_label l = {.text = a->text, .off = a->off};
	struct value v = number(a->plus.lo + u->from, a->plus.hi + u->to - 1);
	v.known = v.known && u->known && a->plus.known;
	hold_bytes(w, &l, &v, 1);
}

/* A label that the function passes on, with what its caller passed. */
static bool substitute(const struct passing *p, struct argument *a)
{
	if (a->text != ARGUMENT)
		return false;
	struct argument from = *argument_in(p, (uint8_t)a->off);
	a->text = from.text;
	a->off = from.off;
	a->plus.what = from.plus.what = NOTHING;
	a->plus = plus(a->plus, from.plus);
	return true;
}

static bool is_new(struct calling *c, const struct passing *p)
{
	char *key = arena_printf(c->w.g->arena, "%x", p->func);
	for (uint32_t i = 0; i < p->n; i++)
		key = arena_printf(c->w.g->arena, "%s %x %x %llx %d %d %d", key, p->arg[i].reg,
			p->arg[i].text, (unsigned long long)p->arg[i].off, p->arg[i].plus.known,
			p->arg[i].plus.lo, p->arg[i].plus.hi);
	uint64_t *slot = strmap_slot(&c->seen, key);
	return !(*slot)++;
}

static void apply(struct calling *c, const struct passing *p)
{
	regset args = 0;
	if (p->deep && !is_new(c, p))
		return;
	for (uint32_t i = 0; i < p->n; i++)
		args |= REG_BIT(p->arg[i].reg);
	const struct summary *s = summary_of(c, p->func, args);
	c->w.f = &c->w.g->func.v[p->by];
	for (size_t i = 0; i < s->use.n; i++)
		apply_use(&c->w, p, &s->use.v[i]);
	for (size_t i = 0; i < s->passing.n; i++) {
		struct passing q = s->passing.v[i];
		bool more = false;
		q.by = p->by;
		q.deep = p->deep + 1;
		for (uint32_t k = 0; k < q.n; k++)
			more |= substitute(p, &q.arg[k]);
		if (more && q.deep < DEEP)
			vec_push(&c->todo, q);
	}
}

static void apply_all(struct cfg *g, struct calling *c)
{
	c->w.g = g;
	c->w.decoder = cfg_decoder(g, 0);
	c->w.reached.func = NO_FUNC;
	for (size_t i = 0; i < c->todo.n; i++) {
		const struct passing p = c->todo.v[i];
		apply(c, &p);
	}
	make_opaque(g, &c->w.opaque);
	for (size_t i = 0; i < c->summary.n; i++) {
		vec_free(&c->summary.v[i]->use);
		vec_free(&c->summary.v[i]->passing);
	}
	vec_free(&c->summary);
	vec_free(&c->todo);
	strmap_free(&c->by_args);
	strmap_free(&c->seen);
	walk_free(&c->w);
}

struct summing {
	struct cfg *g;
	opaque_parts *opaque; /* by part */
	struct {
		struct based_field *v;
		size_t n;
	} * based;
	passing_vec *passing; /* likewise */
};

static void sum_part(void *ctx, size_t part, unsigned worker)
{
	const struct summing *s = ctx;
	struct walk w = {.g = s->g, .decoder = cfg_decoder(s->g, worker), .reached.func = NO_FUNC};
	uint32_t f, end = cfg_part_funcs(s->g, part, &f);
	for (; f < end; f++) {
		set_func(&w, f);
		walk_func(&w);
	}
	walk_free(&w);
	s->opaque[part] = w.opaque;
	s->passing[part] = w.passing;
	s->based[part].v = w.all_based.v;
	s->based[part].n = w.all_based.n;
}

/*
 * Does the program name the ends of sections of this name?  The linker defines such symbols for
 * names that are identifiers of C.
 */
static bool ends_named(const struct cfg *g, const char *section)
{
	static const char *const prefix[] = {"__start_", "__stop_"};
	for (size_t i = 1; i < g->obj->sym.n; i++) {
		const struct symbol *s = &g->obj->sym.v[i];
		for (size_t k = 0; s->sec == SEC_UNDEF && k < 2; k++) {
			size_t n = strlen(prefix[k]);
			if (!strncmp(s->name, prefix[k], n) && !strcmp(s->name + n, section))
				return true;
		}
	}
	return false;
}

/*
 * hazard: code between named ends.  A program reads or copies a section of code from
 * __start_NAME to __stop_NAME: these are no labels of the section, and all of it counts.
 */
static void hold_named_sections(struct cfg *g)
{
	for (size_t i = 0; i < g->text.n; i++) {
		const char *name = g->text.v[i].sec->name;
		if (*name != '.' && ends_named(g, name))
			cfg_opaque_section(&g->text.v[i], OPAQUE_READ, 0);
	}
}

static int based_cmp(const void *a, const void *b)
{
	const struct based_field *x = a, *y = b;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

void sums_find(struct cfg *g)
{
	size_t parts = g->part.n - 1;
	struct summing s = {.g = g,
		.opaque = arena_array(g->arena, opaque_parts, parts),
		.passing = arena_array(g->arena, passing_vec, parts)};
	struct calling c = {0};
	s.based = arena_alloc(g->arena, array_bytes(parts, sizeof *s.based));
	parallel(parts, sum_part, &s);
	for (size_t k = 0; k < parts; k++) {
		make_opaque(g, &s.opaque[k]);
		for (size_t i = 0; i < s.passing[k].n; i++)
			vec_push(&c.todo, s.passing[k].v[i]);
		vec_free(&s.passing[k]);
		for (size_t i = 0; i < s.based[k].n; i++)
			vec_push(&g->based, s.based[k].v[i]);
		free(s.based[k].v);
	}
	apply_all(g, &c);
	hold_named_sections(g);
	if (g->based.n)
		sort(g->based.v, g->based.n, sizeof *g->based.v, based_cmp);
}
