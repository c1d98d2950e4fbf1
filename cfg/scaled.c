/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled.c - jump tables of distances without relocations; see scaled.h
 *
 * hazard: table of scaled distances.  On AArch64 compilers keep jump tables as bytes, halfwords or
 * words with a quarter of the distance from a label of the code: no relocation says so.
 *
 * hazard: table without a bound.  Nothing but the compare in front of the jump tells how many
 * entries there are, so it is proved on every path.
 */
#include "cfg/scaled.h"

#include "base/parallel.h"
#include "cfg/cfg_priv.h"
#include "cfg/refs.h"

#include <stdlib.h>

/* Instructions ----------------------------------------------------------- */

static void describe(const struct cfg *g, struct decoder *d, uint32_t text, uint32_t i,
	struct operation *op)
{
	const struct insn *in = &g->insn.v[i];
	g->target->describe(d, insn_bytes(&g->text.v[text], in), in, op);
}

static bool clobbers(const struct cfg *g, uint32_t i, int reg)
{
	const struct insn *in = &g->insn.v[i];
	bool calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	return (in->flags & INSN_VAGUE) || insn_effects(in)->clobbers & REG_BIT(reg) ||
		(calls && g->target->call_clobbers & REG_BIT(reg));
}

/* The register of the part in op that holds the value of part from. */
static int operand(const struct operation *op, enum scaled_part from)
{
	switch (from) {
	case SCALED_PAGE:
	case SCALED_NAME:
	case SCALED_ANCHOR: return op->base;
	case SCALED_LOAD: return op->index;
	case SCALED_SUM: return op->src;
	default: return -1;
	}
}

/* The part that uses the value of each. */
static const enum scaled_part user[SCALED_PARTS] = {[SCALED_PAGE] = SCALED_NAME,
	[SCALED_NAME] = SCALED_LOAD,
	[SCALED_LOAD] = SCALED_SUM,
	[SCALED_ANCHOR] = SCALED_SUM,
	[SCALED_SUM] = SCALED_JUMP};

/* The relocation on insn i, if it is the only one. */
static const struct reloc *only_reloc(const struct cfg *g, uint32_t text, uint32_t i)
{
	uint32_t n;
	const struct reloc *r = insn_relocs(&g->text.v[text], &g->insn.v[i], &n);
	return n == 1 ? r : NULL;
}

/* Can insn i be that part?  If so, sets the fields of *t that this part determines. */
static bool fits(const struct cfg *g, struct decoder *d, struct scaled_table *t,
	enum scaled_part part, uint32_t i)
{
	const struct insn *in = &g->insn.v[i];
	const struct reloc *r, *name;
	struct operation op;
	struct ref ref;
	describe(g, d, t->text, i, &op);
	switch (part) {
	case SCALED_JUMP: return op.op == OP_JUMP_REG;
	case SCALED_SUM:
		t->extends = op.op == OP_ADD_EXTENDED ? op.size : 0;
		t->sext = op.sext;
		return ((op.op == OP_LEA && !op.disp) || op.op == OP_ADD_EXTENDED) &&
			op.base >= 0 && op.index >= 0 && op.base != op.index && op.scale == 4;
	case SCALED_LOAD:
		/* the sum extends the entry, unless it was loaded larger */
		if (t->extends > op.size || !t->extends)
			t->sext = op.sext;
		t->size = op.size;
		return op.op == OP_LOAD && (!t->extends || t->extends >= op.size) && op.base >= 0 &&
			op.index >= 0 && op.base != op.index && op.size <= 4 && op.scale == op.size;
	case SCALED_ANCHOR:
		t->base = in->ref;
		return op.op == OP_LEA && op.pc_rel && in->resolved && in->ref != REF_NOWHERE;
	case SCALED_NAME:
		r = only_reloc(g, t->text, i);
		if (op.op != OP_LEA || op.base < 0 || op.index >= 0 || !r ||
			!cfg_names_whole(g, &g->text.v[t->text], i))
			return false;
		ref = cfg_reloc_ref(g, &g->text.v[t->text], i, r);
		t->sec = ref.sec;
		t->off = ref.off;
		return ref.sec && !g->text_of[ref.sec] && ref.role == ROLE_ABS;
	case SCALED_PAGE:
		r = only_reloc(g, t->text, i);
		name = only_reloc(g, t->text, t->insn[SCALED_NAME]);
		return op.op == OP_IMM && op.pc_rel && r && r->sym == name->sym &&
			r->addend == name->addend;
	default: return false;
	}
}

/* Finding ------------------------------------------------------------------ */

enum { SLICE = 200, NEAR = 4000, MOST_ENTRIES = 4096 };

/* The last instruction in front of insn i that changes reg, or NO_INSN. */
static uint32_t nearest(const struct cfg *g, uint32_t text, uint32_t i, int reg)
{
	uint32_t first = g->text.v[text].insn;
	for (uint32_t k = 0; k < SLICE && i-- > first; k++)
		if (insn_effects(&g->insn.v[i])->clobbers & REG_BIT(reg))
			return i;
	return NO_INSN;
}

static bool find_part(const struct cfg *g, struct decoder *d, struct scaled_table *t,
	enum scaled_part part)
{
	struct operation op;
	describe(g, d, t->text, t->insn[user[part]], &op);
	int reg = operand(&op, part);
	t->insn[part] = reg < 0 ? NO_INSN : nearest(g, t->text, t->insn[user[part]], reg);
	return t->insn[part] != NO_INSN && fits(g, d, t, part, t->insn[part]);
}

/* The number of values that an index can have behind a compare with imm and a branch; 0: any. */
static uint32_t values(const struct operation *compare, const struct operation *branch)
{
	int64_t n = compare->imm + !branch->imm;
	return n > 0 && n <= MOST_ENTRIES ? (uint32_t)n : 0;
}

static bool bounds(const struct operation *op)
{
	return op->op == OP_BRANCH_ABOVE || op->op == OP_BRANCH_UP_TO;
}

static bool never_continues(const struct insn *in)
{
	return in->kind == INSN_JUMP || in->kind == INSN_JUMP_IND || in->kind == INSN_RET ||
		in->kind == INSN_TRAP;
}

/* A branch near insn i that leads to it if an index is in bounds, or NO_INSN. */
static uint32_t branch_to(const struct cfg *g, struct decoder *d, uint32_t text, uint32_t i)
{
	const struct code_section *c = &g->text.v[text];
	uint32_t from = i - c->insn > NEAR ? i - NEAR : c->insn;
	uint32_t to = c->insn + c->ninsn - i > NEAR ? i + NEAR : c->insn + c->ninsn;
	struct operation op;
	for (uint32_t k = from; k < to; k++) {
		const struct insn *in = &g->insn.v[k];
		if (in->kind != INSN_BRANCH || !in->resolved || in->ref != g->insn.v[i].off)
			continue;
		describe(g, d, text, k, &op);
		if (op.op == OP_BRANCH_UP_TO)
			return k;
	}
	return NO_INSN;
}

/* The bound that the nearest compare of the load's index, or what it is moved from, gives; or 0. */
static uint32_t find_bound(const struct cfg *g, struct decoder *d, const struct scaled_table *t)
{
	struct operation op, branch = {0};
	uint32_t i = t->insn[SCALED_LOAD], first = g->text.v[t->text].insn;
	describe(g, d, t->text, i, &op);
	int reg = op.index;
	for (uint32_t k = 0; k < SLICE && i-- > first; k++) {
		describe(g, d, t->text, i, &op);
		if (op.op == OP_CMP_IMM && op.dst == reg && bounds(&branch))
			return values(&op, &branch);
		if (bounds(&op))
			branch = op;
		else if (insn_effects(&g->insn.v[i])->clobbers & REGSET_FLAGS)
			branch.op = OP_OTHER;
		if (op.op == OP_MOVE && op.dst == reg && op.size >= 4)
			reg = op.src;
		else if (insn_effects(&g->insn.v[i])->clobbers & REG_BIT(reg))
			return 0;
		if (never_continues(&g->insn.v[i - (i > first)]) && i > first) {
			i = branch_to(g, d, t->text, i);
			if (i == NO_INSN)
				return 0;
			i++;
		}
	}
	return 0;
}

uint64_t scaled_label(const struct cfg *g, const struct scaled_table *t, uint32_t k)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	const uint8_t *p = s->data + t->off + (uint64_t)k * t->size;
	uint32_t n = 0;
	for (unsigned b = t->size; b--;)
		n = n << 8 | p[b];
	int64_t distance =
		t->sext ? (int64_t)((uint64_t)n << (64 - 8 * t->size)) >> (64 - 8 * t->size) : n;
	return t->base + (uint64_t)(distance * 4);
}

/* Is the table there, and do all entries lead to instructions? */
static bool is_sound(const struct cfg *g, const struct scaled_table *t)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	const struct code_section *c = &g->text.v[t->text];
	uint64_t bytes = (uint64_t)t->n * t->size;
	if (!t->n || !section_has_contents(s) || s->flags & SHF_WRITE || t->off > s->size ||
		bytes > s->size - t->off)
		return false;
	uint32_t rel = section_first_reloc(s, t->off);
	if (rel < s->nrel && s->rel[rel].off < t->off + bytes)
		return false;
	for (uint32_t k = 0; k < t->n; k++) {
		uint64_t label = scaled_label(g, t, k);
		if (label >= c->sec->size || !set_has(c->starts, label))
			return false;
	}
	return true;
}

static bool find_table(const struct cfg *g, struct decoder *d, struct scaled_table *t,
	uint32_t jump)
{
	t->insn[SCALED_JUMP] = jump;
	if (!fits(g, d, t, SCALED_JUMP, jump) || !find_part(g, d, t, SCALED_SUM) ||
		!find_part(g, d, t, SCALED_ANCHOR) || !find_part(g, d, t, SCALED_LOAD) ||
		!find_part(g, d, t, SCALED_NAME) || !find_part(g, d, t, SCALED_PAGE))
		return false;
	t->n = find_bound(g, d, t);
	return is_sound(g, t);
}

void scaled_find(struct cfg *g)
{
	struct decoder *d = cfg_decoder(g, 0);
	for (uint32_t k = 0; k < g->text.n && g->target->read_words; k++) {
		struct code_section *c = &g->text.v[k];
		c->anchors = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
		c->scaled = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
		for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
			struct scaled_table t = {.text = k};
			if (g->insn.v[i].kind != INSN_JUMP_IND || !find_table(g, d, &t, i))
				continue;
			vec_push(&g->scaled, t);
			set_add(c->anchors, g->insn.v[t.insn[SCALED_ANCHOR]].off);
			for (uint32_t e = 0; e < t.n; e++) {
				set_add(c->scaled, scaled_label(g, &t, e));
				cfg_label(g, c->sec->index, scaled_label(g, &t, e), LABEL_BRANCH);
			}
		}
	}
}

/* The first table whose jump is insn i or one behind. */
static struct scaled_table *from_jump(const struct cfg *g, uint32_t i)
{
	struct scaled_table *t = g->scaled.v;
	size_t k;
	BISECT(k, 0, g->scaled.n, t[k].insn[SCALED_JUMP] < i);
	return t + k;
}

struct scaled_table *scaled_by_jump(const struct cfg *g, uint32_t i)
{
	struct scaled_table *t = from_jump(g, i);
	return t < g->scaled.v + g->scaled.n && t->insn[SCALED_JUMP] == i ? t : NULL;
}

bool is_anchor(const struct cfg *g, const struct code_section *c, uint32_t i)
{
	return c->anchors && set_has(c->anchors, g->insn.v[i].off);
}

/* Proving ------------------------------------------------------------------ */

struct tracing {
	const struct cfg *g;
	const struct scaled_table *t;
	const struct func *f;
	struct decoder *d;
	const uint32_t *first, *pred;
	regset *seen; /* by block of f */
	uint32_t nseen;
	uint32_t def; /* the only definition that may be met */
};

enum { MOST_SEEN = 20000 };

static void forget_seen(struct tracing *w)
{
	memset(w->seen, 0, w->f->nblock * sizeof *w->seen);
	w->nseen = 0;
}

/* The walk comes to block b of f for the first time with that register. */
static bool is_new(struct tracing *w, uint32_t b, int reg)
{
	regset *seen = &w->seen[b - w->f->block];
	bool new = !(*seen & REG_BIT(reg));
	*seen |= REG_BIT(reg);
	w->nseen += new;
	return new;
}

static uint32_t block_of(const struct tracing *w, uint32_t i)
{
	const struct block *bl = w->g->block.v;
	uint32_t b;
	BISECT(b, w->f->block, w->f->block + w->f->nblock, bl[b].insn <= i);
	return b-- > w->f->block && i < bl[b].insn + bl[b].ninsn ? b : NO_BLOCK;
}

/* May an indirect jump of the function lead to block b? */
static bool by_table(const struct tracing *w, uint32_t b)
{
	const struct code_section *c = &w->g->text.v[w->f->text];
	uint64_t off = w->g->insn.v[w->g->block.v[b].insn].off;
	return set_has(c->scaled, off) || set_has(c->taken, off);
}

/* May the indirect jump of block from, if it ends in one, lead to block to of the function? */
static bool may_lead(const struct tracing *w, uint32_t from, uint32_t to)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[from];
	uint32_t jump = bl->insn + bl->ninsn - 1;
	if (g->insn.v[jump].kind != INSN_JUMP_IND || !by_table(w, to))
		return false;
	const struct scaled_table *t = scaled_by_jump(g, jump);
	uint64_t off = g->insn.v[g->block.v[to].insn].off;
	for (uint32_t k = 0; t && k < t->n; k++)
		if (scaled_label(g, t, k) == off)
			return true;
	return !t;
}

/* May control enter block b otherwise than from pred[]?  Then the values of registers are unknown.
 */
static bool is_entered(const struct tracing *w, uint32_t b)
{
	const struct code_section *c = &w->g->text.v[w->f->text];
	uint64_t off = w->g->insn.v[w->g->block.v[b].insn].off;
	return b == w->f->block || set_has(c->entries, off) || set_has(c->pads, off);
}

/*
 * Visit the ends of all predecessors of block b; false if some are unknown.  A block that a table
 * leads to is a successor of the jumps by that table, and of all other indirect jumps.
 */
static bool visit_preds(struct tracing *w, uint32_t b, int reg,
	bool (*visit)(struct tracing *w, uint32_t from, uint32_t to, int reg))
{
	const struct cfg *g = w->g;
	if (is_entered(w, b) || w->nseen > MOST_SEEN)
		return false;
	for (uint32_t i = w->first[b]; i < w->first[b + 1]; i++)
		if (never_returns(g, &g->block.v[w->pred[i]]))
			continue;
		else if (g->block.v[w->pred[i]].func != g->block.v[b].func ||
			!visit(w, w->pred[i], b, reg))
			return false;
	for (uint32_t k = w->f->block; k < w->f->block + w->f->nblock && by_table(w, b); k++)
		if (may_lead(w, k, b) && !visit(w, k, b, reg))
			return false;
	return true;
}

/* Is the instruction in w->def the only one whose value is in reg in front of insn i of block b? */
static bool is_only_def(struct tracing *w, uint32_t b, uint32_t i, int reg);

static bool defines_at_end(struct tracing *w, uint32_t from, uint32_t to, int reg)
{
	const struct block *bl = &w->g->block.v[from];
	(void)to;
	return is_only_def(w, from, bl->insn + bl->ninsn, reg);
}

static bool is_only_def(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	while (i-- > w->g->block.v[b].insn)
		if (clobbers(w->g, i, reg))
			return i == w->def;
	return !is_new(w, b, reg) || visit_preds(w, b, reg, defines_at_end);
}

static bool reaches_alone(struct tracing *w, enum scaled_part part)
{
	struct operation op;
	uint32_t i = w->t->insn[user[part]], b = block_of(w, i);
	describe(w->g, w->d, w->t->text, i, &op);
	w->def = w->t->insn[part];
	forget_seen(w);
	return b != NO_BLOCK && is_only_def(w, b, i, operand(&op, part));
}

/* Is reg in front of insn i of block b below w->t->n, by a compare on every path? */
static bool is_bounded(struct tracing *w, uint32_t b, uint32_t i, int reg);

/* Is reg on the edge from -> to below the bound, by the compare in front of its branch? */
static bool is_compared(const struct tracing *w, uint32_t from, uint32_t to, int reg)
{
	const struct block *bl = &w->g->block.v[from];
	struct operation op, branch;
	uint32_t i = bl->insn + bl->ninsn - 1;
	describe(w->g, w->d, w->t->text, i, &branch);
	bool below = branch.op == OP_BRANCH_ABOVE ? bl->fall == to && bl->target != to
						  : bl->target == to && bl->fall != to;
	if (!bounds(&branch) || !below)
		return false;
	while (i-- > bl->insn) {
		describe(w->g, w->d, w->t->text, i, &op);
		if (op.op == OP_CMP_IMM && op.dst == reg)
			return values(&op, &branch) && values(&op, &branch) <= w->t->n;
		if (clobbers(w->g, i, reg) ||
			insn_effects(&w->g->insn.v[i])->clobbers & REGSET_FLAGS)
			return false;
	}
	return false;
}

static bool bounded_at_end(struct tracing *w, uint32_t from, uint32_t to, int reg)
{
	const struct block *bl = &w->g->block.v[from];
	return is_compared(w, from, to, reg) || is_bounded(w, from, bl->insn + bl->ninsn, reg);
}

static bool is_bounded(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	struct operation op;
	while (i-- > w->g->block.v[b].insn) {
		if (!clobbers(w->g, i, reg))
			continue;
		describe(w->g, w->d, w->t->text, i, &op);
		if (op.op == OP_MOVE && op.dst == reg && op.size >= 4) {
			reg = op.src;
			continue;
		}
		return op.op == OP_IMM && op.dst == reg && !w->g->insn.v[i].has_rel &&
			op.imm >= 0 && op.imm < w->t->n;
	}
	return !is_new(w, b, reg) || visit_preds(w, b, reg, bounded_at_end);
}

static bool index_is_bounded(struct tracing *w)
{
	struct operation op;
	uint32_t i = w->t->insn[SCALED_LOAD], b = block_of(w, i);
	describe(w->g, w->d, w->t->text, i, &op);
	forget_seen(w);
	return b != NO_BLOCK && is_bounded(w, b, i, op.index);
}

/* Do the tables, of one section, have the same entries and readers? */
static bool is_same_table(const struct scaled_table *a, const struct scaled_table *b)
{
	return a->text == b->text && a->sec == b->sec && a->off == b->off && a->n == b->n &&
		a->size == b->size && a->sext == b->sext && a->base == b->base;
}

static uint32_t last_insn(const struct cfg *g, const struct func *f)
{
	const struct block *bl = &g->block.v[f->block + f->nblock - 1];
	return bl->insn + bl->ninsn - 1;
}

/* May insn i use the value of a part that is in reg, as the same part of the same table does? */
static bool may_use(const struct tracing *w, enum scaled_part part, uint32_t i, int reg)
{
	struct operation op;
	uint32_t end = last_insn(w->g, w->f);
	for (struct scaled_table *t = from_jump(w->g, w->g->block.v[w->f->block].insn);
		t < w->g->scaled.v + w->g->scaled.n && t->insn[SCALED_JUMP] <= end; t++) {
		if (t->insn[user[part]] != i || t->insn[part] != w->t->insn[part] ||
			!is_same_table(t, w->t))
			continue;
		describe(w->g, w->d, t->text, i, &op);
		regset others = (op.base == reg) + (op.index == reg) + (op.src == reg);
		return operand(&op, part) == reg && others == 1;
	}
	return false;
}

/*
 * Does nothing but these uses read reg from insn i of block b on?  A call may read any register
 * that passes arguments, a return the two that the psABI has for results.  But the base of a table
 * is right after code has moved, and the label behind a jump is of no use to anybody else.
 */
static bool is_used_so(struct tracing *w, enum scaled_part part, uint32_t b, uint32_t i, int reg)
{
	const struct cfg *g = w->g;
	const struct target *t = g->target;
	const struct block *bl = &g->block.v[b];
	if (w->nseen > MOST_SEEN)
		return false;
	for (; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		bool calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND ||
			in->kind == INSN_SYSCALL;
		bool leaves = in->kind == INSN_RET || (in->kind == INSN_JUMP && !in->stays);
		regset passed = in->kind == INSN_RET ? REG_BIT(t->result) | REG_BIT(t->arg[1])
			: calls			     ? t->entry_live & t->call_clobbers
			: leaves		     ? t->entry_live
						     : 0;
		if ((in->flags & INSN_VAGUE) ||
			(insn_effects(in)->reads & REG_BIT(reg) && !may_use(w, part, i, reg)) ||
			(passed & REG_BIT(reg) && part != SCALED_ANCHOR))
			return false;
		if (leaves || clobbers(g, i, reg))
			return true;
	}
	const uint32_t next[2] = {never_returns(g, bl) ? NO_BLOCK : bl->fall,
		bl->end == END_CALL ? NO_BLOCK : bl->target};
	for (int k = 0; k < 2; k++)
		if (next[k] != NO_BLOCK &&
			(g->block.v[next[k]].func != bl->func ||
				(is_new(w, next[k], reg) &&
					!is_used_so(w, part, next[k], g->block.v[next[k]].insn,
						reg))))
			return false;
	if (g->insn.v[bl->insn + bl->ninsn - 1].kind != INSN_JUMP_IND)
		return true;
	if (!scaled_by_jump(g, bl->insn + bl->ninsn - 1) && t->entry_live & REG_BIT(reg) &&
		part != SCALED_ANCHOR)
		return false;
	for (uint32_t to = w->f->block; to < w->f->block + w->f->nblock; to++)
		if (may_lead(w, b, to) && is_new(w, to, reg) &&
			!is_used_so(w, part, to, g->block.v[to].insn, reg))
			return false;
	return true;
}

static bool is_used_alone(struct tracing *w, enum scaled_part part)
{
	struct operation op;
	uint32_t i = w->t->insn[part], b = block_of(w, i);
	describe(w->g, w->d, w->t->text, i, &op);
	forget_seen(w);
	return b != NO_BLOCK && op.dst >= 0 && is_used_so(w, part, b, i + 1, op.dst);
}

bool scaled_proves(const struct cfg *g, const struct scaled_table *t, struct decoder *d,
	const uint32_t *first, const uint32_t *pred)
{
	static const enum scaled_part exclusive[] = {SCALED_PAGE, SCALED_NAME, SCALED_LOAD,
		SCALED_ANCHOR};
	const struct code_section *c = &g->text.v[t->text];
	uint32_t func = cfg_func_at(g, c, g->insn.v[t->insn[SCALED_JUMP]].off);
	if (func == NO_FUNC || !g->func.v[func].nblock)
		return false;
	struct tracing w =
		{.g = g, .t = t, .f = &g->func.v[func], .d = d, .first = first, .pred = pred};
	w.seen = calloc(w.f->nblock, sizeof *w.seen);
	if (!w.seen)
		fatal("out of memory");
	bool proved = true;
	for (enum scaled_part part = 0; part < SCALED_JUMP && proved; part++)
		proved = reaches_alone(&w, part);
	for (size_t k = 0; k < sizeof exclusive / sizeof *exclusive && proved; k++)
		proved = is_used_alone(&w, exclusive[k]);
	proved = proved && index_is_bounded(&w);
	free(w.seen);
	return proved;
}
