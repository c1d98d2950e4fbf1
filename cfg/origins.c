/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origins.c - what instructions make of origins of addresses; see origins.h
 */
#include "cfg/origins.h"

#include "cfg/refs.h"
#include "cfg/tables.h"

static struct value from(unsigned set, uint32_t table)
{
	return (struct value){ORIGIN, .n = set, .base = table};
}

/*
 * Is it an address in a table of pointers, that table's base and a number?  The base may come along
 * a path that is not followed, too.
 */
static bool is_entry_of_pointers(struct value v)
{
	unsigned terms = origins_of_term(v, 1) | origins_of_term(v, 2);
	return origins(v) == FROM_SUM && terms & FROM_POINTERS;
}

/*
 * The only representation of the value: the fewer there are, the sooner a walk ends.  A sum that
 * leads nowhere by a table is unknown, whatever else it may be.
 */
static struct value unique(struct value v)
{
	const unsigned alone = FROM_WORD | FROM_TABLE | FROM_DATA | FROM_GOT | FROM_DISTANCE;
	unsigned all = origins(v);
	if (v.what == ANYTHING || v.n == FROM_OUTSIDE)
		return (struct value){.what = ANYTHING};
	if (v.flags & SUM_ODD) {
		v.lo = 0;
		if (!is_entry_of_pointers(v))
			v.n = FROM_SUM | FROM_OTHER | (all & FROM_POINTERS);
	} else if (all & (all - 1) && all & alone) {
		v.n = (v.n & ~(int64_t)alone) | FROM_OTHER;
	}
	return v;
}

static struct value origin_of(struct value v)
{
	return v.what == ORIGIN ? v
				: from(v.what == ANYTHING ? FROM_OUTSIDE : FROM_OTHER, NO_TABLE);
}

struct value origin_in(const struct state *s, int reg)
{
	return reg < 0 || reg >= REGS ? from(0, NO_TABLE) : origin_of(s->reg[reg]);
}

struct value join_origins(struct value a, struct value b)
{
	a = origin_of(a);
	b = origin_of(b);
	if (!a.n || !b.n)
		return unique(a.n ? a : b);
	struct value v = from((unsigned)0, NO_TABLE), sum = origins(a) & FROM_SUM ? a : b;
	v.n = a.n | b.n;
	v.flags = a.flags | b.flags;
	v.lo = sum.lo;
	if (origins(a) & origins(b) & FROM_SUM && a.lo != b.lo) {
		v.flags |= SUM_ODD;
		v.lo = a.lo < b.lo ? a.lo : b.lo;
	}
	if (origins(a) == origins(b) && a.base == b.base)
		v.base = a.base;
	return unique(v);
}

bool enter_from_outside(struct values *v, uint32_t b, bool reached, struct state *s)
{
	if (b == v->f->block) {
		state_set(v, s, v->g->target->stack_reg, (struct value){.what = FRAME});
		return true;
	}
	if (reached || v->g->block.v[b].gap)
		return false;
	for (regset some = asked_at(v, b) & REGSET_GENERAL; some; some &= some - 1)
		state_set(v, s, (int)lowest_reg(some), from(0, NO_TABLE));
	return true;
}

/* Addresses that instructions name --------------------------------------- */

/*
 * The address in data that the instruction refers to.
 *
 * hazard: stored function table.  A table of pointers in writable data may have other contents
 * when the program jumps through it.
 */
static struct value data(const struct step_at *at)
{
	const struct cfg *g = at->v->g;
	uint32_t code = at->v->f->text, t;
	uint64_t off = g->insn.v[at->i].off;
	if ((t = relative_table_at(g, code, off)) != NO_TABLE)
		return from(FROM_TABLE, t);
	struct value v = from(0, NO_TABLE);
	for (size_t i = table_ref_from(g, code, off); i < g->table_ref.n; i++) {
		const struct table_ref *r = &g->table_ref.v[i];
		if (r->text != code || r->off != off)
			break;
		if (section_is_constant(&g->obj->sec.v[g->table.v[r->table].sec]))
			v = join_origins(v, from(FROM_POINTERS, r->table));
	}
	return v.n ? v : from(FROM_DATA, NO_TABLE);
}

/* The address in a relocated or pc-relative field of the instruction; or FROM_OTHER. */
static struct value named(const struct step_at *at, unsigned field)
{
	const struct cfg *g = at->v->g;
	const struct code_section *c = at->v->t;
	uint32_t n;
	for (const struct reloc *rl = insn_relocs(c, at->in, &n); n; n--, rl++) {
		if (rl->off != (uint64_t)at->in->off + field)
			continue;
		struct ref r = cfg_reloc_ref(g, c, at->i, rl);
		if (cfg_names_got(g, rl))
			return from(FROM_DISTANCE, NO_TABLE);
		if (r.role == ROLE_GOTREL && g->target->reloc_info(rl->type)->low)
			return from(FROM_GOT, NO_TABLE);
		if (!r.sec || r.role == ROLE_GOT)
			return from(FROM_OUTSIDE, NO_TABLE);
		return g->text_of[r.sec] ? from(FROM_LABEL, NO_TABLE) : data(at);
	}
	return from(at->in->pc_size ? FROM_LABEL : FROM_OTHER, NO_TABLE);
}

/* Sums -------------------------------------------------------------------- */

/* A term of a sum. */
static unsigned term(struct value v)
{
	unsigned all = origins(v), terms = all & FROM_TERMS;
	return terms == all ? terms : terms | FROM_OTHER;
}

/* The table whose base and a number these are: an entry's address, or where the table leads. */
static uint32_t table_of(struct value base, struct value other, bool scaled)
{
	if (origins(base) == FROM_POINTERS)
		return base.base;
	bool word = !scaled && origins(other) & FROM_WORD;
	return origins(base) != FROM_TABLE || (word && other.base != base.base) ? NO_TABLE
										: base.base;
}

/* a + b, of which b was perhaps scaled. */
static struct value sum(const struct step_at *at, struct value a, struct value b, bool scaled)
{
	struct value v = from(FROM_SUM, table_of(a, b, scaled));
	if (v.base == NO_TABLE && !scaled)
		v.base = table_of(b, a, false);
	unsigned second = scaled && origins(b) == FROM_POINTERS ? FROM_OTHER : term(b);
	v.n |= (int64_t)term(a) << ORIGIN_BITS | (int64_t)second << 2 * ORIGIN_BITS;
	v.flags = scaled ? SUM_ODD : 0;
	v.lo = (int32_t)at->i;
	return v;
}

/*
 * The table of v, an address in one, plus a number; NO_TABLE: it is not known.
 *
 * hazard: table at a distance from another.  gcc has the address of the first of several tables in
 * a register, and loads from the others at a displacement.
 */
static uint32_t table_at_distance(const struct cfg *g, struct value v, int64_t by)
{
	return v.base == NO_TABLE || (by && is_in_other_table(g, v.base, by)) ? NO_TABLE : v.base;
}

/*
 * A sum and a number.
 *
 * hazard: table from another number on.  clang subtracts the first index, eight bytes for each,
 * from the address of an entry: goto *table[c - '0'].
 */
static struct value moved(const struct step_at *at, struct value a, int64_t by)
{
	struct value v = sum(at, a, from(0, NO_TABLE), false);
	if (is_entry_of_pointers(a)) {
		v.n = a.n;
		v.base = by < 0 ? table_at_distance(at->v->g, a, by) : NO_TABLE;
	} else {
		v.base = NO_TABLE;
	}
	v.flags = SUM_ODD;
	return v;
}

/* The GOT --------------------------------------------------------------- */

/*
 * What is added to the GOT's address.  A word from a place that is not known is of a table that is
 * not, if it is jumped to.
 *
 * hazard: address of a table in a frame with a pointer of its own.  gcc loads it by another
 * register than the stack pointer in a function that calls alloca.
 */
static struct value with_got(struct value v)
{
	bool word = v.n == FROM_ENTRY || v.n == FROM_OUTSIDE;
	return word ? from(FROM_TARGET, v.base) : v;
}

/* Is it a word of a constant table of distances from the GOT? */
static bool is_got_word(const struct cfg *g, struct value v)
{
	if ((v.n != FROM_ENTRY && v.n != FROM_TARGET) || v.base == NO_TABLE)
		return false;
	const struct table *table = &g->table.v[v.base];
	const struct section *s = &g->obj->sec.v[table->sec];
	return cfg_word_ref(g, &s->rel[table->rel], table).role == ROLE_GOTREL;
}

/*
 * Is a the GOT's address, perhaps one that was stored?  Then b is a distance from that.  clang
 * keeps the address in any register, or on the stack.
 */
static bool is_got(const struct cfg *g, struct value a, struct value b)
{
	return a.n == FROM_GOT || (a.n && is_got_word(g, b));
}

/* Is a the function's own address, in register reg, and b the GOT's distance from that? */
static bool makes_got(const struct cfg *g, int reg, struct value a, struct value b)
{
	return g->target->abi.entry_label & REG_BIT(reg) && a.n == FROM_OUTSIDE &&
		b.n == FROM_DISTANCE;
}

static struct value plus(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	const struct cfg *g = at->v->g;
	struct value a = origin_in(s, op->base), b = origin_in(s, op->index);
	if (op->index < 0)
		return moved(at, a, op->disp);
	bool plain = op->base >= 0 && op->scale == 1 && !op->disp;
	if (plain && g->target->abi.entry_label) {
		if (makes_got(g, op->base, a, b) || makes_got(g, op->index, b, a))
			return from(FROM_GOT, NO_TABLE);
		if (is_got(g, a, b))
			return with_got(b);
		if (is_got(g, b, a))
			return with_got(a);
	}
	struct value v = sum(at, a, b, op->scale != 1);
	v.base = table_at_distance(g, v, op->disp);
	v.flags |= plain && !op->disp_off ? 0 : SUM_ODD;
	return v;
}

/* Loads ------------------------------------------------------------------ */

/* The address that the instruction loads from. */
static struct value address(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	if (cfg_names_whole(at->v->g, at->v->t, at->in) || (op->base < 0 && op->disp_off))
		return named(at, op->disp_off);
	struct value v = origin_in(s, op->base);
	if (op->index >= 0)
		v = sum(at, v, origin_in(s, op->index), op->scale != 1);
	v.base = table_at_distance(at->v->g, v, op->disp);
	return v;
}

/*
 * The word of the frame that is loaded.
 *
 * hazard: address of a table in the frame.  gcc keeps the base of a table there, if the loop of
 * a lexer needs all registers.
 */
static struct value frame_word(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	struct value sp = s->reg[op->base], v = {.what = ANYTHING};
	bool word = op->index < 0 && op->disp >= 0 && !at->in->has_rel && sp.what == FRAME;
	if (word)
		v = slot_value(s, sp, op->disp);
	return v.what == ORIGIN && owns_word(at->v, op->disp) ? v : from(FROM_OUTSIDE, NO_TABLE);
}

struct value step_pointer(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	if (op->base >= 0 && op->base == at->v->g->target->stack_reg)
		return frame_word(at, s, op);
	struct value v = address(at, s, op);
	return origins(v) == FROM_POINTERS || is_entry_of_pointers(v)
		? from(FROM_ENTRY, v.base)
		: from(FROM_OUTSIDE, NO_TABLE);
}

/* Has the table words of so many bytes? */
static bool has_words(const struct cfg *g, uint32_t table, unsigned size)
{
	const struct table *t = &g->table.v[table];
	return cfg_word_ref(g, &g->obj->sec.v[t->sec].rel[t->rel], t).size == size;
}

/* A number that is loaded at place: from a table if a register has that. */
static struct value distance(const struct cfg *g, const struct operation *op, struct value place)
{
	bool known = op->base >= 0 && place.base != NO_TABLE && g->table.v[place.base].relative;
	return from(FROM_WORD, known ? place.base : NO_TABLE);
}

static struct value word(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	const struct cfg *g = at->v->g;
	struct value v = address(at, s, op);
	if (is_entry_of_pointers(v) && v.base != NO_TABLE && has_words(g, v.base, op->size))
		return from(FROM_TARGET, v.base);
	return distance(g, op, v);
}

regset origins_depend(const struct operation *op, bool tables)
{
	regset address = bit_of(op->base) | (op->scale == 1 ? bit_of(op->index) : 0);
	switch (op->op) {
	case OP_MOVE:
	case OP_SEXT:
	case OP_ADD_GOT: return bit_of(op->src);
	case OP_LOAD: return tables ? address : 0;
	case OP_LEA: return address;
	case OP_ADD: return bit_of(op->dst) | bit_of(op->src);
	case OP_ADD_LOAD: return bit_of(op->dst) | (tables ? address : 0);
	default: return 0;
	}
}

static struct value result(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	const struct value other = from(FROM_OTHER, NO_TABLE);
	switch (op->op) {
	case OP_ADD_GOT: return with_got(origin_in(s, op->src));
	case OP_MOVE: return op->size == 8 ? origin_in(s, op->src) : other;
	case OP_SEXT: return origin_in(s, op->src);
	case OP_LOAD:
		return op->size == 8	? step_pointer(at, s, op)
			: op->size == 4 ? word(at, s, op)
					: other;
	case OP_IMM: return named(at, op->imm_off);
	case OP_LEA:
		if ((op->base < 0 && op->index < 0) || cfg_names_whole(at->v->g, at->v->t, at->in))
			return named(at, op->disp_off);
		return plus(at, s, op);
	case OP_ADD: return sum(at, origin_in(s, op->dst), origin_in(s, op->src), false);
	case OP_ADD_LOAD:
		return sum(at, origin_in(s, op->dst), distance(at->v->g, op, address(at, s, op)),
			false);
	default: return other;
	}
}

struct value step_origin(const struct step_at *at, const struct state *s,
	const struct operation *op)
{
	bool outside = at->in->kind == INSN_SYSCALL;
	return outside ? (struct value){.what = ANYTHING} : unique(result(at, s, op));
}
