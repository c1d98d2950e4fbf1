/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.c - sums of a code address and a number
 *
 * A distance within a section that the assembler computed is a plain number; it is wrong once code
 * is inserted in between.  So each function that makes or loads an address of code is executed over
 * abstract values: a register holds a number in an interval, or a label plus such a number.  What
 * it holds where a block begins is stated (follow.c). Where an instruction adds to a label that is
 * reachable code, or control goes to a sum with any label, each place that the sum may be must be
 * as far from the label as before; if the number has no bounds, the whole section must be
 * unchanged.
 */
#include "verify/branches.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/sites.h"
#include "verify/sums.h"

#include "targets/access.h"

#include <stdlib.h>

/* Labels ---------------------------------------------------------------- */

/* The place in code that an absolute relocation, or its GOT entry, holds the address of. */
static bool word_of(const struct sums *s, const struct reloc *r, uint32_t *sec, uint64_t *x)
{
	const struct verify *v = s->v;
	r = whole_reloc(v, r);
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	if ((role != ROLE_ABS && role != ROLE_GOT) || !place_of(v->a, r, 0, sec, x) ||
		!text_at(v, *sec))
		return false;
	if (role == ROLE_GOT)
		reloc_target(v->a, r, x);
	return true;
}

/* The label in a word of data. */
static struct value stored_at(struct sums *s, uint32_t sec, uint64_t x)
{
	const struct section *data = &s->v->a->sec.v[sec];
	uint32_t i = section_first_reloc(data, x);
	if (i == data->nrel || data->rel[i].off != x || !word_of(s, &data->rel[i], &sec, &x))
		return (struct value){0};
	return one_label(label_number(s, sec, x), true);
}

/* Is the value of r's symbol, which the linker defines, a distance to the GOT? */
static bool is_got_distance(const struct verify *v, const struct reloc *r)
{
	const struct symbol *sym = &v->a->sym.v[r->sym];
	const char *name = v->target->got_distance;
	return name && sym->sec == SEC_UNDEF && !strcmp(sym->name, name);
}

/* The label that an operand of a part of instruction k is, or that the word there holds. */
static struct value named_by(struct sums *s, uint32_t k, const struct insn *in)
{
	const struct verify *v = s->v;
	const struct section *a = s->t->a;
	uint64_t end = (uint64_t)in->off + in->len, x;
	uint32_t i = section_first_reloc(a, in->off), sec;
	for (; i < a->nrel && a->rel[i].off < end; i++) {
		bool field = in->pc_size && a->rel[i].off == in->off + (uint64_t)in->pc_off;
		const struct reloc_info *info = v->target->reloc_info(a->rel[i].type);
		bool half = info->role == ROLE_GOTREL && (info->high || info->low);
		if ((!field && info->role == ROLE_BASE) || half || is_got_distance(v, &a->rel[i]))
			return (struct value){.from_got = true};
		if (word_of(s, &a->rel[i], &sec, &x))
			return one_label(placed_elsewhere(s, label_number(s, sec, x)), false);
	}
	if (!(in->flags & INSN_OPERAND_PC) ||
		!insn_target(v, s->t, in, insn_reloc(s->t, in, in->pc_off), &sec, &x))
		return (struct value){0};
	if (text_at(v, sec) && in->flags & INSN_MEM)
		return (struct value){0};
	if (text_at(v, sec))
		return one_label(placed_by(s, label_number(s, sec, x), k), false);
	return in->flags & INSN_MEM ? stored_at(s, sec, x) : (struct value){0};
}

/* Does instruction k pop the return address of a call of k right in front of it? */
static bool pops_itself(const struct sums *s, uint32_t k)
{
	const struct verify *v = s->v;
	const struct vbranch *b =
		k > s->from && v->insn.v[k - 1].kind == INSN_CALL ? branch_at(v, k - 1) : NULL;
	return b && b->target == k;
}

/* Does a relocation of a part name an entry of the GOT; (whole) just that of a symbol? */
static bool names_entry(const struct sums *s, const struct insn *in, bool whole)
{
	const struct verify *v = s->v;
	const struct section *a = s->t->a;
	uint64_t end = (uint64_t)in->off + in->len;
	for (uint32_t i = section_first_reloc(a, in->off); i < a->nrel && a->rel[i].off < end;
		i++) {
		const struct reloc *r = &a->rel[i];
		if (whole ? v->target->reloc_info(r->type)->entry &&
					symbol_bind(&v->a->sym.v[r->sym]) != STB_LOCAL
			  : v->target->reloc_info(whole_reloc(v, r)->type)->role == ROLE_GOT)
			return true;
	}
	return false;
}

/* Does a relocation change the part? */
static bool is_relocated(const struct sums *s, const struct insn *in)
{
	uint32_t i = section_first_reloc(s->t->a, in->off);
	return i < s->t->a->nrel && s->t->a->rel[i].off < (uint64_t)in->off + in->len;
}

/* A part's relocation for the low bits of a place, if the rest is in its base; or NULL. */
static const struct reloc *low_reloc(const struct sums *s, const struct insn *in,
	const struct operation *op)
{
	const struct reloc *r = insn_reloc(s->t, in, op->disp_off);
	return r && s->v->target->reloc_info(r->type)->low ? r : NULL;
}

/* Numbers the labels that instruction k names, otherwise than to call them. */
static void name_labels(struct sums *s, uint32_t k)
{
	const struct insn *in = &s->v->insn.v[k];
	struct insn part[INSN_PARTS];
	for (unsigned i = vparts(s->v, s->t, in, part); i-- > 0;)
		if (part[i].kind != INSN_CALL)
			named_by(s, k, &part[i]);
}

/* Does the function name a label of a section that has changed? */
static bool names_labels(struct sums *s)
{
	const struct verify *v = s->v;
	uint32_t r = section_first_reloc(s->t->a, v->insn.v[s->from].off);
	s->label.n = 0;
	for (uint32_t k = s->from; k < s->to; k++) {
		const struct insn *in = &v->insn.v[k];
		uint64_t end = (uint64_t)in->off + in->len;
		bool has = r < s->t->a->nrel && s->t->a->rel[r].off < end;
		while (r < s->t->a->nrel && s->t->a->rel[r].off < end)
			r++;
		if (in->kind != KIND_RAW && (has || in->flags & INSN_OPERAND_PC))
			name_labels(s, k);
		if (k > s->from && in[-1].kind == INSN_CALL && pops_itself(s, k))
			label_number(s, s->t->a->index, in->off);
	}
	if (v->target->abi.entry_label)
		label_number(s, s->t->a->index, v->insn.v[s->from].off);
	for (size_t i = 0; i < s->label.n; i++)
		if (!is_rigid(s->v, s->label.v[i].text))
			return true;
	return false;
}

/* Execution ------------------------------------------------------------- */

static struct value loaded(struct sums *s, uint32_t k, const struct insn *in,
	const struct operation *op)
{
	const struct reloc *r = low_reloc(s, in, op);
	struct value v = {0};
	uint32_t sec;
	uint64_t x;
	r = r ? whole_reloc(s->v, r) : NULL;
	if (r && s->v->target->reloc_info(r->type)->role == ROLE_ABS)
		v = place_of(s->v->a, r, 0, &sec, &x) ? stored_at(s, sec, x) : v;
	else if (r || (op->base < 0 && op->index < 0) || names_entry(s, in, true))
		v = named_by(s, k, in);
	if (v.label || v.from_got)
		return v;
	return op->size < 4	? of_size(op->size, op->sext)
		: op->size == 8 ? any_label(s)
				: (struct value){0};
}

/* Is r pc-relative, but no pc-relative field of its insn k?  Then code adds it to a register. */
static bool is_relative(const struct sums *s, const struct reloc *r, uint32_t k)
{
	const struct insn *in = &s->v->insn.v[k];
	return is_pc_relative(s->v, r) && in->kind != KIND_RAW &&
		!(in->pc_size && r->off == in->off + (uint64_t)in->pc_off);
}

/* The relocation of instruction k for which that is so, or NULL. */
static const struct reloc *relative_of(const struct sums *s, uint32_t k)
{
	const struct section *a = s->t->a;
	const struct insn *in = &s->v->insn.v[k];
	uint32_t i = section_first_reloc(a, in->off);
	for (; i < a->nrel && a->rel[i].off < (uint64_t)in->off + in->len; i++)
		if (is_relative(s, &a->rel[i], k))
			return &a->rel[i];
	return NULL;
}

static struct value address(struct sums *s, uint32_t k, const struct insn *in,
	const struct operation *op)
{
	struct value v = named_by(s, k, in), base = reg_value(s, op->base);
	if (relative_of(s, k)) /* the address of data: check_relatives() */
		return (struct value){0};
	/* the base is the rest of that place, on each path that leads here */
	if (low_reloc(s, in, op) && (!base.sum || base.loaded))
		return v;
	if (!v.label && !op->pc_rel && !is_relocated(s, in))
		v = number_between(op->disp, op->disp);
	if (op->base >= 0)
		v = plus_value(base, v);
	if (op->index >= 0)
		v = plus_value(times_value(s, op->index, op->scale), v);
	return v;
}

/* What instruction in makes, if it is known at most how large that is. */
static struct value other(const struct sums *s, const struct insn *in, const struct operation *op)
{
	const struct effects *e = insn_effects(in);
	regset made = e->clobbers & (REG_BIT(REGS) - 1);
	const struct target *t = s->v->target;
	struct load_part part;
	bool loads = t->load_part && t->load_part(s->t->a->data + in->off, in->len, &part);
	struct value v =
		mixed_value(s, e->reads & ~(loads ? REG_BIT(part.base) : 0), in->flags & INSN_MEM);
	if (loads)
		v = either_value(v, any_label(s));
	/* the limit is that of one result */
	if (v.label || !op->max || op->max > INT32_MAX || (made & (made - 1)))
		return v;
	return number_between(0, (int64_t)op->max);
}

/* The value of op->dst behind a part of instruction k: in. */
static struct value result(struct sums *s, uint32_t k, const struct insn *in,
	const struct operation *op)
{
	struct value dst = reg_value(s, op->dst), v;
	switch (op->op) {
	case OP_IMM: /* a place in the GOT is no address yet */
		v = names_entry(s, in, false) ? (struct value){0} : named_by(s, k, in);
		return v.label || v.from_got || is_relocated(s, in)
			? v
			: number_between(op->imm, op->imm);
	case OP_MOVE:
	case OP_ADD_GOT: /* a relocation made the distance, as it makes an address */
	case OP_SEXT: return moved_value(reg_value(s, op->src), op);
	case OP_SELECT: return either_value(dst, reg_value(s, op->src));
	case OP_LOAD: return loaded(s, k, in, op);
	case OP_POP:
		return pops_itself(s, k)
			? one_label(placed_elsewhere(s, label_number(s, s->t->a->index, in->off)),
				  false)
			: any_label(s);
	case OP_LEA: return address(s, k, in, op);
	case OP_ADD: return plus_value(dst, reg_value(s, op->src));
	case OP_ADD_LOAD: return plus_value(dst, loaded(s, k, in, op));
	case OP_SUB:
		return minus_value(op->index < 0 ? dst : reg_value(s, op->index),
			reg_value(s, op->src));
	case OP_MASK: return number_between(-1, 0);
	case OP_AND:
	case OP_OR: return masked_value(s, in, dst, reg_value(s, op->src));
	case OP_AND_IMM:
		v = op->src < 0 ? dst : reg_value(s, op->src);
		if (v.label || op->imm < 0)
			return mixed_value(s, insn_effects(in)->reads, false);
		return v.bounded && v.lo == v.hi && v.lo >= 0
			? number_between(v.lo & op->imm, v.lo & op->imm)
			: number_between(0, op->imm);
	case OP_SHIFT:
		return op->imm < 32 && (dst.label || dst.lo >= 0)
			? times_value(s, op->dst, (int64_t)1 << op->imm)
			: (struct value){0};
	default:
		v = is_relocated(s, in) ? named_by(s, k, in) : (struct value){0};
		return v.from_got ? v : other(s, in, op);
	}
}

/*
 * Does instruction k transfer control to op->src, other than through a table?  A relocation may say
 * which function's start that is.
 */
static bool enters(const struct sums *s, uint32_t k, const struct operation *op)
{
	if (callee_of(s->v, s->t, &s->v->insn.v[k]))
		return false;
	return op->op == OP_CALL_REG || (op->op == OP_JUMP_REG && !bit_get(s->w->by_table, k)) ||
		(op->op == OP_PUSH && k + 1 < s->to && s->v->insn.v[k + 1].kind == INSN_RET);
}

/* Does a part of instruction k store a label? */
static bool stores_label(struct sums *s, uint32_t k, const struct insn *in,
	const struct operation *op)
{
	if (op->op == OP_STORE || op->op == OP_PUSH || op->op == OP_STORE_PAIR)
		return reg_value(s, op->src).label ||
			(op->op == OP_STORE_PAIR && reg_value(s, op->index).label);
	if (!(in->flags & INSN_MEM) || (op->op != OP_OTHER && op->op != OP_STORE_IMM))
		return false;
	struct value v = named_by(s, k, in);
	return v.label && !v.loaded;
}

/* The new relocation of relocation r of instruction k, if the instruction is no longer. */
static const struct reloc *moved_reloc(const struct sums *s, const struct reloc *r, uint32_t k)
{
	const struct section *b = s->t->b;
	uint64_t y = s->t->hi[k - s->t->first] + r->off - s->v->insn.v[k].off;
	uint32_t i = section_first_reloc(b, y);
	return i < b->nrel && b->rel[i].off == y && b->rel[i].sym == r->sym &&
			b->rel[i].type == r->type
		? &b->rel[i]
		: NULL;
}

static bool is_exact(const struct sums *s, struct value v)
{
	return v.label && v.label != MANY && !v.sum && !v.loaded && v.bounded && !v.lo && !v.hi &&
		&s->v->text.v[s->label.v[v.label - 1].text] == s->t;
}

/* If instruction k has data's distance from a label that is in a register: is it right now? */
static void judge_based(struct sums *s, uint32_t k)
{
	const struct insn *in = &s->v->insn.v[k];
	const struct section *a = s->t->a;
	struct zone m;
	const struct reloc *r = relative_of(s, k), *q = r ? moved_reloc(s, r, k) : NULL;
	if (!q || !s->v->target->zone(a->data + in->off, in, &m) || !m.disp_off ||
		r->off != (uint64_t)in->off + m.disp_off)
		return;
	struct value base = reg_value(s, m.base), index = reg_value(s, m.index);
	bool swap = !is_exact(s, base) && !m.far;
	struct value one = swap ? index : base, other = swap ? base : index;
	if (!is_exact(s, one) || (other.label && !other.loaded) || other.from_got)
		return;
	const struct label *l = &s->label.v[one.label - 1];
	/* label + field is where it was */
	if (l->placed == PLACED &&
		l->x - r->off + (uint64_t)r->addend == l->y - q->off + (uint64_t)q->addend)
		bit_set(s->based, k);
}

/*
 * The address of the memory of instruction k: label 0 if it is no code, or is found by an entry of
 * the GOT.
 */
static struct value accessed(struct sums *s, uint32_t k, const struct zone *z)
{
	const struct insn *in = &s->v->insn.v[k];
	const struct reloc *r = insn_reloc(s->t, in, z->disp_off);
	const struct reloc_info *info = NULL;
	struct value v = number_between(z->at, z->at);
	if (r)
		info = s->v->target->reloc_info(whole_reloc(s->v, r)->type);
	if (info && info->role != ROLE_ABS)
		return (struct value){0};
	bool low = r && s->v->target->reloc_info(r->type)->low;
	if (low || (r && z->disp_off))
		v = named_by(s, k, in);
	if (low)
		return v;
	v = plus_value(reg_value(s, z->base), v);
	if (z->index >= 0)
		v = plus_value(v, reg_value(s, z->index));
	return z->far ? plus_value(v, (struct value){0}) : v;
}

/* Are the bytes from lo to hi from the label on, where its address leads now, plainly the same? */
static bool are_bytes(const struct verify *v, const struct label *l, int64_t lo, int64_t hi)
{
	const struct section *a = v->text.v[l->text].a, *b = v->text.v[l->text].b;
	uint64_t from = l->x + (uint64_t)lo, to = l->y + (uint64_t)lo, n = (uint64_t)(hi - lo) + 1;
	if (l->placed != PLACED || from >= a->size || to >= b->size || n > a->size - from ||
		n > b->size - to)
		return false;
	uint32_t r = section_first_reloc(a, from), q = section_first_reloc(b, to);
	bool plain = (r == a->nrel || a->rel[r].off >= from + n) &&
		(q == b->nrel || b->rel[q].off >= to + n);
	return plain && !memcmp(a->data + from, b->data + to, n);
}

/*
 * Instruction k accesses bytes of code: check that they are the same.  Only what was made from one
 * label on all paths is sure to be one.
 */
static void judge_bytes(struct sums *s, uint32_t k)
{
	const struct verify *v = s->v;
	const struct insn *in = &v->insn.v[k];
	struct zone z;
	if (!(in->flags & INSN_MEM) || in->kind == INSN_NOP ||
		!v->target->zone(s->t->a->data + in->off, in, &z))
		return;
	struct value at = accessed(s, k, &z);
	if (!at.label || at.label == MANY || at.loaded)
		return;
	struct label *l = &s->label.v[at.label - 1];
	if (!is_code(s, l) ||
		(at.bounded ? keeps_distances(s, l, at.lo, at.hi + z.size - 1) ||
					are_bytes(v, l, at.lo, at.hi + z.size - 1)
			    : is_rigid(s->v, l->text)))
		return;
	vfail(s->v, s->t->a, in->off, "accesses bytes of code at %s+0x%llx, which are others now",
		v->text.v[l->text].a->name, (unsigned long long)l->x);
}

/* A part of instruction k. */
static void execute_part(struct sums *s, uint32_t k, const struct insn *in)
{
	const struct insn *whole = &s->v->insn.v[k];
	struct operation op;
	s->v->target->describe(s->v->decoder, s->t->a->data + in->off, in, &op);
	if (enters(s, k, &op))
		judge_sum(s, k, reg_value(s, op.src), true);
	if (!s->stored && whole->kind != INSN_RET && stores_label(s, k, in, &op))
		vfail(s->v, s->t->a, in->off, "stores an address of code, and this is not stated");
	bool none = is_call(in) || is_scaled_part(s->v, k);
	struct value made = none ? (struct value){0} : result(s, k, in, &op);
	if (op.op == OP_ADD || op.op == OP_ADD_LOAD || op.op == OP_SUB ||
		(op.op == OP_LEA && (op.base >= 0 || op.index >= 0)))
		judge_sum(s, k, made, false);
	struct value moved = {0};
	if (op.moves)
		moved = plus_value(reg_value(s, op.base), number_between(op.moves, op.moves));
	for (regset lost = insn_effects(in)->clobbers & REGSET_GENERAL; lost; lost &= lost - 1) {
		int r = (int)lowest_reg(lost);
		struct value v = op.dst < 0 || op.dst == r ? made : (struct value){0};
		set_value(&s->now, r, op.moves && op.base == r ? moved : v);
	}
}

/* Its second part may be executed only if the branch is taken. */
static const void *execute(void *ctx, uint32_t k)
{
	struct sums *s = ctx;
	const struct insn *in = &s->v->insn.v[k];
	struct insn part[INSN_PARTS];
	unsigned n = vparts(s->v, s->t, in, part);
	bool likely = n > 1 && insn_is_likely(in);
	judge_based(s, k);
	judge_bytes(s, k);
	for (unsigned i = 0; i < n; i++) {
		if (i && likely)
			s->before = s->now;
		execute_part(s, k, &part[i]);
	}
	regset lost = is_call(in) ? s->v->target->abi.call_clobbers & REGSET_GENERAL : 0;
	for (; lost; lost &= lost - 1)
		set_value(&s->now, (int)lowest_reg(lost), (struct value){0});
	if (!likely)
		return &s->now;
	s->taken = s->now;
	s->now = s->before;
	return &s->taken;
}

/* What is stated --------------------------------------------------------- */

static struct value stated_value(struct sums *s, uint32_t n)
{
	const struct stated *all = s->v->opt.stated;
	const struct sum_at *x = n < all->sum.n ? &all->sum.v[n] : NULL;
	bool label = x && (x->kind == SUM_LABEL || x->kind == SUM_SEVERAL);
	if (!x || x->kind == SUM_GOT_DISTANCE)
		return (struct value){.from_got = x};
	if (x->kind == SUM_LABEL && !text_at(s->v, x->sec))
		return (struct value){0};
	struct value v = number_between(x->lo, x->hi);
	if (!(x->flags & SUM_BOUNDED))
		v = (struct value){0};
	if (label) {
		v.label = x->kind == SUM_SEVERAL ? MANY : label_number(s, x->sec, x->off);
		v.sum = x->flags & SUM_ADDED;
		v.loaded = x->flags & SUM_WEAK;
		v.others = x->flags & SUM_OTHERS;
		v.ends = x->flags & SUM_ENDS && v.label == MANY;
	}
	return v;
}

static regset regs_of(const struct said *f)
{
	return f->holds == HOLDS_SUM ? (uint32_t)f->place : 0;
}

static bool is_nowhere(const struct sums *s, const struct said *f)
{
	const struct stated *all = s->v->opt.stated;
	return f->holds == HOLDS_SUM && f->n < all->sum.n && all->sum.v[f->n].kind == SUM_NOWHERE;
}

/* Is it the start of a function that never returns? */
static bool ends(const struct sums *s, struct value v)
{
	if (!v.label || v.sum || v.loaded || v.others || s->v->opt.shared)
		return false;
	if (v.label == MANY)
		return v.ends;
	const struct label *l = &s->label.v[v.label - 1];
	const struct vtext *t = &s->v->text.v[l->text];
	return l->x < t->a->size && bit_get(s->w->endless, insn_at(s->v, t, l->x));
}

/* Of what comes from elsewhere only numbers are known, that is nothing. */
static bool includes(void *ctx, const struct said *f, const void *state)
{
	struct sums *s = ctx;
	struct value v = f->holds == HOLDS_SUM ? stated_value(s, f->n) : (struct value){0};
	if (is_nowhere(s, f))
		return false;
	bool good = f->holds != HOLDS_SUM || state || v.label || v.from_got;
	for (regset some = state ? regs_of(f) : 0; some && good; some &= some - 1) {
		struct value x = state_value(state, (int)lowest_reg(some));
		good = includes_value(v, x) && (!v.ends || ends(s, x));
	}
	return good;
}

/* Is there a label of which nothing is stated? */
static bool misses(void *ctx, const struct said *f, size_t n, const void *state)
{
	const struct state *s = state;
	regset said = 0;
	(void)ctx;
	for (size_t i = 0; i < n; i++)
		said |= regs_of(&f[i]);
	for (regset some = s->some & ~said; some; some &= some - 1)
		if (s->reg[lowest_reg(some)].label)
			return true;
	return false;
}

static void start(void *ctx)
{
	struct sums *s = ctx;
	s->now.some = 0;
}

static bool add(void *ctx, const struct said *f)
{
	struct sums *s = ctx;
	for (regset some = regs_of(f); some; some &= some - 1)
		set_value(&s->now, (int)lowest_reg(some), stated_value(s, f->n));
	return !is_nowhere(s, f);
}

/* Does instruction k call the address of a function that never returns? */
static bool is_last(const struct sums *s, uint32_t k)
{
	const struct insn *in = &s->v->insn.v[k];
	struct operation op;
	s->v->target->describe(s->v->decoder, s->t->a->data + in->off, in, &op);
	return op.op == OP_CALL_REG && ends(s, reg_value(s, op.src));
}

/* Where a branch leads by the numbers that it compares. */
static enum going going(void *ctx, uint32_t k)
{
	const struct sums *s = ctx;
	const struct target *t = s->v->target;
	const struct insn *in = &s->v->insn.v[k];
	struct action act[ACTIONS];
	if (in->kind == INSN_CALL_IND)
		return is_last(s, k) ? TO_TARGET : EITHER_WAY;
	if (in->kind != INSN_BRANCH || !t->actions(s->t->a->data + in->off, in, act))
		return EITHER_WAY;
	const struct condition *c = &act[0].condition;
	bool equal = c->relation == RELATION_EQ, bit = c->relation == RELATION_BIT;
	if (act[0].leads == LEADS_DIRECT && c->a >= 0 && (bit || c->relation == RELATION_NO_BIT)) {
		struct value v = reg_value(s, c->a);
		if (!v.bounded || v.label || v.lo != v.hi || v.lo < 0)
			return EITHER_WAY;
		return (v.lo >> c->with & 1) == bit ? TO_TARGET : TO_NEXT;
	}
	if (act[0].leads != LEADS_DIRECT || (!equal && c->relation != RELATION_NE) ||
		c->size != t->word || c->a < 0)
		return EITHER_WAY;
	struct value a = reg_value(s, c->a);
	struct value b = c->b < 0 ? number_between(c->with, c->with) : reg_value(s, c->b);
	if (!a.bounded || !b.bounded || a.label || b.label)
		return EITHER_WAY;
	if (a.lo > b.hi || b.lo > a.hi)
		return equal ? TO_NEXT : TO_TARGET;
	if (a.lo == a.hi && b.lo == b.hi)
		return equal ? TO_TARGET : TO_NEXT;
	return EITHER_WAY;
}

/* Control flow -------------------------------------------------------------- */

/*
 * An indirect jump leads where its table says, or to any label whose address is taken: to one that
 * only distances name if it is by some table.  The start of the function is entered as by a call.
 */
static void lead(void *ctx, uint32_t k)
{
	struct sums *s = ctx;
	const uint64_t *taken = jump_at(s->v, k) ? s->w->taken : s->w->addressed;
	if (follow_tables(&s->f, k) || callee_of(s->v, s->t, &s->v->insn.v[k]))
		return;
	for (uint32_t i = s->from + 1; i < s->to; i++)
		if (bit_get(taken, i))
			follow_to(&s->f, k, i, &s->now);
}

/* At its entry a function may have its own address in a register. */
static void enter(struct sums *s)
{
	regset some = s->v->target->abi.entry_label;
	s->now.some = 0;
	if (!some)
		return;
	uint32_t n = label_number(s, s->t->a->index, s->v->insn.v[s->from].off);
	struct label *l = &s->label.v[placed_elsewhere(s, n) - 1];
	l->asked = l->code = true;
	for (; some; some &= some - 1)
		set_value(&s->now, (int)lowest_reg(some), one_label(n, false));
}

/* Where control comes to from elsewhere, too, there are labels if it comes with them. */
static void check_seen(const struct sums *s)
{
	const struct verify *v = s->v;
	for (size_t i = 0; i < s->f.fact.n; i++) {
		const struct said *f = &s->f.fact.v[i];
		uint32_t part = part_of(s->w, f->insn);
		if (f->holds == HOLDS_SUM && f->open && !f->seen && bit_get(s->f.done, part))
			vfail(s->v, v->text.v[s->w->part.v[part].text].a, v->insn.v[f->insn].off,
				"registers are said to hold what nothing leaves there");
	}
}

static void run_function(struct sums *s, uint32_t part)
{
	size_t n;
	follow_enter(&s->f, part);
	const struct said *f = follow_facts(&s->f, &n);
	s->stored = false;
	for (size_t i = 0; i < n; i++)
		s->stored |= f[i].insn == s->from && f[i].holds == HOLDS_STORED;
	enter(s);
	follow_run(&s->f, &s->now);
}

static void check_relatives(struct sums *s, uint32_t text)
{
	struct verify *v = s->v;
	const struct section *a = s->t->a;
	uint32_t k = s->t->first, end = k + s->t->n;
	for (uint32_t i = 0; i < a->nrel; i++) {
		uint32_t sec;
		uint64_t x;
		while (k < end && v->insn.v[k].off + (uint64_t)v->insn.v[k].len <= a->rel[i].off)
			k++;
		if (k == end)
			break; /* without a field, at the section's end */
		if (!is_relative(s, &a->rel[i], k) || bit_get(s->based, k))
			continue;
		const struct reloc *q = moved_reloc(s, &a->rel[i], k);
		bool same = q && q->addend == a->rel[i].addend;
		bool code = place_of(v->a, &a->rel[i], 0, &sec, &x) && text_at(v, sec);
		bool rigid = is_rigid(v, text) && !(code && !is_rigid(v, v->text_of[sec] - 1));
		if (!same || (!rigid && is_reached(s, s->t, k)))
			vfail(v, a, a->rel[i].off,
				"is a distance from an address in a register, and "
				"code was inserted in between");
	}
}

void verify_sums(const struct flow *w)
{
	struct verify *v = w->v;
	struct sums s = {.v = v, .w = w};
	s.reached = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	s.based = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	static const struct follower by = {.kinds = 1 << HOLDS_SUM | 1 << HOLDS_STORED,
		.includes = includes,
		.misses = misses,
		.start = start,
		.add = add,
		.going = going,
		.execute = execute,
		.lead = lead};
	follow_open(&s.f, w, &by, &s, &s.now);
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		const struct part *p = &w->part.v[i];
		s.t = &v->text.v[p->text];
		if (p->func != i || p->idle || !bit_get(s.t->start, v->insn.v[p->first].off))
			continue;
		s.from = p->first;
		s.to = w->part.v[p->func_end].first;
		if (names_labels(&s))
			run_function(&s, i);
	}
	for (uint32_t i = 0; i < v->text.n; i++) {
		s.t = &v->text.v[i];
		check_relatives(&s, i);
	}
	vec_free(&s.label);
	follow_entries(&s.f, true);
	check_seen(&s);
	follow_close(&s.f);
}
