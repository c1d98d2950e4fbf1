/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled.c - jump tables of scaled distances without relocations
 *
 * An entry is the distance of a label from a base, most often divided by 4.  The rewriter states
 * which instructions make a jump's target of such a table: values.c checks that these do, always.
 */
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/tables.h"

#include "targets/stated.h"

#include <stdlib.h>

enum { WORD = 4 };

/* The stated tables ------------------------------------------------------ */

static void describe(const struct verify *v, const struct vtext *t, uint32_t k,
	struct operation *op)
{
	v->target->describe(v->decoder, t->a->data + v->insn.v[k].off, &v->insn.v[k], op);
}

/* The instruction at x; NO_INSN: none that was understood begins there. */
static uint32_t begins_at(const struct verify *v, const struct vtext *t, uint64_t x)
{
	uint32_t k = x < t->a->size ? insn_at(v, t, x) : NO_INSN;
	return k != NO_INSN && v->insn.v[k].off == x && v->insn.v[k].kind != KIND_RAW ? k : NO_INSN;
}

bool names_place(const struct verify *v, const struct vtext *t, uint32_t k, bool low,
	struct vbase *to)
{
	const struct reloc *r = insn_reloc(t, &v->insn.v[k], 0);
	const struct reloc_info *form = r ? v->target->reloc_info(r->type) : NULL;
	return r && form->role == ROLE_ABS && form->low == low &&
		place_of(v->a, r, 0, &to->sec, &to->off);
}

static bool is_sum(const struct verify *v, const struct vtext *t, struct vscaled *s)
{
	struct operation op;
	describe(v, t, s->sum, &op);
	s->sext = op.sext;
	s->scale = op.scale;
	s->extends = op.op == OP_LEA ? 0 : op.size;
	return (op.op == OP_ADD_EXTENDED || op.op == OP_LEA) && op.index >= 0 && op.base >= 0 &&
		(op.scale == 1 || op.scale == WORD) && !op.disp;
}

static bool is_anchor(const struct verify *v, const struct vtext *t, struct vscaled *s)
{
	const struct insn *anchor = &v->insn.v[s->anchor];
	struct operation op;
	uint32_t sec;
	describe(v, t, s->anchor, &op);
	return op.op == OP_LEA && op.pc_rel && !insn_reloc(t, anchor, 0) &&
		insn_target(v, t, anchor, NULL, &sec, &s->base) && sec == t->a->index;
}

static bool is_load(const struct verify *v, const struct vtext *t, struct vscaled *s)
{
	struct operation op;
	describe(v, t, s->load, &op);
	s->size = op.size;
	s->sext = s->extends ? s->sext : op.sext;
	return op.op == OP_LOAD && op.index >= 0 && op.base >= 0 && op.scale == op.size &&
		!op.disp && op.size <= WORD;
}

static bool are_names(const struct verify *v, const struct vtext *t, struct vscaled *s)
{
	struct vbase page;
	struct operation op;
	describe(v, t, s->name, &op);
	return op.op == OP_LEA && op.base >= 0 && names_place(v, t, s->name, true, &s->table) &&
		names_place(v, t, s->page, false, &page) && !vbase_cmp(&page, &s->table);
}

/* Is it in read-only data, and does each of n entries lead to an instruction? */
static bool is_table(const struct verify *v, const struct vscaled *s)
{
	const struct section *data = &v->a->sec.v[s->table.sec], *code = v->text.v[s->text].a;
	uint64_t end = s->table.off + (uint64_t)s->n * s->size;
	if (!s->n || !data->data || end > data->size || data->flags & SHF_WRITE)
		return false;
	for (uint32_t k = 0; k < s->n; k++)
		if (!is_boundary(v, code->index, scaled_label_of(v, s, k)))
			return false;
	return true;
}

/* Are the parts of the table what they are said to be? */
static bool read_table(const struct verify *v, const struct vtext *t, const struct table_at *at,
	struct vscaled *s)
{
	const uint32_t off[] = {at->page, at->name, at->load, at->anchor, at->sum, at->jump};
	uint32_t *part[] = {&s->page, &s->name, &s->load, &s->anchor, &s->sum, &s->jump};
	*s = (struct vscaled){.text = (uint32_t)(t - v->text.v),
		.n = at->n,
		.closed = at->closed,
		.proved = at->proved};
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		if ((*part[i] = begins_at(v, t, off[i])) == NO_INSN)
			return false;
	return v->insn.v[s->jump].kind == INSN_JUMP_IND && is_sum(v, t, s) && is_anchor(v, t, s) &&
		is_load(v, t, s) && are_names(v, t, s) && is_table(v, s);
}

static int scaled_cmp(const void *a, const void *b)
{
	const struct vscaled *x = a, *y = b;
	return x->jump < y->jump ? -1 : x->jump > y->jump;
}

void read_scaled(struct verify *v)
{
	const struct stated *all = v->opt.stated;
	v->scaled_part = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	v->scaled_load = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	for (size_t i = 0; all && v->target->words && i < all->table.n; i++) {
		const struct table_at *at = &all->table.v[i];
		const struct vtext *t = text_at(v, at->sec);
		struct vscaled s;
		if (!t || !read_table(v, t, at, &s)) {
			vfail(v, &v->a->sec.v[t ? at->sec : 0], at->jump, "jumps by no such table");
			continue;
		}
		bit_set(v->scaled_part, s.load);
		bit_set(v->scaled_load, s.load);
		bit_set(v->scaled_part, s.sum);
		bit_set(v->scaled_part, s.anchor);
		vec_push(&v->scaled, s);
	}
	if (v->scaled.n)
		sort(v->scaled.v, v->scaled.n, sizeof *v->scaled.v, scaled_cmp);
}

const struct vscaled *scaled_at(const struct verify *v, uint32_t jump)
{
	size_t i;
	BISECT(i, 0, v->scaled.n, v->scaled.v[i].jump < jump);
	return i < v->scaled.n && v->scaled.v[i].jump == jump ? &v->scaled.v[i] : NULL;
}

uint32_t scaled_target(const struct verify *v, const struct vscaled *s, uint32_t k)
{
	const struct vtext *t = &v->text.v[s->text];
	uint64_t x = scaled_label_of(v, s, k);
	return x < t->a->size ? insn_at(v, t, x) : NO_INSN;
}

bool is_scaled_part(const struct verify *v, uint32_t k)
{
	return bit_get(v->scaled_part, k);
}

/*
 * The register in which the new form of instruction k, at new, makes the address of a
 * table that it loads from; or -1.  types: of the relocations of that.
 */
static int own_reg(const struct verify *v, const struct vtext *t, uint32_t k, const uint8_t *new,
	uint32_t types[2])
{
	enum { REGS = 31 };
	uint8_t sum[WORD], load[MOST_OWN];
	for (unsigned reg = 0; reg < REGS; reg++) {
		memcpy(load, t->a->data + v->insn.v[k].off, WORD);
		memcpy(sum, load, WORD);
		v->target->words->read_words(load, sum);
		v->target->words->read_own(load, reg, types);
		if (reg != v->target->stack_reg && !memcmp(new, load, v->target->words->own_len))
			return (int)reg;
	}
	return -1;
}

bool reads_own(const struct verify *v, const struct vtext *t, uint32_t k, uint64_t y)
{
	uint32_t types[2];
	return bit_get(v->scaled_load, k) && t->b->size - y >= v->target->words->own_len &&
		own_reg(v, t, k, t->b->data + y, types) >= 0;
}

regset own_changes(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint64_t y = t->hi[k - t->first];
	uint32_t types[2];
	if (!v->target->words || !bit_get(v->scaled_load, k) ||
		new_end(t, k) - y != v->target->words->own_len)
		return 0;
	int reg = own_reg(v, t, k, t->b->data + y, types);
	return reg < 0 ? 0 : REG_BIT(reg);
}

bool has_own_relocs(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct reloc *first, const struct reloc *second)
{
	uint64_t y = t->hi[k - t->first];
	uint32_t types[2];
	own_reg(v, t, k, t->b->data + y, types);
	return first && second && first->off == y && second->off == y + WORD &&
		first->type == types[0] && second->type == types[1] && v->tables &&
		first->sym == v->tables && second->sym == v->tables &&
		first->addend == second->addend;
}

bool reads_words(const struct verify *v, const struct vtext *t, uint32_t k, const uint8_t *new)
{
	uint8_t load[WORD], sum[WORD];
	const uint8_t *old = t->a->data + v->insn.v[k].off;
	if (!bit_get(v->scaled_part, k))
		return false;
	memcpy(load, old, WORD);
	memcpy(sum, old, WORD);
	v->target->words->read_words(load, sum);
	return !memcmp(new, load, WORD) || !memcmp(new, sum, WORD);
}

regset form_changes(const struct verify *v, const struct vtext *t, uint32_t k)
{
	const struct insn *in = &v->insn.v[k];
	regset changes = 0;
	unsigned far = in->kind == KIND_RAW ? 0 : insn_far_len(v->target, in, &changes);
	return far && far == new_end(t, k) - t->hi[k - t->first] ? changes : own_changes(v, t, k);
}
