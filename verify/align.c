/* SPDX-License-Identifier: Apache-2.0 */
/*
 * align.c - old and new code side by side
 *
 * Both sides are walked together.  What is in the new code only must be a no-op
 * or one of the sequences the target makes for a counter, told by its relocation;
 * no-ops may come and go; everything else must be the same instruction, apart
 * from a distance in it and a branch's length.  Only the old code is decoded: the
 * new is compared with it.
 */
#include "verify/priv.h"

#include <stdlib.h>

struct align {
	struct verify *v;
	struct vtext *t;
	uint32_t ti;
	uint32_t k;    /* old instruction */
	uint32_t last; /* the run ends in front of it */
	uint64_t stop; /* and here, new */
	uint64_t j;    /* new offset */
	uint64_t end;  /* of the last real instruction, new */
	uint32_t run;  /* the first of the no-ops in front of k */
	uint32_t rel;  /* cursor into b->rel */
};

/* Patterns ------------------------------------------------------------- */

static struct code make_code(struct verify *v, enum pattern_kind kind, const struct reach *to,
	regset dead)
{
	struct code c = {0};
	switch (kind) {
	case PATTERN_COUNT:
		if (v->cell == 1)
			code_mark(v->target, &c, to, 0, dead);
		else
			code_count(v->target, &c, to, 0, dead);
		break;
	case PATTERN_FORK: code_fork_check(v->target, &c, v->forked, dead); break;
	case PATTERN_THREAD: code_thread_check(v->target, &c, to, v->forked, dead); break;
	case PATTERN_SKIP:
	case PATTERN_BEGIN:
	case PATTERN_END:
	case PATTERN_HELD:
	case PATTERN_POISON: break;
	}
	return c;
}

static bool same_code(const struct code *x, const struct code *y)
{
	return x->bytes.n == y->bytes.n &&
		!memcmp(small_v(&x->bytes), small_v(&y->bytes), x->bytes.n);
}

/* What a sequence needs dead is what it would be another one without. */
static void add_pattern(struct verify *v, enum pattern_kind kind, const struct reach *to,
	regset dead)
{
	struct pattern p = {.code = make_code(v, kind, to, dead),
		.kind = kind,
		.access = to ? (uint8_t)(1u << to->access) : 0,
		.by_thread = to && to->access == ACCESS_THREAD};
	for (size_t i = 0; i < v->pattern.n; i++)
		if (v->pattern.v[i].kind == kind && same_code(&v->pattern.v[i].code, &p.code)) {
			v->pattern.v[i].access |= p.access;
			v->pattern.v[i].by_thread |= p.by_thread;
			return;
		}
	for (unsigned b = 0; b < 64; b++) {
		struct code c = make_code(v, kind, to, dead & ~REG_BIT(b));
		if (!same_code(&c, &p.code))
			p.need |= REG_BIT(b);
	}
	vec_push(&v->pattern, p);
}

/* Flags are dead all together, all but one, or one by one beside one register. */
static void add_patterns(struct verify *v, enum pattern_kind kind, const struct reach *to)
{
	add_pattern(v, kind, to, ~(regset)0);
	for (unsigned f = 31; f < 64; f++) {
		regset flag = f < 32 ? 0 : REG_BIT(f);
		add_pattern(v, kind, to, ~flag);
		add_pattern(v, kind, to, flag);
		for (unsigned b = 0; b < 32; b++)
			if (!(v->target->no_scratch & REG_BIT(b)))
				add_pattern(v, kind, to, REG_BIT(b) | flag);
	}
}

/* Code for counters that register reg holds: it must be dead, and what else is changed. */
static void add_hold(struct verify *v, enum hold what, const struct reach *to, unsigned reg,
	unsigned by, regset dead)
{
	static const enum pattern_kind kind[] = {[HOLD_BEGIN] = PATTERN_BEGIN,
		[HOLD_COUNT] = PATTERN_COUNT,
		[HOLD_END] = PATTERN_END,
		[HOLD_FOLLOW] = PATTERN_BEGIN,
		[HOLD_FETCH] = PATTERN_HELD,
		[HOLD_DISTANCE] = PATTERN_HELD,
		[HOLD_DIVIDE] = PATTERN_HELD,
		[HOLD_END_LESS] = PATTERN_END};
	const struct target *t = v->target;
	struct pattern p = {.kind = kind[what],
		.reg = (uint8_t)(reg + 1),
		.need = REG_BIT(reg) | dead,
		.hold = (uint8_t)what,
		.by = (uint8_t)by,
		.by_thread = to->access == ACCESS_THREAD};
	if (what != HOLD_FOLLOW && t->hold_vectors & REG_BIT(reg))
		p.need |= t->hold_unit;
	code_hold(t, &p.code, what, to, 0, reg, by, dead);
	vec_push(&v->pattern, p);
}

/* The same for one in whose stead another register counts, where memory is not touched. */
static void add_steps(struct verify *v, const struct reach *to, unsigned reg, regset flags)
{
	enum { REGS = 16, BITS = 64 };
	regset vectors = v->target->hold_vectors;
	bool vector = vectors & REG_BIT(reg);
	for (unsigned by = 0; by < REGS; by++) {
		add_hold(v, HOLD_FOLLOW, to, reg, by, 0);
		if (!vector)
			add_hold(v, HOLD_DISTANCE, to, reg, by, flags);
	}
	for (unsigned by = 1; by < BITS && !vector; by++)
		add_hold(v, HOLD_DIVIDE, to, reg, by, flags);
	for (; vectors && !vector; vectors &= vectors - 1)
		add_hold(v, HOLD_FETCH, to, reg, (unsigned)__builtin_ctzll(vectors), 0);
}

static void add_holds(struct verify *v, const struct reach *to)
{
	const struct target *t = v->target;
	regset flags = t->call_clobbers & REGSET_FLAGS;
	regset regs = (t->ret_live | t->call_clobbers) & ~(t->no_scratch | REGSET_FLAGS);
	for (regs &= ~t->hold_unit; regs; regs &= regs - 1) {
		unsigned r = (unsigned)__builtin_ctzll(regs);
		bool vector = t->hold_vectors & REG_BIT(r);
		add_hold(v, HOLD_END, to, r, 0, flags);
		if (!vector)
			add_hold(v, HOLD_END_LESS, to, r, 0, flags);
		for (unsigned b = 0; b < 32 && vector; b++)
			if (!((t->no_scratch | t->hold_vectors | t->hold_unit) & REG_BIT(b)))
				add_hold(v, HOLD_END, to, r, 0, flags | REG_BIT(b));
		if (to->access != ACCESS_PLAIN || !to->near)
			continue; /* the others do not tell what memory they stand for */
		add_hold(v, HOLD_COUNT, to, r, 0, 0);
		add_hold(v, HOLD_COUNT, to, r, 0, flags);
		add_hold(v, HOLD_BEGIN, to, r, 0, 0);
		add_hold(v, HOLD_BEGIN, to, r, 0, flags);
		add_steps(v, to, r, flags);
	}
}

static uint8_t start_key(uint8_t byte, uint64_t off)
{
	return (uint8_t)(byte + 31 * off);
}

/* The ways to reach counters that differ, by number. */
enum { REACHES = 12 };
static struct reach nth_reach(const struct verify *v, int how)
{
	static const struct {
		bool near, fixed;
		enum repeat repeat;
	} form[] = {{true, false, REPEAT_SOON}, {false, true, REPEAT_SOON},
		{false, true, REPEAT_RARELY}, {true, true, REPEAT_LATER}};
	return (struct reach){.sym = v->counters,
		.sym_fixed = v->mapped ? v->mapped : v->counters,
		.access = (enum counter_access)(how / 4),
		.near = form[how % 4].near,
		.fixed = form[how % 4].fixed,
		.moved = v->mapped,
		.repeat = form[how % 4].repeat};
}

static void make_patterns(struct verify *v)
{
	struct code c = {0};
	for (int how = 0; v->counters && how < REACHES; how++) {
		struct reach to = nth_reach(v, how);
		add_patterns(v, PATTERN_COUNT, &to);
		if (v->forked && to.access == ACCESS_THREAD)
			add_pattern(v, PATTERN_THREAD, &to, 0);
		for (unsigned b = 0; v->forked && to.access == ACCESS_THREAD && b < 32; b++)
			add_pattern(v, PATTERN_THREAD, &to, REGSET_FLAGS | REG_BIT(b));
	}
	if (v->counters && v->forked)
		add_patterns(v, PATTERN_FORK, NULL);
	/* many, and no two alike: those before are compared with each other */
	for (int how = 0; v->counters && v->cell == 8 && how < REACHES; how++) {
		struct reach to = nth_reach(v, how);
		add_holds(v, &to);
	}
	v->target->micro->landing(&c);
	v->nlanding = c.bytes.n;
	memcpy(v->landing, small_v(&c.bytes), c.bytes.n);
	for (size_t i = v->pattern.n; i-- > 0;) {
		struct pattern *p = &v->pattern.v[i];
		if (!p->code.rel.n || !pattern_is_proved(v, p))
			continue;
		const struct pattern **list = &v->by_start[start_key(small_v(&p->code.bytes)[0],
			small_v(&p->code.rel)->off)];
		p->next = *list;
		*list = p;
	}
}

static bool is_counter(const struct verify *v, uint32_t sym)
{
	return sym && (sym == v->counters || sym == v->mapped);
}

/* The pattern's bytes without its relocated fields, and these relocations with one counter. */
static bool pattern_at(const struct align *al, const struct pattern *p, uint64_t j, uint32_t rel)
{
	const struct section *b = al->t->b;
	const struct code *c = &p->code;
	const uint8_t *bytes = small_v(&c->bytes);
	const struct reloc *r = small_v(&c->rel);
	uint64_t from = 0;
	if (c->bytes.n > b->size - j || !c->rel.n || c->rel.n > b->nrel - rel)
		return false;
	int64_t counter = (int64_t)((uint64_t)b->rel[rel].addend - (uint64_t)r->addend);
	bool counts = p->kind == PATTERN_COUNT || p->reg;
	if (!counts ? counter != 0 : counter < 0 || counter % al->v->cell)
		return false;
	for (uint32_t i = 0; i < c->rel.n; i++, r++) {
		const struct reloc *q = &b->rel[rel + i];
		if (q->off != j + r->off || q->type != r->type || q->sym != r->sym ||
			(uint64_t)q->addend != (uint64_t)r->addend + (uint64_t)counter ||
			memcmp(b->data + j + from, bytes + from, r->off - from) != 0)
			return false;
		from = r->off + al->v->target->reloc_info(r->type)->size;
	}
	return !memcmp(b->data + j + from, bytes + from, c->bytes.n - from);
}

/* What needs these dead, and has that length; made when it is first seen. */
static const struct pattern *poison_pattern(struct verify *v, regset need, uint32_t n)
{
	const struct pattern **list = &v->poison[(need ^ need >> 8 ^ need >> 30 ^ n) %
		(sizeof v->poison / sizeof v->poison[0])];
	for (const struct pattern *p = *list; p; p = p->next)
		if (p->need == need && p->code.bytes.n == n)
			return p;
	struct pattern *p = arena_new(&v->arena, struct pattern);
	*p = (struct pattern){.code = {.bytes.n = n, .rel.n = 1},
		.need = need,
		.kind = PATTERN_POISON,
		.next = *list};
	*list = p;
	return p;
}

/*
 * Relocation r tells that the code from it on, of as many bytes as its addend says, was inserted
 * to overwrite what is dead: instructions that do nothing but change registers and flags.
 */
static const struct pattern *find_poison(struct verify *v, const struct section *b,
	const struct reloc *r)
{
	uint64_t n = (uint64_t)r->addend;
	regset need = 0;
	if (n > sizeof v->pattern.v->code.bytes.own || n > b->size - r->off || !is_none(v, r))
		return NULL;
	for (uint64_t y = r->off, end = y + n; y < end;) {
		struct insn in = {0};
		if (!v->target->decode(v->decoder, b->data + y, end - y, &in) ||
			in.kind != INSN_OTHER || in.flags || in.pc_size)
			return NULL;
		need |= insn_effects(&in)->clobbers;
		y += in.len;
	}
	return (need & v->target->no_scratch) ? NULL : poison_pattern(v, need, (uint32_t)n);
}

static const struct pattern *find_pattern(const struct align *al, uint64_t j)
{
	struct verify *v = al->v;
	const struct section *b = al->t->b;
	uint32_t rel = al->rel;
	while (rel < b->nrel && b->rel[rel].off < j)
		rel++;
	if (v->poisoned && rel < b->nrel && b->rel[rel].sym == v->poisoned && b->rel[rel].off == j)
		return find_poison(v, b, &b->rel[rel]);
	if (j >= b->size || rel == b->nrel ||
		b->rel[rel].off - j >= sizeof v->pattern.v->code.bytes.own ||
		(!is_counter(v, b->rel[rel].sym) && b->rel[rel].sym != v->forked))
		return NULL;
	const struct pattern *p = v->by_start[start_key(b->data[j], b->rel[rel].off - j)];
	while (p && !pattern_at(al, p, j, rel))
		p = p->next;
	return p;
}

/* Decoding the old code ------------------------------------------------ */

static void mark_symbols(struct verify *v, uint64_t **hard)
{
	for (size_t i = 1; i < v->a->sym.n; i++) {
		const struct symbol *s = &v->a->sym.v[i];
		struct vtext *t = text_at(v, s->sec);
		unsigned type = symbol_type(s);
		if (!t || type == STT_SECTION || s->value > t->a->size)
			continue;
		uint64_t *h = hard[t - v->text.v];
		bit_set(h, s->value);
		bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
		if (func || (type == STT_NOTYPE && symbol_bind(s) != STB_LOCAL))
			bit_set(t->named, s->value);
		if (!func) {
			bit_set(t->loose, s->value);
			continue;
		}
		bit_set(t->start, s->value);
		if (s->size && s->size <= t->a->size - s->value) {
			bit_set(h, s->value + s->size);
			bit_set(t->loose, s->value + s->size);
			bit_set(t->ends, s->value + s->size);
		}
	}
}

/* The first hard start in (from, to); to when there is none. */
static uint64_t next_hard(const uint64_t *h, uint64_t from, uint64_t to)
{
	while (++from < to && !bit_get(h, from))
		;
	return from < to ? from : to;
}

/* A no-op that a relocation changes is as good as any other instruction. */
static bool has_reloc(const struct section *s, const struct insn *in, uint64_t x)
{
	uint32_t i = in->kind == INSN_NOP ? section_first_reloc(s, x) : s->nrel;
	return i < s->nrel && s->rel[i].off < x + in->len;
}

static void decode_text(struct verify *v, struct vtext *t, const uint64_t *hard)
{
	const struct section *s = t->a;
	uint64_t func = 0;
	t->first = (uint32_t)v->insn.n;
	for (uint64_t x = 0; x < s->size;) {
		struct insn in = {0};
		bool ok = v->target->decode(v->decoder, s->data + x, s->size - x, &in);
		if (bit_get(t->start, x))
			func = x;
		uint64_t stop = ok ? next_hard(hard, x, x + in.len) : x;
		if (ok && stop == x + in.len) {
			in.off = (uint32_t)x;
			if (has_reloc(s, &in, x))
				in.kind = KIND_CHANGED;
			vec_push(&v->insn, in);
			x += in.len;
			continue;
		}
		/* As raw bytes up to where the code must be in step again. */
		bit_set(t->raw, func);
		stop = ok ? stop : x + 1;
		for (; x < stop; x++)
			vec_push(&v->insn,
				(struct insn){.off = (uint32_t)x, .len = 1, .kind = KIND_RAW});
	}
	t->n = (uint32_t)v->insn.n - t->first;
}

uint32_t insn_at(const struct verify *v, const struct vtext *t, uint64_t x)
{
	uint32_t lo = t->first, hi = t->first + t->n;
	if (x >= t->a->size)
		return hi;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (v->insn.v[mid].off <= x)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Aligning ------------------------------------------------------------- */

/* The branch's long form at y; its length, or 0. */
static unsigned long_form(const struct align *al, const struct insn *in, uint64_t y)
{
	const struct target *t = al->v->target;
	const uint8_t *p = al->t->a->data + in->off, *q = al->t->b->data + y;
	uint8_t code[16];
	if ((in->flags & INSN_OPERAND_PC) || in->pc_size != 1)
		return 0;
	unsigned len = t->branch_len(in, INT32_MAX / 2, in->len);
	if (len == in->len || len > al->t->b->size - y)
		return 0;
	int64_t dist = (int32_t)get_u32(q + t->branch_field(in, len)) + (int64_t)len;
	if (!t->branch_encode(in, p, len, dist, code) || memcmp(code, q, len) != 0)
		return 0;
	/* One that begins like the short form: were the old bytes the same? */
	uint64_t room = al->t->a->size - in->off;
	if (!memcmp(p, q, in->pc_off) && room >= len &&
		!memcmp(p + in->len, q + in->len, len - in->len))
		return 0;
	return len;
}

/* Bytes that are no instructions: some of them together, or a no-op might look the same. */
static bool same_raw(const struct align *al, uint64_t y)
{
	const struct vtext *t = al->t;
	const struct insn *in = &al->v->insn.v[al->k];
	uint32_t n = 0, left = t->first + t->n - al->k;
	while (n < 16 && n < left && in[n].kind == KIND_RAW)
		n++;
	return t->b->size - y >= n && !memcmp(t->a->data + in->off, t->b->data + y, n);
}

/*
 * What could be taken for a no-op in front of it stands behind all of them, if they
 * are what they were.
 */
static void take_kept_nops(struct align *al, const struct insn *in)
{
	const struct section *a = al->t->a, *b = al->t->b;
	uint32_t from = al->v->insn.v[al->run].off, n = in->off - from;
	if ((in->kind != KIND_RAW && in->kind != KIND_CHANGED) || !n ||
		b->size - al->j < n + in->len ||
		memcmp(a->data + from, b->data + al->j, n + in->len) != 0)
		return;
	for (uint32_t i = al->run; i < al->k; i++)
		bit_set(al->t->bound, al->j + al->v->insn.v[i].off - from);
	al->j += n;
}

/* The same instruction at y but for the distance it holds; 0: no, else its length there. */
static unsigned same_insn(const struct align *al, const struct insn *in, uint64_t y)
{
	const uint8_t *p = al->t->a->data + in->off, *q = al->t->b->data + y;
	uint64_t room = al->t->b->size - y;
	unsigned behind = in->pc_off + in->pc_size;
	if (in->kind == KIND_RAW)
		return same_raw(al, y);
	if (!in->pc_size)
		return room >= in->len && !memcmp(p, q, in->len) ? in->len : 0;
	unsigned len = long_form(al, in, y);
	if (len || room < in->len || memcmp(p, q, in->pc_off) != 0 ||
		memcmp(p + behind, q + behind, in->len - behind) != 0)
		return len;
	return in->len;
}

/* The old instructions [run, k], of which only k can be no no-op, are at [end, j]. */
static void place(struct align *al, bool last)
{
	struct vtext *t = al->t;
	for (uint32_t i = al->run; i < al->k + last; i++) {
		t->lo[i - t->first] = (uint32_t)al->end;
		t->hi[i - t->first] = (uint32_t)al->j;
	}
	al->run = al->k + last;
}

static bool take_inserted(struct align *al)
{
	struct verify *v = al->v;
	struct vtext *t = al->t;
	uint64_t at = al->j;
	bool landing = v->nlanding && v->nlanding < t->b->size - at &&
		!memcmp(t->b->data + at, v->landing, v->nlanding);
	const struct pattern *p = find_pattern(al, landing ? at + v->nlanding : at);
	if (!p)
		return false;
	uint64_t start = landing ? at + v->nlanding : at, end = start + p->code.bytes.n;
	/* A landing of the old code's stays first; an inserted one has another behind it. */
	if (landing &&
		(end + v->nlanding > t->b->size ||
			memcmp(t->b->data + end, v->landing, v->nlanding) != 0))
		return false;
	bit_set(t->bound, at);
	while (t->b->rel[al->rel].off < start)
		al->rel++;
	for (uint32_t i = 0; i < p->code.rel.n; i++)
		t->used[al->rel + i] = 1;
	bool behind = al->k == t->first + t->n;
	vec_push(&v->site,
		(struct vsite){.text = al->ti,
			.insn = behind ? NO_INSN : al->k,
			.at = (uint32_t)start,
			.end = (uint32_t)end,
			.pattern = p,
			.counter = (int64_t)((uint64_t)t->b->rel[al->rel].addend -
				(uint64_t)small_v(&p->code.rel)->addend)});
	al->j = end;
	return true;
}

/* Nothing but a relocation: the instruction behind it is a counter's step. */
static bool take_step(struct align *al)
{
	static const struct pattern step = {.kind = PATTERN_COUNT, .hold = HOLD_STEP};
	const struct section *b = al->t->b;
	const struct reloc *r = &b->rel[al->rel];
	if (al->rel == b->nrel || r->off != al->j || !is_none(al->v, r) ||
		!is_counter(al->v, r->sym) || r->addend < 0 || r->addend % al->v->cell != 1)
		return false;
	al->t->used[al->rel++] = 1;
	vec_push(&al->v->site,
		(struct vsite){.text = al->ti,
			.insn = al->k == al->t->first + al->t->n ? NO_INSN : al->k,
			.at = (uint32_t)al->j,
			.end = (uint32_t)al->j,
			.pattern = &step,
			.counter = r->addend - 1});
	return true;
}

/* Does a relocation say where the instruction at x leads? */
static bool has_field_reloc(const struct section *s, uint64_t x, const struct insn *in)
{
	uint32_t r = section_first_reloc(s, x + in->pc_off);
	return r < s->nrel && s->rel[r].off == x + in->pc_off;
}

/* The length of the jump forward, or to the next instruction, at y; 0: it is none. */
static unsigned forward_jump(const struct align *al, uint64_t y, uint64_t *to)
{
	const struct verify *v = al->v;
	const struct section *b = al->t->b;
	struct insn in = {0};
	if (y >= b->size || !v->target->decode(v->decoder, b->data + y, b->size - y, &in) ||
		in.kind != INSN_JUMP)
		return 0;
	const uint8_t *field = b->data + y + in.pc_off;
	if (has_field_reloc(b, y, &in))
		return 0;
	int64_t n = in.pc_size == 1 ? (int8_t)*field : (int32_t)get_u32(field);
	*to = y + in.len + (uint64_t)n;
	return n >= 0 && *to <= b->size ? in.len : 0;
}

/* The same of one as a skip is made. */
static unsigned jump_at(const struct align *al, uint64_t y, uint64_t *to)
{
	struct code skip = {0};
	unsigned len = forward_jump(al, y, to);
	if (!len || *to == y + len)
		return 0;
	al->v->target->micro->jump(&skip, (uint32_t)(*to - y - len));
	return skip.bytes.n == len && !memcmp(small_v(&skip.bytes), al->t->b->data + y, len) ? len
											     : 0;
}

/* The same of one over inserted code, of which there is some, only. */
static unsigned skip_at(const struct align *al, uint64_t y, uint64_t *to)
{
	uint64_t inner;
	unsigned len = jump_at(al, y, to);
	for (uint64_t at = y + len; len && at != *to;) {
		const struct pattern *p = find_pattern(al, at);
		unsigned n = p ? p->code.bytes.n : jump_at(al, at, &inner);
		if (!n || (!p && inner > *to) || n > *to - at)
			return 0;
		at += n;
	}
	return len;
}

/*
 * Old jumps in a row, of which each leads to one behind it or behind the row, look like
 * those over inserted code, and both stand in a row then.  A place in the row is where all
 * that leads to one old jump, or behind the last one, leads now.
 */
enum { ROW = 64, ROW_STEPS = 10000, ELSEWHERE = ROW + 1 };
struct row {
	uint64_t at[ROW + 1], to[ROW]; /* new jumps; at[n]: the row's end */
	uint32_t n;
	uint64_t off[ROW + 1]; /* old jumps; off[m]: the row's end */
	uint32_t goal[ROW], m;
	uint32_t is[ROW];	 /* which new one each old one is */
	uint64_t place[ROW + 1]; /* 0: nothing leads there */
	uint32_t steps;
};

static bool read_old_row(const struct align *al, struct row *row)
{
	const struct verify *v = al->v;
	uint32_t k = al->k, end = al->last, sec;
	for (; k < end && row->m < ROW; k++) {
		const struct insn *in = &v->insn.v[k];
		if (is_padding(in))
			continue;
		if (in->kind != INSN_JUMP)
			break;
		row->off[row->m++] = in->off;
	}
	row->off[row->m] = k < end ? v->insn.v[k].off : al->t->a->size;
	for (uint32_t i = 0; i < row->m; i++) {
		uint64_t x = 0;
		const struct insn *in = &v->insn.v[insn_at(v, al->t, row->off[i])];
		row->goal[i] = ELSEWHERE;
		if (has_field_reloc(al->t->a, in->off, in))
			continue;
		insn_target(v, al->t, in, NULL, &sec, &x);
		for (uint32_t j = i + 1; j <= row->m; j++)
			row->goal[i] = row->off[j] == x ? j : row->goal[i];
	}
	return row->m && row->m < ROW;
}

static bool read_new_row(const struct align *al, struct row *row)
{
	const struct section *b = al->t->b;
	uint64_t y = al->j;
	while (y < al->stop && row->n < ROW) {
		const struct pattern *p = find_pattern(al, y);
		struct insn in = {0};
		unsigned len = p ? p->code.bytes.n : forward_jump(al, y, &row->to[row->n]);
		if (!p && len)
			row->at[row->n++] = y;
		if (!len && al->v->target->decode(al->v->decoder, b->data + y, b->size - y, &in) &&
			(is_padding(&in) || in.kind == INSN_JUMP)) {
			len = in.len;
			if (in.kind == INSN_JUMP) {
				row->to[row->n] = 0;
				row->at[row->n++] = y;
			}
		}
		if (!len)
			break;
		y += len;
	}
	row->at[row->n] = y;
	return row->n < ROW;
}

/* Do old jumps lead to the places that the inserted ones give, or to such as can be? */
static bool places_fit(const struct row *row)
{
	uint64_t place[ROW + 1];
	memcpy(place, row->place, sizeof place);
	for (uint32_t i = 0; i < row->m; i++) {
		uint32_t j = row->goal[i];
		uint64_t to = row->to[row->is[i]];
		if (j == ELSEWHERE)
			continue;
		if ((place[j] && place[j] != to) || to <= row->at[row->is[j - 1]] ||
			to > row->at[j < row->m ? row->is[j] : row->n])
			return false;
		place[j] = to;
	}
	return true;
}

/* Find the old jumps i.. among the new ones x.., where those to one place come before it. */
static bool match_row(struct row *row, uint32_t i, uint32_t x)
{
	if (row->steps++ > ROW_STEPS)
		return false;
	row->place[i] = 0;
	if (i == row->m ? x == row->n && places_fit(row) : x < row->n) {
		if (i == row->m)
			return true;
		row->is[i] = x;
		if (match_row(row, i + 1, x + 1))
			return true;
	}
	if (x >= row->n)
		return false;
	uint64_t to = row->to[x];
	uint32_t y = x;
	for (; y < row->n && row->at[y] < to; y++)
		if (row->to[y] != to)
			return false;
	if (y == x || (i < row->m && y == row->n) || to > row->at[row->n])
		return false;
	row->place[i] = to;
	if (i == row->m)
		return y == row->n && places_fit(row);
	row->is[i] = y;
	return match_row(row, i + 1, y + 1);
}

/* Is the jump at j the old one, and not one inserted in front of it? */
static bool is_old_jump(const struct align *al, const struct insn *in)
{
	struct row row = {0};
	return in && in->kind == INSN_JUMP && read_old_row(al, &row) && read_new_row(al, &row) &&
		match_row(&row, 0, 0) && row.is[0] == 0;
}

static bool take_skip(struct align *al, const struct insn *in)
{
	static const struct pattern skip = {.kind = PATTERN_SKIP};
	const struct section *b = al->t->b;
	uint64_t to;
	/* what it skips begins with a counter */
	if (al->rel == b->nrel || !is_counter(al->v, b->rel[al->rel].sym) ||
		b->rel[al->rel].off - al->j > sizeof al->v->pattern.v->code.bytes.own)
		return false;
	unsigned len = skip_at(al, al->j, &to);
	if (!len || is_old_jump(al, in))
		return false;
	bit_set(al->t->bound, al->j);
	vec_push(&al->v->site,
		(struct vsite){.text = al->ti,
			.insn = in ? al->k : NO_INSN,
			.at = (uint32_t)al->j,
			.end = (uint32_t)al->j + len,
			.to = (uint32_t)to,
			.pattern = &skip});
	al->j += len;
	return true;
}

static bool take_new_nop(struct align *al)
{
	struct insn in = {0};
	const struct section *b = al->t->b;
	if (al->j >= b->size ||
		!al->v->target->decode(al->v->decoder, b->data + al->j, b->size - al->j, &in) ||
		!is_padding(&in))
		return false;
	bit_set(al->t->bound, al->j);
	al->j += in.len;
	return true;
}

static void align_failed(struct align *al)
{
	struct vtext *t = al->t;
	bool behind = al->k == t->first + t->n;
	vfail(al->v, t->a, behind ? t->a->size : al->v->insn.v[al->k].off,
		"the new code at 0x%llx is neither this instruction nor inserted code",
		(unsigned long long)al->j);
	t->broken = true;
}

/* Code that was inserted in front of an instruction, or at the section's end. */
static bool takes_more(struct align *al, const struct insn *in)
{
	if (al->j >= al->stop || (!in && al->last != al->t->first + al->t->n))
		return false;
	return take_inserted(al) || take_step(al) || take_skip(al, in);
}

static bool align_run(struct align *al)
{
	const struct section *b = al->t->b;
	for (;;) {
		const struct insn *in = al->k < al->last ? &al->v->insn.v[al->k] : NULL;
		unsigned len = 0;
		while (al->rel < b->nrel && b->rel[al->rel].off < al->j)
			al->rel++;
		if (!in && al->j == al->stop)
			return true;
		if (takes_more(al, in))
			continue;
		if (in && !is_padding(in)) {
			take_kept_nops(al, in);
			len = same_insn(al, in, al->j);
		}
		if (len) {
			bit_set(al->t->bound, al->j);
			place(al, true);
			al->k++;
			al->j += len;
			al->end = al->j;
		} else if (in && is_padding(in)) {
			/* its place is known when the next instruction's is */
			al->k++;
		} else if (al->j >= al->stop || !take_new_nop(al)) {
			return false;
		}
	}
}

static int site_cmp(const void *a, const void *b)
{
	const struct vsite *x = a, *y = b;
	if (x->insn != y->insn)
		return x->insn < y->insn ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void align_text(struct verify *v, struct vtext *t)
{
	struct align al = {.v = v, .t = t, .ti = (uint32_t)(t - v->text.v)};
	uint32_t behind = t->first + t->n;
	size_t site = v->site.n;
	for (uint32_t i = 0; i < t->nrun; i++) {
		struct vrun *r = t->order[i];
		al.k = al.run = r->first;
		al.last = r + 1 < t->run + t->nrun ? r[1].first : behind;
		al.j = al.end = r->start;
		al.stop = r->stop;
		if (!align_run(&al)) {
			align_failed(&al);
			return;
		}
		r->end = (uint32_t)al.end;
		place(&al, al.last == behind);
	}
	if (t->nrun > 1)
		sort(v->site.v + site, v->site.n - site, sizeof *v->site.v, site_cmp);
}

void verify_align(struct verify *v)
{
	make_patterns(v);
	uint64_t **hard = arena_array(&v->arena, uint64_t *, v->text.n + 1);
	for (size_t i = 0; i < v->text.n; i++) {
		struct vtext *t = &v->text.v[i];
		size_t words = t->a->size / 64 + 1;
		hard[i] = arena_array(&v->arena, uint64_t, words);
		t->start = arena_array(&v->arena, uint64_t, words);
		t->named = arena_array(&v->arena, uint64_t, words);
		t->ends = arena_array(&v->arena, uint64_t, words);
		t->called = arena_array(&v->arena, uint64_t, words);
		t->loose = arena_array(&v->arena, uint64_t, words);
		t->raw = arena_array(&v->arena, uint64_t, words);
		t->bound = arena_array(&v->arena, uint64_t, t->b->size / 64 + 1);
		t->used = arena_array(&v->arena, uint8_t, t->b->nrel + 1);
	}
	mark_symbols(v, hard);
	for (size_t i = 0; i < v->text.n; i++)
		decode_text(v, &v->text.v[i], hard[i]);
	verify_runs(v);
	for (size_t i = 0; i < v->text.n; i++) {
		struct vtext *t = &v->text.v[i];
		t->lo = arena_array(&v->arena, uint32_t, t->n + 1);
		t->hi = arena_array(&v->arena, uint32_t, t->n + 1);
		bit_set(t->bound, t->b->size);
		align_text(v, t);
	}
}
