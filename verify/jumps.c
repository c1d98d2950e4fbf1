/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.c - does the static map have an edge for each target of a table jump?
 *
 * If the jump's block computes the address of a table, loads a word from there and adds both, the
 * targets are the words of that table, up to the next place that code refers to; without an index,
 * only that word.  Any other indirect jump with edges within its function may use each table that
 * the function refers to.
 */
#include "verify/map.h"

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

/* Set the target of r, a word of the table.  False: not in code, or of another table. */
static bool word_leads(const struct verify *v, const struct reloc *r, const struct vbase *table,
	uint32_t *sec, uint64_t *to)
{
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	int64_t adj = role == ROLE_PCREL ? (int64_t)(table->off - r->off) : 0;
	uint64_t base;
	return (role == ROLE_PCREL || role == ROLE_ABS) && place_of(v->a, r, adj, sec, to) &&
		text_at(v, *sec) && table_base(v, &v->a->sec.v[table->sec], r->off, &base) &&
		base == table->off;
}

enum { ANY_WORD = -1 };

/* Has block b an edge to each target of the table, or to that of the word at distance `word'? */
static void check_table(struct mapread *m, uint32_t b, const struct vbase *table, int64_t word)
{
	const struct verify *v = m->v;
	const struct section *s = &v->a->sec.v[table->sec];
	uint64_t x = table->off, to;
	uint32_t i = section_first_reloc(s, x), sec;
	for (; i < s->nrel && s->rel[i].off == x && word_leads(v, &s->rel[i], table, &sec, &to);
		i++) {
		const struct vtext *t = text_at(v, sec);
		bool wanted = word == ANY_WORD || x - table->off == (uint64_t)word;
		x += v->target->reloc_info(s->rel[i].type)->size;
		i += is_difference(v, s, &s->rel[i]);
		if (wanted && to < t->a->size && is_boundary(v, sec, to) &&
			!may_lead(m, b, insn_at(v, t, to)))
			bad_edges(m, b, "not all edges of the table jump at the end of");
	}
}

/*
 * What a register holds: the address of a table, or its high half; a place in the table, by an
 * index; a word of it; the sum of table and word.
 */
struct value {
	enum { VALUE_OTHER, VALUE_TABLE, VALUE_PLACE, VALUE_WORD, VALUE_SUM } kind;
	struct vbase table;
	int64_t word; /* its distance, or ANY_WORD */
};
enum { REGS = 32 };

static struct value sum_of(struct value x, struct value y)
{
	if (y.kind == VALUE_TABLE) {
		struct value swap = x;
		x = y;
		y = swap;
	}
	if (x.kind == VALUE_TABLE && y.kind == VALUE_OTHER)
		return (struct value){VALUE_PLACE, x.table, ANY_WORD};
	if (x.kind != VALUE_TABLE || y.kind != VALUE_WORD || vbase_cmp(&x.table, &y.table) != 0)
		return (struct value){0};
	return (struct value){VALUE_SUM, x.table, y.word};
}

/* low: the instruction adds the low half of an address. */
static struct value loaded(const struct value *reg, const struct operation *op, bool low)
{
	const struct value *base = op->base < 0 ? NULL : &reg[op->base];
	if (!base || (base->kind != VALUE_TABLE && base->kind != VALUE_PLACE))
		return (struct value){0};
	bool fixed = base->kind == VALUE_TABLE && op->index < 0 && op->disp >= 0 && !low;
	return (struct value){VALUE_WORD, base->table, fixed ? op->disp : ANY_WORD};
}

static struct value address(const struct verify *v, const struct reloc *r, const struct value *reg,
	const struct operation *op, bool low)
{
	struct value made = {.kind = VALUE_TABLE};
	if (op->base >= 0 && op->index >= 0 && !op->disp) {
		struct value x = reg[op->base], y = reg[op->index];
		return op->scale == 1 || x.kind == VALUE_TABLE ? sum_of(x, y) : (struct value){0};
	}
	if (op->base < 0 && op->index < 0 && r && refers_to(v, r, &made.table))
		return made;
	return low && op->base >= 0 && op->index < 0 ? reg[op->base] : (struct value){0};
}

/* The value of op->dst behind instruction in. */
static struct value result(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct value *reg, const struct operation *op)
{
	const struct reloc *half = insn_reloc(t, in, 0);
	bool low = half && v->target->reloc_info(half->type)->low;
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
	case OP_LOAD: return loaded(reg, op, low);
	case OP_ADD: return sum_of(reg[op->dst], reg[op->src]);
	case OP_ADD_LOAD: return sum_of(reg[op->dst], loaded(reg, op, low));
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

/* Does block b, which ends in an indirect jump, compute the address of the jump's table? */
static bool names_table(const struct mapread *m, uint32_t b, struct value *sum)
{
	const struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	const struct insn *in = &v->insn.v[insn_at(v, t, m->block.v[b].from)];
	struct value reg[REGS] = {0};
	struct operation op;
	for (; in->kind == INSN_OTHER || in->kind == INSN_NOP; in++)
		execute(v, t, in, reg);
	if (in->kind != INSN_JUMP_IND)
		return false;
	v->target->describe(v->decoder, t->a->data + in->off, in, &op);
	if (op.op != OP_JUMP_REG || reg[op.src].kind != VALUE_SUM)
		return false;
	*sum = reg[op.src];
	return true;
}

/* Has block b edges to the targets of all tables that its function refers to? */
static void check_all_tables(struct mapread *m, uint32_t b)
{
	const struct section *s = m->v->text.v[m->text].a;
	uint32_t i = section_first_reloc(s, m->start);
	struct vbase table;
	for (; i < s->nrel && s->rel[i].off < m->block.v[m->block.n - 1].end; i++)
		if (refers_to(m->v, &s->rel[i], &table))
			check_table(m, b, &table, ANY_WORD);
}

void check_jump(struct mapread *m, uint32_t b, bool within)
{
	const struct verify *v = m->v;
	const struct vtext *t = &v->text.v[m->text];
	const struct vscaled *s = scaled_at(v, insn_at(v, t, m->block.v[b].end - 1));
	struct value sum;
	for (uint32_t k = 0; s && k < s->n; k++)
		if (!may_lead(m, b, scaled_target(v, s, k)))
			bad_edges(m, b, "not all edges of the table jump at the end of");
	if (s)
		return;
	if (names_table(m, b, &sum))
		check_table(m, b, &sum.table, sum.word);
	else if (within)
		check_all_tables(m, b);
}
