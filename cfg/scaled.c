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
#include "cfg/calls.h"
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

static bool clobbers(const struct cfg *g, uint32_t i, int reg)
{
	const struct insn *in = &g->insn.v[i];
	bool calls = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	return (in->flags & INSN_VAGUE) || insn_effects(in)->clobbers & REG_BIT(reg) ||
		(calls && g->target->abi.call_clobbers & REG_BIT(reg));
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
		r = only_reloc(g, t->text, i);
		if (op.op != OP_LEA || op.base < 0 || op.index >= 0 || !r ||
			!cfg_names_whole(g, &g->text.v[t->text], &g->insn.v[i]))
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

/* Slots ------------------------------------------------------------------ */

/*
 * Compilers keep a table's address in a slot of the frame, too.  The slot is followed like a
 * register with a number that no register has; there is one for each table.
 */
enum { SLOT = 63, SLOT_SIZE = 8, NEAR = 20 };

/* Does insn i access bytes of the slot? */
static bool accesses_slot(const struct cfg *g, const struct scaled_table *t, uint32_t i,
	bool *store)
{
	const struct insn *in = &g->insn.v[i];
	int64_t at;
	unsigned size;
	return g->target->frame_access(insn_bytes(&g->text.v[t->text], in), in, &at, &size,
		       store) &&
		at < t->slot + SLOT_SIZE && t->slot < at + size;
}

/* The register that insn i stores in the slot, or -1. */
static int stored_to_slot(const struct cfg *g, struct decoder *d, const struct scaled_table *t,
	uint32_t i)
{
	struct operation op;
	describe(g, d, t->text, i, &op);
	if (op.base != g->target->stack_reg || op.size != SLOT_SIZE)
		return -1;
	if (op.op == OP_STORE_PAIR && op.disp + SLOT_SIZE == t->slot)
		return op.index;
	bool whole = op.disp == t->slot &&
		((op.op == OP_STORE && op.index < 0) || op.op == OP_STORE_PAIR);
	return whole ? op.src : -1;
}

/* Does insn i load dst from a slot of the frame?  Sets *at. */
static bool loads_slot(const struct cfg *g, struct decoder *d, uint32_t text, uint32_t i, int *dst,
	int64_t *at)
{
	struct operation op;
	describe(g, d, text, i, &op);
	*dst = op.dst;
	*at = op.disp;
	return op.op == OP_LOAD && op.dst >= 0 && op.base == g->target->stack_reg && op.index < 0 &&
		op.size == SLOT_SIZE;
}

/*
 * Is the value of *reg behind insn i that of another register, or of the slot, in front of it? Then
 * sets *reg; -1: the value is not known.
 */
static bool comes_from(const struct cfg *g, struct decoder *d, struct scaled_table *t, uint32_t i,
	int *reg)
{
	bool store;
	int64_t at;
	int dst;
	if (*reg != SLOT) {
		if (!loads_slot(g, d, t->text, i, &dst, &at) || dst != *reg ||
			(t->slot >= 0 && t->slot != at))
			return false;
		t->slot = at;
		*reg = SLOT;
		return true;
	}
	if (!clobbers(g, i, g->target->stack_reg) && (!accesses_slot(g, t, i, &store) || !store))
		return false;
	*reg = clobbers(g, i, g->target->stack_reg) ? -1 : stored_to_slot(g, d, t, i);
	return true;
}

/* Finding ------------------------------------------------------------------ */

enum { MOST_VISITED = 20000, MOST_ENTRIES = 4096 };

/* A register (or SLOT) in front of instruction insn, where control came from instruction to. */
struct place {
	uint32_t insn, to;
	int reg;
};
/* Branch insn leads to the label at offset to. */
struct branch_in {
	uint32_t to, insn;
};

/* What scaled_find() needs of one code section. */
struct finding {
	const struct cfg *g;
	struct decoder *d;
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
 * jump in front of it may lead there.
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
	if (!falls && jump && (k == w->in.n || w->in.v[k].to != off))
		meet(w, (struct place){.insn = w->jump.v[jump - 1], .to = i, .reg = reg});
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
	if (w->g->insn.v[p.insn].kind == INSN_CALL && *reg != SLOT)
		return false;
	if (comes_from(w->g, w->d, t, p.insn, reg) || *reg == SLOT || !clobbers(w->g, p.insn, *reg))
		return false;
	*reg = -1;
	if (!fits(w->g, w->d, t, t->part, p.insn))
		return false;
	t->insn[t->part] = p.insn;
	return true;
}

static bool find_part(struct finding *w, struct scaled_table *t, enum scaled_part part)
{
	struct operation op;
	uint32_t i = t->insn[user[part]];
	describe(w->g, w->d, t->text, i, &op);
	int reg = operand(&op, part);
	t->part = (uint8_t)part;
	return reg >= 0 && walk_back(w, t, i, reg, sets_part);
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

/*
 * What in front of insn i, from insn first on, copies one of the registers to the other; the size
 * of the copy, 0: nothing does.
 */
static unsigned copied(const struct cfg *g, struct decoder *d, uint32_t text, uint32_t first,
	uint32_t i, int from, int to)
{
	struct operation op;
	if (from == to)
		return 8;
	while (i-- > first) {
		if (!clobbers(g, i, from) && !clobbers(g, i, to))
			continue;
		describe(g, d, text, i, &op);
		if (op.op == OP_MOVE && op.size >= 4 && op.dst == to && op.src == from)
			return 8; /* of 4 bytes: to has no more */
		return op.op == OP_MOVE && op.size >= 4 && op.dst == from && op.src == to ? op.size
											  : 0;
	}
	return 0;
}

/*
 * How many values has reg where branch i does, or (taken) does not, fall through: by the compare
 * in front of it, from insn first on?  0: any; sets *size to the bytes of it that are compared.
 */
static uint32_t compared(const struct cfg *g, struct decoder *d, uint32_t text, uint32_t first,
	uint32_t i, bool taken, int reg, unsigned *size)
{
	struct operation op, branch;
	describe(g, d, text, i, &branch);
	if (!bounds(&branch) || (branch.op == OP_BRANCH_UP_TO) != taken)
		return 0;
	while (i-- > first) {
		describe(g, d, text, i, &op);
		if (op.op == OP_CMP_IMM) {
			*size = copied(g, d, text, first, i, op.dst, reg);
			*size = *size < op.size ? *size : op.size;
			return *size ? values(&op, &branch) : 0;
		}
		if (clobbers(g, i, reg) || insn_effects(&g->insn.v[i])->clobbers & REGSET_FLAGS)
			return 0;
	}
	return 0;
}

/* The largest value that insn i, which makes one, leaves; UINT64_MAX: not known. */
static uint64_t largest(const struct cfg *g, uint32_t i, const struct operation *op)
{
	if (op->op == OP_IMM && !op->pc_rel && !g->insn.v[i].has_rel && op->imm >= 0)
		return (uint64_t)op->imm;
	return op->max ? op->max : UINT64_MAX;
}

/* Does p compare the register with a bound?  Notes the values that are made on other paths. */
static bool finds_bound(struct finding *w, struct scaled_table *t, struct place p, int *reg)
{
	const struct code_section *c = &w->g->text.v[t->text];
	uint32_t first = p.insn - c->insn > NEAR ? p.insn - NEAR : c->insn;
	struct operation op;
	unsigned size;
	uint32_t n = compared(w->g, w->d, t->text, first, p.insn, p.to != p.insn + 1, *reg, &size);
	t->n = n > t->n ? n : t->n;
	if (n)
		return true;
	if (!clobbers(w->g, p.insn, *reg))
		return false;
	describe(w->g, w->d, t->text, p.insn, &op);
	*reg = op.op == OP_MOVE && op.dst == *reg && op.size >= 4 ? op.src : -1;
	uint64_t most = *reg < 0 ? largest(w->g, p.insn, &op) : UINT64_MAX;
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
	if (!fits(w->g, w->d, t, SCALED_JUMP, jump) || !find_part(w, t, SCALED_SUM) ||
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

/* Begin with section c. */
static void find_branches(struct finding *w, const struct code_section *c)
{
	w->in.n = w->jump.n = 0;
	for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
		const struct insn *in = &w->g->insn.v[i];
		if (in->kind == INSN_JUMP_IND)
			vec_push(&w->jump, i);
		if ((in->kind == INSN_BRANCH || in->kind == INSN_JUMP) && in->resolved &&
			in->ref != REF_NOWHERE)
			vec_push(&w->in, (struct branch_in){.to = in->ref, .insn = i});
	}
	sort(w->in.v, w->in.n, sizeof *w->in.v, branch_in_cmp);
}

/* Label the code that t leads to. */
static void label_entries(struct cfg *g, const struct scaled_table *t)
{
	struct code_section *c = &g->text.v[t->text];
	set_add(c->anchors, g->insn.v[t->insn[SCALED_ANCHOR]].off);
	for (uint32_t k = 0; k < t->n; k++) {
		cfg_label(g, c->sec->index, scaled_label(g, t, k), LABEL_BRANCH);
	}
}

void scaled_find(struct cfg *g, const struct marks *m)
{
	struct finding w = {.g = g, .d = cfg_decoder(g, 0)};
	VEC(struct scaled_table) found = {0};
	for (uint32_t k = 0; k < g->text.n && g->target->words; k++) {
		struct code_section *c = &g->text.v[k];
		c->anchors = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
		w.seen = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
		find_branches(&w, c);
		for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
			struct scaled_table t = {.text = k, .slot = -1};
			if (g->insn.v[i].kind == INSN_JUMP_IND && find_table(&w, &t, i))
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

/* Proving ------------------------------------------------------------------ */

/* A part of a table, or (place: a label) an entry of it. */
struct where {
	uint32_t text;
	uint64_t place;
	uint32_t table;
};
typedef VEC(struct where) where_vec;

/* Registers with which a walk has come to blocks. */
struct seen {
	VEC(regset) v;	       /* by block of the function */
	VEC(uint32_t) visited; /* blocks of which v is not empty */
};

/* Where a walk is to go on: in front of insn i of block b, with a register. */
struct step {
	uint32_t b, i;
	int reg;
};

struct tracing {
	const struct cfg *g;
	struct scaled_table *t;
	const struct func *f;
	struct decoder *d;
	const uint32_t *first, *pred;
	where_vec places[SCALED_PARTS]; /* of all tables, sorted */
	where_vec entry;
	uint32_t def;		  /* the only definition that may be met, but for equal ones */
	bool several;		  /* there are some of the page or name */
	VEC(uint32_t) name;	  /* those of the name */
	struct call_use **called; /* by block that ends in a call or jump, as far as known */
	/* of function f: */
	VEC(uint32_t) other; /* blocks that end in indirect jumps by no table */
	struct seen seen, narrow;
	regset led;	     /* registers followed through one of the other jumps */
	VEC(regset) dead[2]; /* by block: not read from its start on; [1]: but by what is called */
	bool is_read;	     /* behind the first block */
	uint32_t nseen;
	VEC(struct step) todo;
	enum scaled_part part; /* whose uses are sought */
	int64_t slot;	       /* the last one that was asked for: is it private? */
	bool slot_private;
};

enum { MOST_SEEN = 20000 };

static void forget(struct seen *s)
{
	for (size_t k = 0; k < s->visited.n; k++)
		s->v.v[s->visited.v[k]] = 0;
	s->visited.n = 0;
}

/* What the call at the end of block b does to registers. */
static struct call_use call_in(struct tracing *w, uint32_t b)
{
	if (!w->called[b]) {
		w->called[b] = arena_new(w->g->arena, struct call_use);
		*w->called[b] = call_use(w->g, &w->g->block.v[b]);
	}
	return *w->called[b];
}

/* May insn i of block b change reg? */
static bool changes(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	const struct insn *in = &w->g->insn.v[i];
	if (in->kind != INSN_CALL || !clobbers(w->g, i, reg))
		return clobbers(w->g, i, reg);
	return (in->flags & INSN_VAGUE) || insn_effects(in)->clobbers & REG_BIT(reg) ||
		call_in(w, b).changes & REG_BIT(reg);
}

static void forget_seen(struct tracing *w)
{
	forget(&w->seen);
	forget(&w->narrow);
	w->led = 0;
	w->is_read = false;
	w->nseen = 0;
}

/* The walk comes to block b of f for the first time with that register. */
static bool is_new(struct tracing *w, struct seen *s, uint32_t b, int reg)
{
	regset *seen = &s->v.v[b - w->f->block];
	if (!*seen)
		vec_push(&s->visited, b - w->f->block);
	bool new = !(*seen & REG_BIT(reg));
	*seen |= REG_BIT(reg);
	w->nseen += new;
	return new;
}

/* The walk goes on there, too, when the step that says so is done. */
static bool go_on(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	vec_push(&w->todo, (struct step){b, i, reg});
	return true;
}

typedef bool step_fn(struct tracing *w, uint32_t b, uint32_t i, int reg);

/* Are this step, and all to which it leads, good?  Walks may begin in steps of others. */
static bool walk(struct tracing *w, step_fn *is_good, uint32_t b, uint32_t i, int reg)
{
	size_t first = w->todo.n;
	bool good = go_on(w, b, i, reg);
	while (good && w->todo.n > first) {
		struct step s = w->todo.v[--w->todo.n];
		good = is_good(w, s.b, s.i, s.reg);
	}
	w->todo.n = first;
	return good;
}

static uint32_t block_of(const struct tracing *w, uint32_t i)
{
	const struct block *bl = w->g->block.v;
	uint32_t b;
	BISECT(b, w->f->block, w->f->block + w->f->nblock, bl[b].insn <= i);
	return b-- > w->f->block && i < bl[b].insn + bl[b].ninsn ? b : NO_BLOCK;
}

/*
 * May an indirect jump of the function lead to block b, other than by a table?  One by a table that
 * is not known makes the function opaque (jumps.c).
 *
 * hazard: two kinds of tables.  An interpreter that jumps by a table of addresses has switches,
 * too, with labels of their own.
 */
static bool is_taken(const struct tracing *w, uint32_t b)
{
	const struct code_section *c = &w->g->text.v[w->f->text];
	uint64_t off = w->g->insn.v[w->g->block.v[b].insn].off;
	return set_has(c->taken, off);
}

static int where_cmp(const void *a, const void *b)
{
	const struct where *x = a, *y = b;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->table < y->table ? -1 : x->table > y->table;
}

/* The first at a place; *n: how many there are. */
static const struct where *all_at(const where_vec *all, uint32_t text, uint64_t place, size_t *n)
{
	struct where key = {.text = text, .place = place};
	size_t first, end;
	BISECT(first, 0, all->n, where_cmp(&all->v[first], &key) < 0);
	for (end = first; end < all->n && all->v[end].text == text && all->v[end].place == place;)
		end++;
	*n = end - first;
	return all->v + first;
}

/* May control enter block b otherwise than from pred[]?  Then the values of registers are unknown.
 */
static bool is_entered(const struct tracing *w, uint32_t b)
{
	const struct code_section *c = &w->g->text.v[w->f->text];
	uint64_t off = w->g->insn.v[w->g->block.v[b].insn].off;
	return b == w->f->block || set_has(c->entries, off) || set_has(c->pads, off);
}

typedef bool visit_fn(struct tracing *w, uint32_t from, uint32_t to, int reg);

/* Visit the indirect jumps of the function that may lead to block b. */
static bool visit_jumps(struct tracing *w, uint32_t b, int reg, visit_fn *visit)
{
	const struct cfg *g = w->g;
	size_t n;
	const struct where *e =
		all_at(&w->entry, w->f->text, g->insn.v[g->block.v[b].insn].off, &n);
	for (size_t k = 0; k < n; k++) {
		uint32_t from = block_of(w, g->scaled.v[e[k].table].insn[SCALED_JUMP]);
		if (from != NO_BLOCK && !visit(w, from, b, reg))
			return false;
	}
	for (size_t k = 0; k < w->other.n && is_taken(w, b); k++)
		if (!visit(w, w->other.v[k], b, reg))
			return false;
	return true;
}

/*
 * Visit the ends of all predecessors of block b; false if some are unknown.  A block that a table
 * leads to is a successor of the jumps by that table, and if its address is taken, of all other
 * indirect jumps.
 */
static bool visit_preds(struct tracing *w, uint32_t b, int reg, visit_fn *visit)
{
	const struct cfg *g = w->g;
	if (is_entered(w, b) || w->nseen > MOST_SEEN)
		return false;
	for (uint32_t i = w->first[b]; i < w->first[b + 1]; i++)
		if (never_returns(g, &g->block.v[w->pred[i]]))
			continue;
		else if (!func_has_block(w->f, w->pred[i]) || !visit(w, w->pred[i], b, reg))
			return false;
	return visit_jumps(w, b, reg, visit);
}

static bool defines_at_end(struct tracing *w, uint32_t from, uint32_t to, int reg)
{
	const struct block *bl = &w->g->block.v[from];
	(void)to;
	return go_on(w, from, bl->insn + bl->ninsn, reg);
}

/*
 * Does insn i make the same address of the table in reg as the one in w->def?  Then it is one more.
 *
 * hazard: address of a table made twice.  clang makes it again where it has no register for it
 * over a call.
 */
static bool is_equal_def(struct tracing *w, uint32_t i, int reg)
{
	struct scaled_table t = *w->t;
	struct operation op;
	if ((w->part != SCALED_PAGE && w->part != SCALED_NAME) ||
		!(insn_effects(&w->g->insn.v[i])->clobbers & REG_BIT(reg)) ||
		!fits(w->g, w->d, &t, w->part, i) || t.sec != w->t->sec || t.off != w->t->off)
		return false;
	describe(w->g, w->d, t.text, i, &op);
	if (op.dst != reg)
		return false;
	w->several = true;
	for (size_t k = 0; k < w->name.n && w->part == SCALED_NAME; k++)
		if (w->name.v[k] == i)
			return true;
	if (w->part == SCALED_NAME)
		vec_push(&w->name, i);
	return true;
}

/* The register that insn i copies to reg, or -1. */
static int copied_from(struct tracing *w, uint32_t i, int reg)
{
	struct operation op;
	describe(w->g, w->d, w->t->text, i, &op);
	return op.op == OP_MOVE && op.dst == reg && op.size == 8 ? op.src : -1;
}

/*
 * Is the instruction in w->def the only one whose value is in reg in front of insn i of block b?
 * Copies in other registers are further uses, which is_used_alone() finds.
 */
static bool is_only_def(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	while (i-- > w->g->block.v[b].insn) {
		if (reg != SLOT && (i == w->def || is_equal_def(w, i, reg)))
			return true;
		if (comes_from(w->g, w->d, w->t, i, &reg)) {
			if (reg < 0)
				return false;
		} else if (reg != SLOT && changes(w, b, i, reg) &&
			(reg = copied_from(w, i, reg)) < 0) {
			return false;
		}
	}
	return !is_new(w, &w->seen, b, reg) || visit_preds(w, b, reg, defines_at_end);
}

static bool reaches_alone(struct tracing *w, enum scaled_part part)
{
	struct operation op;
	uint32_t i = w->t->insn[user[part]], b = block_of(w, i);
	describe(w->g, w->d, w->t->text, i, &op);
	w->def = w->t->insn[part];
	w->part = part;
	forget_seen(w);
	return b != NO_BLOCK && walk(w, is_only_def, b, i, operand(&op, part));
}

/* Do the other instructions that make the address of the table add to its page, too? */
static bool names_are_whole(struct tracing *w)
{
	struct operation op;
	bool whole = true;
	w->part = SCALED_PAGE;
	w->def = w->t->insn[SCALED_PAGE];
	for (size_t k = 0; k < w->name.n && whole; k++) {
		describe(w->g, w->d, w->t->text, w->name.v[k], &op);
		forget_seen(w);
		whole = walk(w, is_only_def, block_of(w, w->name.v[k]), w->name.v[k], op.base);
	}
	return whole;
}

static bool narrow_at_end(struct tracing *w, uint32_t from, uint32_t to, int reg)
{
	const struct block *bl = &w->g->block.v[from];
	(void)to;
	return go_on(w, from, bl->insn + bl->ninsn, reg);
}

/* Is the high half of reg in front of insn i of block b zero, on every path? */
static bool is_narrow(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	struct operation op;
	while (i-- > w->g->block.v[b].insn) {
		if (!clobbers(w->g, i, reg))
			continue;
		describe(w->g, w->d, w->t->text, i, &op);
		if (op.op != OP_MOVE || op.dst != reg || op.size < 8)
			return op.max && op.max <= UINT32_MAX;
		reg = op.src;
	}
	return !is_new(w, &w->narrow, b, reg) || visit_preds(w, b, reg, narrow_at_end);
}

static bool narrows(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	bool narrow = walk(w, is_narrow, b, i, reg);
	if (!narrow)
		forget(&w->narrow); /* what it came to is not known to be narrow */
	return narrow;
}

enum { LOW = 32 }; /* reg + LOW: only the low half of reg */

/* Is reg on the edge from -> to below the bound, by the compare in front of its branch? */
static bool is_compared(struct tracing *w, uint32_t from, uint32_t to, int reg)
{
	const struct block *bl = &w->g->block.v[from];
	uint32_t last = bl->insn + bl->ninsn - 1;
	bool taken = bl->target == to;
	unsigned size = 0;
	uint32_t n = taken && bl->fall == to
		? 0
		: compared(w->g, w->d, w->t->text, bl->insn, last, taken, reg % LOW, &size);
	return n && n <= w->t->n && (size == 8 || reg >= LOW || narrows(w, from, last, reg));
}

static bool bounded_at_end(struct tracing *w, uint32_t from, uint32_t to, int reg)
{
	const struct block *bl = &w->g->block.v[from];
	return is_compared(w, from, to, reg) || go_on(w, from, bl->insn + bl->ninsn, reg);
}

/*
 * Is reg in front of insn i of block b below w->t->n, by a compare on every path?  For reg + LOW
 * only its low half must be.
 */
static bool is_bounded(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	struct operation op;
	while (i-- > w->g->block.v[b].insn) {
		if (!clobbers(w->g, i, reg % LOW))
			continue;
		describe(w->g, w->d, w->t->text, i, &op);
		if (op.op == OP_MOVE && op.dst == reg % LOW && op.size >= 4) {
			reg = op.src + (op.size == 4 ? LOW : reg - reg % LOW);
			continue;
		}
		return (op.op != OP_IMM || op.dst == reg % LOW) && largest(w->g, i, &op) < w->t->n;
	}
	return !is_new(w, &w->seen, b, reg) || visit_preds(w, b, reg, bounded_at_end);
}

static bool index_is_bounded(struct tracing *w)
{
	struct operation op;
	uint32_t i = w->t->insn[SCALED_LOAD], b = block_of(w, i);
	describe(w->g, w->d, w->t->text, i, &op);
	forget_seen(w);
	return b != NO_BLOCK &&
		walk(w, is_bounded, b, i, op.index + (op.index_size == 4 ? LOW : 0));
}

/* Do the tables, of one section, have the same entries and readers? */
static bool is_same_table(const struct scaled_table *a, const struct scaled_table *b)
{
	return a->text == b->text && a->sec == b->sec && a->off == b->off && a->n == b->n &&
		a->size == b->size && a->scale == b->scale && a->sext == b->sext &&
		a->base == b->base;
}

static uint32_t last_insn(const struct cfg *g, const struct func *f)
{
	const struct block *bl = &g->block.v[f->block + f->nblock - 1];
	return bl->insn + bl->ninsn - 1;
}

/* May insn i use the value of a part that is in reg, as the same part of the same table does? */
static bool may_use(const struct tracing *w, uint32_t i, int reg)
{
	enum scaled_part part = w->part;
	struct operation op;
	size_t n;
	const struct where *p = all_at(&w->places[user[part]], w->t->text, i, &n);
	for (size_t k = 0; k < n; k++) {
		const struct scaled_table *t = &w->g->scaled.v[p[k].table];
		if (t->insn[part] != w->t->insn[part] || !is_same_table(t, w->t) ||
			block_of(w, t->insn[SCALED_JUMP]) == NO_BLOCK)
			continue;
		describe(w->g, w->d, t->text, i, &op);
		regset others = (op.base == reg) + (op.index == reg) + (op.src == reg);
		return operand(&op, part) == reg && others == 1;
	}
	return false;
}

/* Does the rest of the block, from insn i on, leave the function and read no memory? */
static bool leaves_at_once(const struct cfg *g, const struct block *bl, uint32_t i)
{
	for (; i < bl->insn + bl->ninsn; i++)
		if (g->insn.v[i].kind != INSN_OTHER)
			return g->insn.v[i].kind == INSN_RET ||
				(g->insn.v[i].kind == INSN_JUMP && !g->insn.v[i].stays);
		else if (g->insn.v[i].flags & INSN_MEM)
			return false;
	return false;
}

/*
 * Does insn i, of block b, nothing with the slot but load it into a register that is used so?
 * *done: the slot has another value from here on.
 */
static bool slot_used_so(struct tracing *w, uint32_t b, uint32_t i, bool *done)
{
	const struct cfg *g = w->g;
	const struct insn *in = &g->insn.v[i];
	const struct block *bl = &g->block.v[b];
	bool store;
	int64_t at;
	int dst;
	*done = true;
	if (clobbers(g, i, g->target->stack_reg))
		return leaves_at_once(g, bl, i + 1);
	if (accesses_slot(g, w->t, i, &store) && store)
		return stored_to_slot(g, w->d, w->t, i) >= 0;
	*done = in->kind == INSN_RET || (in->kind == INSN_JUMP && !in->stays);
	if (!accesses_slot(g, w->t, i, &store))
		return !(in->flags & INSN_VAGUE);
	return loads_slot(g, w->d, w->t->text, i, &dst, &at) && at == w->t->slot &&
		go_on(w, b, i + 1, dst);
}

/* Does insn i of block b only store reg in the slot, from where it is used so? */
static bool is_kept_so(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	struct operation op;
	describe(w->g, w->d, w->t->text, i, &op);
	return w->t->slot >= 0 && stored_to_slot(w->g, w->d, w->t, i) == reg &&
		(op.op == OP_STORE || op.src != op.index) && go_on(w, b, i + 1, SLOT);
}

/* May leaving the function, or a call, in insn in of block b pass reg on to somebody who reads it?
 */
static bool is_passed(struct tracing *w, uint32_t b, const struct insn *in, int reg)
{
	const struct target *t = w->g->target;
	bool calls = in->kind == INSN_CALL_IND || in->kind == INSN_SYSCALL;
	regset taken = (t->abi.entry_live & ~t->abi.chain) | chain_passed(w->g, NO_BLOCK);
	regset kept = callee_saved(t);
	regset passed = in->kind == INSN_RET ? REG_BIT(t->abi.result) | REG_BIT(t->abi.arg[1])
		: in->kind == INSN_CALL	     ? call_in(w, b).reads
		: calls			     ? taken & t->abi.call_clobbers
		: in->kind == INSN_JUMP && !in->stays ? kept | call_in(w, b).reads
						      : 0;
	return passed & REG_BIT(reg);
}

/* The walk goes on at the start of block to of the function. */
static void go_on_from(struct tracing *w, uint32_t to, int reg)
{
	bool dead = w->dead[w->part == SCALED_ANCHOR].v[to - w->f->block] & REG_BIT(reg);
	if (!dead && is_new(w, &w->seen, to, reg))
		go_on(w, to, w->g->block.v[to].insn, reg);
}

/* The same behind the indirect jump of block b; false: somebody else may use the register. */
static bool go_on_behind(struct tracing *w, uint32_t b, int reg)
{
	const struct cfg *g = w->g;
	const struct func *f = w->f;
	const struct block *bl = &g->block.v[b];
	const struct scaled_table *t = scaled_by_jump(g, bl->insn + bl->ninsn - 1);
	for (uint32_t k = 0; t && k < t->n; k++) {
		uint32_t to = cfg_block_at(g, &g->text.v[t->text], scaled_label(g, t, k));
		if (func_has_block(w->f, to))
			go_on_from(w, to, reg);
	}
	if (t || w->led & REG_BIT(reg))
		return true;
	regset taken = (g->target->abi.entry_live & ~g->target->abi.chain) |
		chain_passed(g, NO_BLOCK);
	if (w->part != SCALED_ANCHOR && (reg == SLOT || taken & REG_BIT(reg)))
		return false;
	w->led |= REG_BIT(reg);
	for (uint32_t to = f->block; to < f->block + f->nblock; to++)
		if (is_taken(w, to))
			go_on_from(w, to, reg);
	return true;
}

/*
 * Does nothing but these uses read reg from insn i of block b on?  A call may read any register
 * that passes arguments, a return the two that the psABI has for results.  But the base of a table
 * is right after code has moved, and no callee can use a label inside this function.
 */
static bool is_used_so(struct tracing *w, uint32_t b, uint32_t i, int reg)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[b];
	if (w->nseen > MOST_SEEN)
		return false;
	for (; i < bl->insn + bl->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		bool done = false;
		if (reg == SLOT) {
			if (!slot_used_so(w, b, i, &done))
				return false;
			if (done)
				return true;
			continue;
		}
		bool reads = insn_effects(in)->reads & REG_BIT(reg);
		w->is_read |= reads && w->seen.visited.n;
		if ((in->flags & INSN_VAGUE) ||
			(reads && !may_use(w, i, reg) && !is_kept_so(w, b, i, reg)) ||
			(w->part != SCALED_ANCHOR && is_passed(w, b, in, reg)))
			return false;
		if (in->kind == INSN_RET || (in->kind == INSN_JUMP && !in->stays) ||
			changes(w, b, i, reg))
			return true;
	}
	const uint32_t next[2] = {never_returns(g, bl) ? NO_BLOCK : bl->fall,
		bl->end == END_CALL ? NO_BLOCK : bl->target};
	for (int k = 0; k < 2; k++) {
		if (next[k] == NO_BLOCK)
			continue;
		if (!func_has_block(w->f, next[k]))
			return false;
		go_on_from(w, next[k], reg);
	}
	return g->insn.v[bl->insn + bl->ninsn - 1].kind != INSN_JUMP_IND || go_on_behind(w, b, reg);
}

/*
 * Is the slot accessed by the stack pointer alone?  hazard: address of a table in the frame.  It is
 * the compiler's own, so nothing has its address.
 */
static bool find_private(const struct tracing *w)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[w->f->block];
	struct operation op;
	int64_t at;
	unsigned size;
	bool store;
	for (uint32_t i = bl->insn; i <= last_insn(g, w->f) && w->t->slot >= 0; i++) {
		const struct insn *in = &g->insn.v[i];
		if (in->kind != INSN_OTHER ||
			!(insn_effects(in)->reads & REG_BIT(g->target->stack_reg)) ||
			g->target->frame_access(insn_bytes(&g->text.v[w->f->text], in), in, &at,
				&size, &store))
			continue;
		describe(g, w->d, w->f->text, i, &op);
		if (clobbers(g, i, g->target->stack_reg) && (in->flags & INSN_MEM))
			continue; /* the frame begins or ends */
		if (op.op != OP_LEA || op.base != g->target->stack_reg || op.index >= 0 ||
			(op.dst != g->target->stack_reg && op.disp >= w->t->slot &&
				op.disp < w->t->slot + SLOT_SIZE))
			return false;
	}
	return true;
}

static bool slot_is_private(struct tracing *w)
{
	if (w->slot != w->t->slot) {
		w->slot = w->t->slot;
		w->slot_private = find_private(w);
	}
	return w->slot < 0 || w->slot_private;
}

/* A walk that has met no reads: it need not come to these blocks again. */
static void note_dead(struct tracing *w)
{
	for (size_t k = 0; k < w->seen.visited.n && !w->is_read; k++) {
		uint32_t b = w->seen.visited.v[k];
		w->dead[w->part == SCALED_ANCHOR].v[b] |= w->seen.v.v[b] & ~REG_BIT(SLOT);
	}
}

static bool is_used_alone(struct tracing *w, enum scaled_part part)
{
	struct operation op;
	uint32_t i = w->t->insn[part], b = block_of(w, i);
	describe(w->g, w->d, w->t->text, i, &op);
	forget_seen(w);
	w->part = part;
	if (b == NO_BLOCK || op.dst < 0 || !walk(w, is_used_so, b, i + 1, op.dst))
		return false;
	note_dead(w);
	return true;
}

/* Go on with function f. */
static void enter_func(struct tracing *w, const struct func *f)
{
	const struct cfg *g = w->g;
	w->f = f;
	w->slot = -1;
	forget_seen(w);
	w->seen.v.n = w->narrow.v.n = w->other.n = w->dead[0].n = w->dead[1].n = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		uint32_t last = g->block.v[b].insn + g->block.v[b].ninsn - 1;
		vec_push(&w->seen.v, 0);
		vec_push(&w->narrow.v, 0);
		vec_push(&w->dead[0], 0);
		vec_push(&w->dead[1], 0);
		if (g->insn.v[last].kind == INSN_JUMP_IND && !scaled_by_jump(g, last))
			vec_push(&w->other, b);
	}
}

/* Is the value of the anchor of t, behind its load in that one's block, the next of its register?
 */
static bool is_next(struct tracing *w, const struct scaled_table *t, int reg)
{
	const struct cfg *g = w->g;
	uint32_t i = t->insn[SCALED_LOAD], end = t->insn[SCALED_ANCHOR];
	if (end < i || block_of(w, i) != block_of(w, end))
		return false;
	while (++i < end)
		if (g->insn.v[i].flags & INSN_VAGUE ||
			insn_effects(&g->insn.v[i])->reads & REG_BIT(reg))
			return false;
	return true;
}

/* A register for the address that the load of t makes: the one of the entry or of the base; or -1.
 */
static int own_reg(struct tracing *w, const struct scaled_table *t)
{
	struct operation load, anchor;
	describe(w->g, w->d, t->text, t->insn[SCALED_LOAD], &load);
	describe(w->g, w->d, t->text, t->insn[SCALED_ANCHOR], &anchor);
	if (load.dst >= 0 && load.dst != load.index && load.dst != load.base)
		return load.dst;
	bool other = anchor.dst != load.index && anchor.dst != load.base;
	return other && is_next(w, t, anchor.dst) ? anchor.dst : -1;
}

/*
 * Does the jump of t always use t, and does nothing else?  *alone: nothing else uses the address.
 */
static bool proves(struct tracing *w, struct scaled_table *t, bool *alone)
{
	static const enum scaled_part exclusive[] = {SCALED_LOAD, SCALED_ANCHOR};
	const struct cfg *g = w->g;
	uint32_t func = cfg_func_at(g, &g->text.v[t->text], g->insn.v[t->insn[SCALED_JUMP]].off);
	if (func == NO_FUNC || !g->func.v[func].nblock)
		return false;
	struct scaled_table own = *t;
	w->t = &own;
	if (w->f != &g->func.v[func])
		enter_func(w, &g->func.v[func]);
	bool proved = true;
	w->several = false;
	w->name.n = 0;
	for (enum scaled_part part = 0; part < SCALED_JUMP && proved; part++)
		proved = reaches_alone(w, part);
	proved = proved && names_are_whole(w);
	for (size_t k = 0; k < sizeof exclusive / sizeof *exclusive && proved; k++)
		proved = is_used_alone(w, exclusive[k]);
	proved = proved && (t->closed || index_is_bounded(w)) && slot_is_private(w);
	*alone = proved && !w->several && is_used_alone(w, SCALED_PAGE) &&
		is_used_alone(w, SCALED_NAME);
	t->own = (int8_t)own_reg(w, t);
	return proved;
}

/*
 * The instruction that makes a page can refer to another one only if all tables that use it have
 * moved there.  Otherwise each load makes the new table's address itself, in a register of its own.
 */
static void find_own(const struct tracing *w, const bool *alone)
{
	struct scaled_table *all = w->g->scaled.v;
	bool *kept = arena_array(w->g->arena, bool, w->g->scaled.n + 1);
	size_t n;
	for (size_t k = 0; k < w->g->scaled.n; k++) {
		const struct where *p =
			all_at(&w->places[SCALED_PAGE], all[k].text, all[k].insn[SCALED_PAGE], &n);
		for (size_t i = 0; i < n && all[k].proved && !alone[k]; i++)
			kept[p[i].table] = true;
	}
	for (size_t k = 0; k < w->g->scaled.n; k++)
		all[k].own = kept[k] ? all[k].own : -1;
	for (size_t k = 0; k < w->g->scaled.n; k++) {
		const struct where *p =
			all_at(&w->places[SCALED_LOAD], all[k].text, all[k].insn[SCALED_LOAD], &n);
		all[k].proved &= !kept[k] || all[k].own >= 0;
		for (size_t i = 0; i < n; i++)
			all[k].proved &= all[p[i].table].own == all[k].own;
	}
}

static void sort_all(where_vec *all)
{
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, where_cmp);
}

static void find_places(struct tracing *w)
{
	for (uint32_t i = 0; i < w->g->scaled.n; i++) {
		const struct scaled_table *t = &w->g->scaled.v[i];
		for (int part = 0; part < SCALED_PARTS; part++)
			vec_push(&w->places[part], (struct where){t->text, t->insn[part], i});
		for (uint32_t k = 0; k < t->n; k++)
			vec_push(&w->entry, (struct where){t->text, scaled_label(w->g, t, k), i});
	}
	for (int part = 0; part < SCALED_PARTS; part++)
		sort_all(&w->places[part]);
	sort_all(&w->entry);
}

void scaled_prove(struct cfg *g, const uint32_t *first, const uint32_t *pred)
{
	struct tracing w = {.g = g, .d = cfg_decoder(g, 0), .first = first, .pred = pred};
	bool *alone = arena_array(g->arena, bool, g->scaled.n + 1);
	if (g->scaled.n)
		chain_find(g, first);
	w.called = arena_array(g->arena, struct call_use *, g->scaled.n ? g->block.n : 1);
	find_places(&w);
	/* the last one first: most code leads on to what has been walked through */
	for (size_t k = g->scaled.n; k--;)
		g->scaled.v[k].proved = proves(&w, &g->scaled.v[k], &alone[k]);
	find_own(&w, alone);
	for (int part = 0; part < SCALED_PARTS; part++)
		vec_free(&w.places[part]);
	vec_free(&w.entry);
	vec_free(&w.other);
	vec_free(&w.seen.v);
	vec_free(&w.seen.visited);
	vec_free(&w.narrow.v);
	vec_free(&w.narrow.visited);
	vec_free(&w.todo);
	vec_free(&w.name);
	vec_free(&w.dead[0]);
	vec_free(&w.dead[1]);
}
