/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - what is stated of the values that make the targets of jumps by tables
 *
 * A function of which any is stated, or that has such a table, is followed (follow.c), with what
 * the flags compare.  A word of the frame is changed by way of the stack pointer only, as compilers
 * do that keep addresses of tables there.
 */
#include "verify/branches.h"
#include "verify/follow.h"
#include "verify/places.h"
#include "verify/tables.h"

#include <stdlib.h>

enum { WORDS = 24, MOST_ENTRIES = 4096 };

/* What is in a register or a word. */
struct held {
	bool same;	    /* the result of `by', or of others that make the same address */
	uint32_t by;	    /* the instruction of which it is the result; or NO_INSN */
	uint64_t most, low; /* how large it may be, and its low four bytes */
	/* what has the same number has the same value, or low bytes; 0: nothing else has it */
	uint32_t copy, low_copy;
	struct vword word; /* of a table of words */
};

struct word {
	int64_t at; /* from the stack pointer */
	struct held h;
};

/* The last comparison with a number. */
struct compared {
	uint32_t copy, low_copy;
	int64_t with;
	uint8_t size; /* 0: there is none */
};

struct state {
	struct held reg[REGS];
	struct word word[WORDS];
	unsigned nword;
	struct compared compared;
	uint32_t ncopy;
};

struct values {
	struct verify *v;
	const struct flow *w;
	struct follow f;
	struct state now, taken; /* taken: with which the current instruction branches */
	/* of the current function */
	const struct vscaled *table;
	size_t ntable;
	uint32_t copied; /* 1 + the part whose copies of the stack pointer these are */
	regset copies;
};

static const struct held unknown = {.by = NO_INSN, .most = UINT64_MAX, .low = UINT32_MAX};

/* States ------------------------------------------------------------------- */

static void clear(struct state *s)
{
	s->nword = 0;
	s->compared.size = 0;
	s->ncopy = 1;
	for (int r = 0; r < REGS; r++) {
		s->reg[r] = unknown;
		s->reg[r].copy = s->reg[r].low_copy = s->ncopy++;
	}
}

static struct held *word_at(struct state *s, int64_t at)
{
	for (unsigned i = 0; i < s->nword; i++)
		if (s->word[i].at == at)
			return &s->word[i].h;
	return NULL;
}

static void forget_words(struct state *s, int64_t from, int64_t to, int64_t size)
{
	for (unsigned i = 0; i < s->nword;)
		if (s->word[i].at < to && from < s->word[i].at + size)
			s->word[i] = s->word[--s->nword];
		else
			i++;
}

static void set_word(struct state *s, int64_t at, struct held h)
{
	struct held *old = word_at(s, at);
	if (!h.low_copy)
		h.copy = h.low_copy = s->ncopy++;
	if (old)
		*old = h;
	else if (s->nword < WORDS)
		s->word[s->nword++] = (struct word){at, h};
}

static struct held *held_at(const struct values *c, struct state *s, int place)
{
	return place < FRAME_WORDS
		? &s->reg[place]
		: word_at(s, (int64_t)(place - FRAME_WORDS) * c->v->target->word);
}

static struct held up_to(struct held h, uint64_t most)
{
	h.most = most < h.most ? most : h.most;
	h.low = h.most < h.low ? h.most : h.low;
	return h;
}

static struct held low_up_to(struct held h, uint64_t low)
{
	h.low = low < h.low ? low : h.low;
	return h.most <= UINT32_MAX ? up_to(h, h.low) : h;
}

/* What is stated ----------------------------------------------------------- */

/* Do both instructions name the same place, and still do so? */
static bool is_same(const struct values *c, uint32_t a, uint32_t b)
{
	struct vbase x, y;
	if (a == b || a == NO_INSN)
		return a == b;
	for (int low = 0; low < 2; low++)
		if (names_place(c->v, c->f.t, a, low, &x) && names_place(c->v, c->f.t, b, low, &y))
			return !vbase_cmp(&x, &y) && same_new_name(c->v, c->f.t, a, b);
	return false;
}

static bool includes(void *ctx, const struct said *f, const void *state)
{
	const struct compared none = {0};
	struct state *s = (struct state *)(uintptr_t)state;
	struct values *c = ctx;
	const struct compared *x = s ? &s->compared : &none;
	const struct held *h = s ? held_at(c, s, f->place) : NULL;
	if (!h)
		h = &unknown;
	switch ((enum holds)f->holds) {
	case HOLDS_RESULT: return h->by == f->n && !h->same;
	case HOLDS_SAME: return is_same(c, h->by, f->n);
	case HOLDS_UP_TO: return h->most <= f->n;
	case HOLDS_LOW_UP_TO: return h->low <= f->n;
	case HOLDS_COMPARED: return x->size == 8 && x->with == f->n && h->copy == x->copy;
	case HOLDS_LOW_COMPARED:
		return x->size >= 4 && x->with == f->n && h->low_copy == x->low_copy;
	case HOLDS_TABLE:
	case HOLDS_ENTRY:
	case HOLDS_WORD:
	case HOLDS_TARGET: return h->word.holds == f->holds && h->word.table == f->n;
	default: return false;
	}
}

/* The flags compare what h is to hold with f->n. */
static void add_compared(struct state *s, const struct said *f, struct held *h)
{
	struct compared *x = &s->compared;
	if (!x->size)
		*x = (struct compared){.copy = s->ncopy,
			.low_copy = s->ncopy++,
			.with = f->n,
			.size = 4};
	if (x->with != f->n)
		return; /* control does not come there */
	h->low_copy = x->low_copy;
	if (f->holds == HOLDS_LOW_COMPARED)
		return;
	x->size = 8;
	h->copy = x->copy;
}

static bool add(void *ctx, const struct said *f)
{
	struct values *c = ctx;
	struct state *s = &c->now;
	struct held *h = held_at(c, s, f->place);
	struct held new = h ? *h : unknown;
	switch ((enum holds)f->holds) {
	case HOLDS_RESULT:
	case HOLDS_SAME:
		new.by = f->n;
		new.same = f->holds == HOLDS_SAME;
		break;
	case HOLDS_UP_TO: new = up_to(new, f->n); break;
	case HOLDS_LOW_UP_TO: new = low_up_to(new, f->n); break;
	case HOLDS_COMPARED:
	case HOLDS_LOW_COMPARED: add_compared(s, f, &new); break;
	case HOLDS_TABLE:
	case HOLDS_ENTRY:
	case HOLDS_WORD:
	case HOLDS_TARGET: new.word = (struct vword){f->holds, f->n}; break;
	default: return false;
	}
	if (h)
		*h = new;
	else
		set_word(s, (int64_t)(f->place - FRAME_WORDS) * c->v->target->word, new);
	return true;
}

static void start(void *ctx)
{
	clear(&((struct values *)ctx)->now);
}

/* By which instruction it was made, or of which table it is. */
static bool read_fact(void *ctx, const struct vtext *t, struct said *f)
{
	const struct verify *v = ((struct values *)ctx)->v;
	bool result = f->holds == HOLDS_RESULT || f->holds == HOLDS_SAME;
	if (f->holds >= HOLDS_TABLE) {
		if (f->n >= v->table.n)
			return false;
		f->n = v->table.v[f->n].base;
	} else if (result) {
		if (f->n >= t->a->size)
			return false;
		f->n = insn_at(v, t, f->n);
	}
	return true;
}

/* Instructions ----------------------------------------------------------------- */

static void describe(const struct values *c, const struct insn *in, struct operation *op)
{
	c->v->target->describe(c->v->decoder, c->f.t->a->data + in->off, in, op);
}

static const struct held *reg_of(const struct values *c, int reg)
{
	return reg < 0 || reg >= REGS ? &unknown : &c->now.reg[reg];
}

/* Is the base of what adds a low half its page? */
static bool has_page(const struct values *c, uint32_t k, const struct operation *op)
{
	struct vbase to, page;
	if (!names_place(c->v, c->f.t, k, true, &to))
		return true;
	const struct held *h = reg_of(c, op->base);
	return h->by != NO_INSN && names_place(c->v, c->f.t, h->by, false, &page) &&
		!vbase_cmp(&page, &to) && same_new_name(c->v, c->f.t, h->by, k);
}

/* What the instruction makes of a table of words; a jump: where it leads. */
static struct vword word_of(const struct values *c, const struct insn *in,
	const struct operation *op)
{
	const struct vword_operands of = {reg_of(c, op->base)->word, reg_of(c, op->index)->word,
		reg_of(c, op->src)->word, reg_of(c, op->dst)->word};
	return word_made(c->v, c->f.t, in, op, &of);
}

static bool is_plain(const struct values *c, const struct insn *in, const struct operation *op)
{
	return !op->pc_rel && !(in->has_rel && insn_reloc(c->f.t, in, 0));
}

static struct held result(struct values *c, uint32_t k, const struct insn *in,
	const struct operation *op)
{
	struct held h = unknown, *word;
	if (op->op == OP_MOVE && op->size == 8)
		return *reg_of(c, op->src);
	if (op->op == OP_LOAD && op->base == c->v->target->stack_reg && op->index < 0 &&
		op->size == 8 && is_plain(c, in, op) && (word = word_at(&c->now, op->disp)))
		return *word;
	h.word = word_of(c, in, op);
	h.by = !in->has_rel || has_page(c, k, op) ? k : NO_INSN;
	h.copy = h.low_copy = c->now.ncopy++;
	if (op->op == OP_MOVE && op->size == 4) {
		h.low_copy = reg_of(c, op->src)->low_copy;
		h = up_to(h, reg_of(c, op->src)->low);
	} else if (op->op == OP_IMM && op->imm >= 0 && is_plain(c, in, op)) {
		h = up_to(h, (uint64_t)op->imm);
	} else if (op->max) {
		h = up_to(h, op->max);
	}
	return h;
}

/* A register is stored: in functions that use tables of words, only what it has of these matters.
 */
static void store_word(struct values *c, int64_t at, int reg)
{
	if (c->ntable || reg_of(c, reg)->word.holds)
		set_word(&c->now, at, *reg_of(c, reg));
}

/* What the instruction stores by the stack pointer, and how it moves that. */
static void change_words(struct values *c, const struct insn *in, const struct operation *op)
{
	const struct target *g = c->v->target;
	struct state *s = &c->now;
	int64_t at, by = 0;
	unsigned size;
	bool store, own = op->base == g->stack_reg;
	if (g->frame_access && g->frame_access(c->f.t->a->data + in->off, in, &at, &size, &store) &&
		store)
		forget_words(s, at, at + size, g->word);
	if (own && op->size == 8 && g->frame_access &&
		((op->op == OP_STORE && op->index < 0) || op->op == OP_STORE_PAIR))
		store_word(c, op->disp, op->src);
	if (own && op->size == 8 && g->frame_access && op->op == OP_STORE_PAIR)
		store_word(c, op->disp + op->size, op->index);
	if (!(insn_effects(in)->clobbers & REG_BIT(g->stack_reg)))
		return;
	if (own && op->moves)
		by = op->moves;
	else if (own && op->op == OP_LEA && op->dst == g->stack_reg && op->index < 0)
		by = op->disp;
	else
		s->nword = 0;
	for (unsigned i = 0; i < s->nword; i++)
		s->word[i].at -= by;
}

static void forget(struct state *s, regset regs)
{
	for (regs &= REGSET_GENERAL; regs; regs &= regs - 1) {
		struct held *h = &s->reg[lowest_reg(regs)];
		*h = unknown;
		h->copy = h->low_copy = s->ncopy++;
	}
}

static void execute_part(struct values *c, uint32_t k, const struct insn *in,
	const struct operation *op)
{
	const struct target *g = c->v->target;
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	regset lost = insn_effects(in)->clobbers, made = lost & REGSET_GENERAL;
	struct held h = result(c, k, in, op);
	change_words(c, in, op);
	if (call)
		lost |= call_changes(c->w, k) | (g->link_reg < 0 ? 0 : REG_BIT(g->link_reg));
	if (call)
		forget_words(&c->now, INT32_MIN, 0, 0);
	forget(&c->now, lost);
	if (!call && op->dst >= 0 && op->dst < REGS && made & REG_BIT(op->dst))
		c->now.reg[op->dst] = h;
	else if (!call && op->dst < 0 && made && !(made & (made - 1)))
		c->now.reg[lowest_reg(made)] = h;
	if (op->op == OP_CMP_IMM && op->dst < REGS)
		c->now.compared = (struct compared){reg_of(c, op->dst)->copy,
			reg_of(c, op->dst)->low_copy, op->imm, op->size};
	else if (lost & REGSET_FLAGS)
		c->now.compared.size = 0;
}

/* What the branch, taken or not, tells of what was compared. */
static void narrow(struct state *s, const struct operation *branch, bool taken)
{
	const struct compared *x = &s->compared;
	int64_t most = x->with - !!branch->imm;
	if (!x->size || branch->op != (taken ? OP_BRANCH_UP_TO : OP_BRANCH_ABOVE) || most < 0)
		return;
	for (int r = 0; r < REGS; r++) {
		struct held *h = &s->reg[r];
		if (h->copy == x->copy && x->size == 8)
			*h = up_to(*h, (uint64_t)most);
		else if (h->low_copy == x->low_copy)
			*h = low_up_to(*h, (uint64_t)most);
	}
}

/* Tables ----------------------------------------------------------------------- */

static bool is_from(const struct values *c, int reg, uint32_t part)
{
	return is_same(c, reg_of(c, reg)->by, part);
}

static bool is_index(const struct values *c, const struct operation *op, const struct vscaled *s)
{
	const struct held *h = reg_of(c, op->index);
	return s->closed || (op->index_size == 4 ? h->low : h->most) < s->n;
}

/* Does instruction k, a part of the table, use what another part has made? */
static bool uses_parts(const struct values *c, uint32_t k, const struct operation *op,
	const struct vscaled *s)
{
	if (k == s->name && !is_from(c, op->base, s->page))
		return false;
	if (k == s->load && !(is_from(c, op->base, s->name) && is_index(c, op, s)))
		return false;
	if (k == s->sum && !(is_from(c, op->base, s->anchor) && is_from(c, op->index, s->load)))
		return false;
	return k != s->jump || is_from(c, op->src, s->sum);
}

static void check_parts(struct values *c, uint32_t k, const struct operation *op)
{
	for (size_t i = 0; i < c->ntable; i++)
		if (c->table[i].proved && !uses_parts(c, k, op, &c->table[i]))
			vfail(c->v, c->f.t->a, c->v->insn.v[k].off,
				"may use another value than that of the jump's table");
}

/* Does jump k lead where a word of the table says of which that is stated? */
static void check_jump(struct values *c, uint32_t k, const struct operation *op)
{
	const struct vjump *j = jump_at(c->v, k);
	struct vword to = word_of(c, &c->v->insn.v[k], op);
	bool by_words = to.holds == HOLDS_TARGET;
	bool same = by_words &&
		(!j || j->table == ANY_TABLE || c->v->table.v[j->table].base == to.table);
	if (j && !same)
		vfail(c->v, c->f.t->a, c->v->insn.v[k].off,
			"may lead elsewhere than by the table that is stated");
	if (!j && by_words && to.table != ANY_TABLE && has_distances(c->v, to.table))
		vfail(c->v, c->f.t->a, c->v->insn.v[k].off,
			"leads by a table, which is not stated");
}

/*
 * A table of which it is not stated that its jump uses nothing else: so nothing of its function may
 * have moved, but as a whole.
 */
static void check_unproved(struct values *c)
{
	const struct verify *v = c->v;
	uint64_t x = v->insn.v[c->f.from + 1].off;
	uint32_t to = c->f.to;
	while (to > c->f.from + 2 && is_padding(&v->insn.v[to - 1]))
		to--;
	uint64_t end = to < c->f.t->first + c->f.t->n ? v->insn.v[to].off : c->f.t->a->size;
	for (size_t i = 0; i < c->ntable; i++)
		if (!c->table[i].proved && !c->f.t->broken && !is_unmoved(v, c->f.t, x, end))
			vfail(c->v, c->f.t->a, v->insn.v[c->table[i].jump].off,
				"jumps by a table of which nothing is stated, and code has moved");
}

/* Control flow -------------------------------------------------------------------- */

/*
 * An indirect jump leads where its table says, or to any label whose address is taken: to one that
 * only distances name if it is by some table.
 */
static void lead(void *ctx, uint32_t k)
{
	struct values *c = ctx;
	const uint64_t *taken = jump_at(c->v, k) ? c->w->named : c->w->addressed;
	if (follow_tables(&c->f, k) || callee_of(c->v, c->f.t, &c->v->insn.v[k]))
		return;
	size_t n;
	const struct said *f = follow_facts(&c->f, &n);
	for (size_t i = 0; i < n; i++)
		if (bit_get(taken, f[i].insn))
			follow_to(&c->f, k, f[i].insn, &c->now);
}

/* May instruction k raise an exception?  No access to the frame does. */
static bool may_raise(struct values *c, uint32_t k)
{
	const struct insn *in = &c->v->insn.v[k];
	regset sp = c->v->target->no_scratch, reads;
	if (in->kind == INSN_CALL || in->kind == INSN_CALL_IND)
		return true;
	if (!(in->flags & INSN_MEM) || (reads = insn_effects(in)->reads) & sp)
		return false;
	uint32_t part = part_of(c->w, k);
	if (c->copied != part + 1)
		c->copies = stack_copies(c->w, part);
	c->copied = part + 1;
	return !(reads & c->copies);
}

/* An exception leads from k to its landing pad, with what calls keep. */
static void raise_from(struct values *c, uint32_t k)
{
	const struct vpad *p = c->w->pad.v;
	size_t i;
	BISECT(i, 0, c->w->pad.n, p[i].from <= k);
	if (!i || p[i - 1].to < k)
		return;
	uint32_t pad = p[i - 1].pad;
	if (!may_raise(c, k) || !follow_says(&c->f, pad))
		return;
	struct state kept = c->now;
	forget(&kept, c->v->target->abi.call_clobbers);
	follow_to(&c->f, k, pad, &kept);
}

/* The part that a branch may skip: what it makes is not known. */
static void execute_perhaps(struct values *c, const struct insn *in)
{
	struct operation op = {.op = OP_OTHER, .dst = -1, .src = -1, .base = -1, .index = -1};
	change_words(c, in, &op);
	forget(&c->now, insn_effects(in)->clobbers);
}

/*
 * What the parts of instruction k do, of which op is the first: a branch reads its registers, and a
 * call changes them behind what the other part does.
 */
static void execute_all(struct values *c, uint32_t k, const struct operation *op)
{
	const struct insn *in = &c->v->insn.v[k];
	struct insn part[INSN_PARTS];
	struct operation next;
	for (unsigned i = vparts(c->v, c->f.t, in, part); i-- > 0;) {
		part[i].has_rel = in->has_rel;
		if (i)
			describe(c, &part[i], &next);
		if (i && insn_is_likely(in))
			execute_perhaps(c, &part[i]);
		else
			execute_part(c, k, &part[i], i ? &next : op);
	}
}

static const void *execute(void *ctx, uint32_t k)
{
	struct values *c = ctx;
	const struct insn *in = &c->v->insn.v[k];
	struct operation op;
	describe(c, in, &op);
	check_parts(c, k, &op);
	if (in->kind == INSN_JUMP_IND)
		check_jump(c, k, &op);
	raise_from(c, k);
	execute_all(c, k, &op);
	if ((op.op != OP_BRANCH_UP_TO && op.op != OP_BRANCH_ABOVE) || !c->now.compared.size)
		return &c->now;
	c->taken = c->now;
	narrow(&c->taken, &op, true);
	narrow(&c->now, &op, false);
	return &c->taken;
}

/* The whole --------------------------------------------------------------------- */

/* Begin with the function whose first part is `part'.  Has it tables, or is anything stated of it?
 */
static bool open_function(struct values *c, uint32_t part)
{
	const struct verify *v = c->v;
	const struct part *p = &c->w->part.v[part];
	size_t i, end, n;
	follow_enter(&c->f, part);
	BISECT(i, 0, v->scaled.n, v->scaled.v[i].jump < c->f.from);
	BISECT(end, i, v->scaled.n, v->scaled.v[end].jump < c->f.to);
	c->table = v->scaled.v + i;
	c->ntable = end - i;
	BISECT(i, 0, v->jump.n, v->jump.v[i].insn < c->f.from);
	bool jumps = (p->func_jumps && bit_get(c->w->has_table, part)) ||
		(i < v->jump.n && v->jump.v[i].insn < c->f.to);
	follow_facts(&c->f, &n);
	return c->ntable || jumps || n;
}

/* Is the number of entries what follows from where the table ends? */
static void check_ends(struct verify *v)
{
	struct vends e = {0};
	vends_find(&e, v);
	for (size_t i = 0; i < v->scaled.n; i++) {
		const struct vscaled *s = &v->scaled.v[i];
		if (s->closed && vends_count(&e, v, s, MOST_ENTRIES) != s->n)
			vfail(v, v->text.v[s->text].a, v->insn.v[s->jump].off,
				"its table ends elsewhere");
	}
	vends_free(&e);
}

void verify_values(const struct flow *w)
{
	static const struct follower by = {.kinds = 1 << HOLDS_RESULT | 1 << HOLDS_SAME |
			1 << HOLDS_UP_TO | 1 << HOLDS_LOW_UP_TO | 1 << HOLDS_NOTHING |
			1 << HOLDS_COMPARED | 1 << HOLDS_LOW_COMPARED | 1 << HOLDS_TABLE |
			1 << HOLDS_ENTRY | 1 << HOLDS_WORD | 1 << HOLDS_TARGET,
		.raises = true,
		.read = read_fact,
		.includes = includes,
		.start = start,
		.add = add,
		.execute = execute,
		.lead = lead};
	struct values c = {.v = w->v, .w = w};
	follow_open(&c.f, w, &by, &c, &c.now);
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		if (w->part.v[i].func != i || !open_function(&c, i))
			continue;
		follow_run(&c.f, NULL);
		check_unproved(&c);
	}
	follow_entries(&c.f, false);
	if (w->v->scaled.n)
		check_ends(w->v);
	follow_close(&c.f);
}
