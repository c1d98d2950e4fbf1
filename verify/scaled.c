/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled.c - jump tables of scaled distances without relocations
 *
 * An entry is the distance of a label from a base, divided by 4.  The jump's table is found in the
 * old code, by the nearest instructions in front of it that set the registers it uses.  In the new
 * code either nothing of that has changed, or all of it: page and name refer to a new table, and
 * load and sum read words of it.  In both cases each entry must lead to the same place.
 */
#include <stdlib.h>
#include "verify/priv.h"

enum { FAR = 4000, SCALE = 4, WORD = 4 };

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

/* Branches, by where they lead. */
struct lead {
	uint32_t to, from;
};

/* A walk backwards from an instruction, along each way that control may come from: each instruction
 * once. */
struct walk {
	const struct verify *v;
	const struct vtext *t;
	VEC(struct lead) lead;
	VEC(uint32_t) todo, seen;
	uint64_t *is_seen;
};

static int lead_cmp(const void *a, const void *b)
{
	const struct lead *x = a, *y = b;
	return x->to != y->to ? (x->to > y->to) - (x->to < y->to)
			      : (x->from > y->from) - (x->from < y->from);
}

static void find_leads(struct walk *w, const struct vtext *t)
{
	const struct verify *v = w->v;
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		const struct insn *in = &v->insn.v[k];
		uint32_t sec;
		uint64_t x;
		if ((in->kind == INSN_BRANCH || in->kind == INSN_JUMP) &&
			!insn_reloc(t, in, in->pc_off) && insn_target(v, t, in, NULL, &sec, &x) &&
			x < t->a->size)
			vec_push(&w->lead, (struct lead){insn_at(v, t, x), k});
	}
}

/* Go on in front of k, next with the instruction that falls through to it. */
static void walk_before(struct walk *w, uint32_t k)
{
	const struct insn *insn = w->v->insn.v;
	size_t i;
	if (bit_get(w->t->start, insn[k].off))
		return;
	BISECT(i, 0, w->lead.n, w->lead.v[i].to < k);
	for (; i < w->lead.n && w->lead.v[i].to == k; i++)
		vec_push(&w->todo, w->lead.v[i].from);
	if (k > w->t->first && falls_through(&insn[k - 1]))
		vec_push(&w->todo, k - 1);
}

static void walk_from(struct walk *w, uint32_t k)
{
	for (size_t i = 0; i < w->seen.n; i++)
		w->is_seen[w->seen.v[i] / 64] = 0;
	w->seen.n = w->todo.n = 0;
	walk_before(w, k);
}

/* The next instruction on the walk; NO_INSN: no more. */
static uint32_t walk_on(struct walk *w)
{
	while (w->todo.n && w->seen.n < FAR) {
		uint32_t k = w->todo.v[--w->todo.n];
		if (bit_get(w->is_seen, k))
			continue;
		bit_set(w->is_seen, k);
		vec_push(&w->seen, k);
		return k;
	}
	return NO_INSN;
}

/* The nearest instruction in front of k that changes reg; NO_INSN: none. */
static uint32_t setter(struct walk *w, uint32_t k, int reg)
{
	walk_from(w, k);
	while (reg >= 0 && (k = walk_on(w)) != NO_INSN) {
		const struct insn *in = &w->v->insn.v[k];
		bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
		if (in->kind == KIND_RAW || (call && w->v->target->call_clobbers & REG_BIT(reg)))
			return NO_INSN;
		if (insn_effects(in)->clobbers & REG_BIT(reg))
			return k;
		walk_before(w, k);
	}
	return NO_INSN;
}

/* The number of entries, as the nearest comparison of register reg in front of k says; or 0. */
static uint32_t bound_at(struct walk *w, uint32_t k, int reg)
{
	struct operation op, branch = {.op = OP_OTHER};
	walk_from(w, k);
	while ((k = walk_on(w)) != NO_INSN) {
		describe(w->v, w->t, k, &op);
		if (op.op == OP_CMP_IMM && op.dst == reg && branch.op != OP_OTHER)
			return op.imm >= 0 && op.imm < UINT16_MAX ? (uint32_t)op.imm + !branch.imm
								  : 0;
		if (op.op == OP_BRANCH_ABOVE || op.op == OP_BRANCH_UP_TO)
			branch = op;
		walk_before(w, k);
	}
	return 0;
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

static bool find_parts(struct walk *w, struct vscaled *s)
{
	const struct verify *v = w->v;
	const struct vtext *t = w->t;
	struct operation op;
	struct vbase page;
	describe(v, t, s->jump, &op);
	if (op.op != OP_JUMP_REG || (s->sum = setter(w, s->jump, op.src)) == NO_INSN)
		return false;
	describe(v, t, s->sum, &op);
	if ((op.op != OP_ADD_EXTENDED && op.op != OP_LEA) || op.index < 0 || op.scale != SCALE ||
		op.disp)
		return false;
	s->sext = op.sext;
	s->extends = op.op == OP_LEA ? 0 : op.size;
	s->anchor = setter(w, s->sum, op.base);
	s->load = setter(w, s->sum, op.index);
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
	s->name = setter(w, s->load, op.base);
	if (!refers(v, t, s->name, true, &s->table))
		return false;
	describe(v, t, s->name, &op);
	s->page = op.op == OP_LEA ? setter(w, s->name, op.base) : NO_INSN;
	return refers(v, t, s->page, false, &page) && !vbase_cmp(&page, &s->table);
}

static uint64_t label_of(const struct verify *v, const struct vscaled *s, uint32_t k)
{
	const uint8_t *p = v->a->sec.v[s->table.sec].data + s->table.off + (uint64_t)k * s->size;
	unsigned bytes = s->extends && s->extends < s->size ? s->extends : s->size;
	uint64_t x = bytes == 1 ? *p
		: bytes == 2	? (uint64_t)p[0] | (uint64_t)p[1] << 8
				: get_u32(p);
	unsigned unused = 64 - bytes * 8;
	if (s->sext)
		x = (uint64_t)((int64_t)(x << unused) >> unused);
	return s->base + SCALE * x;
}

/* Is all of the table in read-only data, and each entry's label an instruction? */
static bool is_table(const struct verify *v, const struct vscaled *s)
{
	const struct section *data = &v->a->sec.v[s->table.sec], *code = v->text.v[s->text].a;
	uint64_t end = s->table.off + (uint64_t)s->n * s->size;
	if (!s->n || !data->data || end > data->size || data->flags & SHF_WRITE)
		return false;
	for (uint32_t k = 0; k < s->n; k++) {
		uint64_t x = label_of(v, s, k);
		if (x >= code->size || !is_boundary(v, code->index, x))
			return false;
	}
	return true;
}

static void find_in_text(struct verify *v, struct walk *w, uint32_t text)
{
	const struct vtext *t = w->t = &v->text.v[text];
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		struct vscaled s = {.text = text, .jump = k};
		if (v->insn.v[k].kind != INSN_JUMP_IND || !find_parts(w, &s) || !is_table(v, &s))
			continue;
		bit_set(v->scaled_part, s.load);
		bit_set(v->scaled_part, s.sum);
		bit_set(v->scaled_part, s.anchor);
		vec_push(&v->scaled, s);
	}
}

void find_scaled(struct verify *v)
{
	struct walk w = {.v = v};
	uint32_t n = v->target->read_words ? (uint32_t)v->text.n : 0;
	v->scaled_part = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	w.is_seen = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	for (uint32_t i = 0; i < n; i++)
		find_leads(&w, &v->text.v[i]);
	sort(w.lead.v, w.lead.n, sizeof *w.lead.v, lead_cmp);
	for (uint32_t i = 0; i < n; i++)
		find_in_text(v, &w, i);
	vec_free(&w.lead);
	vec_free(&w.todo);
	vec_free(&w.seen);
}

const struct vscaled *scaled_at(const struct verify *v, uint32_t jump)
{
	size_t i;
	BISECT(i, 0, v->scaled.n, v->scaled.v[i].jump < jump);
	return i < v->scaled.n && v->scaled.v[i].jump == jump ? &v->scaled.v[i] : NULL;
}

uint32_t scaled_target(const struct verify *v, const struct vscaled *s, uint32_t k)
{
	return insn_at(v, &v->text.v[s->text], label_of(v, s, k));
}

bool is_scaled_part(const struct verify *v, uint32_t k)
{
	return bit_get(v->scaled_part, k);
}

bool reads_words(const struct verify *v, const struct vtext *t, uint32_t k, const uint8_t *new)
{
	uint8_t load[WORD], sum[WORD];
	const uint8_t *old = t->a->data + v->insn.v[k].off;
	if (!bit_get(v->scaled_part, k))
		return false;
	memcpy(load, old, WORD);
	memcpy(sum, old, WORD);
	v->target->read_words(load, sum);
	return !memcmp(new, load, WORD) || !memcmp(new, sum, WORD);
}

/* Checking them --------------------------------------------------------- */

/* The new relocation at the place of instruction k, if it is of the new tables; or NULL. */
static const struct reloc *new_name(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint64_t y = t->hi[k - t->first];
	uint32_t i = section_first_reloc(t->b, y);
	const struct reloc *r = i < t->b->nrel && t->b->rel[i].off == y ? &t->b->rel[i] : NULL;
	return r && v->tables && r->sym == v->tables ? r : NULL;
}

/* Does load and sum of s read words now?  *some: at least one of them has changed. */
static bool is_new_code(const struct verify *v, const struct vscaled *s, bool *some)
{
	const struct vtext *t = &v->text.v[s->text];
	const uint8_t *old = t->a->data, *new = t->b->data;
	uint8_t load[WORD], sum[WORD];
	const uint8_t *nload = new + t->hi[s->load - t->first],
		      *nsum = new + t->hi[s->sum - t->first];
	memcpy(load, old + v->insn.v[s->load].off, WORD);
	memcpy(sum, old + v->insn.v[s->sum].off, WORD);
	*some = memcmp(load, nload, WORD) || memcmp(sum, nsum, WORD);
	v->target->read_words(load, sum);
	return !memcmp(load, nload, WORD) && !memcmp(sum, nsum, WORD);
}

static bool check_entries(struct verify *v, const struct vscaled *s, const struct reloc *name)
{
	const struct vtext *t = &v->text.v[s->text];
	const struct insn *anchor = &v->insn.v[s->anchor];
	uint64_t at = t->hi[s->anchor - t->first], symoff;
	uint64_t base = at + (uint64_t)v->target->distance(anchor, t->b->data + at, anchor->len);
	const struct section *data = name ? reloc_target(v->b, name, &symoff) : NULL;
	uint64_t from = data ? symoff + (uint64_t)name->addend : 0;
	bool good = !name ||
		(data && data->data && !(data->flags & SHF_WRITE) && from <= data->size &&
			(data->size - from) / WORD >= s->n);
	v->by_entry = true;
	for (uint32_t k = 0; good && k < s->n; k++) {
		uint64_t x = label_of(v, s, k);
		int64_t entry = name ? (int32_t)get_u32(data->data + from + (uint64_t)k * WORD)
				     : (int64_t)(x - s->base) / SCALE;
		good = same_place(v, t->a->index, x, t->b->index, base + (uint64_t)(entry * SCALE),
			USE_BRANCH);
		v->ntable++;
	}
	v->by_entry = false;
	return good;
}

static void check_scaled(struct verify *v, const struct vscaled *s)
{
	const struct vtext *t = &v->text.v[s->text];
	const struct reloc *page = new_name(v, t, s->page), *name = new_name(v, t, s->name);
	bool some, all = is_new_code(v, s, &some);
	bool same = page ? name && page->addend == name->addend && all : !name && !some;
	if (t->broken || (same && check_entries(v, s, name)))
		return;
	vfail(v, t->a, v->insn.v[s->jump].off, "the table of this jump leads to other places");
}

/* Each instruction that names a new table must be part of one that was checked. */
static void check_names(struct verify *v)
{
	uint64_t *known = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	for (size_t i = 0; i < v->scaled.n; i++) {
		bit_set(known, v->scaled.v[i].page);
		bit_set(known, v->scaled.v[i].name);
	}
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; !t->broken && k < t->first + t->n; k++)
			if (!is_padding(&v->insn.v[k]) && new_name(v, t, k) && !bit_get(known, k))
				vfail(v, t->a, v->insn.v[k].off, "refers to a new table");
	}
}

void verify_scaled(struct verify *v)
{
	for (size_t i = 0; i < v->scaled.n; i++)
		check_scaled(v, &v->scaled.v[i]);
	if (v->tables)
		check_names(v);
}
