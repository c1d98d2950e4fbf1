/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arithmetic.c - what instructions make of numbers and of labels of code; see values.h
 */
#include "cfg/arithmetic.h"

#include "cfg/calls.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"

#include "targets/access.h"

static const struct value nothing = {.what = ANYTHING};
static const struct value any_label = {LABEL, .flags = LABEL_SEVERAL | LABEL_WEAK};

struct value value_number(int64_t lo, int64_t hi)
{
	bool small = lo >= INT32_MIN && hi <= INT32_MAX;
	return small ? (struct value){RANGE, .flags = BOUNDED, .lo = (int32_t)lo, .hi = (int32_t)hi}
		     : nothing;
}

/* Any number of size bytes, fewer than eight. */
static struct value of_size(unsigned size, bool sext)
{
	int64_t end = (int64_t)1 << (size * 8 - sext);
	return value_number(sext ? -end : 0, end - 1);
}

bool value_is_number(struct value v, int32_t n)
{
	return v.what == RANGE && v.lo == n && v.hi == n;
}

bool value_is_exact(struct value v)
{
	return (v.flags & ~(unsigned)LABEL_ENDS) == BOUNDED && !v.lo && !v.hi;
}

struct value value_plus(struct value a, struct value b)
{
	if (value_is_number(b, 0))
		return a;
	if (a.what == GOT_DISTANCE || b.what == GOT_DISTANCE)
		return a.what == b.what ? a : nothing;
	struct value v = a.flags & b.flags & BOUNDED
		? value_number((int64_t)a.lo + b.lo, (int64_t)a.hi + b.hi)
		: nothing;
	if (a.what != LABEL && b.what != LABEL)
		return v;
	struct value l = join_labels(a, b);
	l.flags = (uint8_t)((l.flags & ~(unsigned)LABEL_ENDS) | LABEL_SUM | (v.flags & BOUNDED));
	l.lo = v.lo;
	l.hi = v.hi;
	return l;
}

static struct value minus(struct value a, struct value b)
{
	if (b.what == LABEL)
		return nothing;
	b = b.flags & BOUNDED ? value_number(-(int64_t)b.hi, -(int64_t)b.lo) : nothing;
	return value_plus(a, b);
}

/* Labels that instructions refer to ------------------------------------- */

/* Is label off of section c the start of a function that never returns? */
static bool ends(const struct cfg *g, const struct code_section *c, const struct ref *r)
{
	if (g->shared && r->rel && is_preemptible(&g->obj->sym.v[r->rel->sym]))
		return false;
	uint32_t f = r->off < c->sec->size ? cfg_func_at(g, c, r->off) : NO_FUNC;
	return f != NO_FUNC && g->func.v[f].start == r->off && g->func.v[f].never_returns;
}

static struct value label_of(const struct cfg *g, const struct ref *r)
{
	uint32_t text = g->text_of[r->sec];
	if (!text)
		return nothing;
	unsigned flags = BOUNDED | (ends(g, &g->text.v[text - 1], r) ? LABEL_ENDS : 0);
	return (struct value){LABEL, .flags = (uint8_t)flags, .base = text - 1,
		.n = (int64_t)r->off};
}

struct value value_relocated(const struct cfg *g, const struct ref *r)
{
	return r->role == ROLE_ABS || r->role == ROLE_GOT ? label_of(g, r) : nothing;
}

/* The label in the data that an instruction refers to. */
static struct value pointer(const struct cfg *g, uint32_t sec, uint64_t off)
{
	const struct section *s = &g->obj->sec.v[sec];
	uint32_t k = s->nrel ? section_first_reloc(s, off) : 0;
	if (k == s->nrel || s->rel[k].off != off)
		return nothing;
	struct ref r = cfg_word_ref(g, &s->rel[k], NULL);
	struct value v = value_relocated(g, &r);
	if (v.what == LABEL)
		v.flags = BOUNDED | LABEL_WEAK;
	return v;
}

static struct value named_by_reloc(const struct step_at *at, const struct reloc *r)
{
	const struct cfg *g = at->v->g;
	struct ref ref = cfg_reloc_ref(g, at->v->t, at->i, r);
	const struct reloc_info *info = g->target->reloc_info(r->type);
	bool half = info->role == ROLE_GOTREL && (info->high || info->low);
	if ((ref.role == ROLE_BASE && ref.sec) || half || cfg_names_got(g, r))
		return (struct value){.what = GOT_DISTANCE};
	struct value v = value_relocated(g, &ref);
	bool loads = info->low && at->in->flags & INSN_MEM && ref.role == ROLE_ABS;
	return v.what == ANYTHING && loads ? pointer(g, ref.sec, ref.off) : v;
}

struct value step_names(const struct step_at *at)
{
	const struct cfg *g = at->v->g;
	const struct insn *in = at->in;
	struct ref ref;
	uint32_t n;
	for (const struct reloc *r = insn_relocs(at->v->t, in, &n); n; n--, r++) {
		struct value v = named_by_reloc(at, r);
		if (v.what != ANYTHING)
			return v;
	}
	if (!(in->flags & INSN_OPERAND_PC) || is_anchor(g, at->v->t, at->i) ||
		!cfg_ref(g, at->v->t, at->i, &ref) || !ref.sec)
		return nothing;
	if (in->flags & INSN_MEM)
		return g->text_of[ref.sec] ? nothing : pointer(g, ref.sec, ref.off);
	return label_of(g, &ref);
}

/* Does a relocation of the instruction say so? */
static bool has_reloc(const struct step_at *at,
	bool (*is)(const struct cfg *, const struct reloc *))
{
	uint32_t n;
	for (const struct reloc *r = insn_relocs(at->v->t, at->in, &n); n; n--, r++)
		if (is(at->v->g, r))
			return true;
	return false;
}

/* It loads an address from the GOT, which it finds by a register. */
static bool is_entry(const struct cfg *g, const struct reloc *r)
{
	return g->target->reloc_info(r->type)->entry &&
		symbol_bind(&g->obj->sym.v[r->sym]) != STB_LOCAL;
}

static bool is_got(const struct cfg *g, const struct reloc *r)
{
	return g->target->reloc_info(r->type)->role == ROLE_GOT;
}

bool step_reads_got(const struct step_at *at)
{
	return has_reloc(at, is_got);
}

const struct reloc *step_based(const struct step_at *at)
{
	const struct code_section *t = at->v->t;
	uint32_t n = 0;
	const struct reloc *r = t->may_be_based ? insn_relocs(t, at->in, &n) : NULL;
	for (; n; n--, r++) {
		struct ref ref = cfg_reloc_ref(at->v->g, t, at->i, r);
		bool own = at->in->pc_size && !at->in->resolved && r == &t->sec->rel[at->in->ref];
		if (!own && may_be_based(at->v->g, t, at->i, &ref))
			return r;
	}
	return NULL;
}

/* Results ----------------------------------------------------------------- */

struct value value_in(const struct step_at *at, const struct state *s, int reg)
{
	if (reg < 0 || reg >= REGS)
		return nothing;
	return at->v->g->target->zero & REG_BIT(reg) ? value_number(0, 0) : s->reg[reg];
}

static struct value word(const struct step_at *at)
{
	return at->v->stores ? any_label : nothing;
}

/* What is at the place that relocations of the instruction, and perhaps of one before, name. */
static struct value content(const struct step_at *at)
{
	const struct cfg *g = at->v->g;
	uint32_t n;
	for (const struct reloc *r = insn_relocs(at->v->t, at->in, &n); n; n--, r++) {
		struct ref ref = cfg_reloc_ref(g, at->v->t, at->i, r);
		if (g->target->reloc_info(r->type)->low && ref.role == ROLE_ABS)
			return pointer(g, ref.sec, ref.off);
	}
	return step_names(at);
}

static struct value load(const struct step_at *at, const struct operation *op)
{
	bool constant = (op->base < 0 && op->index < 0) ||
		cfg_names_whole(at->v->g, at->v->t, at->in) || has_reloc(at, is_entry);
	struct value v = constant ? content(at) : nothing;
	if (v.what != ANYTHING)
		return v;
	if (op->size < 4)
		return of_size(op->size, op->sext);
	return op->size == 8 ? word(at) : nothing;
}

/*
 * The result of other arithmetic on the registers reads, and on memory if mem: memory operands
 * there disguise pointers (guard values), and are no distances of labels.
 */
static struct value mixed(const struct state *s, regset reads, bool mem)
{
	struct value v = nothing;
	for (int r = 0; r < REGS; r++)
		if (reads & REG_BIT(r) && s->reg[r].what == LABEL)
			v = join_labels(v, unbounded(s->reg[r]));
	if (v.what != LABEL)
		return nothing;
	if (v.flags & LABEL_OTHERS)
		v = one_of_several(v.flags & LABEL_SUM);
	v.flags &= (uint8_t)~LABEL_ENDS;
	v.flags |= v.flags & LABEL_WEAK || mem ? LABEL_WEAK : LABEL_SUM | LABEL_WEAK;
	return v;
}

/*
 * a & b, or a | b.  A label with a mask of zeros or ones is that label, 0 or -1.
 *
 * hazard: label or -1.  clang chooses between a function and the constant -1 by
 * sbb %rax,%rax; or %rax,%r8, and calls %r8 unless it is -1.
 */
static struct value masked(const struct step_at *at, const struct state *s, struct value a,
	struct value b)
{
	bool mask_a = a.what == RANGE && a.lo >= -1 && a.hi <= 0;
	bool mask_b = b.what == RANGE && b.lo >= -1 && b.hi <= 0;
	if (!mask_a && !mask_b)
		return mixed(s, insn_effects(at->in)->reads, false);
	struct value other = mask_a ? b : a;
	return other.what == LABEL ? join_labels(other, nothing) : nothing;
}

/* Is it an even label?  Then bit 0 of it is 0. */
static bool is_even(const struct values *v, struct value x)
{
	return x.what == LABEL && x.base == PASSED && v->even & REG_BIT(x.n) && value_is_exact(x);
}

/* v & n. */
static struct value low_bits(const struct step_at *at, const struct state *s, struct value v,
	int64_t n)
{
	if (n == 1 && is_even(at->v, v))
		return value_number(0, 0);
	if (v.what == LABEL || v.what == GOT_DISTANCE || n < 0)
		return mixed(s, insn_effects(at->in)->reads, false);
	bool one = v.what == RANGE && v.lo == v.hi && v.lo >= 0;
	return one ? value_number(v.lo & n, v.lo & n) : value_number(0, n);
}

static struct value multiplied(const struct step_at *at, const struct state *s, int reg, int64_t by)
{
	struct value v = value_in(at, s, reg);
	if (by == 1)
		return v;
	if (v.what != RANGE)
		return mixed(s, REG_BIT(reg), false);
	return value_number(v.lo * by, v.hi * by);
}

static struct value address(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	struct value v = step_names(at);
	if (cfg_names_whole(at->v->g, at->v->t, at->in))
		return v;
	if (step_based(at)) /* the address of data, if the register holds the label */
		return nothing;
	if (v.what == ANYTHING && !at->in->has_rel && !op->pc_rel)
		v = value_number(op->disp, op->disp);
	if (op->base >= 0)
		v = value_plus(value_in(at, s, op->base), v);
	if (op->index >= 0)
		v = value_plus(multiplied(at, s, op->index, op->scale), v);
	return v;
}

/* The low bytes of v, extended as op says. */
static struct value extended(struct value v, const struct operation *op)
{
	bool sext = op->op == OP_SEXT;
	if (op->size == 8 || (op->size == 4 && v.what != RANGE))
		return v;
	if (v.what == RANGE && v.lo >= 0 && v.hi >> (op->size * 8 - sext) == 0)
		return v;
	return op->size < 4 ? of_size(op->size, sext) : nothing;
}

/* The value that the instruction makes, of which the target says at most how large it is. */
static struct value other(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	const struct cfg *g = at->v->g;
	const struct insn *in = at->in;
	regset made = insn_effects(in)->clobbers & (REG_BIT(REGS) - 1);
	if (cfg_names_whole(g, at->v->t, in) && step_names(at).what == GOT_DISTANCE)
		return (struct value){.what = GOT_DISTANCE};
	struct load_part part;
	bool loads = g->target->load_part &&
		g->target->load_part(insn_bytes(at->v->t, in), in->len, &part);
	regset reads = insn_effects(in)->reads & ~(loads ? REG_BIT(part.base) : 0);
	struct value v = mixed(s, reads, in->flags & INSN_MEM);
	/*
	 * hazard: unaligned function pointer.  The address that lwl and lwr load from is not part
	 * of the value.
	 */
	if (loads && at->v->stores)
		v = join_labels(v, any_label);
	bool small = v.what == ANYTHING && op->max && op->max <= INT32_MAX && !(made & (made - 1));
	return small ? value_number(0, (int64_t)op->max) : v;
}

static struct value popped(const struct step_at *at)
{
	const struct code_section *t = at->v->t;
	bool first = at->i == at->v->g->block.v[at->b].insn;
	if (!first || !calls_itself(at->v, at->b))
		return word(at);
	return (struct value){LABEL, .flags = BOUNDED, .base = (uint32_t)(t - at->v->g->text.v),
		.n = at->in->off};
}

static struct value shifted(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	struct value v = value_in(at, s, op->dst);
	bool follows = op->imm < 32 && !(v.what == RANGE && v.lo < 0);
	return follows ? multiplied(at, s, op->dst, (int64_t)1 << op->imm) : nothing;
}

struct value step_result(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	const struct insn *in = at->in;
	struct value dst = value_in(at, s, op->dst), src = value_in(at, s, op->src);
	struct value second = op->index < 0 ? dst : value_in(at, s, op->index);
	switch (op->op) {
	case OP_IMM: /* a place in the GOT is no address yet */
		return step_reads_got(at) ? nothing
			: in->has_rel	  ? step_names(at)
					  : value_number(op->imm, op->imm);
	case OP_MOVE:
	case OP_ADD_GOT: /* a relocation made the distance, as it makes an address */
	case OP_SEXT: return extended(src, op);
	case OP_SELECT: return join_values(at->v, second, src);
	case OP_LOAD: return load(at, op);
	case OP_POP: return popped(at);
	case OP_LEA: return address(at, s, op);
	case OP_ADD: return value_plus(dst, src);
	case OP_ADD_LOAD: return value_plus(dst, load(at, op));
	case OP_SUB: return minus(second, src);
	case OP_MASK: return value_number(-1, 0);
	case OP_AND:
	case OP_OR: return masked(at, s, dst, src);
	case OP_AND_IMM: return low_bits(at, s, op->src < 0 ? dst : src, op->imm);
	case OP_SHIFT: return shifted(at, s, op);
	default: return other(at, s, op);
	}
}

/* Branches ---------------------------------------------------------------- */

/* Do the flags, of the result of a part of the block, say that it is 0? */
static bool flags_say_zero(const struct step_at *at, const struct state *s)
{
	const struct cfg *g = at->v->g;
	regset lost = 0;
	for (uint32_t i = at->i; i-- > g->block.v[at->b].insn;) {
		const struct insn *in = &g->insn.v[i];
		regset change = insn_effects(in)->clobbers;
		struct operation op;
		if (in->flags & INSN_VAGUE)
			return false;
		if (!(change & REGSET_FLAGS)) {
			lost |= change;
			continue;
		}
		g->target->describe(at->v->decoder, insn_bytes(at->v->t, in), in, &op);
		struct value a = value_in(at, s, op.dst);
		if (lost & (bit_of(op.dst) | bit_of(op.src)))
			return false;
		if (op.op != OP_TEST)
			return op.op == OP_AND_IMM && value_is_number(a, 0);
		struct value b = op.src < 0 ? value_number(op.imm, op.imm)
					    : value_in(at, s, op.src);
		return value_is_number(a, 0) || value_is_number(b, 0) ||
			(is_even(at->v, a) && value_is_number(b, 1));
	}
	return false;
}

/*
 * hazard: pointer to a member function.  Bit 0 says that it is virtual: then code reads a table by
 * way of it.  No function of the object is odd, so this is not done with its address.
 */
static enum way way_of_even(const struct step_at *at, const struct state *s)
{
	struct operation op;
	step_describe(at, &op);
	if (op.op != OP_BRANCH_ZERO || !flags_say_zero(at, s))
		return EITHER_WAY;
	return op.imm ? TO_TARGET : TO_NEXT;
}

static bool is_about_bit(const struct condition *c)
{
	return c->relation == RELATION_BIT || c->relation == RELATION_NO_BIT;
}

static enum way way_of_bit(const struct step_at *at, struct value v, const struct condition *c)
{
	bool number = v.what == RANGE && v.lo == v.hi && v.lo >= 0;
	if (!number && !(c->with == 0 && is_even(at->v, v)))
		return EITHER_WAY;
	bool set = number && (int64_t)v.lo >> c->with & 1;
	return set == (c->relation == RELATION_BIT) ? TO_TARGET : TO_NEXT;
}

/*
 * hazard: path that is not taken.  clang -O1 sets a register to 1 and branches on it, in a block
 * that was shared once: on the way not taken a register with a label is a counter.
 */
enum way step_way(const struct step_at *at, const struct state *s)
{
	const struct target *t = at->v->g->target;
	struct action act[ACTIONS];
	if (at->in->kind != INSN_BRANCH || !t->actions(insn_bytes(at->v->t, at->in), at->in, act))
		return EITHER_WAY;
	const struct condition *c = &act[0].condition;
	bool equal = c->relation == RELATION_EQ;
	if (at->v->even && c->relation == RELATION_NONE)
		return way_of_even(at, s);
	if (act[0].leads == LEADS_DIRECT && c->a >= 0 && is_about_bit(c))
		return way_of_bit(at, value_in(at, s, c->a), c);
	if (act[0].leads != LEADS_DIRECT || (!equal && c->relation != RELATION_NE) ||
		c->size != t->word || c->a < 0)
		return EITHER_WAY;
	struct value a = value_in(at, s, c->a);
	struct value b = c->b < 0 ? value_number(c->with, c->with) : value_in(at, s, c->b);
	if (a.what != RANGE || b.what != RANGE)
		return EITHER_WAY;
	if (a.lo > b.hi || b.lo > a.hi)
		return equal ? TO_NEXT : TO_TARGET;
	if (a.lo == a.hi && b.lo == b.hi)
		return equal ? TO_TARGET : TO_NEXT;
	return EITHER_WAY;
}

bool step_never_returns(const struct step_at *at, const struct state *s)
{
	struct operation op;
	if (at->in->kind != INSN_CALL_IND)
		return false;
	step_describe(at, &op);
	struct value to = value_in(at, s, op.src);
	return op.op == OP_CALL_REG && to.what == LABEL && to.flags & LABEL_ENDS &&
		!(to.flags & (LABEL_WEAK | LABEL_SUM | LABEL_OTHERS));
}
