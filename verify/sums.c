/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.c - sums of a code address and a number
 *
 * A distance within a section that the assembler computed is a plain number; it is wrong once code
 * is inserted in between.  So each function that makes or loads an address of code is interpreted
 * over abstract values: a register holds a number in an interval, or a label plus such a number.
 * Where an instruction adds to a label that is reachable code, or control goes to a sum with any
 * label, each place that the sum may be must be as far from the label as before; if the number has
 * no bounds, the whole section must be unchanged.
 */
#include "verify/branches.h"
#include "verify/landing.h"
#include "verify/places.h"
#include "verify/sites.h"
#include "verify/sums.h"

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

/* Does a relocation of a part name an entry of the GOT? */
static bool names_entry(const struct sums *s, const struct insn *in)
{
	const struct verify *v = s->v;
	const struct section *a = s->t->a;
	uint64_t end = (uint64_t)in->off + in->len;
	for (uint32_t i = section_first_reloc(a, in->off); i < a->nrel && a->rel[i].off < end; i++)
		if (v->target->reloc_info(whole_reloc(v, &a->rel[i])->type)->role == ROLE_GOT)
			return true;
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
	else if (r || (op->base < 0 && op->index < 0))
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
		v = names_entry(s, in) ? (struct value){0} : named_by(s, k, in);
		return v.label || v.from_got || is_relocated(s, in)
			? v
			: number_between(op->imm, op->imm);
	case OP_MOVE:
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
		return !dst.label && op->imm >= 0 ? number_between(0, op->imm)
						  : mixed_value(s, insn_effects(in)->reads, false);
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
	if (op->op == OP_STORE || op->op == OP_PUSH)
		return reg_value(s, op->src).label;
	if (!(in->flags & INSN_MEM) || (op->op != OP_OTHER && op->op != OP_STORE_IMM))
		return false;
	struct value v = named_by(s, k, in);
	return v.label && !v.loaded;
}

static bool is_call(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
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

/* A part of instruction k, perhaps: or it is not executed. */
static void execute_part(struct sums *s, uint32_t k, const struct insn *in, bool perhaps)
{
	struct operation op;
	s->v->target->describe(s->v->decoder, s->t->a->data + in->off, in, &op);
	if (enters(s, k, &op))
		judge_sum(s, k, reg_value(s, op.src), true);
	s->stores |= stores_label(s, k, in, &op);
	bool none = is_call(&s->v->insn.v[k]) || is_scaled_part(s->v, k);
	struct value made = none ? (struct value){0} : result(s, k, in, &op);
	if (op.op == OP_ADD || op.op == OP_ADD_LOAD || op.op == OP_SUB ||
		(op.op == OP_LEA && (op.base >= 0 || op.index >= 0)))
		judge_sum(s, k, made, false);
	for (regset lost = insn_effects(in)->clobbers & REGSET_GENERAL; lost; lost &= lost - 1) {
		int r = (int)lowest_reg(lost);
		struct value to = op.dst < 0 || op.dst == r ? made : (struct value){0};
		set_value(&s->now, r, perhaps ? met_value(reg_value(s, r), to) : to);
	}
}

static void execute(struct sums *s, uint32_t k)
{
	const struct target *t = s->v->target;
	const struct insn *in = &s->v->insn.v[k];
	struct insn part[INSN_PARTS];
	unsigned n = vparts(s->v, s->t, in, part);
	if (s->judging) {
		judge_based(s, k);
		judge_bytes(s, k);
	}
	for (unsigned i = 0; i < n; i++)
		execute_part(s, k, &part[i], i && insn_is_likely(in));
	regset lost = is_call(in) ? t->abi.call_clobbers & REGSET_GENERAL : 0;
	for (; lost; lost &= lost - 1)
		set_value(&s->now, (int)lowest_reg(lost), (struct value){0});
}

/* Join the current state into that of a leader.  Does this change it? */
static bool join(const struct sums *s, struct leader *l)
{
	bool changed = !l->known;
	for (regset some = l->at.some | s->now.some; some; some &= some - 1) {
		int r = (int)lowest_reg(some);
		struct value old = state_value(&l->at, r), new = reg_value(s, r);
		new = l->known ? met_value(old, new) : new;
		changed |= !same_value(old, new);
		set_value(&l->at, r, new);
	}
	l->known = true;
	return changed;
}

static void lead_to(struct sums *s, uint32_t leader)
{
	if (!s->judging && join(s, &s->at.v[leader]))
		vec_push(&s->todo, leader);
}

/* The number of leader k, or MANY. */
static uint32_t leader_at(const struct sums *s, uint32_t k)
{
	uint32_t i;
	BISECT(i, 0, (uint32_t)s->at.n, s->at.v[i].k < k);
	return i < s->at.n && s->at.v[i].k == k ? i : MANY;
}

static void lead_to_insn(struct sums *s, uint32_t k)
{
	uint32_t i = leader_at(s, k);
	if (i != MANY)
		lead_to(s, i);
}

static void lead_to_taken(struct sums *s)
{
	if (s->judging || !join(s, &s->taken))
		return;
	s->now = s->taken.at;
	for (uint32_t i = 0; i < s->at.n; i++)
		if (bit_get(s->w->taken, s->at.v[i].k))
			lead_to(s, i);
}

/* May control come to instruction k other than by falling through? */
static bool is_led(const struct sums *s, uint32_t k)
{
	return bit_get(s->led, k) || bit_get(s->w->taken, k) || bit_get(s->w->entry, k);
}

/* Tables of jumps ------------------------------------------------------- */

static uint32_t leader_in(const struct sums *s, uint32_t sec, uint64_t to)
{
	return sec == s->t->a->index && to < s->t->a->size && is_boundary(s->v, sec, to)
		? leader_at(s, insn_at(s->v, s->t, to))
		: MANY;
}

static bool is_base(const struct sums *s, struct vbase at)
{
	size_t i;
	BISECT(i, 0, s->base.n, vbase_cmp(&s->base.v[i], &at) < 0);
	return i < s->base.n && vbase_cmp(&s->base.v[i], &at) == 0;
}

/*
 * Are the targets of all words leaders, and is it sure where the words end?  They end in front of
 * the table of another jump; at another place that code refers to, only if the word there leads to
 * no leader.
 */
static bool is_whole(const struct sums *s, const struct vtable *table)
{
	struct vwords w = vtable_words(s->v, table);
	uint32_t sec, n = 0;
	uint64_t to;
	for (; vtable_next(s->v, &w, &sec, &to); n++)
		if (leader_in(s, sec, to) == MANY)
			return false;
	return n &&
		(is_base(s, (struct vbase){table->at.sec, w.x}) ||
			!vtable_word(s->v, &w, &sec, &to) || leader_in(s, sec, to) == MANY);
}

/* Find the tables of the function's jumps, as far as they are sure. */
static void find_tables(struct sums *s)
{
	size_t n = 0;
	s->jump.n = s->base.n = 0;
	for (uint32_t k = s->from; k < s->to; k++) {
		struct jump j = {.k = k};
		const struct vtable *table = table_at(s->v, k);
		if (!table)
			continue;
		j.table = *table;
		vec_push(&s->jump, j);
		vec_push(&s->base, j.table.at);
	}
	sort(s->base.v, s->base.n, sizeof *s->base.v, vbase_cmp);
	for (size_t i = 0; i < s->jump.n; i++)
		if (is_whole(s, &s->jump.v[i].table))
			s->jump.v[n++] = s->jump.v[i];
	s->jump.n = n;
}

/* Join the state into all that jump k, by a table, leads to.  False: its table is not sure. */
static bool lead_to_words(struct sums *s, uint32_t k)
{
	uint32_t sec;
	uint64_t to;
	size_t i;
	BISECT(i, 0, s->jump.n, s->jump.v[i].k < k);
	if (i == s->jump.n || s->jump.v[i].k != k)
		return false;
	struct vwords w = vtable_words(s->v, &s->jump.v[i].table);
	while (vtable_next(s->v, &w, &sec, &to))
		lead_to(s, leader_in(s, sec, to));
	return true;
}

/*
 * A call of an outside function, or of one that never returns, may not return, if other code leads
 * to the insn behind it and behind no-ops that align that.
 */
static bool returns(const struct sums *s, uint32_t k)
{
	const struct reloc *r = target_reloc(s->v, s->t, &s->v->insn.v[k]);
	bool may_not = (r && s->v->a->sym.v[r->sym].sec == SEC_UNDEF) ||
		is_last_call(s->w, s->t, k);
	uint32_t next = k + 1;
	while (next < s->to && s->v->insn.v[next].kind == INSN_NOP && !is_led(s, next))
		next++;
	return !ends_function(s->v, s->t, k) && !(may_not && is_led(s, next));
}

/* Join the state into k's other successors.  Does control also fall through from k? */
static bool goes_on(struct sums *s, uint32_t k)
{
	const struct vbranch *b = branch_of(s->v, k);
	if (b)
		lead_to_insn(s, b->target);
	switch ((enum insn_kind)s->v->insn.v[k].kind) {
	case INSN_JUMP:
	case INSN_RET:
	case INSN_TRAP: return false;
	case INSN_JUMP_IND:
		if (!callee_of(s->v, s->t, &s->v->insn.v[k]) && !lead_to_words(s, k))
			lead_to_taken(s);
		return false;
	case INSN_CALL:
	case INSN_CALL_IND: return returns(s, k);
	default: return true;
	}
}

static void run(struct sums *s, uint32_t leader)
{
	uint32_t k = s->at.v[leader].k, next = leader + 1;
	s->now = s->at.v[leader].at;
	for (;; k++) {
		if (k == s->to || s->v->insn.v[k].kind == KIND_RAW)
			return;
		if (next < s->at.n && k == s->at.v[next].k) {
			lead_to(s, next);
			return;
		}
		execute(s, k);
		if (!goes_on(s, k))
			return;
	}
}

/* At its entry a function may have its own address in a register. */
static void enter(struct sums *s)
{
	uint32_t n;
	if (!s->v->target->abi.entry_label)
		return;
	n = placed_elsewhere(s, label_number(s, s->t->a->index, s->v->insn.v[s->from].off));
	s->label.v[n - 1].asked = s->label.v[n - 1].code = true;
	for (regset some = s->v->target->abi.entry_label; some; some &= some - 1)
		set_value(&s->now, (int)lowest_reg(some), one_label(n, false));
}

static void run_all(struct sums *s)
{
	for (size_t i = 0; i < s->at.n; i++)
		s->at.v[i].known = false, s->at.v[i].at.some = 0;
	s->taken.known = false;
	s->taken.at.some = 0;
	for (uint32_t i = 0; i < s->at.n; i++) {
		if (s->at.v[i].known)
			continue;
		s->now.some = 0;
		if (!i)
			enter(s);
		lead_to(s, i);
		while (s->todo.n)
			run(s, s->todo.v[--s->todo.n]);
	}
}

static void run_function(struct sums *s)
{
	s->stores = s->judging = false;
	s->at.n = 0;
	for (uint32_t k = s->from; k < s->to; k++)
		if (k == s->from || is_led(s, k))
			vec_push(&s->at, (struct leader){.k = k});
	find_tables(s);
	run_all(s);
	/* loads before the first store of a label did not yet yield labels */
	if (s->stores)
		run_all(s);
	s->judging = true;
	for (uint32_t i = 0; i < s->at.n; i++)
		run(s, i);
}

static void find_led(struct sums *s)
{
	const struct verify *v = s->v;
	for (size_t i = 0; i < v->branch.n; i++)
		bit_set(s->led, v->branch.v[i].target);
	for (size_t i = 0; i < s->w->pad.n; i++)
		bit_set(s->led, s->w->pad.v[i].pad);
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
	s.led = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	s.reached = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	s.based = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	find_led(&s);
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		const struct part *p = &w->part.v[i];
		s.t = &v->text.v[p->text];
		if (p->func != i || p->idle || !bit_get(s.t->start, v->insn.v[p->first].off))
			continue;
		s.from = p->first;
		s.to = w->part.v[p->func_end].first;
		if (names_labels(&s))
			run_function(&s);
	}
	for (uint32_t i = 0; i < v->text.n; i++) {
		s.t = &v->text.v[i];
		check_relatives(&s, i);
	}
	vec_free(&s.label);
	vec_free(&s.at);
	vec_free(&s.todo);
	vec_free(&s.jump);
	vec_free(&s.base);
}
