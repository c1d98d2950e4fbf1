/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled.c - jump tables of scaled distances without relocations
 *
 * An entry is the distance of a label from a base, most often divided by 4.  The jump's table is
 * found in the old code, by the nearest instructions in front of it that set the registers it uses.
 */
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/tables.h"

#include <stdlib.h>

enum { FAR = 20000, NEAR = 20, WORD = 4, MOST = 4096 };

/* Finding tables -------------------------------------------------------- */

static void describe(const struct verify *v, const struct vtext *t, uint32_t k,
	struct operation *op)
{
	v->target->describe(v->decoder, t->a->data + v->insn.v[k].off, &v->insn.v[k], op);
}

static bool falls_through(const struct insn *in)
{
	return in->kind != KIND_RAW && in->kind != INSN_JUMP && in->kind != INSN_JUMP_IND &&
		in->kind != INSN_RET && in->kind != INSN_TRAP;
}

/* A branch to the instruction with number to. */
struct arrival {
	uint32_t to, from;
};

/* A search back through one section's code. */
struct search {
	const struct verify *v;
	const struct vtext *t;
	VEC(struct arrival) arrival; /* by to */
	VEC(uint32_t) jump;	     /* indirect jumps of the function */
	uint32_t end;		     /* of the function */
	VEC(struct arrival)
	todo;		/* control comes to to from from; in the order of their distance */
	VEC(int) value; /* of todo: what is followed, a register or KEPT */
	uint64_t *met;	/* instructions */
	int64_t kept;	/* place in the frame that is followed, or -1 */
	bool passes_calls;
};
enum { KEPT = 99, KEPT_SIZE = 8 };

static int arrival_cmp(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static void find_arrivals(struct search *w)
{
	uint32_t sec;
	uint64_t x;
	for (uint32_t i = w->t->first; i < w->t->first + w->t->n; i++) {
		const struct insn *in = &w->v->insn.v[i];
		if ((in->kind == INSN_BRANCH || in->kind == INSN_JUMP) &&
			!insn_reloc(w->t, in, in->pc_off) &&
			insn_target(w->v, w->t, in, NULL, &sec, &x) &&
			is_boundary(w->v, w->t->a->index, x))
			vec_push(&w->arrival,
				(struct arrival){.to = insn_at(w->v, w->t, x), .from = i});
	}
	sort(w->arrival.v, w->arrival.n, sizeof *w->arrival.v, arrival_cmp);
}

static void add_step(struct search *w, uint32_t to, uint32_t from, int value)
{
	if (bit_get(w->met, from))
		return;
	bit_set(w->met, from);
	vec_push(&w->todo, (struct arrival){.to = to, .from = from});
	vec_push(&w->value, value);
}

static bool starts(const struct search *w, uint32_t k)
{
	return k == w->t->first || bit_get(w->t->start, w->v->insn.v[k].off);
}

/* Begin with the function of instruction k. */
static void find_jumps(struct search *w, uint32_t k)
{
	if (k < w->end)
		return;
	w->jump.n = 0;
	for (w->end = k; !starts(w, k);)
		k--;
	do {
		if (w->v->insn.v[k].kind == INSN_JUMP_IND)
			vec_push(&w->jump, k);
		w->end = ++k;
	} while (k < w->t->first + w->t->n && !starts(w, k));
}

/*
 * All that control comes from to instruction k of a function; perhaps the last indirect jump in
 * front of it if nothing else does, or any if none is in front.
 */
static void add_steps(struct search *w, uint32_t k, int value)
{
	size_t i, jump;
	if (value < 0)
		return;
	bool begins = starts(w, k), falls = !begins && falls_through(&w->v->insn.v[k - 1]);
	if (falls)
		add_step(w, k, k - 1, value);
	BISECT(i, 0, w->arrival.n, w->arrival.v[i].to < k);
	BISECT(jump, 0, w->jump.n, w->jump.v[jump] < k);
	if (!begins && !falls && (i == w->arrival.n || w->arrival.v[i].to != k)) {
		size_t end = jump ? jump : w->jump.n;
		for (jump = jump ? jump - 1 : 0; jump < end; jump++)
			add_step(w, k, w->jump.v[jump], value);
	}
	for (; i < w->arrival.n && w->arrival.v[i].to == k; i++)
		add_step(w, k, w->arrival.v[i].from, value);
}

static void start_search(struct search *w, uint32_t k, int value)
{
	for (size_t i = 0; i < w->todo.n; i++)
		bit_clear(w->met, w->todo.v[i].from);
	w->todo.n = w->value.n = 0;
	add_steps(w, k, value);
}

static bool changes(const struct verify *v, uint32_t k, int reg)
{
	const struct insn *in = &v->insn.v[k];
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	return in->kind == KIND_RAW || (call && v->target->abi.call_clobbers & REG_BIT(reg)) ||
		insn_effects(in)->clobbers & REG_BIT(reg);
}

/* What has the value of the place in the frame in front of instruction k, -1: not known. */
static int before_kept(struct search *w, uint32_t k)
{
	const struct insn *in = &w->v->insn.v[k];
	struct operation op;
	int64_t at;
	unsigned size;
	bool store;
	if (changes(w->v, k, w->v->target->stack_reg))
		return -1;
	if (!w->v->target->frame_access(w->t->a->data + in->off, in, &at, &size, &store) ||
		!store || at >= w->kept + KEPT_SIZE || w->kept >= at + size)
		return KEPT;
	describe(w->v, w->t, k, &op);
	if (at > w->kept || w->kept + KEPT_SIZE > at + size || op.size != KEPT_SIZE)
		return -1;
	return op.op == OP_STORE	 ? op.src
		: op.op != OP_STORE_PAIR ? -1
		: op.disp == w->kept	 ? op.src
					 : op.index;
}

/* The same for a register; *sets: instruction k has its value from elsewhere. */
static int before_reg(struct search *w, uint32_t k, int reg, bool *sets)
{
	struct operation op;
	*sets = false;
	/* the callee may be known to keep it */
	if (!changes(w->v, k, reg) || (w->passes_calls && w->v->insn.v[k].kind == INSN_CALL))
		return reg;
	describe(w->v, w->t, k, &op);
	if (op.op == OP_LOAD && op.dst == reg && op.base == w->v->target->stack_reg &&
		op.index < 0 && op.size == KEPT_SIZE && (w->kept < 0 || w->kept == op.disp)) {
		w->kept = op.disp;
		return KEPT;
	}
	*sets = w->v->insn.v[k].kind != KIND_RAW;
	return -1;
}

/* The nearest instruction in front of k that sets reg and fits, in its function; NO_INSN: none. */
static uint32_t setter(struct search *w, uint32_t k, int reg,
	bool (*fits)(const struct verify *v, const struct vtext *t, uint32_t k))
{
	bool sets;
	if (reg < 0)
		return NO_INSN;
	w->passes_calls = true;
	start_search(w, k, reg);
	for (size_t i = 0; i < w->todo.n && i < FAR; i++) {
		uint32_t from = w->todo.v[i].from;
		int value = w->value.v[i];
		if (value == KEPT) {
			add_steps(w, from, before_kept(w, from));
			continue;
		}
		value = before_reg(w, from, value, &sets);
		if (sets && fits(w->v, w->t, from))
			return from;
		add_steps(w, from, value);
	}
	return NO_INSN;
}

/* Does control that comes from branch k to instruction to know that an index is below a bound? */
static bool is_below(const struct verify *v, const struct vtext *t, uint32_t k, uint32_t to,
	struct operation *branch)
{
	describe(v, t, k, branch);
	return branch->op == OP_BRANCH_ABOVE ? to == k + 1
					     : branch->op == OP_BRANCH_UP_TO && to != k + 1;
}

/* Does the nearest instruction in front of k that changes a or b copy one to the other? */
static bool is_copy(const struct verify *v, const struct vtext *t, uint32_t k, int a, int b)
{
	struct operation op;
	for (uint32_t n = 0; n < NEAR && a != b && k > t->first; n++) {
		if (bit_get(t->start, v->insn.v[k].off) || !falls_through(&v->insn.v[--k]))
			return false;
		if (!changes(v, k, a) && !changes(v, k, b))
			continue;
		describe(v, t, k, &op);
		return op.op == OP_MOVE && op.size >= 4 &&
			((op.dst == a && op.src == b) || (op.dst == b && op.src == a));
	}
	return a == b;
}

/* The number of entries, as the comparison of register reg in front of branch k says; or 0. */
static uint32_t compared_at(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct operation *branch, int reg)
{
	struct operation op;
	for (uint32_t n = 0; n < NEAR && k > t->first; n++) {
		describe(v, t, --k, &op);
		if (op.op == OP_CMP_IMM)
			return op.imm >= 0 && op.imm < UINT16_MAX && is_copy(v, t, k, op.dst, reg)
				? (uint32_t)op.imm + !branch->imm
				: 0;
		if (!falls_through(&v->insn.v[k]) || changes(v, k, reg))
			return 0;
	}
	return 0;
}

/* How many values instruction k, which sets a register, may leave in it; or 0. */
static uint32_t left_by(const struct verify *v, const struct vtext *t, uint32_t k)
{
	struct operation op;
	describe(v, t, k, &op);
	bool number = op.op == OP_IMM && !op.pc_rel && !insn_reloc(t, &v->insn.v[k], 0) &&
		op.imm >= 0 && op.imm < MOST;
	return number ? (uint32_t)op.imm + 1 : op.max && op.max < MOST ? (uint32_t)op.max + 1 : 0;
}

/*
 * The number of entries, as the nearest comparison of register reg in front of k says, or, if no
 * constants alone, the instructions that leave small values in it; or 0.
 */
static uint32_t bound_at(struct search *w, uint32_t k, int reg)
{
	struct operation op;
	bool sets;
	uint32_t all = 0, masked = 0;
	w->passes_calls = false;
	start_search(w, k, reg);
	for (size_t i = 0; i < w->todo.n && i < FAR; i++) {
		struct arrival s = w->todo.v[i];
		int value = w->value.v[i];
		uint32_t n = is_below(w->v, w->t, s.from, s.to, &op)
			? compared_at(w->v, w->t, s.from, &op, value)
			: 0;
		if (n)
			return n > masked ? n : masked;
		value = before_reg(w, s.from, value, &sets);
		describe(w->v, w->t, s.from, &op);
		if (sets && op.op == OP_MOVE && op.dst == w->value.v[i])
			value = op.src;
		else if (sets && (n = left_by(w->v, w->t, s.from))) {
			all = n > all ? n : all;
			masked = op.op != OP_IMM && n > masked ? n : masked;
		}
		add_steps(w, s.from, value == KEPT ? -1 : value);
	}
	return masked ? all : 0;
}

/* Is instruction k relocated by the place of s in data, or (low) by its low bits? */
static bool refers(const struct verify *v, const struct vtext *t, uint32_t k, bool low,
	struct vbase *to)
{
	const struct reloc *r = k == NO_INSN ? NULL : insn_reloc(t, &v->insn.v[k], 0);
	const struct reloc_info *form = r ? v->target->reloc_info(r->type) : NULL;
	return r && form->role == ROLE_ABS && form->low == low &&
		place_of(v->a, r, 0, &to->sec, &to->off);
}

static bool fits_all(const struct verify *v, const struct vtext *t, uint32_t k)
{
	(void)v, (void)t, (void)k;
	return true;
}
static bool fits_name(const struct verify *v, const struct vtext *t, uint32_t k)
{
	struct vbase to;
	return refers(v, t, k, true, &to);
}
static bool fits_page(const struct verify *v, const struct vtext *t, uint32_t k)
{
	struct vbase to;
	return refers(v, t, k, false, &to);
}

static bool find_parts(struct search *w, struct vscaled *s)
{
	const struct verify *v = w->v;
	const struct vtext *t = w->t;
	struct operation op;
	struct vbase page;
	w->kept = -1;
	describe(v, t, s->jump, &op);
	if (op.op != OP_JUMP_REG || (s->sum = setter(w, s->jump, op.src, fits_all)) == NO_INSN)
		return false;
	describe(v, t, s->sum, &op);
	if ((op.op != OP_ADD_EXTENDED && op.op != OP_LEA) || op.index < 0 ||
		(op.scale != 1 && op.scale != WORD) || op.disp)
		return false;
	s->sext = op.sext;
	s->scale = op.scale;
	s->extends = op.op == OP_LEA ? 0 : op.size;
	s->anchor = setter(w, s->sum, op.base, fits_all);
	s->load = setter(w, s->sum, op.index, fits_all);
	if (s->anchor == NO_INSN || s->load == NO_INSN)
		return false;
	uint32_t sec;
	const struct insn *anchor = &v->insn.v[s->anchor];
	describe(v, t, s->anchor, &op);
	if (op.op != OP_LEA || !op.pc_rel || insn_reloc(t, anchor, 0) ||
		!insn_target(v, t, anchor, NULL, &sec, &s->base))
		return false;
	describe(v, t, s->load, &op);
	if (op.op != OP_LOAD || op.index < 0 || op.base < 0 || op.scale != op.size || op.disp ||
		op.size > WORD)
		return false;
	s->size = op.size;
	s->sext = s->extends ? s->sext : op.sext;
	s->n = bound_at(w, s->load, op.index);
	s->name = setter(w, s->load, op.base, fits_name);
	if (!refers(v, t, s->name, true, &s->table))
		return false;
	describe(v, t, s->name, &op);
	s->page = op.op == OP_LEA ? setter(w, s->name, op.base, fits_page) : NO_INSN;
	return refers(v, t, s->page, false, &page) && !vbase_cmp(&page, &s->table);
}

/* Is it in read-only data, and does each of n entries lead to an instruction? */
static bool is_table(const struct verify *v, const struct vscaled *s, uint32_t n)
{
	const struct section *data = &v->a->sec.v[s->table.sec], *code = v->text.v[s->text].a;
	uint64_t end = s->table.off + (uint64_t)n * s->size;
	if (!data->data || end > data->size || data->flags & SHF_WRITE)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!is_boundary(v, code->index, scaled_label_of(v, s, k)))
			return false;
	return true;
}

static void find_in(struct verify *v, struct search *w, uint32_t text)
{
	for (uint32_t k = w->t->first; k < w->t->first + w->t->n; k++) {
		struct vscaled s = {.text = text, .jump = k};
		if (v->insn.v[k].kind != INSN_JUMP_IND)
			continue;
		find_jumps(w, k);
		if (find_parts(w, &s) && is_table(v, &s, 0))
			vec_push(&v->scaled, s);
	}
}

/* The number of entries of all tables; those of which it is not known are none. */
static void count_entries(struct verify *v)
{
	struct vends e = {0};
	size_t n = 0;
	if (v->scaled.n)
		vends_find(&e, v);
	for (size_t i = 0; i < v->scaled.n; i++) {
		struct vscaled s = v->scaled.v[i];
		if (!s.n || !is_table(v, &s, s.n))
			s.n = vends_count(&e, v, &s, s.n ? s.n : MOST);
		if (!s.n)
			continue;
		bit_set(v->scaled_part, s.load);
		bit_set(v->scaled_load, s.load);
		bit_set(v->scaled_part, s.sum);
		bit_set(v->scaled_part, s.anchor);
		v->scaled.v[n++] = s;
	}
	v->scaled.n = n;
	vends_free(&e);
}

void find_scaled(struct verify *v)
{
	struct search w = {.v = v, .met = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1)};
	v->scaled_part = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	v->scaled_load = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	for (uint32_t i = 0; v->target->words && i < v->text.n; i++) {
		w.t = &v->text.v[i];
		w.arrival.n = w.end = 0;
		find_arrivals(&w);
		find_in(v, &w, i);
	}
	count_entries(v);
	vec_free(&w.arrival);
	vec_free(&w.jump);
	vec_free(&w.todo);
	vec_free(&w.value);
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
