/* SPDX-License-Identifier: Apache-2.0 */
/*
 * claim.c - compare inserted code with the rewriter's claim
 *
 * Code that differs only in its place and counter is one pattern, and is executed once.
 */
#include "verify/branches.h"
#include "verify/inserted.h"
#include "verify/places.h"
#include "verify/sites.h"

#include "reloc/fix.h"

#include <stdlib.h>

/* No code: the next instruction steps the counter's induction variable. */
static const struct pattern step = {.kind = PATTERN_COUNT, .hold = HOLD_STEP};
static const struct pattern skip = {.kind = PATTERN_SKIP};
static const struct pattern leave = {.kind = PATTERN_LEAVE};
static const struct pattern relay = {.kind = PATTERN_RELAY};

static const uint8_t kind_of_claim[CLAIM_KINDS] = {[CLAIM_COUNT] = PATTERN_COUNT,
	[CLAIM_FORK] = PATTERN_FORK,
	[CLAIM_THREAD] = PATTERN_THREAD,
	[CLAIM_BASE] = PATTERN_BASE,
	[CLAIM_CALL] = PATTERN_CALL};
static const uint8_t kind_of_hold[HOLDS] = {[HOLD_BEGIN] = PATTERN_BEGIN,
	[HOLD_COUNT] = PATTERN_COUNT,
	[HOLD_END] = PATTERN_END,
	[HOLD_FOLLOW] = PATTERN_BEGIN,
	[HOLD_FETCH] = PATTERN_HELD,
	[HOLD_DISTANCE] = PATTERN_HELD,
	[HOLD_DIVIDE] = PATTERN_HELD,
	[HOLD_END_LESS] = PATTERN_END};

struct claims claims_of(struct verify *v, uint32_t text)
{
	const struct vtext *t = &v->text.v[text];
	const struct claim *all = v->claim.v;
	size_t from, to;
	BISECT(from, 0, v->claim.n, all[from].sec < t->a->index);
	BISECT(to, from, v->claim.n, all[to].sec <= t->a->index);
	return (struct claims){.v = v, .t = t, .text = text, .next = all + from, .end = all + to};
}

/* Patterns -------------------------------------------------------------- */

/* Have relocations of the code a place for an addend, without a field? */
static bool has_addends(const struct claims *c)
{
	return c->v->b->sec.v[c->t->b->rela].type != SHT_REL;
}

/*
 * Where the addend is in the field: code that differs in it only is one pattern.  A low half
 * belongs to the high one in front of it.
 */
static void take_field(const struct claims *c, struct reloc *r, const struct claim *claim,
	int64_t counter, struct pattern *p)
{
	const struct object *o = c->v->b;
	const struct reloc_info *info = o->reloc_info(r->type);
	uint64_t at = r->off - claim->at;
	if (has_addends(c) || !info->bits || at + info->size > p->n)
		return;
	uint64_t mask = UINT64_MAX >> (64 - info->bits);
	put_word(p->bytes + at, info->size, o->big,
		get_word(p->bytes + at, info->size, o->big) & ~mask);
	for (uint32_t k = p->nrel; info->low && k-- > 0;) {
		const struct reloc *high = &p->rel[k];
		if (!o->reloc_info(high->type)->high || high->sym != r->sym)
			continue;
		struct reloc whole = {.addend = high->addend + counter};
		r->addend = reloc_page(&whole) + sign_extend((uint64_t)r->addend & 0xffff, 16);
		break;
	}
}

/* How far the address is behind its symbol's that relocation r of the code is about. */
static int64_t cell_of(const struct claims *c, const struct claim *claim, const struct pattern *p,
	const struct reloc *r)
{
	if (p->call)
		return p->call->at;
	return r->sym == c->v->forked || r->sym == c->v->row ? 0 : claim->counter;
}

bool names_places(const struct tool_call *call)
{
	for (unsigned k = 0; call && k < call->nargs; k++)
		if (call->arg[k].gives == GIVES_PLACE)
			return true;
	return call && names_places(call->when);
}

int code_label(const struct verify *v, struct vlabels *labels, const struct reloc *r)
{
	uint32_t sec;
	uint64_t off;
	unsigned k = 0;
	if (!label_of(v, v->b, r, field_end(v, r, r->off + FIELD), &sec, &off))
		return -1;
	while (k < labels->n && (labels->v[k].sec != sec || labels->v[k].off != off))
		k++;
	if (k == PATTERN_LABELS)
		return -1;
	labels->v[k].sec = sec;
	labels->v[k].off = off;
	labels->n += k == labels->n;
	return (int)k;
}

/* Read the relocations, with addends for the first counter. */
static bool read_relocs(const struct claims *c, const struct claim *claim, struct pattern *p)
{
	const struct section *b = c->t->b;
	bool places = names_places(p->call);
	struct vlabels labels = {0};
	for (uint32_t i = c->rel; i < b->nrel && b->rel[i].off < (uint64_t)claim->at + claim->len;
		i++) {
		struct reloc r = b->rel[i];
		int64_t cell = cell_of(c, claim, p, &r);
		int label = places ? code_label(c->v, &labels, &r) : -1;
		take_field(c, &r, claim, cell, p);
		r.off -= claim->at;
		r.addend -= cell;
		if (label >= 0) {
			r.sym = CODE_SYM + (uint32_t)label;
			r.addend = -field_end(c->v, &r, r.off + FIELD);
		}
		if (p->nrel == PATTERN_RELS || r.off + FIELD > p->n)
			return false;
		p->rel[p->nrel++] = r;
	}
	p->nlabel = (uint8_t)labels.n;
	return true;
}

/* Are arguments made of accesses of an instruction? */
static bool is_of_insn(const struct tool_call *call)
{
	for (unsigned k = 0; call && k < call->nargs; k++)
		if (call->arg[k].gives >= GIVES_ACCESS && call->arg[k].gives <= GIVES_TARGET)
			return true;
	return false;
}

static uint64_t cell_in_row(const struct verify *v, const struct claim *claim)
{
	uint64_t cell = (uint64_t)claim->counter;
	uint64_t in_page = cell & (((uint64_t)1 << v->target->micro->row_bits) - 1);
	if (!v->row || claim->kind == CLAIM_CALL)
		return 0;
	if (claim->kind == CLAIM_BASE)
		return cell - in_page;
	return claim->base && !claim->makes ? in_page : cell;
}

static bool read_pattern(const struct claims *c, const struct claim *claim, struct pattern *p)
{
	bool held = claim->kind == CLAIM_HELD;
	bool empty = !claim->len && claim->kind != CLAIM_CALL; /* a routine may do nothing */
	if (empty || claim->len > PATTERN_BYTES || claim->hold >= HOLDS)
		return false;
	p->kind = held ? kind_of_hold[claim->hold] : kind_of_claim[claim->kind];
	p->n = claim->len;
	p->base = claim->base;
	p->makes = claim->makes;
	p->plain = claim->plain;
	p->cell = cell_in_row(c->v, claim);
	if (claim->kind == CLAIM_CALL) {
		p->call = &c->v->opt.calls->v[claim->counter];
		p->asked = p->call->when ? claim->asked : 0;
		p->result = claim->reg;
		if (is_of_insn(p->call) || is_of_insn(p->call->when))
			p->of = &c->v->a->sec.v[p->call->sec];
	}
	if (held) {
		p->hold = claim->hold;
		p->reg = claim->reg + 1;
		p->by = claim->by;
	}
	memcpy(p->bytes, c->t->b->data + claim->at, p->n);
	return read_relocs(c, claim, p);
}

/* The same instruction with the same relocations, perhaps at different places. */
static bool same_insn(struct verify *v, const struct pattern *p, const struct pattern *q)
{
	const struct section *s = p->of, *t = q->of;
	struct insn in = {0};
	if (!s || !t)
		return s == t;
	uint32_t x = p->call->of, y = q->call->of, k, i;
	if (!v->target->decode(v->decoder, s->data + x, s->size - x, &in) || in.len > t->size - y ||
		memcmp(s->data + x, t->data + y, in.len) != 0)
		return false;
	k = section_first_reloc(s, x), i = section_first_reloc(t, y);
	for (;; k++, i++) {
		bool more = k < s->nrel && s->rel[k].off < (uint64_t)x + in.len;
		if (more != (i < t->nrel && t->rel[i].off < (uint64_t)y + in.len))
			return false;
		if (!more)
			return true;
		const struct reloc *a = &s->rel[k], *b = &t->rel[i];
		if (a->off - x != b->off - y || a->type != b->type || a->sym != b->sym ||
			a->addend != b->addend)
			return false;
	}
}

static bool same_call(const struct tool_call *a, const struct tool_call *b)
{
	if (!a || !b)
		return a == b;
	if (a->does != b->does || a->number != b->number || a->sym != b->sym ||
		a->landing != b->landing || a->nargs != b->nargs || a->changes != b->changes ||
		a->rest != b->rest || a->body != b->body || !same_call(a->when, b->when))
		return false;
	for (unsigned k = 0; k < a->nargs; k++) {
		const struct call_arg *x = &a->arg[k], *y = &b->arg[k];
		bool place = x->gives == GIVES_PLACE; /* see same_labels() */
		if (x->gives != y->gives || x->reg != y->reg ||
			(!place && (x->sym != y->sym || x->number != y->number)))
			return false;
	}
	return true;
}

static bool same_pattern(struct verify *v, const struct pattern *a, const struct pattern *b)
{
	if (a->kind != b->kind || a->hold != b->hold || a->by != b->by || a->reg != b->reg ||
		a->base != b->base || a->makes != b->makes || a->plain != b->plain ||
		a->asked != b->asked || a->result != b->result || a->n != b->n ||
		a->cell != b->cell || a->nrel != b->nrel || !same_call(a->call, b->call) ||
		memcmp(a->bytes, b->bytes, a->n) != 0 || !same_insn(v, a, b))
		return false;
	for (uint32_t i = 0; i < a->nrel; i++)
		if (a->rel[i].off != b->rel[i].off || a->rel[i].type != b->rel[i].type ||
			a->rel[i].sym != b->rel[i].sym || a->rel[i].addend != b->rel[i].addend)
			return false;
	return true;
}

static uint32_t hash_word(uint32_t h, uint64_t n)
{
	return ((h ^ (uint32_t)n) * 16777619u ^ (uint32_t)(n >> 32)) * 16777619u;
}

/* FNV-1a; of code that refers to many places, addends tell which. */
static uint32_t hash_of(const struct pattern *p)
{
	uint32_t h = 2166136261u + p->hold + 16u * p->kind + 256u * p->base + p->makes;
	for (uint32_t i = 0; i < p->n; i++)
		h = (h ^ p->bytes[i]) * 16777619u;
	h = hash_word(h, p->cell);
	for (uint32_t i = 0; i < p->nrel; i++)
		h = hash_word(hash_word(h, p->rel[i].sym), (uint64_t)p->rel[i].addend);
	for (unsigned k = 0; p->call && k < p->call->nargs; k++)
		h = hash_word(h,
			p->call->arg[k].gives == GIVES_PLACE ? 0
							     : (uint64_t)p->call->arg[k].number);
	return (h ^ h >> 14) % PATTERN_LISTS;
}

/* The pattern equal to like; a new one is executed (prove_pattern()). */
static const struct pattern *known_pattern(struct verify *v, const struct pattern *like)
{
	const struct pattern **list = &v->pattern[hash_of(like)];
	for (const struct pattern *p = *list; p; p = p->next)
		if (same_pattern(v, p, like))
			return p;
	size_t size = offsetof(struct pattern, bytes) + like->n;
	struct pattern *p = arena_alloc(&v->arena, size);
	memcpy(p, like, size);
	p->next = *list;
	prove_pattern(v, p);
	*list = p;
	return p;
}

/* Claims ---------------------------------------------------------------- */

/* Take a relocation without a field (ROLE_NONE) that marks the code at at. */
static bool takes_mark(struct claims *c, uint32_t at, uint32_t sym, int64_t addend)
{
	const struct section *b = c->t->b;
	const struct reloc *r = &b->rel[c->rel];
	if (!sym || c->rel == b->nrel || r->off != at || !is_none(c->v, r) || r->sym != sym ||
		(has_addends(c) && r->addend != addend))
		return false;
	c->t->used[c->rel++] = 1;
	return true;
}

/* Where the claimed code and no-ops from new offset at on end, or to if they reach that. */
static uint32_t claimed_to(const struct claims *c, const struct claim *x, uint32_t at, uint32_t to)
{
	const struct section *b = c->t->b;
	struct insn in = {0};
	while (at < to) {
		if (x < c->end && x->at == at)
			at += x++->len;
		else if (at < b->size &&
			c->v->target->decode(c->v->decoder, b->data + at, b->size - at, &in) &&
			is_padding(&in))
			at += in.len;
		else
			break;
	}
	return at;
}

/* Is the claimed code one jump that changes nothing?  Sets *to to where it leads by its distance.
 */
static bool is_jump(const struct claims *c, const struct claim *claim, uint32_t *to)
{
	const struct target *t = c->v->target;
	const uint8_t *code = c->t->b->data + claim->at;
	struct insn in = {0};
	if (!t->decode(c->v->decoder, code, claim->len, &in) || in.kind != INSN_JUMP ||
		in.len != claim->len || !in.pc_size || insn_effects(&in)->clobbers ||
		in.flags & INSN_MEM)
		return false;
	*to = claim->at + (uint32_t)t->form->distance(&in, code, in.len);
	return true;
}

/* A jump to *to, over nothing but claimed code and no-ops. */
static const struct pattern *take_skip(const struct claims *c, const struct claim *claim,
	uint32_t *to)
{
	const struct section *b = c->t->b;
	uint32_t end = claim->at + claim->len;
	if (!is_jump(c, claim, to) || (c->rel < b->nrel && b->rel[c->rel].off < end))
		return NULL;
	return *to >= end && claimed_to(c, claim + 1, end, *to) == *to ? &skip : NULL;
}

/* A jump without relocation; what leads there is checked when all places are known (code.c). */
static const struct pattern *take_relay(const struct claims *c, const struct claim *claim,
	uint32_t *to)
{
	const struct section *b = c->t->b;
	bool relocated = c->rel < b->nrel && b->rel[c->rel].off < claim->at + claim->len;
	return is_jump(c, claim, to) && !relocated ? &relay : NULL;
}

/* A jump behind a branch; where it leads is checked when all places are known (code.c). */
static const struct pattern *take_leave(struct claims *c, const struct claim *claim, uint32_t insn,
	uint32_t *to)
{
	const struct section *b = c->t->b;
	if (!is_jump(c, claim, to) || leaving_branch(c->v, c->t, insn) == NO_INSN)
		return NULL;
	while (c->rel < b->nrel && b->rel[c->rel].off < claim->at + claim->len)
		c->t->used[c->rel++] = 1;
	return &leave;
}

/* Instructions that only change registers and flags; p->need is all of these. */
static const struct pattern *take_poison(struct claims *c, const struct claim *claim)
{
	struct verify *v = c->v;
	const uint8_t *code = c->t->b->data + claim->at;
	struct pattern *p = arena_new(&v->arena, struct pattern);
	*p = (struct pattern){.kind = PATTERN_POISON, .n = claim->len};
	if (!claim->len || !takes_mark(c, claim->at, v->poisoned, claim->len))
		return NULL;
	for (uint32_t at = 0; at < claim->len;) {
		struct insn in = {0};
		if (!v->target->decode(v->decoder, code + at, claim->len - at, &in) ||
			in.kind != INSN_OTHER || in.flags & ~INSN_LANDING || in.pc_size)
			return NULL;
		p->need |= insn_effects(&in)->clobbers;
		at += in.len;
	}
	return p->need & v->target->no_scratch ? NULL : p;
}

static const struct pattern *take_executed(struct claims *c, const struct claim *claim)
{
	struct pattern like = {0};
	if (!read_pattern(c, claim, &like))
		return NULL;
	const struct pattern *p = known_pattern(c->v, &like);
	for (uint32_t i = 0; i < p->nrel; i++)
		c->t->used[c->rel++] = 1;
	if (p->base && !c->v->arrival)
		c->v->arrival = arena_new(&c->v->arena, varrival_vec);
	return p->proved ? p : NULL;
}

/* Is it a copy of the landing instruction at insn? */
static bool takes_landing(const struct claims *c, const struct claim *claim, uint32_t insn)
{
	const struct verify *v = c->v;
	struct insn in = {0};
	uint32_t k = insn == NO_INSN ? NO_INSN : behind_padding(v, c->t, insn);
	return k < c->t->first + c->t->n && (v->insn.v[k].flags & INSN_LANDING) &&
		v->target->decode(v->decoder, c->t->b->data + claim->at, claim->len, &in) &&
		(in.flags & INSN_LANDING) && in.len == claim->len;
}

static const struct pattern *take_pattern(struct claims *c, const struct claim *claim,
	uint32_t insn, uint32_t *to)
{
	switch (claim->kind) {
	case CLAIM_SKIP: return take_skip(c, claim, to);
	case CLAIM_LEAVE: return take_leave(c, claim, insn, to);
	case CLAIM_RELAY: return take_relay(c, claim, to);
	case CLAIM_POISON: return take_poison(c, claim);
	case CLAIM_HELD:
		if (claim->hold == HOLD_STEP)
			return claim->len ? NULL : &step;
		break;
	case CLAIM_COUNT:
	case CLAIM_FORK:
	case CLAIM_THREAD:
	case CLAIM_CALL:
	case CLAIM_BASE: break;
	default: return NULL;
	}
	return take_executed(c, claim);
}

/* Is its counter one that there may be? */
static bool has_number(const struct verify *v, const struct claim *claim)
{
	switch (claim->kind) {
	case CLAIM_COUNT:
	case CLAIM_HELD:
	case CLAIM_BASE: return claim->counter >= 0 && !(claim->counter % v->cell);
	case CLAIM_CALL: return claim->counter >= 0 && (uint64_t)claim->counter < v->asked.n;
	default: return !claim->counter;
	}
}

bool take_claim(struct claims *c, uint32_t insn, struct vsite *site, bool *landing)
{
	const struct claim *claim = c->next;
	const struct section *b = c->t->b;
	if (claim->len > b->size - claim->at || !has_number(c->v, claim))
		return false;
	while (c->rel < b->nrel && b->rel[c->rel].off < claim->at)
		c->rel++;
	*site = (struct vsite){.text = c->text,
		.insn = insn,
		.at = claim->at,
		.end = claim->at + claim->len,
		.counter = claim->counter};
	*landing = claim->kind == CLAIM_LANDING;
	if (*landing ? !takes_landing(c, claim, insn)
		     : !(site->pattern = take_pattern(c, claim, insn, &site->to)))
		return false;
	c->next++;
	return true;
}
