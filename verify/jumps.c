/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.c - the table of a jump; does the static map have an edge for each of its targets?
 *
 * If the jump's block computes the address of a table, loads a word from there and adds what that
 * is a distance from, the table or the GOT, the targets are the words of that table, up to the next
 * place that code refers to; without an index, only that word.  Any other indirect jump with edges
 * within its function may use each table that the function refers to.
 */
#include "verify/map.h"
#include "verify/places.h"
#include "verify/tables.h"

/* Has the map an edge from block from to block to (0: outside)? */
static bool has_edge(const struct mapread *m, uint32_t from, uint32_t to)
{
	const struct medge *e = m->edge.v;
	size_t i;
	BISECT(i, 0, m->edge.n, e[i].from < from || (e[i].from == from && e[i].to < to));
	return i < m->edge.n && e[i].from == from && e[i].to == to;
}

/* Has the map a path from block b to instruction k: one edge, or one out and one in? */
static bool may_lead(const struct mapread *m, uint32_t b, uint32_t k)
{
	const struct vtext *t = &m->v->text.v[m->text];
	uint32_t to = k >= t->first && k < t->first + t->n ? block_at(m, m->v->insn.v[k].off) : 0;
	return has_edge(m, b, to) || (to && has_edge(m, b, 0) && has_edge(m, 0, to));
}

/* Words of tables ------------------------------------------------------- */

enum { ANY_WORD = -1 };

/* Set the target of r, if that is a word of the table.  False: it does not lead to code. */
static bool word_leads(const struct verify *v, const struct reloc *r, const struct vbase *table,
	uint32_t *sec, uint64_t *to)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	int64_t adj = role == ROLE_PCREL ? (int64_t)(table->off - r->off) : 0;
	return (role == ROLE_PCREL || role == ROLE_ABS || role == ROLE_GOTREL) &&
		place_of(v->a, r, adj, sec, to) && text_at(v, *sec);
}

struct vwords vtable_words(const struct verify *v, const struct vtable *table)
{
	const struct section *s = &v->a->sec.v[table->at.sec];
	return (struct vwords){.table = *table,
		.x = table->at.off,
		.rel = section_first_reloc(s, table->at.off)};
}

bool vtable_word(const struct verify *v, const struct vwords *w, uint32_t *sec, uint64_t *to)
{
	const struct section *s = &v->a->sec.v[w->table.at.sec];
	return w->rel < s->nrel && s->rel[w->rel].off == w->x &&
		word_leads(v, &s->rel[w->rel], &w->table.at, sec, to);
}

bool vtable_next(const struct verify *v, struct vwords *w, uint32_t *sec, uint64_t *to)
{
	const struct vbase *table = &w->table.at;
	const struct section *s = &v->a->sec.v[table->sec];
	uint64_t base;
	while (vtable_word(v, w, sec, to) && table_base(v, s, w->x, &base) && base == table->off) {
		bool wanted = w->table.word == ANY_WORD ||
			w->x - table->off == (uint64_t)w->table.word;
		w->x += v->target->reloc_info(s->rel[w->rel].type)->size;
		w->rel += 1 + is_difference(v, s, &s->rel[w->rel]);
		if (wanted)
			return true;
	}
	return false;
}

/* Has block b an edge to each target of the table's words? */
static void check_table(struct mapread *m, uint32_t b, const struct vtable *table)
{
	const struct verify *v = m->v;
	struct vwords w = vtable_words(v, table);
	uint32_t sec;
	uint64_t to;
	while (vtable_next(v, &w, &sec, &to)) {
		const struct vtext *t = text_at(v, sec);
		if (to < t->a->size && is_boundary(v, sec, to) &&
			!may_lead(m, b, insn_at(v, t, to)))
			bad_edges(m, b, "not all edges of the table jump at the end of");
	}
}

/* The table of a jump --------------------------------------------------- */

/*
 * What a register holds: the address of a table, or its high half; a place in the table, by an
 * index; a word of it; the sum of table and word, or of the GOT and word.
 */
struct value {
	enum { VALUE_OTHER, VALUE_TABLE, VALUE_PLACE, VALUE_WORD, VALUE_SUM, VALUE_GOT } kind;
	struct vbase table;
	int64_t word; /* its distance, or ANY_WORD */
};
enum { REGS = 32 };

static bool in_table(struct value x)
{
	return x.kind == VALUE_TABLE || x.kind == VALUE_PLACE;
}

static struct value sum_of(struct value x, struct value y)
{
	if (y.kind == VALUE_TABLE || (y.kind == VALUE_PLACE && x.kind != VALUE_TABLE)) {
		struct value swap = x;
		x = y;
		y = swap;
	}
	if (in_table(x) && y.kind == VALUE_OTHER)
		return (struct value){VALUE_PLACE, x.table, ANY_WORD};
	if (x.kind != VALUE_TABLE || y.kind != VALUE_WORD || vbase_cmp(&x.table, &y.table) != 0)
		return (struct value){0};
	return (struct value){VALUE_SUM, x.table, y.word};
}

/* x, once a low half has been added to it if low, its relocation, is not NULL. */
static struct value completed(const struct verify *v, const struct reloc *low, struct value x)
{
	struct vbase whole;
	if (!low || (x.kind != VALUE_OTHER && !in_table(x)))
		return low ? (struct value){0} : x;
	if (!refers_to(v, low, &whole))
		return x;
	/* an index may have been added to the high half, in another block */
	x.kind = x.kind == VALUE_TABLE ? VALUE_TABLE : VALUE_PLACE;
	x.table = whole;
	return x;
}

static struct value loaded(const struct verify *v, const struct value *reg,
	const struct operation *op, const struct reloc *low)
{
	struct value base = op->base < 0 ? (struct value){0} : completed(v, low, reg[op->base]);
	if (!in_table(base))
		return (struct value){0};
	if (op->disp < 0)
		return (struct value){0};
	bool fixed = base.kind == VALUE_TABLE && op->index < 0 && !low;
	return (struct value){VALUE_WORD, base.table, fixed ? op->disp : ANY_WORD};
}

static struct value address(const struct verify *v, const struct reloc *r, const struct value *reg,
	const struct operation *op, const struct reloc *low)
{
	struct value made = {.kind = VALUE_TABLE};
	if (op->base >= 0 && op->index >= 0 && !op->disp) {
		struct value x = reg[op->base], y = reg[op->index];
		return op->scale == 1 || x.kind == VALUE_TABLE ? sum_of(x, y) : (struct value){0};
	}
	if (op->base < 0 && op->index < 0 && r && refers_to(v, r, &made.table))
		return made;
	return low && op->base >= 0 && op->index < 0 ? completed(v, low, reg[op->base])
						     : (struct value){0};
}

/* The value of op->dst behind instruction in. */
static struct value result(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct value *reg, const struct operation *op)
{
	const struct reloc *half = insn_reloc(t, in, 0);
	const struct reloc *low = half && v->target->reloc_info(half->type)->low ? half : NULL;
	struct value made = {.kind = VALUE_TABLE};
	switch (op->op) {
	case OP_IMM:
		if (half && refers_to(v, half, &made.table))
			return made;
		break;
	case OP_LEA:
		return address(v, op->disp_off ? insn_reloc(t, in, op->disp_off) : NULL, reg, op,
			low);
	case OP_MOVE:
		if (op->size == 8)
			return reg[op->src];
		break;
	case OP_SEXT:
		if (reg[op->src].kind == VALUE_WORD)
			return reg[op->src];
		break;
	case OP_LOAD: return loaded(v, reg, op, low);
	case OP_ADD_GOT:
		made = reg[op->src];
		made.kind = made.kind == VALUE_WORD ? VALUE_GOT : VALUE_OTHER;
		return made;
	case OP_ADD: return sum_of(reg[op->dst], reg[op->src]);
	case OP_ADD_LOAD: return sum_of(reg[op->dst], loaded(v, reg, op, low));
	default: break;
	}
	return (struct value){0};
}

static void execute(const struct verify *v, const struct vtext *t, const struct insn *in,
	struct value *reg)
{
	struct operation op;
	v->target->describe(v->decoder, t->a->data + in->off, in, &op);
	struct value made = op.dst >= 0 ? result(v, t, in, reg, &op) : (struct value){0};
	for (int r = 0; r < REGS; r++)
		if (insn_effects(in)->clobbers & REG_BIT(r))
			reg[r] = r == op.dst ? made : (struct value){0};
}

/* Is the first word of the table a distance from what kind says was added to it? */
static bool is_kind(const struct verify *v, const struct value *x)
{
	const struct section *s = &v->a->sec.v[x->table.sec];
	uint32_t i = section_first_reloc(s, x->table.off);
	bool got = i < s->nrel && v->target->reloc_info(s->rel[i].type)->role == ROLE_GOTREL;
	return x->kind == (got ? VALUE_GOT : VALUE_SUM);
}

static void execute_all(const struct verify *v, const struct vtext *t, uint32_t from, uint32_t to,
	struct value *reg)
{
	memset(reg, 0, REGS * sizeof *reg);
	for (uint32_t k = from; k < to; k++) {
		enum insn_kind kind = v->insn.v[k].kind;
		if (kind == INSN_OTHER || kind == INSN_NOP)
			execute(v, t, &v->insn.v[k], reg);
		else
			memset(reg, 0, REGS * sizeof *reg);
	}
}

bool find_vtable(const struct verify *v, const struct vtext *t, uint32_t from, uint32_t jump,
	struct vtable *table)
{
	struct value reg[REGS];
	struct operation op;
	const struct insn *in = &v->insn.v[jump];
	execute_all(v, t, from, jump, reg);
	if (in->kind != INSN_JUMP_IND)
		return false;
	v->target->describe(v->decoder, t->a->data + in->off, in, &op);
	if (op.op != OP_JUMP_REG || !is_kind(v, &reg[op.src]))
		return false;
	*table = (struct vtable){reg[op.src].table, reg[op.src].word};
	return true;
}

/* hazard: constant table of functions.  A jump by one that may be written leads anywhere. */
bool find_pointers(const struct verify *v, const struct vtext *t, uint32_t from, uint32_t jump,
	struct vbase *first)
{
	struct value reg[REGS], at = {0};
	struct operation op;
	const struct insn *in = &v->insn.v[jump];
	execute_all(v, t, from, jump, reg);
	v->target->describe(v->decoder, t->a->data + in->off, in, &op);
	const struct reloc *field = op.disp_off ? insn_reloc(t, in, op.disp_off) : NULL;
	if (op.op == OP_JUMP_MEM && op.base < 0 && field) {
		at.kind = refers_to(v, field, &at.table) ? VALUE_WORD : VALUE_OTHER;
	} else if (op.op == OP_JUMP_MEM && !field && op.disp >= 0) {
		at = loaded(v, reg, &op, NULL);
		at.table.off += (uint64_t)op.disp;
	} else if (op.op == OP_JUMP_REG) {
		at = reg[op.src];
	} else {
		return false;
	}
	*first = at.table;
	return at.kind == VALUE_WORD && section_is_constant(&v->a->sec.v[first->sec]);
}

uint32_t next_pointer(const struct verify *v, const struct vbase *first, uint32_t *rel)
{
	const struct section *s = &v->a->sec.v[first->sec];
	uint64_t x, own = 0, base = 0;
	uint32_t sec;
	bool bounded = table_base(v, s, first->off, &own);
	while (*rel < s->nrel) {
		const struct reloc *r = &s->rel[(*rel)++];
		const struct vtext *t;
		if (bounded && table_base(v, s, r->off, &base) && base != own)
			break;
		if (v->target->reloc_info(r->type)->role == ROLE_ABS &&
			place_of(v->a, r, 0, &sec, &x) && (t = text_at(v, sec)) && x < t->a->size)
			return insn_at(v, t, x);
	}
	return NO_INSN;
}

/* Users ----------------------------------------------------------------- */

/* How often the code from x to end of section s refers to the table. */
static size_t references(const struct verify *v, const struct section *s, uint64_t x, uint64_t end,
	const struct vbase *table)
{
	size_t n = 0;
	struct vbase base;
	for (uint32_t i = section_first_reloc(s, x); i < s->nrel && s->rel[i].off < end; i++)
		n += refers_to(v, &s->rel[i], &base) && !vbase_cmp(&base, table);
	return n;
}

/* Block b may jump by the table. */
static void note_user(struct mapread *m, uint32_t b, struct vbase table)
{
	struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	size_t i, all = 0;
	BISECT(i, 0, v->base.n, vbase_cmp(&v->base.v[i], &table) < 0);
	while (i + all < v->base.n && !vbase_cmp(&v->base.v[i + all], &table))
		all++;
	bool own = all == references(v, t->a, m->start, m->block.v[m->block.n - 1].end, &table);
	uint32_t jump = own ? insn_at(v, t, m->block.v[b].end - 1) : NO_INSN;
	vec_push(&v->user, ((struct vuser){table, jump}));
}

uint32_t jump_by(const struct verify *v, struct vbase table)
{
	const struct vuser *u = v->user.v;
	size_t i;
	BISECT(i, 0, v->user.n, vbase_cmp(&u[i].table, &table) < 0);
	uint32_t jump = i < v->user.n && !vbase_cmp(&u[i].table, &table) ? u[i].jump : NO_INSN;
	for (; i < v->user.n && !vbase_cmp(&u[i].table, &table); i++)
		if (u[i].jump != jump)
			return NO_INSN;
	return jump;
}

/* Edges ----------------------------------------------------------------- */

/* Has block b edges to the targets of all tables that its function refers to? */
static void check_all_tables(struct mapread *m, uint32_t b)
{
	const struct section *s = m->v->text.v[m->text].a;
	uint32_t i = section_first_reloc(s, m->start);
	struct vtable table = {.word = ANY_WORD};
	for (; i < s->nrel && s->rel[i].off < m->block.v[m->block.n - 1].end; i++)
		if (refers_to(m->v, &s->rel[i], &table.at)) {
			check_table(m, b, &table);
			note_user(m, b, table.at);
		}
}

void check_jump(struct mapread *m, uint32_t b, bool within)
{
	const struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	uint32_t jump = insn_at(v, t, m->block.v[b].end - 1);
	const struct vscaled *s = scaled_at(v, jump);
	struct vtable table;
	for (uint32_t k = 0; s && k < s->n; k++) {
		uint32_t to = scaled_target(v, s, k);
		if (to != NO_INSN && !may_lead(m, b, to))
			bad_edges(m, b, "not all edges of the table jump at the end of");
	}
	if (s)
		return;
	if (find_vtable(v, t, insn_at(v, t, m->block.v[b].from), jump, &table)) {
		check_table(m, b, &table);
		note_user(m, b, table.at);
	} else if (within) {
		check_all_tables(m, b);
	}
}
