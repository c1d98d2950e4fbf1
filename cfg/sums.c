/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.c - sums of a code address and a number
 *
 * The assembler computes the distance of two labels of one section, and leaves a number: `lea
 * 1f(%rip),%rax; 1: add $(target-1b),%rax; call *%rax', or arrays of code, as in x264: `lea
 * row-64(%rip),%r9; add %r8,%r9; call *%r9'.  What the sum may be stays together: as much as the
 * number's bounds say, or the label's whole section.
 *
 * In every function that makes a code address, values are followed (cfg/values.h).  A number added
 * to a label that is known to be code is such a sum.  If the label may be data in text, or was
 * perhaps loaded, the sum counts only if it is jumped to or called; so tables in text hold nothing.
 * A sum that stays in the function of its label makes only that function opaque.
 *
 * Where a label is passed to another function of the object, that is interpreted with it
 * (passed.c): what it reads by way of the label, and the distance of two labels that it computes,
 * counts as well.
 */
#include "base/parallel.h"
#include "cfg/arithmetic.h"
#include "cfg/calls.h"
#include "cfg/libc.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/sums.h"
#include "cfg/tables.h"

#include <stdlib.h>

#define NO_LABEL UINT64_MAX

/* Is it a label with one of these flags? */
static bool is_label(struct value v, unsigned flags)
{
	return v.what == LABEL && v.flags & flags;
}

/* Label number k of those that v may be.  False: there are no more. */
static bool label_of(const struct walk *w, struct value v, size_t k, struct value *one)
{
	bool several = is_label(v, LABEL_SEVERAL);
	if (v.what != LABEL || k >= (several ? w->label.n : 1))
		return false;
	*one = v;
	if (several) {
		one->flags &= (uint8_t)~LABEL_SEVERAL;
		one->base = w->label.v[k].base;
		one->n = w->label.v[k].n;
	}
	return true;
}

/* Something is to be held.  Not yet? */
static bool only_seeks(struct walk *w)
{
	w->found = true;
	return w->seeks;
}

static const struct code_section *section_of(const struct walk *w, struct value label)
{
	return &w->g->text.v[label.base];
}

/* A label is code if control reaches it otherwise than by its address. */
bool sums_is_code(struct walk *w, struct value v)
{
	const struct code_section *t = section_of(w, v);
	return v.base == PASSED ||
		((uint64_t)v.n < t->sec->size &&
			control_reaches(w->g, t, (uint64_t)v.n, &w->reached));
}

/*
 * Do all sums that v may be stay in the function of its label, *func?  Not if that is the start of
 * another function than the current one, or has it in a register: an opaque function may have its
 * counter between the label and its code.
 */
static bool stays_inside(const struct walk *w, struct value v, uint32_t *func)
{
	const struct code_section *t = section_of(w, v);
	uint64_t off = (uint64_t)v.n;
	if (!(v.flags & BOUNDED) || off >= t->sec->size)
		return false;
	*func = cfg_func_at(w->g, t, off);
	if (*func == NO_FUNC)
		return false;
	const struct func *f = &w->g->func.v[*func];
	int64_t before = (int64_t)(off - f->start), behind = (int64_t)(f->end - off);
	if (!before && (f != w->f || w->g->target->abi.entry_label))
		return false;
	return v.lo >= -before && v.hi < behind;
}

struct lump sums_lump(const struct walk *w, enum opaque why, struct value label)
{
	return (struct lump){.to = UINT64_MAX,
		.why = why,
		.why_off = (uint64_t)label.n,
		.by = (uint32_t)(w->f - w->g->func.v)};
}

/* What must stay together if v is a sum of its label. */
static struct lump reached_by(const struct walk *w, struct value v)
{
	struct lump l = sums_lump(w, OPAQUE_JUMP, v);
	uint64_t off = (uint64_t)v.n, before = v.lo < 0 ? (uint64_t) - (int64_t)v.lo : 0;
	if (v.flags & BOUNDED && off < section_of(w, v)->sec->size) {
		l.from = before < off ? off - before : 0;
		l.to = off + (v.hi > 0 ? (uint64_t)v.hi : 0) + 1;
	}
	return l;
}

static void hold_label(struct walk *w, struct value v, bool code_only)
{
	uint32_t f;
	if (w->summary || (code_only && !sums_is_code(w, v)) || only_seeks(w))
		return;
	if (stays_inside(w, v, &f))
		list_opaque_func(&w->opaque, f, OPAQUE_JUMP, (uint64_t)v.n);
	else
		list_lump(&w->opaque, v.base, reached_by(w, v));
}

/*
 * Hold what sums of the labels of v may be; if code_only, only of labels that are known to be code.
 *
 * hazard: distance added to a label.  lea 1f(%rip); add $(target-1b) leads out of the
 * function by a number: nothing in between may move.
 */
static void hold(struct walk *w, struct value v, bool code_only)
{
	struct value one;
	if (is_label(v, LABEL_OTHERS) && !code_only)
		v.flags |= LABEL_SEVERAL;
	bool several = is_label(v, LABEL_SEVERAL);
	for (size_t k = 0; !(several && w->held[code_only]) && label_of(w, v, k, &one); k++)
		hold_label(w, one, code_only);
	w->held[code_only] |= several;
}

void sums_hold_all(struct walk *w, struct value v)
{
	v.flags &= (uint8_t)~BOUNDED;
	hold(w, v, true);
}

/* The register that the label, which is nothing else, was passed in; -1: it is not one. */
static int argument(struct value v)
{
	bool one = v.what == LABEL && v.base == PASSED &&
		!(v.flags & (LABEL_SEVERAL | LABEL_SUM | LABEL_WEAK | LABEL_OTHERS));
	return one ? (int)v.n : -1;
}

static void add_use(struct walk *w, int reg, int other, struct value v, int64_t size)
{
	struct summary *s = w->summary;
	bool bounded = v.flags & BOUNDED;
	if (only_seeks(w))
		return;
	for (size_t i = 0; i < s->use.n; i++) {
		struct use *u = &s->use.v[i];
		if (u->reg != reg || u->other != other)
			continue;
		u->known = u->known && bounded;
		u->from = v.lo < u->from ? v.lo : u->from;
		u->to = v.hi + size > u->to ? v.hi + size : u->to;
		return;
	}
	vec_push(&s->use, (struct use){(uint8_t)reg, (uint8_t)other, bounded, v.lo, v.hi + size});
}

static void subtract(struct walk *w, struct value a, struct value b)
{
	if (a.what != LABEL || b.what != LABEL)
		return;
	int from = argument(a), to = argument(b);
	if (w->summary && from >= 0 && to >= 0 && from != to)
		add_use(w, from, to, (struct value){0}, 0);
	if ((a.flags | b.flags) & (LABEL_SUM | LABEL_WEAK))
		return;
	sums_hold_all(w, a);
	sums_hold_all(w, b);
}

/*
 * If the instruction makes a sum whose label is code, what it may be is held at once, and the sum
 * need not be followed.
 *
 * hazard: label difference.  A table of &&a - &&b is numbers without relocations, which a
 * computed goto adds to a label.
 */
static void add(struct walk *w, const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	if (op->op != OP_LEA && op->op != OP_ADD && op->op != OP_ADD_LOAD && op->op != OP_SUB)
		return;
	struct value v = step_result(at, s, op), src = value_in(at, s, op->src);
	w->adds_got |= op->op == OP_ADD && at->b != w->f->block && src.what == LABEL &&
		value_in(at, s, op->dst).what == GOT_DISTANCE;
	if (op->op == OP_SUB)
		subtract(w, value_in(at, s, op->index < 0 ? op->dst : op->index),
			value_in(at, s, op->src));
	if (is_label(v, LABEL_SUM) && !is_label(v, LABEL_WEAK))
		hold(w, v, true);
}

/* Does the instruction call or jump to op->src, other than by a table? */
static bool leads_to_source(const struct walk *w, const struct step_at *at,
	const struct operation *op)
{
	const struct block *bl = &w->g->block.v[at->b];
	bool last = at->i + 1 == bl->insn + bl->ninsn;
	return op->op == OP_CALL_REG || (op->op == OP_JUMP_REG && bl->end != END_TABLE) ||
		(op->op == OP_PUSH && !last && w->g->insn.v[at->i + 1].kind == INSN_RET);
}

/* Does the instruction store a label? */
static bool stores_label(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	if (op->op == OP_STORE || op->op == OP_PUSH)
		return value_in(at, s, op->src).what == LABEL;
	if (op->op == OP_STORE_PAIR)
		return value_in(at, s, op->src).what == LABEL ||
			value_in(at, s, op->index).what == LABEL;
	bool other = op->op == OP_OTHER || op->op == OP_STORE_IMM || op->op == OP_STORE_VECTOR;
	struct value v = {.what = ANYTHING};
	if (other && at->in->flags & INSN_MEM)
		v = step_names(at);
	return v.what == LABEL && !(v.flags & LABEL_WEAK);
}

/*
 * The address that relocations of the instruction say, or a part of it; true: the whole of it.  An
 * entry of the GOT is no code.
 */
static bool named_address(const struct step_at *at, const struct zone *a, struct value *v)
{
	const struct cfg *g = at->v->g;
	uint32_t n;
	*v = (struct value){.what = ANYTHING};
	for (const struct reloc *r = insn_relocs(at->v->t, at->in, &n); n; n--, r++) {
		bool field = a->disp_off && r->off == (uint64_t)at->in->off + a->disp_off;
		struct ref ref = cfg_reloc_ref(g, at->v->t, at->i, r);
		bool low = g->target->reloc_info(r->type)->low;
		if ((low || field) && ref.role == ROLE_ABS)
			*v = value_relocated(g, &ref);
		if (low || ref.role == ROLE_GOT)
			return true;
	}
	return false;
}

/* A part of an address: a label to which nothing was added is just that. */
static struct value part(struct value v)
{
	if (v.what == LABEL && !(v.flags & LABEL_SUM)) {
		v.flags |= BOUNDED;
		v.lo = v.hi = 0;
	}
	return v;
}

/* The address of the memory that the instruction accesses. */
static struct value accessed(const struct step_at *at, const struct state *s, const struct zone *a)
{
	struct value v;
	if (named_address(at, a, &v))
		return v;
	v = value_plus(part(value_in(at, s, a->base)),
		v.what == LABEL ? v : value_number(a->at, a->at));
	if (a->index >= 0)
		v = value_plus(v, part(value_in(at, s, a->index)));
	return a->far ? value_plus(v, (struct value){.what = ANYTHING}) : v;
}

/* The bytes at v are read or written, size of them at each place. */
void sums_hold_bytes(struct walk *w, struct value v, int64_t size)
{
	if (v.base == PASSED) {
		add_use(w, (int)v.n, (int)v.n, v, size);
		return;
	}
	if (w->summary || !sums_is_code(w, v) || only_seeks(w))
		return;
	const struct code_section *t = section_of(w, v);
	struct lump l = sums_lump(w, OPAQUE_READ, v);
	uint64_t off = (uint64_t)v.n;
	bool known = v.flags & BOUNDED;
	if (known && v.lo + v.n >= 0) {
		l.from = l.why_off = off + (uint64_t)v.lo;
		l.to = off + (uint64_t)(v.hi + size);
	}
	uint32_t f = l.from < t->sec->size && known ? cfg_func_at(w->g, t, l.from) : NO_FUNC;
	/* in front of a function there may be data */
	bool before = f != NO_FUNC && !w->g->func.v[f].is_code && l.to <= off;
	bool near = before || (f != NO_FUNC && f == cfg_func_at(w->g, t, off));
	if (near && l.to <= w->g->func.v[f].end) {
		list_opaque_func(&w->opaque, f, OPAQUE_READ, l.from);
		return;
	}
	l.from = l.from < off ? l.from : off;
	l.to = l.to > off ? l.to : off + 1;
	list_lump(&w->opaque, v.base, l);
}

static void hold_accessed(struct walk *w, struct value v, int64_t size)
{
	struct value one;
	for (size_t k = 0; label_of(w, v, k, &one); k++)
		sums_hold_bytes(w, one, size);
}

/* Is v the address of one of some labels, perhaps plus a number?  What is loaded must be just one.
 */
static bool is_address(struct value v)
{
	return v.what == LABEL &&
		!(v.flags & LABEL_WEAK && v.flags & (LABEL_SUM | LABEL_OTHERS | LABEL_SEVERAL));
}

/*
 * hazard: code read as data.  A function whose bytes are read by way of its address, as by
 * `auipc; addi; lbu', stays as it is.  An address that was loaded is that of the word's label, but
 * not one that other arithmetic has made.
 */
static void read_code(struct walk *w, const struct step_at *at, const struct state *s)
{
	struct zone a;
	if (!(at->in->flags & INSN_MEM) ||
		!w->g->target->zone(insn_bytes(at->v->t, at->in), at->in, &a) || step_reads_got(at))
		return;
	struct value v = accessed(at, s, &a), base = value_in(at, s, a.base),
		     index = value_in(at, s, a.index);
	bool vague = is_label(base, LABEL_SUM | LABEL_OTHERS) ||
		is_label(index, LABEL_SUM | LABEL_OTHERS) || v.flags & LABEL_SEVERAL ||
		!(v.flags & BOUNDED) || v.lo < 0;
	if (!(v.flags & LABEL_WEAK && vague))
		hold_accessed(w, v, a.size);
}

static bool is_one_label(const struct walk *w, struct value v)
{
	return v.what == LABEL && (v.flags & ~(unsigned)LABEL_ENDS) == BOUNDED && !v.lo && !v.hi &&
		v.base == w->f->text;
}

/*
 * The label that a relocation of the instruction counts from.  In all states it must be the same.
 *
 * hazard: pc-relative word elsewhere.
 */
static void find_base(struct walk *w, const struct step_at *at, const struct state *s,
	const struct reloc *r)
{
	struct based_field to = {w->f->text, r->off, NO_LABEL};
	struct zone a;
	size_t k = 0;
	if (!w->g->target->zone(insn_bytes(at->v->t, at->in), at->in, &a))
		a = (struct zone){.base = -1, .index = -1};
	struct value base = value_in(at, s, a.base), index = value_in(at, s, a.index);
	struct value one = is_one_label(w, base) ? base : index;
	struct value other = is_one_label(w, base) ? index : base;
	bool scaled = a.far && is_one_label(w, index);
	/* the sum of two labels is no address, so what may be any label is none */
	bool none = other.what == ANYTHING || other.what == RANGE || is_label(other, LABEL_WEAK);
	if (is_one_label(w, one) && none && !scaled)
		to.label = (uint64_t)one.n;
	while (k < w->based.n && w->based.v[k].off != r->off)
		k++;
	if (k == w->based.n)
		vec_push(&w->based, to);
	else if (w->based.v[k].label != to.label)
		w->based.v[k].label = NO_LABEL;
}

/* What depends on distances of code, in the state in front of an instruction. */
static bool look(void *ctx, const struct step_at *at, const struct state *s)
{
	struct walk *w = ctx;
	struct operation op;
	step_describe(at, &op);
	struct value to = value_in(at, s, op.src);
	if (is_label(to, LABEL_SUM) && !w->summary && leads_to_source(w, at, &op)) {
		hold(w, to, false);
		w->g->block.v[at->b].astray |= !w->seeks;
	}
	const struct reloc *based = step_based(at);
	if (based)
		find_base(w, at, s, based);
	else
		read_code(w, at, s);
	if (at->leads)
		return false;
	add(w, at, s, &op);
	w->stores |= stores_label(at, s, &op);
	return false;
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

/* A function of the C library accesses memory at some of its arguments. */
static void pass_to_library(struct walk *w, const struct state *s, const struct accessor *lib)
{
	const uint8_t *arg = w->g->target->abi.arg;
	struct value n = value_number(1, 1), some = value_number(0, INT32_MAX);
	for (unsigned k = 0; k < 3 && n.what == RANGE; k++) {
		struct value v = s->reg[arg[k]];
		if (lib->count & 1u << k)
			n = v.what == RANGE ? value_number(n.lo, (int64_t)n.hi * v.hi) : some;
	}
	n = lib->count && n.what == RANGE ? n : some;
	for (unsigned k = 0; k < 3; k++) {
		struct value v = part(s->reg[arg[k]]);
		if (lib->at & 1u << k && is_address(v) && n.hi > 0)
			hold_accessed(w, v, n.hi);
	}
}

static void push_passing(struct walk *w, const struct passing *p)
{
	bool code = false;
	for (uint32_t i = 0; i < p->n && !code; i++)
		code = sums_is_code(w, p->arg[i].v);
	if (code)
		vec_push(w->summary ? &w->summary->passing : &w->passing, *p);
}

static void pass_to_function(struct walk *w, const struct state *s, uint32_t f)
{
	struct passing p = {.by = (uint32_t)(w->f - w->g->func.v), .func = f}, one;
	const regset known = argument_regs(w) & s->known;
	for (regset some = known; some; some &= some - 1) {
		p.zero |= value_is_number(s->reg[lowest_reg(some)], 0) ? some & -some : 0;
	}
	one = p;
	one.n = 1;
	for (regset some = known; some; some &= some - 1) {
		struct argument a = {.reg = (uint8_t)lowest_reg(some)};
		struct value v = part(s->reg[a.reg]);
		bool several = is_label(v, LABEL_SEVERAL) || p.n == ARGUMENTS;
		for (size_t k = 0; is_address(v) && label_of(w, v, k, &a.v); k++) {
			(several ? &one : &p)->arg[several ? 0 : p.n++] = a;
			if (several)
				push_passing(w, &one);
		}
	}
	push_passing(w, &p);
}

/*
 * In the state s labels are passed on at the end of block bl.  lib: as takes_labels() says.
 *
 * hazard: code read by a callee.  A function's address is passed to memcpy or write, or to a
 * function of the program that reads there, or takes the distance of two such addresses.
 */
static void pass(struct walk *w, const struct block *bl, const struct state *s,
	const struct accessor *lib)
{
	if (lib)
		pass_to_library(w, s, lib);
	else
		pass_to_function(w, s, w->g->block.v[bl->target].func);
}

/* Interpreting --------------------------------------------------------- */

void sums_name(struct walk *w, struct value v)
{
	bool found = v.what != LABEL;
	for (size_t k = 0; k < w->label.n && !found; k++)
		found = w->label.v[k].base == v.base && w->label.v[k].n == v.n;
	if (!found)
		vec_push(&w->label, v);
}

/* The labels that an instruction names, otherwise than to call them. */
static void name_labels(struct walk *w, const struct insn *in, uint32_t i)
{
	struct insn part[INSN_PARTS];
	if (!(in->has_rel || in->flags & INSN_OPERAND_PC))
		return;
	for (unsigned k = 0, n = cfg_parts(w->g, w->v.decoder, w->v.t, in, part); k < n; k++) {
		const struct step_at at = {.v = &w->v, .in = &part[k], .i = i};
		if (part[k].kind != INSN_CALL)
			sums_name(w, step_names(&at));
	}
}

/* Lists what the function names.  Has it relocations that may count from labels? */
static bool list_labels(struct walk *w)
{
	bool based = false;
	for (uint32_t b = w->f->block; b < w->f->block + w->f->nblock; b++) {
		const struct block *bl = &w->g->block.v[b];
		struct step_at at = {.v = &w->v, .in = &w->g->insn.v[bl->insn], .i = bl->insn};
		if (calls_itself(&w->v, b))
			sums_name(w, code_label(w->f->text, at.in->off));
		for (; at.i < bl->insn + bl->ninsn; at.i++, at.in++) {
			name_labels(w, at.in, at.i);
			based |= w->v.t->may_be_based && !bl->gap && step_based(&at);
		}
	}
	return based;
}

/*
 * hazard: distance from the own entry.  A function of MIPS may find labels by distances from its
 * address, which is in $t9: makecontext() of glibc does.
 */
static bool enter(struct values *v, uint32_t b, bool reached, struct state *s)
{
	const struct walk *w = v->ctx;
	const struct func *f = v->f;
	regset args = w->summary ? w->summary->args : 0, zero = w->summary ? w->summary->zero : 0;
	for (regset some = v->g->target->abi.entry_label; b == f->block && some; some &= some - 1)
		state_set(v, s, (int)lowest_reg(some), code_label(f->text, f->start));
	for (regset some = b == f->block ? args : 0; some; some &= some - 1)
		state_set(v, s, (int)lowest_reg(some), code_label(PASSED, lowest_reg(some)));
	for (regset some = b == f->block ? zero : 0; some; some &= some - 1)
		state_set(v, s, (int)lowest_reg(some), value_number(0, 0));
	return !reached && !v->g->block.v[b].gap;
}

static void look_at_block(struct walk *w, uint32_t b)
{
	const struct block *bl = &w->g->block.v[b];
	const struct accessor *lib;
	struct state s;
	bool takes = takes_labels(w, bl, &lib);
	if (!(takes || !w->seeks) || !values_at(&w->v, b, &s))
		return;
	values_run(&w->v, b, &s, w->seeks ? NULL : look, w);
	if (takes)
		pass(w, bl, &s, lib);
}

void sums_enter(struct walk *w, uint32_t f)
{
	w->f = w->v.f = &w->g->func.v[f];
	w->v.t = &w->g->text.v[w->f->text];
	w->label.n = w->based.n = 0;
	if (w->g->target->abi.entry_label)
		sums_name(w, code_label(w->f->text, w->f->start));
}

/* Does the function store labels? */
static bool walk_with(struct walk *w, unsigned kinds, bool stores)
{
	w->v.kinds = kinds;
	w->v.stores = stores;
	w->v.seek = w->seeks ? look : NULL;
	w->stores = false;
	values_walk(&w->v, (uint32_t)(w->f - w->g->func.v));
	for (uint32_t b = w->f->block; b < w->f->block + w->f->nblock; b++)
		look_at_block(w, b);
	return w->stores;
}

/* Without numbers first: is there anything to be held, except by functions that are called? */
void sums_walk(struct walk *w, bool sure)
{
	passing_vec *passing = w->summary ? &w->summary->passing : &w->passing;
	size_t n = passing->n;
	w->seeks = true;
	w->found = sure;
	w->adds_got = false;
	if (!sure)
		walk_with(w, KINDS_OF_LABELS & ~KIND(RANGE), false);
	bool states = w->g->stated && !w->summary, found = w->found, stores = w->stores;
	if (!found && stores && states)
		walk_with(w, KINDS_OF_LABELS & ~KIND(RANGE), true);
	w->seeks = w->held[0] = w->held[1] = false;
	if (found)
		passing->n = n;
	/* again: values were loaded before it was known that memory may hold labels */
	if (found && (stores = walk_with(w, KINDS_OF_LABELS, false)))
		walk_with(w, KINDS_OF_LABELS, true);
	if (states)
		sum_facts_add(w, stores);
	/* again: numbers are passed beside labels */
	if (!found && passing->n > n) {
		passing->n = n;
		w->seeks = true;
		walk_with(w, KINDS_OF_LABELS, false);
		w->seeks = false;
	}
}

static void keep_based(struct walk *w)
{
	for (size_t k = 0; k < w->based.n; k++)
		if (w->based.v[k].label != NO_LABEL)
			vec_push(&w->all_based, w->based.v[k]);
		else
			list_opaque_section(&w->opaque, w->f->text, OPAQUE_RELOC,
				w->based.v[k].off);
}

void sums_start(struct walk *w, struct cfg *g, unsigned worker)
{
	*w = (struct walk){.g = g,
		.reached.func = NO_FUNC,
		.v = {.g = g,
			.decoder = cfg_decoder(g, worker),
			.lead = lead_to_taken,
			.enter = enter,
			.ctx = w}};
}

void sums_free(struct walk *w)
{
	values_free(&w->v);
	vec_free(&w->label);
	vec_free(&w->reached.block);
	vec_free(&w->based);
}

struct summing {
	struct cfg *g;
	opaque_parts *opaque; /* by part */
	struct sum_facts *facts;
	struct {
		struct based_field *v;
		size_t n;
	} * based;
	passing_vec *passing; /* likewise */
};

static void sum_part(void *ctx, size_t part, unsigned worker)
{
	const struct summing *s = ctx;
	struct walk w;
	struct values calls = {.g = s->g, .decoder = cfg_decoder(s->g, worker)};
	sums_start(&w, s->g, worker);
	uint32_t f, end = cfg_part_funcs(s->g, part, &f);
	for (; f < end; f++) {
		sums_enter(&w, f);
		bool based = w.f->is_code && list_labels(&w);
		if (!w.f->is_code || !(w.label.n || based))
			continue;
		sums_walk(&w, based || w.f->leads_to_sum || calls_sum(&calls, f));
		keep_based(&w);
	}
	sums_free(&w);
	values_free(&calls);
	s->opaque[part] = w.opaque;
	s->facts[part] = w.facts;
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
		.facts = arena_array(g->arena, struct sum_facts, parts),
		.passing = arena_array(g->arena, passing_vec, parts)};
	passing_vec passed = {0};
	if (g->stated)
		g->stated->sum.n = g->stated->sums.n = 0;
	s.based = arena_alloc(g->arena, array_bytes(parts, sizeof *s.based));
	parallel(parts, sum_part, &s);
	for (size_t k = 0; k < parts; k++) {
		make_opaque(g, &s.opaque[k]);
		if (g->stated)
			sum_facts_join(g->stated, &s.facts[k]);
		for (size_t i = 0; i < s.passing[k].n; i++)
			vec_push(&passed, s.passing[k].v[i]);
		vec_free(&s.passing[k]);
		for (size_t i = 0; i < s.based[k].n; i++)
			vec_push(&g->based, s.based[k].v[i]);
		free(s.based[k].v);
	}
	passed_apply(g, &passed);
	hold_named_sections(g);
	if (g->based.n)
		sort(g->based.v, g->based.n, sizeof *g->based.v, based_cmp);
}
