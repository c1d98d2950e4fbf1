/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scaled.c - jump tables of distances without relocations; see scaled.h
 *
 * hazard: table of scaled distances.  On AArch64 compilers keep jump tables as bytes, halfwords or
 * words with a quarter of the distance from a label of the code, clang as words with all of it: no
 * relocation says so.
 *
 * hazard: table without a bound.  No relocation tells how many entries there are: a compare, a mask
 * or a shift of the index does, which is proved on every path, or where the table ends: extent.c.
 */
#include "cfg/bounds.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/regions.h"
#include "cfg/scaled.h"

#include "base/parallel.h"

#include <stdlib.h>

/* Instructions ----------------------------------------------------------- */

static void describe(const struct cfg *g, struct decoder *d, uint32_t text, uint32_t i,
	struct operation *op)
{
	const struct insn *in = &g->insn.v[i];
	g->target->describe(d, insn_bytes(&g->text.v[text], in), in, op);
}

int scaled_operand(const struct operation *op, enum scaled_part from)
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

const enum scaled_part scaled_user[SCALED_PARTS] = {[SCALED_PAGE] = SCALED_NAME,
	[SCALED_NAME] = SCALED_LOAD,
	[SCALED_LOAD] = SCALED_SUM,
	[SCALED_ANCHOR] = SCALED_SUM,
	[SCALED_SUM] = SCALED_JUMP};

const struct reloc *scaled_reloc(const struct cfg *g, uint32_t text, uint32_t i)
{
	uint32_t n;
	const struct reloc *r = insn_relocs(&g->text.v[text], &g->insn.v[i], &n);
	return n == 1 ? r : NULL;
}

bool scaled_fits(const struct cfg *g, struct decoder *d, struct scaled_table *t,
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
		t->scale = (uint8_t)op.scale;
		return ((op.op == OP_LEA && !op.disp) || op.op == OP_ADD_EXTENDED) &&
			op.base >= 0 && op.index >= 0 && op.base != op.index &&
			(op.scale == 4 || op.scale == 1);
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
		r = scaled_reloc(g, t->text, i);
		if (op.op != OP_LEA || op.base < 0 || op.index >= 0 || !r ||
			!cfg_names_whole(g, &g->text.v[t->text], &g->insn.v[i]))
			return false;
		ref = cfg_reloc_ref(g, &g->text.v[t->text], i, r);
		t->sec = ref.sec;
		t->off = ref.off;
		return ref.sec && !g->text_of[ref.sec] && ref.role == ROLE_ABS;
	case SCALED_PAGE:
		r = scaled_reloc(g, t->text, i);
		name = scaled_reloc(g, t->text, t->insn[SCALED_NAME]);
		return op.op == OP_IMM && op.pc_rel && r && r->sym == name->sym &&
			r->addend == name->addend;
	default: return false;
	}
}

/* Words of the frame ------------------------------------------------------- */

/*
 * Compilers keep a table's address in the frame, too.  A word so many bytes above the stack pointer
 * is sought like a register with a number that no register has.
 */
enum { SLOT = 64, SLOT_SIZE = 8, NEARBY = 20 };

/* The register or word whose value insn i loads from the frame, or stores there, is in reg; or -1.
 */
static int kept_as(const struct cfg *g, struct decoder *d, uint32_t text, uint32_t i, int reg)
{
	struct operation op;
	describe(g, d, text, i, &op);
	if (op.base != g->target->stack_reg || op.size != SLOT_SIZE || op.disp < 0)
		return -1;
	int at = SLOT + (int)op.disp;
	if (op.op == OP_LOAD && op.index < 0 && op.dst == reg)
		return at;
	if (op.op == OP_STORE_PAIR && at + SLOT_SIZE == reg)
		return op.index;
	bool stores = (op.op == OP_STORE && op.index < 0) || op.op == OP_STORE_PAIR;
	return stores && at == reg ? op.src : -1;
}

/* May insn i change the word at `at' of the frame, or where it is? */
static bool changes_slot(const struct cfg *g, uint32_t text, uint32_t i, int64_t at)
{
	const struct insn *in = &g->insn.v[i];
	int64_t to;
	unsigned size;
	bool store;
	if (may_change(g->target, in, g->target->stack_reg))
		return true;
	return g->target->frame_access(insn_bytes(&g->text.v[text], in), in, &to, &size, &store) &&
		store && to < at + SLOT_SIZE && at < to + size;
}

/* Finding ------------------------------------------------------------------ */

enum { MOST_VISITED = 20000 };

/* A register, or a word of the frame, in front of instruction insn, where control came from
 * instruction to. */
struct place {
	uint32_t insn, to;
	int reg;
};
/* Branch insn leads to the label at offset to. */
struct branch_in {
	uint32_t to, insn;
};

/* What scaled_find() needs of one function. */
struct finding {
	const struct cfg *g;
	const struct marks *m;
	struct decoder *d;
	uint64_t end;		  /* of the function */
	VEC(struct branch_in) in; /* by to */
	VEC(uint32_t) jump;	  /* its indirect jumps */
	VEC(struct place) work;	  /* of a walk */
	uint32_t values;	  /* how many an index has that is not compared */
	uint64_t *seen;		  /* by offset, in such a walk */
};

static int branch_in_cmp(const void *a, const void *b)
{
	const struct branch_in *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static bool never_continues(const struct insn *in)
{
	return in->kind == INSN_JUMP || in->kind == INSN_JUMP_IND || in->kind == INSN_RET ||
		in->kind == INSN_TRAP;
}

/* Queue a place, unless the walk has met it. */
static void meet(struct finding *w, struct place p)
{
	uint64_t off = w->g->insn.v[p.insn].off;
	if (set_has(w->seen, off))
		return;
	set_add(w->seen, off);
	vec_push(&w->work, p);
}

/*
 * Queue the instructions that control comes from to insn i; if there are none, the nearest indirect
 * jump in front of it may lead there, or any if there is none.
 */
static void meet_preds(struct finding *w, const struct code_section *c, uint32_t i, int reg)
{
	uint32_t off = (uint32_t)w->g->insn.v[i].off;
	size_t k, jump;
	bool falls = i > c->insn && !never_continues(&w->g->insn.v[i - 1]);
	if (falls)
		meet(w, (struct place){.insn = i - 1, .to = i, .reg = reg});
	BISECT(k, 0, w->in.n, w->in.v[k].to < off);
	BISECT(jump, 0, w->jump.n, w->jump.v[jump] < i);
	if (!falls && (k == w->in.n || w->in.v[k].to != off)) {
		size_t end = jump ? jump : w->jump.n;
		for (jump = jump ? jump - 1 : 0; jump < end; jump++)
			meet(w, (struct place){.insn = w->jump.v[jump], .to = i, .reg = reg});
	}
	for (; k < w->in.n && w->in.v[k].to == off; k++)
		meet(w, (struct place){.insn = w->in.v[k].insn, .to = i, .reg = reg});
}

/* Walk back from insn i until visit() says that it has found what it seeks. */
static bool walk_back(struct finding *w, struct scaled_table *t, uint32_t i, int reg,
	bool (*visit)(struct finding *w, struct scaled_table *t, struct place p, int *reg))
{
	const struct code_section *c = &w->g->text.v[t->text];
	bool found = false;
	size_t k = 0;
	w->work.n = 0;
	meet_preds(w, c, i, reg);
	for (; k < w->work.n && k < MOST_VISITED && !found; k++) {
		struct place p = w->work.v[k];
		reg = p.reg;
		found = visit(w, t, p, &reg);
		if (!found && reg >= 0)
			meet_preds(w, c, p.insn, reg);
	}
	for (k = 0; k < w->work.n; k++)
		set_remove(w->seen, w->g->insn.v[w->work.v[k].insn].off);
	return found;
}

/* Does p set the register, as the part that is sought?  A call may keep it: call_use(). */
static bool sets_part(struct finding *w, struct scaled_table *t, struct place p, int *reg)
{
	const struct cfg *g = w->g;
	const struct insn *in = &g->insn.v[p.insn];
	bool word = *reg >= SLOT;
	if (word ? !changes_slot(g, t->text, p.insn, *reg - SLOT)
		 : in->kind == INSN_CALL || !may_change(g->target, in, *reg))
		return false;
	int kept = may_change(g->target, in, g->target->stack_reg)
		? -1
		: kept_as(g, w->d, t->text, p.insn, *reg);
	bool found = !word && kept < 0 && scaled_fits(g, w->d, t, t->part, p.insn);
	*reg = kept;
	if (found)
		t->insn[t->part] = p.insn;
	return found;
}

static bool find_part(struct finding *w, struct scaled_table *t, enum scaled_part part)
{
	struct operation op;
	uint32_t i = t->insn[scaled_user[part]];
	describe(w->g, w->d, t->text, i, &op);
	int reg = scaled_operand(&op, part);
	t->part = (uint8_t)part;
	return reg >= 0 && walk_back(w, t, i, reg, sets_part);
}

/* Does p compare the register with a bound?  Notes the values that are made on other paths. */
static bool finds_bound(struct finding *w, struct scaled_table *t, struct place p, int *reg)
{
	const struct code_section *c = &w->g->text.v[t->text];
	const struct insn *in = &w->g->insn.v[p.insn];
	uint32_t first = p.insn - c->insn > NEARBY ? p.insn - NEARBY : c->insn;
	struct operation op;
	uint8_t size[REGS];
	uint32_t n = compared(w->g, w->d, c, first, p.insn, p.to != p.insn + 1, size);
	n = size[*reg] ? n : 0;
	t->n = n > t->n ? n : t->n;
	if (n)
		return true;
	if (!may_change(w->g->target, in, *reg))
		return false;
	describe(w->g, w->d, t->text, p.insn, &op);
	*reg = op.op == OP_MOVE && op.dst == *reg && op.size >= 4 ? op.src : -1;
	uint64_t most = *reg < 0 ? largest_made(in, &op) : UINT64_MAX;
	if (most < MOST_ENTRIES && op.op != OP_IMM && most >= t->n)
		t->n = (uint32_t)most + 1;
	if (most < MOST_ENTRIES && most >= w->values)
		w->values = (uint32_t)most + 1;
	return false;
}

/*
 * Sets t->n to the bound that the nearest compare of the load's index gives, or, if there is a
 * mask, to that of all values.
 */
static void find_bound(struct finding *w, struct scaled_table *t)
{
	struct operation op;
	describe(w->g, w->d, t->text, t->insn[SCALED_LOAD], &op);
	t->n = w->values = 0;
	if (!walk_back(w, t, t->insn[SCALED_LOAD], op.index, finds_bound) && t->n)
		t->n = w->values;
}

/* Is it in constant data without relocations? */
static bool is_constant(const struct cfg *g, const struct scaled_table *t)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	return section_has_contents(s) && !(s->flags & SHF_WRITE) && t->off < s->size;
}

/* Are n entries there, without relocations, and do all lead to instructions? */
static bool is_sound(const struct cfg *g, const struct scaled_table *t, uint32_t n)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	uint64_t bytes = (uint64_t)n * t->size;
	if (!n || bytes > s->size - t->off)
		return false;
	uint32_t rel = section_first_reloc(s, t->off);
	if (rel < s->nrel && s->rel[rel].off < t->off + bytes)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!scaled_leads_into(g, t, k, 0, g->text.v[t->text].sec->size))
			return false;
	return true;
}

/* A jump by a table of which t->n is the bound by code, or 0. */
static bool find_table(struct finding *w, struct scaled_table *t, uint32_t jump)
{
	t->insn[SCALED_JUMP] = jump;
	if (!scaled_fits(w->g, w->d, t, SCALED_JUMP, jump) || !find_part(w, t, SCALED_SUM) ||
		!find_part(w, t, SCALED_ANCHOR) || !find_part(w, t, SCALED_LOAD) ||
		!find_part(w, t, SCALED_NAME) || !find_part(w, t, SCALED_PAGE))
		return false;
	find_bound(w, t);
	return is_constant(w->g, t);
}

/* Sets the number of entries.  False: it is not known. */
static bool find_entries(const struct cfg *g, const struct extents *x, struct scaled_table *t)
{
	uint32_t bound = t->n;
	if (!is_sound(g, t, bound))
		return extents_close(x, t, bound ? bound : MOST_ENTRIES) && is_sound(g, t, t->n);
	t->closed = extents_close(x, t, MOST_ENTRIES) && t->closed && t->n == bound;
	t->n = bound;
	return true;
}

/* The branches and indirect jumps of the function around jump. */
static void find_branches(struct finding *w, const struct code_section *c, uint32_t jump)
{
	const struct insn *v = w->g->insn.v;
	uint64_t from;
	if (v[jump].off < w->end)
		return;
	function_around(w->g, w->m, (uint32_t)(c - w->g->text.v), v[jump].off, &from, &w->end);
	w->in.n = w->jump.n = 0;
	uint32_t i;
	BISECT(i, c->insn, jump, v[i].off < from);
	for (; i < c->insn + c->ninsn && v[i].off < w->end; i++) {
		if (v[i].kind == INSN_JUMP_IND)
			vec_push(&w->jump, i);
		if ((v[i].kind == INSN_BRANCH || v[i].kind == INSN_JUMP) && v[i].resolved &&
			v[i].ref != REF_NOWHERE)
			vec_push(&w->in, (struct branch_in){.to = v[i].ref, .insn = i});
	}
	if (w->in.n)
		sort(w->in.v, w->in.n, sizeof *w->in.v, branch_in_cmp);
}

/* Label the code that t leads to. */
static void label_entries(struct cfg *g, const struct scaled_table *t)
{
	struct code_section *c = &g->text.v[t->text];
	set_add(c->anchors, g->insn.v[t->insn[SCALED_ANCHOR]].off);
	for (uint32_t k = 0; k < t->n; k++)
		cfg_label(g, c->sec->index, scaled_label(g, t, k), LABEL_BRANCH);
}

void scaled_find(struct cfg *g, const struct marks *m)
{
	struct finding w = {.g = g, .d = cfg_decoder(g, 0), .m = m};
	VEC(struct scaled_table) found = {0};
	for (uint32_t k = 0; k < g->text.n && g->target->words; k++) {
		struct code_section *c = &g->text.v[k];
		c->anchors = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
		w.seen = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
		w.end = 0;
		for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
			struct scaled_table t = {.text = k};
			if (g->insn.v[i].kind != INSN_JUMP_IND)
				continue;
			find_branches(&w, c, i);
			if (find_table(&w, &t, i))
				vec_push(&found, t);
		}
	}
	struct extents *x = found.n ? extents_find(g, m, found.v, found.n) : NULL;
	for (size_t k = 0; k < found.n; k++) {
		if (!find_entries(g, x, &found.v[k]))
			continue;
		vec_push(&g->scaled, found.v[k]);
		label_entries(g, &found.v[k]);
	}
	if (x)
		extents_free(x);
	vec_free(&found);
	vec_free(&w.in);
	vec_free(&w.jump);
	vec_free(&w.work);
}
