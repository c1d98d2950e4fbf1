/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.c - where an indirect jump leads, from the values that its register may hold
 *
 * The reaching definitions of the register are followed backwards through the function to the
 * origins of its value: an argument, memory, a jump table.  The jump leaves the function, or uses
 * the function's tables (tables.c), or leads to a computed address, which is unknown.
 */
#include "base/parallel.h"
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"
#include "cfg/tables.h"

#include <stdlib.h>

/* Following definitions ------------------------------------------------ */

/* Where the value of a register at an instruction may come from: a set. */
enum origin {
	FROM_MEMORY = 1,      /* eight bytes loaded: a code address there has a relocation */
	FROM_WORD = 2,	      /* four bytes loaded: perhaps a table entry */
	FROM_OUTSIDE = 4,     /* an argument, a call's result, a popped value */
	FROM_TABLE = 8,	      /* the base of a relative table */
	FROM_DATA = 16,	      /* another address in data */
	FROM_LABEL = 32,      /* a code address made by an instruction */
	FROM_SUM = 64,	      /* a sum: see struct trace */
	FROM_OTHER = 128,     /* other arithmetic, or more than is followed */
	FROM_POINTERS = 256,  /* base of a constant table of code addresses, or loaded there */
	FROM_GOT = 512,	      /* the GOT's address */
	FROM_DISTANCE = 1024, /* the GOT's distance from the function's entry */
};

/* What the trace of a register found, for the current jump, or for another one before. */
struct found {
	uint64_t key; /* 0: free */
	unsigned origins, depth;
	uint32_t pointers, guess; /* as in struct judge */
};

/* Block to is a target of the table of jump from. */
struct known_lead {
	uint32_t to, from;
};

/* A word of the frame: has nothing else its address? */
struct frame_word {
	int slot;
	bool own;
};

/* The state of the analysis of one part of the code. */
struct judge {
	struct cfg *g;
	const uint32_t *first, *pred; /* by block, CSR: the blocks that control comes from */
	struct decoder *decoder;
	uint32_t func;			  /* the current function */
	size_t left;			  /* blocks that registers may still be followed to in it */
	enum { UNKNOWN, NO, YES } labels; /* does it make addresses of its labels? */
	block_vec jump;			  /* its indirect jumps */
	uint32_t pointers;    /* the table of pointers that the current jump takes entries of */
	uint32_t guess;	      /* the first one that was met */
	table_jump_vec known; /* those jumps whose tables of pointers are known */
	bool guessing;	      /* the others lead nowhere */
	VEC(struct known_lead) lead; /* where the tables of known lead: sorted */
	VEC(struct found) found;     /* hash table, half full, for this state of known */
	size_t nfound;
	VEC(struct frame_word) frame_word;
	opaque_parts opaque;
	table_jump_vec table_jump;
};
enum { SEVERAL_TABLES = NO_TABLE - 1 };

/* A register in front of instruction insn of a block. */
struct trace_end {
	uint32_t block, insn;
	int reg;
};
typedef VEC(uint64_t) key_vec;

struct trace {
	struct judge *j;
	struct cfg *g;
	uint32_t jumped;    /* registers already followed through the indirect jumps, */
	uint32_t jumped_by; /* and through those to addresses in constant data */
	unsigned origins, depth;
	uint32_t sum_block, sum_insn; /* the last FROM_SUM seen; UINT32_MAX: several */
	bool got;		      /* the GOT's address was added to it */
	bool words;		      /* it is a word of a constant table of addresses */
	bool slots;		      /* follow it through the frame, too */
	VEC(struct trace_end) todo;   /* where it goes on */
	key_vec seen;		      /* hash table, half full: 1 + (block << 32 | register) */
	size_t nseen;
};
enum { TRACE_LIMIT = 1 << 16, TRACE_DEPTH = 4 };
/* How a register is followed: as it is, also through the frame, as what is added to the GOT. */
enum { TRACE_PLAIN, TRACE_FRAME, TRACE_GOT };
enum { TRACE_CALLS = 64 * TRACE_LIMIT, TRACE_JUMPS = 4 * TRACE_CALLS }; /* of one function */

/* A word of the frame is followed like a register with this number and its place behind it. */
enum { SLOTS = 64 };

static void trace_reg(struct trace *t, uint32_t b, uint32_t insn, int reg);
static void trace_block(struct trace *t, uint32_t b, uint32_t insn, int reg);

static void end_trace(struct trace *t)
{
	vec_free(&t->todo);
	vec_free(&t->seen);
}

/* The slot of a key, or the free one for it. */
static uint64_t *seen_slot(struct trace *t, uint64_t key)
{
	size_t n = t->seen.n, k = (key * 0x9e3779b97f4a7c15 >> 32) % n;
	while (t->seen.v[k] && t->seen.v[k] != key)
		k = (k + 1) % n;
	return &t->seen.v[k];
}

static void more_seen(struct trace *t)
{
	key_vec old = t->seen, more = {0};
	more.n = old.n ? 4 * old.n : 32;
	vec_reserve(&more, more.n);
	memset(more.v, 0, more.n * sizeof *more.v);
	t->seen = more;
	for (size_t k = 0; k < old.n; k++)
		if (old.v[k])
			*seen_slot(t, old.v[k]) = old.v[k];
	vec_free(&old);
}

/* Does the trace come to the start of block b with reg for the first time? */
static bool is_new(struct trace *t, uint32_t b, int reg)
{
	uint64_t key = ((uint64_t)b << 32 | (unsigned)reg) + 1;
	if (t->seen.n < 2 * (t->nseen + 1))
		more_seen(t);
	uint64_t *slot = seen_slot(t, key);
	bool new = !*slot;
	*slot = key;
	t->nseen += new;
	return new;
}

static void go_on(struct trace *t, uint32_t b, int reg)
{
	const struct block *bl = &t->g->block.v[b];
	vec_push(&t->todo, (struct trace_end){b, bl->insn + bl->ninsn, reg});
}

static bool is_known(const struct judge *j, uint32_t b)
{
	for (size_t i = 0; i < j->known.n; i++)
		if (j->known.v[i].block == b)
			return true;
	return false;
}

static int lead_cmp(const void *a, const void *b)
{
	const struct known_lead *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool leads_to(const struct judge *j, uint32_t from, uint32_t to)
{
	const struct known_lead lead = {to, from};
	size_t i;
	BISECT(i, 0, j->lead.n, lead_cmp(&j->lead.v[i], &lead) < 0);
	return i < j->lead.n && !lead_cmp(&j->lead.v[i], &lead);
}

struct leading {
	struct judge *j;
	uint32_t from;
};

static void add_lead(void *ctx, uint32_t to)
{
	const struct leading *l = ctx;
	vec_push(&l->j->lead, (struct known_lead){to, l->from});
}

/* j->known, or what it is for, has changed. */
static void forget(struct judge *j)
{
	j->nfound = j->found.n = j->lead.n = 0;
	for (size_t i = 0; i < j->known.n; i++)
		table_targets(j->g, j->known.v[i].table, add_lead,
			&(struct leading){j, j->known.v[i].block});
	if (j->lead.n)
		sort(j->lead.v, j->lead.n, sizeof *j->lead.v, lead_cmp);
}

/*
 * Follow reg back through the indirect jumps of the function that may lead to block b; unless the
 * table is known, only if nothing else does (none).  Landing pads stand for such blocks.
 */
static void trace_jumps(struct trace *t, uint32_t b, int reg, bool none)
{
	const struct cfg *g = t->g;
	const struct judge *j = t->j;
	const struct code_section *c = &g->text.v[g->func.v[j->func].text];
	bool pad = none && set_has(c->pads, g->insn.v[g->block.v[b].insn].off);
	bool first = pad || reg >= SLOTS || !(t->jumped & 1u << reg);
	bool first_by = pad || reg >= SLOTS || !(t->jumped_by & 1u << reg);
	bool others = none && first && (pad || !j->guessing);
	bool by_address = none && first_by &&
		(pad || set_has(c->addressed, g->insn.v[g->block.v[b].insn].off));
	if (!pad && reg < SLOTS) {
		t->jumped |= (uint32_t)others << reg;
		t->jumped_by |= (uint32_t)by_address << reg;
	}
	for (size_t i = 0; i < j->jump.n; i++) {
		uint32_t from = j->jump.v[i];
		bool may = g->block.v[from].by_address ? by_address : others;
		if (!pad && is_known(j, from) ? leads_to(j, from, b) : may)
			go_on(t, from, reg);
	}
}

/*
 * hazard: hoisted table base.  The lea of a table may stand far in front of its jump, in a
 * register that lives across calls, or on the stack: the definitions that reach the jump
 * are followed through the blocks, not through the text.
 */
static void trace_preds(struct trace *t, uint32_t b, int reg)
{
	const struct cfg *g = t->g;
	if (!is_new(t, b, reg))
		return;
	/* in a function of 10,000 calls through one register, each leads back through all others */
	if (t->nseen > TRACE_LIMIT || !t->j->left) {
		t->origins |= FROM_OTHER;
		return;
	}
	t->j->left--;
	size_t first = t->todo.n;
	const struct func *f = &g->func.v[t->j->func];
	if (b == f->block)
		t->origins |= FROM_OUTSIDE;
	bool none = true;
	for (uint32_t i = t->j->first[b]; i < t->j->first[b + 1]; i++) {
		uint32_t p = t->j->pred[i];
		if (never_returns(g, &g->block.v[p]))
			continue;
		go_on(t, p, reg);
		none = false;
	}
	if (b != f->block)
		trace_jumps(t, b, reg, none);
	/* the first one is the next */
	for (size_t i = first, k = t->todo.n; k > i + 1;) {
		struct trace_end last = t->todo.v[--k];
		t->todo.v[k] = t->todo.v[i];
		t->todo.v[i++] = last;
	}
}

/*
 * Is the section read-only once it is relocated?
 *
 * hazard: stored function table.  A table of pointers in writable data may have other contents
 * when the program jumps through it.
 */
static bool is_constant(const struct section *s)
{
	return !(s->flags & SHF_WRITE) || !strncmp(s->name, ".data.rel.ro", 12);
}

static void note_tables(struct judge *j, uint32_t pointers, uint32_t guess)
{
	j->guess = j->guess == NO_TABLE ? guess : j->guess;
	if (pointers != NO_TABLE)
		j->pointers = j->pointers == NO_TABLE || j->pointers == pointers ? pointers
										 : SEVERAL_TABLES;
}

/* The origin of an address in data that the instruction at off refers to. */
static unsigned data_origin(struct judge *j, const struct code_section *c, uint64_t off)
{
	const struct cfg *g = j->g;
	uint32_t code = (uint32_t)(c - g->text.v);
	if (relative_table_at(g, code, off) != NO_TABLE)
		return FROM_TABLE;
	unsigned origin = FROM_DATA;
	for (size_t i = table_ref_from(g, code, off); i < g->table_ref.n; i++) {
		const struct table_ref *r = &g->table_ref.v[i];
		if (r->text != code || r->off != off)
			break;
		if (!is_constant(&g->obj->sec.v[g->table.v[r->table].sec]))
			continue;
		origin = FROM_POINTERS;
		note_tables(j, r->table, r->table);
	}
	return origin;
}

/* The origin of the address in a relocated or pc-relative field of insn i. */
static unsigned address_origin(struct judge *j, const struct code_section *c, uint32_t i,
	unsigned field)
{
	const struct cfg *g = j->g;
	const struct insn *in = &g->insn.v[i];
	uint64_t place = in->off + field;
	uint32_t n;
	for (const struct reloc *rl = insn_relocs(c, in, &n); n; n--, rl++) {
		if (rl->off != place)
			continue;
		struct ref r = cfg_reloc_ref(g, c, i, rl);
		if (cfg_names_got(g, rl))
			return FROM_DISTANCE;
		if (r.role == ROLE_GOT)
			return FROM_MEMORY;
		if (r.role == ROLE_GOTREL && g->target->reloc_info(rl->type)->low)
			return FROM_GOT;
		if (!r.sec)
			return FROM_OUTSIDE;
		if (g->text_of[r.sec])
			return FROM_LABEL;
		return data_origin(j, c, in->off);
	}
	return in->pc_size ? FROM_LABEL : 0;
}

static struct found found_of(struct trace *t, uint32_t b, uint32_t insn, int reg, unsigned how);
static unsigned take_found(struct trace *t, uint32_t b, uint32_t insn, int reg, unsigned how);
static unsigned origins_of(struct trace *t, uint32_t b, uint32_t insn, int reg);
static unsigned slot_origins(struct trace *t, uint32_t b, uint32_t insn, int reg);

/* The origin of the sum of two registers at insn i of block b, one of which may be a table's. */
static unsigned sum_origin(struct trace *t, uint32_t b, uint32_t i, int base, int index)
{
	unsigned x = origins_of(t, b, i, base), y = origins_of(t, b, i, index);
	if (x == FROM_MEMORY && y != FROM_POINTERS)
		x = slot_origins(t, b, i, base);
	else if (y == FROM_MEMORY && x != FROM_POINTERS)
		y = slot_origins(t, b, i, index);
	if (x != FROM_POINTERS && y != FROM_POINTERS)
		t->j->pointers = SEVERAL_TABLES;
	return x | y;
}

/* Sets *sum to the only sum of two values that reg may be, and where.  False: none. */
static bool only_sum(struct trace *t, const struct code_section *c, struct trace_end *at,
	struct operation *sum)
{
	struct trace sub = {.j = t->j, .g = t->g, .depth = t->depth + 1};
	if (sub.depth > TRACE_DEPTH)
		return false;
	trace_reg(&sub, at->block, at->insn, at->reg);
	end_trace(&sub);
	if (sub.origins != FROM_SUM || sub.sum_insn == UINT32_MAX)
		return false;
	*at = (struct trace_end){sub.sum_block, sub.sum_insn, -1};
	const struct insn *in = &t->g->insn.v[at->insn];
	t->g->target->describe(t->j->decoder, insn_bytes(c, in), in, sum);
	return sum->op == OP_LEA;
}

/*
 * The origin of the address of an entry that is in reg at insn i of block b: a table's and an
 * index. 0: it is no such sum.
 */
static unsigned indexed_origin(struct trace *t, const struct code_section *c, uint32_t b,
	uint32_t i, int reg)
{
	struct trace_end at = {b, i, reg};
	struct operation sum;
	if (!only_sum(t, c, &at, &sum) || sum.index < 0 || sum.scale != 1 || sum.disp)
		return 0;
	return sum_origin(t, at.block, at.insn, sum.base, sum.index);
}

/*
 * The same where the entry is an address, wherever it is.
 *
 * hazard: table from another number on.  clang subtracts the first index, eight bytes for each,
 * from the address of an entry: goto *table[c - '0'].
 */
static unsigned biased_origin(struct trace *t, const struct code_section *c, uint32_t b, uint32_t i,
	int reg)
{
	struct trace_end at = {b, i, reg};
	struct operation sum;
	if (!only_sum(t, c, &at, &sum) || sum.base < 0)
		return 0;
	if (sum.index < 0) {
		at.reg = sum.base;
		if (!only_sum(t, c, &at, &sum) || sum.base < 0 || sum.index < 0)
			return 0;
	}
	if (sum.scale == 1)
		return sum_origin(t, at.block, at.insn, sum.base, sum.index);
	unsigned from = origins_of(t, at.block, at.insn, sum.base);
	return from == FROM_MEMORY ? slot_origins(t, at.block, at.insn, sum.base) : from;
}

/* A distance from the GOT is loaded, of whose address the load may have the low half. */
static unsigned entry_origin(struct trace *t, const struct code_section *c, uint32_t b, uint32_t i,
	const struct operation *op)
{
	if (cfg_names_whole(t->g, c, &t->g->insn.v[i]))
		return address_origin(t->j, c, i, op->disp_off);
	unsigned from = op->disp ? 0
		: op->index >= 0 ? sum_origin(t, b, i, op->base, op->index)
				 : indexed_origin(t, c, b, i, op->base);
	return from ? from : FROM_MEMORY;
}

/* Has the only table of pointers that the current jump takes entries of words of so many bytes? */
static bool has_words(const struct judge *j, unsigned size)
{
	if (j->pointers >= SEVERAL_TABLES)
		return false;
	const struct table *t = &j->g->table.v[j->pointers];
	const struct section *s = &j->g->obj->sec.v[t->sec];
	return cfg_word_ref(j->g, &s->rel[t->rel], t).size == size;
}

/* The origin of four bytes that insn i loads: an address in a constant table, or any word. */
static unsigned word_origin(struct trace *t, const struct code_section *c, uint32_t b, uint32_t i,
	const struct operation *op)
{
	if (op->base < 0 || op->index >= 0 || op->disp ||
		cfg_names_whole(t->g, c, &t->g->insn.v[i]) ||
		!(indexed_origin(t, c, b, i, op->base) & FROM_POINTERS) ||
		!has_words(t->j, op->size))
		return FROM_WORD;
	t->words = true;
	return FROM_POINTERS;
}

/* The origin of eight bytes that insn i loads: a constant table of pointers, or any memory. */
static unsigned pointer_origin(struct trace *t, const struct code_section *c, uint32_t b,
	uint32_t i, const struct operation *op)
{
	if (op->base >= 0 && op->base == t->g->target->stack_reg)
		return FROM_MEMORY;
	unsigned from = t->got	? entry_origin(t, c, b, i, op)
		: op->base >= 0 ? origins_of(t, b, i, op->base)
		: op->disp_off	? address_origin(t->j, c, i, op->disp_off)
				: 0;
	bool several = t->got;
	if (from == FROM_SUM && op->index < 0) {
		from = biased_origin(t, c, b, i, op->base);
		several = true;
	}
	return from == FROM_POINTERS || (several && from & FROM_POINTERS) ? FROM_POINTERS
									  : FROM_MEMORY;
}

static bool is_plain_sum(const struct operation *op)
{
	return op->op == OP_LEA && op->base >= 0 && op->index >= 0 && op->scale == 1 && !op->disp;
}

/* Does insn i of block b add the function's own address to the GOT's distance from that? */
static bool makes_got(struct trace *t, uint32_t b, uint32_t i, const struct operation *op)
{
	regset entry = t->g->target->abi.entry_label;
	if (!is_plain_sum(op) || !(entry & (REG_BIT(op->base) | REG_BIT(op->index))))
		return false;
	bool swap = entry & REG_BIT(op->base);
	return origins_of(t, b, i, swap ? op->index : op->base) == FROM_DISTANCE &&
		origins_of(t, b, i, swap ? op->base : op->index) == FROM_OUTSIDE;
}

/* Is a word that reg holds one of a constant table of distances from the GOT? */
static bool is_got_word(struct trace *t, uint32_t b, uint32_t i, int reg)
{
	struct found word = found_of(t, b, i, reg, TRACE_GOT);
	if (word.origins != FROM_POINTERS || word.pointers >= SEVERAL_TABLES)
		return false;
	const struct table *table = &t->g->table.v[word.pointers];
	const struct section *s = &t->g->obj->sec.v[table->sec];
	return cfg_word_ref(t->g, &s->rel[table->rel], table).role == ROLE_GOTREL;
}

/*
 * Is reg, whose origins are from, the GOT's address that was stored?  Then other is a distance from
 * that.
 */
static bool is_stored_got(struct trace *t, uint32_t b, uint32_t i, unsigned from, int other)
{
	return from && !(from & ~(unsigned)(FROM_GOT | FROM_MEMORY)) && is_got_word(t, b, i, other);
}

/*
 * Does insn i of block b add the GOT's address to a register?  Sets *src to that.  clang keeps the
 * address in any register, or on the stack.
 */
static bool adds_got(struct trace *t, uint32_t b, uint32_t i, const struct operation *op, int *src)
{
	if (!t->g->target->abi.entry_label || !is_plain_sum(op))
		return false;
	unsigned x = found_of(t, b, i, op->index, TRACE_PLAIN).origins;
	unsigned y = found_of(t, b, i, op->base, TRACE_PLAIN).origins;
	if (x == FROM_GOT || (y != FROM_GOT && is_stored_got(t, b, i, x, op->base)))
		*src = op->base;
	else if (y == FROM_GOT || is_stored_got(t, b, i, y, op->index))
		*src = op->index;
	else
		return false;
	return true;
}

/* Slots ------------------------------------------------------------------ */

enum { MOST_SLOTS = 1 << 20 };

static bool overlap(const struct cfg *g, int reg, int64_t at, unsigned size)
{
	int64_t slot = reg - SLOTS, end = slot + g->target->word;
	return size ? at < end && slot < at + size : at < end && at > slot - g->target->word;
}

static bool accesses_slot(const struct cfg *g, const struct code_section *c, uint32_t i, int reg,
	bool *store)
{
	const struct insn *in = &g->insn.v[i];
	int64_t at;
	unsigned size;
	return g->target->frame_access(insn_bytes(c, in), in, &at, &size, store) &&
		overlap(g, reg, at, size);
}

/*
 * May something access the frame's word reg by an address that insn i makes?  The address of
 * another object, and an index to that, lead to no word in which the compiler keeps a register; but
 * a copy of the stack pointer that is kept over calls may be the frame pointer.
 */
static bool may_share(struct judge *j, const struct code_section *c, uint32_t i, int reg)
{
	const struct cfg *g = j->g;
	const struct insn *in = &g->insn.v[i];
	int sp = g->target->stack_reg;
	struct operation op;
	int64_t at;
	unsigned size;
	bool store;
	if (!(insn_effects(in)->reads & REG_BIT(sp)))
		return false;
	g->target->describe(j->decoder, insn_bytes(c, in), in, &op);
	if (op.op == OP_MOVE && op.src == sp)
		return !(g->target->abi.call_clobbers & REG_BIT(op.dst)) || overlap(g, reg, 0, 0);
	if (g->target->frame_access(insn_bytes(c, in), in, &at, &size, &store))
		return !size && overlap(g, reg, at, size);
	if (in->kind != INSN_OTHER)
		return false; /* it passes the stack on */
	bool adds = op.op == OP_LEA && (op.base == sp) != (op.index == sp);
	return !adds || (op.index < 0 && op.dst != sp && overlap(g, reg, op.disp, 0));
}

/* The word of the frame that insn i loads and that nothing else has the address of; or -1. */
static int slot_of(struct trace *t, const struct code_section *c, uint32_t i,
	const struct operation *op)
{
	const struct cfg *g = t->g;
	const struct func *f = &g->func.v[t->j->func];
	const struct block *last = &g->block.v[f->block + f->nblock - 1];
	int slot = SLOTS + (int)op->disp;
	if (op->base != g->target->stack_reg || op->index >= 0 || op->size != 8 || op->disp < 0 ||
		op->disp > MOST_SLOTS || g->insn.v[i].has_rel)
		return -1;
	for (size_t k = 0; k < t->j->frame_word.n; k++)
		if (t->j->frame_word.v[k].slot == slot)
			return t->j->frame_word.v[k].own ? slot : -1;
	bool own = true;
	for (uint32_t k = g->block.v[f->block].insn; own && k < last->insn + last->ninsn; k++)
		own = !may_share(t->j, c, k, slot);
	vec_push(&t->j->frame_word, (struct frame_word){slot, own});
	return own ? slot : -1;
}

/* Insn i as an operation; of a call or an indirect jump, what is in its delay slot. */
static void describe(const struct judge *j, const struct code_section *c, uint32_t i,
	struct operation *op)
{
	const struct target *t = j->g->target;
	const struct insn *in = &j->g->insn.v[i];
	struct insn slot;
	bool leads = in->kind == INSN_CALL || in->kind == INSN_CALL_IND ||
		in->kind == INSN_JUMP_IND;
	if (!leads || !decode_slot(j->g, j->decoder, c, in, &slot)) {
		t->describe(j->decoder, insn_bytes(c, in), in, op);
		return;
	}
	t->describe(j->decoder, insn_bytes(c, &slot), &slot, op);
	op->disp_off += t->insn_size;
	op->imm_off += t->insn_size;
}

/* The register whose value insn i stores in the frame's word reg; -1: not known. */
static int stored_to(struct trace *t, const struct code_section *c, uint32_t i, int reg)
{
	const struct cfg *g = t->g;
	struct operation op;
	describe(t->j, c, i, &op);
	return op.op == OP_STORE && op.base == g->target->stack_reg && op.index < 0 &&
			op.disp == reg - SLOTS && op.size == 8
		? op.src
		: -1;
}

/* Does insn i of block b change the frame's word reg?  Then adds the origins of its value. */
static bool trace_store(struct trace *t, const struct code_section *c, uint32_t b, uint32_t i,
	int reg)
{
	const struct cfg *g = t->g;
	bool store, moves = insn_effects(&g->insn.v[i])->clobbers & REG_BIT(g->target->stack_reg);
	if (!moves && (!accesses_slot(g, c, i, reg, &store) || !store))
		return false;
	int src = moves ? -1 : stored_to(t, c, i, reg);
	if (src >= 0)
		trace_block(t, b, i, src);
	else
		t->origins |= FROM_MEMORY;
	return true;
}

/*
 * The same as origins_of(), if that is memory, where a word of the frame may be.
 *
 * hazard: address of a table in the frame.  gcc keeps the base of a table there, if the loop of
 * a lexer needs all registers.
 */
static unsigned slot_origins(struct trace *t, uint32_t b, uint32_t insn, int reg)
{
	return t->g->target->frame_access ? take_found(t, b, insn, reg, TRACE_FRAME) : FROM_MEMORY;
}

/* Adds the origins of the value that insn i (of block b) gives to reg. */
static void trace_def(struct trace *t, const struct code_section *c, uint32_t b, uint32_t i,
	int reg)
{
	const struct cfg *g = t->g;
	const struct insn *in = &g->insn.v[i];
	struct operation op;
	unsigned from;
	int src;
	bool call = in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
	describe(t->j, c, i, &op);
	if (in->kind == INSN_SYSCALL ||
		(call && (op.dst != reg || g->target->abi.call_clobbers & REG_BIT(reg)))) {
		t->origins |= FROM_OUTSIDE;
		return;
	}
	if (op.dst != reg)
		op.op = OP_OTHER;
	switch (op.op) {
	case OP_ADD_GOT: t->got = true; /* fallthrough */
	case OP_MOVE:
		if (op.size == 8)
			trace_block(t, b, i, op.src);
		else
			t->origins |= FROM_OTHER;
		return;
	case OP_SEXT: trace_reg(t, b, i, op.src); return;
	case OP_LOAD:
		if (t->slots && (src = slot_of(t, c, i, &op)) >= SLOTS) {
			trace_block(t, b, i, src);
			return;
		}
		t->origins |= op.size == 8 ? pointer_origin(t, c, b, i, &op)
			: op.size == 4	   ? word_origin(t, c, b, i, &op)
					   : FROM_OTHER;
		return;
	case OP_IMM:
		from = address_origin(t->j, c, i, op.imm_off);
		t->origins |= from ? from : FROM_OTHER;
		return;
	case OP_LEA:
		if ((op.base < 0 && op.index < 0) || cfg_names_whole(g, c, &g->insn.v[i])) {
			from = address_origin(t->j, c, i, op.disp_off);
			t->origins |= from ? from : FROM_OTHER;
			return;
		}
		if (makes_got(t, b, i, &op)) {
			t->origins |= FROM_GOT;
			return;
		}
		if (adds_got(t, b, i, &op, &src)) {
			t->got = true;
			trace_block(t, b, i, src);
			return;
		}
		break;
	case OP_ADD:
	case OP_ADD_LOAD: break;
	default: t->origins |= FROM_OTHER; return;
	}
	if (t->origins & FROM_SUM && t->sum_insn != i)
		t->sum_insn = UINT32_MAX;
	else
		t->sum_insn = i, t->sum_block = b;
	t->origins |= FROM_SUM;
}

/* Adds the origins of reg in front of insn of block b, or goes on with the blocks before. */
static void trace_block(struct trace *t, uint32_t b, uint32_t insn, int reg)
{
	const struct cfg *g = t->g;
	const struct block *bl = &g->block.v[b];
	const struct code_section *c = &g->text.v[g->func.v[bl->func].text];
	for (uint32_t i = insn; i-- > bl->insn;) {
		if (reg >= SLOTS) {
			if (trace_store(t, c, b, i, reg))
				return;
			continue;
		}
		if (insn_effects(&g->insn.v[i])->clobbers & REG_BIT(reg)) {
			trace_def(t, c, b, i, reg);
			return;
		}
		if ((g->insn.v[i].kind == INSN_CALL || g->insn.v[i].kind == INSN_CALL_IND) &&
			(g->target->abi.call_clobbers & REG_BIT(reg))) {
			t->origins |= FROM_OUTSIDE;
			return;
		}
	}
	trace_preds(t, b, reg);
}

static void trace_reg(struct trace *t, uint32_t b, uint32_t insn, int reg)
{
	trace_block(t, b, insn, reg);
	while (t->todo.n) {
		struct trace_end from = t->todo.v[--t->todo.n];
		trace_block(t, from.block, from.insn, from.reg);
	}
}

/* The slot of a key, or the free one for it. */
static struct found *found_slot(struct judge *j, uint64_t key)
{
	size_t n = j->found.n, k = (key * 0x9e3779b97f4a7c15 >> 32) % n;
	while (j->found.v[k].key && j->found.v[k].key != key)
		k = (k + 1) % n;
	return &j->found.v[k];
}

static void keep_found(struct judge *j, const struct found *f)
{
	if (j->found.n < 2 * (j->nfound + 1)) {
		size_t n = j->found.n;
		struct found *old = j->found.v;
		j->found.v = NULL;
		j->found.cap = 0;
		vec_reserve(&j->found, n ? 2 * n : 64);
		j->found.n = n ? 2 * n : 64;
		memset(j->found.v, 0, j->found.n * sizeof *j->found.v);
		for (size_t k = 0; k < n; k++)
			if (old[k].key)
				*found_slot(j, old[k].key) = old[k];
		free(old);
	}
	struct found *slot = found_slot(j, f->key);
	j->nfound += !slot->key;
	*slot = *f;
}

/*
 * What a trace of reg by itself finds, with the tables that it meets.  Each is made once: in a loop
 * of an interpreter, each of a hundred places where a register is set leads back through all of it.
 */
static struct found found_of(struct trace *t, uint32_t b, uint32_t insn, int reg, unsigned how)
{
	struct judge *j = t->j;
	struct trace sub = {.j = j,
		.g = t->g,
		.depth = t->depth + 1,
		.slots = how == TRACE_FRAME,
		.got = how == TRACE_GOT};
	struct found f = {.origins = how == TRACE_FRAME ? FROM_MEMORY : FROM_OTHER,
		.pointers = NO_TABLE,
		.guess = NO_TABLE};
	if (sub.depth > TRACE_DEPTH)
		return f;
	f.key = 1 + ((uint64_t)insn << 16 | (uint64_t)reg << 8 | how);
	f.depth = sub.depth;
	const struct found *old = j->found.n ? found_slot(j, f.key) : NULL;
	uint32_t pointers = j->pointers, guess = j->guess;
	if (old && old->key && old->depth <= sub.depth) {
		f = *old;
	} else {
		j->pointers = j->guess = NO_TABLE;
		trace_reg(&sub, b, insn, reg);
		end_trace(&sub);
		f.origins = sub.origins;
		f.pointers = j->pointers;
		f.guess = j->guess;
		keep_found(j, &f);
		j->pointers = pointers;
		j->guess = guess;
	}
	return f;
}

/* The same of the current jump: it takes the tables' entries. */
static unsigned take_found(struct trace *t, uint32_t b, uint32_t insn, int reg, unsigned how)
{
	struct found f = found_of(t, b, insn, reg, how);
	note_tables(t->j, f.pointers, f.guess);
	return f.origins;
}

static unsigned origins_of(struct trace *t, uint32_t b, uint32_t insn, int reg)
{
	return reg < 0 && t->depth < TRACE_DEPTH ? 0 : take_found(t, b, insn, reg, TRACE_PLAIN);
}

/* Judging -------------------------------------------------------------- */

static bool has_relative_table(const struct cfg *g, const struct func *f)
{
	size_t i, end = func_table_refs(g, f, &i);
	for (; i < end; i++)
		if (g->table.v[g->table_ref.v[i].table].relative)
			return true;
	return false;
}

static bool has_any_table(const struct cfg *g, const struct func *f)
{
	size_t i, end = func_table_refs(g, f, &i);
	return i < end;
}

static bool is_inside(const struct cfg *g, const struct func *f, uint32_t sec, uint64_t off)
{
	return sec == g->text.v[f->text].sec->index && off > f->start && off < f->end;
}

/*
 * Does an instruction of f make the address of a label inside f?  Such an address may be used in
 * arithmetic (differences of labels), also through memory, where it is not followed.
 */
static bool find_label(const struct cfg *g, const struct func *f)
{
	const struct code_section *t = &g->text.v[f->text];
	uint32_t end = f->block + f->nblock - 1;
	uint32_t last = g->block.v[end].insn + g->block.v[end].ninsn;
	for (uint32_t i = g->block.v[f->block].insn; i < last; i++) {
		const struct insn *in = &g->insn.v[i];
		struct ref ref;
		if ((in->flags & INSN_OPERAND_PC) && !(in->flags & INSN_MEM) &&
			!is_anchor(g, t, i) && cfg_ref(g, t, i, &ref) &&
			is_inside(g, f, ref.sec, ref.off))
			return true;
		uint32_t n;
		const struct reloc *rel = insn_relocs(t, in, &n);
		for (; n; n--, rel++) {
			ref = cfg_reloc_ref(g, t, i, rel);
			if (ref.role == ROLE_ABS && is_inside(g, f, ref.sec, ref.off))
				return true;
		}
	}
	return false;
}

static bool makes_label(struct judge *j)
{
	if (j->labels == UNKNOWN)
		j->labels = find_label(j->g, &j->g->func.v[j->func]) ? YES : NO;
	return j->labels == YES;
}

enum verdict { LEAVES, USES_TABLE, USES_SCALED, COMPUTED };

/*
 * Classify a jump to the sum that insn i of block b makes.
 *
 * hazard: jump into unrolled code.  Hand-written code computes its target from a label and
 * an index times the size of a row: distances in that function must stay.
 */
static enum verdict judge_sum(struct trace *t, uint32_t b, uint32_t i)
{
	const struct cfg *g = t->g;
	const struct func *f = &g->func.v[t->j->func];
	const struct code_section *c = &g->text.v[g->func.v[g->block.v[b].func].text];
	const struct insn *in = &g->insn.v[i];
	struct operation op;
	g->target->describe(t->j->decoder, insn_bytes(c, in), in, &op);
	unsigned x, y;
	if (op.op == OP_LEA) {
		if (op.disp || op.disp_off || (op.index >= 0 && op.scale != 1) || op.base < 0)
			return COMPUTED;
		x = origins_of(t, b, i, op.base);
		y = origins_of(t, b, i, op.index);
	} else if (op.op == OP_ADD) {
		x = origins_of(t, b, i, op.dst);
		y = origins_of(t, b, i, op.src);
	} else {
		x = origins_of(t, b, i, op.dst);
		y = op.size == 8 ? FROM_MEMORY : FROM_WORD;
	}
	if ((x | y) & FROM_LABEL)
		return COMPUTED;
	unsigned words = FROM_WORD | (op.op == OP_ADD_LOAD ? FROM_MEMORY : 0);
	bool word_x = x && !(x & ~words), word_y = y && !(y & ~words);
	if ((word_y && x == FROM_TABLE) || (word_x && y == FROM_TABLE))
		return USES_TABLE;
	/* the base was in memory, or came along a path that is not followed */
	if ((word_x || word_y) && has_relative_table(g, f))
		return USES_TABLE;
	return has_inner_label(g, f) || has_relative_table(g, f) ? COMPUTED : LEAVES;
}

/*
 * hazard: odd tail call.  The function pointer of a tail call may come from cmov, a pop, a vector
 * register or a decoded (guarded) pointer: in a function without a table and without a label the
 * jump leaves the function.
 */
static enum verdict judge_jump(struct trace *t, uint32_t b)
{
	const struct cfg *g = t->g;
	const struct func *f = &g->func.v[t->j->func];
	const struct block *bl = &g->block.v[b];
	const struct code_section *c = &g->text.v[f->text];
	uint32_t i = bl->insn + bl->ninsn - 1;
	const struct scaled_table *scaled = scaled_by_jump(g, i);
	struct operation op;
	if (scaled)
		return scaled->proved ? USES_SCALED : COMPUTED;
	g->target->describe(t->j->decoder, insn_bytes(c, &g->insn.v[i]), &g->insn.v[i], &op);
	/* a table in writable data may hold other pointers later */
	bool constant = op.op == OP_JUMP_MEM && pointer_origin(t, c, b, i, &op) == FROM_POINTERS;
	if (op.op == OP_JUMP_MEM && !constant && makes_label(t->j))
		return COMPUTED;
	if (op.op == OP_JUMP_MEM)
		return constant && op.index >= 0 && has_any_table(g, f) ? USES_TABLE : LEAVES;
	if (op.op != OP_JUMP_REG)
		return COMPUTED;
	trace_reg(t, b, i, op.src);
	if ((t->origins & ~(unsigned)(FROM_LABEL | FROM_POINTERS)) && makes_label(t->j))
		return COMPUTED;
	if (t->origins & FROM_SUM)
		return t->sum_insn == UINT32_MAX || (t->origins & FROM_LABEL)
			? COMPUTED
			: judge_sum(t, t->sum_block, t->sum_insn);
	if ((t->got || t->words) && t->origins == FROM_POINTERS && has_any_table(g, f))
		return USES_TABLE;
	if (t->origins &
		(FROM_OTHER | FROM_WORD | FROM_DATA | FROM_TABLE | FROM_GOT | FROM_DISTANCE))
		return has_inner_label(g, f) ? COMPUTED : LEAVES;
	return LEAVES;
}

/*
 * Does block b call an address that may be a sum?
 *
 * hazard: row of code called.  lea row-64(%rip); add; call leads to one of several rows by
 * arithmetic, and the label may even be that of the function in front.
 */
static bool calls_sum(struct trace *t, uint32_t b)
{
	const struct cfg *g = t->g;
	const struct block *bl = &g->block.v[b];
	const struct code_section *c = &g->text.v[g->func.v[t->j->func].text];
	uint32_t i = bl->insn + bl->ninsn - 1;
	struct operation op;
	if (bl->end != END_CALL || g->insn.v[i].kind != INSN_CALL_IND || cfg_callee_symbol(g, c, i))
		return false;
	g->target->describe(t->j->decoder, insn_bytes(c, &g->insn.v[i]), &g->insn.v[i], &op);
	if (op.op != OP_CALL_REG)
		return false;
	trace_reg(t, b, i, op.src);
	return t->origins & (FROM_SUM | FROM_OTHER);
}

/* Which table ------------------------------------------------------------ */

static bool has_several_tables(const struct cfg *g, const struct func *f)
{
	size_t first, end = func_table_refs(g, f, &first);
	for (size_t i = first; i < end; i++)
		if (g->table_ref.v[i].table != g->table_ref.v[first].table)
			return true;
	return false;
}

/* The instruction of block b in front of insn i that sets reg, in *op; NO_INSN: none does. */
static uint32_t set_in_block(const struct judge *j, uint32_t b, uint32_t i, int reg,
	struct operation *op)
{
	const struct cfg *g = j->g;
	const struct block *bl = &g->block.v[b];
	const struct code_section *c = &g->text.v[g->func.v[bl->func].text];
	while (reg >= 0 && i-- > bl->insn) {
		const struct insn *in = &g->insn.v[i];
		if (!(insn_effects(in)->clobbers & REG_BIT(reg)))
			continue;
		g->target->describe(j->decoder, insn_bytes(c, in), in, op);
		return op->dst == reg ? i : NO_INSN;
	}
	return NO_INSN;
}

/* The table whose base an instruction of block b in front of insn i puts into reg, or NO_TABLE. */
static uint32_t base_in_block(const struct judge *j, uint32_t b, uint32_t i, int reg)
{
	struct operation op;
	while ((i = set_in_block(j, b, i, reg, &op)) != NO_INSN && op.op == OP_MOVE && op.size == 8)
		reg = op.src;
	uint32_t text = j->g->func.v[j->func].text;
	if (i == NO_INSN || op.op != OP_LEA || op.index >= 0 ||
		(op.base >= 0 && !cfg_names_whole(j->g, &j->g->text.v[text], &j->g->insn.v[i])))
		return NO_TABLE;
	return relative_table_at(j->g, text, j->g->insn.v[i].off);
}

/* The table that the address in reg is in: its base, or that and an index; likewise. */
static uint32_t place_in_block(const struct judge *j, uint32_t b, uint32_t i, int reg)
{
	struct operation op;
	uint32_t sum = set_in_block(j, b, i, reg, &op);
	if (sum == NO_INSN || op.op != OP_LEA || op.base < 0 || op.index < 0 || op.disp)
		return base_in_block(j, b, i, reg);
	uint32_t t = base_in_block(j, b, sum, op.base);
	uint32_t other = op.scale == 1 ? base_in_block(j, b, sum, op.index) : NO_TABLE;
	return t == NO_TABLE ? other : other == NO_TABLE ? t : NO_TABLE;
}

/* The table that a word in reg is loaded from, likewise. */
static uint32_t word_in_block(const struct judge *j, uint32_t b, uint32_t i, int reg)
{
	struct operation op;
	while ((i = set_in_block(j, b, i, reg, &op)) != NO_INSN && op.op == OP_SEXT)
		reg = op.src;
	if (i == NO_INSN || op.op != OP_LOAD || op.size != 4)
		return NO_TABLE;
	return place_in_block(j, b, i, op.base);
}

/*
 * The table that a jump to the sum that insn i of block b makes takes a word of, or NO_TABLE.  All
 * that this depends on is in the block: nothing can come in between.
 */
static uint32_t table_of_sum(const struct judge *j, uint32_t b, uint32_t i)
{
	const struct cfg *g = j->g;
	const struct insn *in = &g->insn.v[i];
	const struct code_section *c = &g->text.v[g->func.v[j->func].text];
	struct operation op;
	g->target->describe(j->decoder, insn_bytes(c, in), in, &op);
	if (op.op == OP_ADD_LOAD) {
		uint32_t t = base_in_block(j, b, i, op.dst);
		return t == base_in_block(j, b, i, op.base) ? t : NO_TABLE;
	}
	int x = op.op == OP_LEA ? op.base : op.dst, y = op.op == OP_LEA ? op.index : op.src;
	uint32_t t = base_in_block(j, b, i, x), word = word_in_block(j, b, i, y);
	if (t == NO_TABLE)
		t = base_in_block(j, b, i, y), word = word_in_block(j, b, i, x);
	return t == word ? t : NO_TABLE;
}

/* Notes by which table the jump of block b goes, if its function has several. */
static void find_table(struct judge *j, uint32_t b, const struct trace *t)
{
	bool sum = t->origins == FROM_SUM && t->sum_block == b;
	if (!(sum || t->got || t->words) || !has_several_tables(j->g, &j->g->func.v[j->func]))
		return;
	uint32_t table = sum ? table_of_sum(j, b, t->sum_insn) : j->pointers;
	if (table != NO_TABLE && table != SEVERAL_TABLES)
		vec_push(&j->table_jump, (struct table_jump){.block = b, .table = table});
}

/* Does the jump of block b use a table of pointers?  Sets j->pointers and j->guess. */
static bool uses_pointers(struct judge *j, uint32_t b)
{
	struct trace t = {.j = j, .g = j->g};
	j->pointers = j->guess = NO_TABLE;
	bool uses = judge_jump(&t, b) == USES_TABLE && (t.got || t.words);
	end_trace(&t);
	return uses;
}

/* Jumps whose table is not known get the first one that is met.  True: there are such. */
static bool guess_pointers(struct judge *j)
{
	table_jump_vec new = {0};
	for (size_t k = 0; k < j->jump.n; k++) {
		uint32_t b = j->jump.v[k];
		if (!is_known(j, b) && uses_pointers(j, b) && j->guess != NO_TABLE)
			vec_push(&new, (struct table_jump){.block = b, .table = j->guess});
	}
	bool any = new.n;
	while (new.n)
		vec_push(&j->known, new.v[--new.n]);
	vec_free(&new);
	forget(j);
	return any;
}

/* Find the jumps to addresses in constant data.  True: there are more than before. */
static bool find_by_address(struct judge *j)
{
	bool more = false;
	for (size_t k = 0; k < j->jump.n; k++) {
		struct block *bl = &j->g->block.v[j->jump.v[k]];
		struct trace t = {.j = j, .g = j->g};
		judge_jump(&t, j->jump.v[k]);
		end_trace(&t);
		bool by = t.origins == FROM_POINTERS && !t.got;
		more |= by && !bl->by_address;
		bl->by_address |= by;
	}
	forget(j);
	return more;
}

/*
 * Find the tables of pointers of the function's jumps, as far as each has one of its own.  Assume
 * for each jump the first table found, then drop assumptions that the others do not imply, until
 * none is dropped.  By induction over the execution the rest hold.
 *
 * hazard: two jump tables.  The register with the base of one may have another value where the
 * other one leads, so what leads there is known only if the tables of the jumps are.
 */
static void find_pointers(struct judge *j)
{
	bool again = j->jump.n > 1 && has_several_tables(j->g, &j->g->func.v[j->func]);
	j->known.n = 0;
	forget(j);
	if (again)
		guess_pointers(j);
	j->guessing = true;
	while (again && guess_pointers(j))
		;
	j->guessing = false;
	forget(j);
	while (again) {
		table_jump_vec kept = {0};
		for (size_t k = 0; k < j->known.n; k++)
			if (uses_pointers(j, j->known.v[k].block) &&
				j->pointers == j->known.v[k].table)
				vec_push(&kept, j->known.v[k]);
		again = kept.n < j->known.n;
		vec_free(&j->known);
		j->known = kept;
		forget(j);
	}
}

/* Classify the jumps of function j->func.  True: one uses a table. */
static bool judge_func(struct judge *j)
{
	struct cfg *g = j->g;
	struct func *f = &g->func.v[j->func];
	bool uses = false;
	j->jump.n = 0;
	j->labels = UNKNOWN;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (g->block.v[b].end == END_LEAVE)
			vec_push(&j->jump, b);
	j->left = TRACE_CALLS;
	j->known.n = j->frame_word.n = 0;
	forget(j);
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		struct trace t = {.j = j, .g = g};
		f->leads_to_sum |= calls_sum(&t, b);
		end_trace(&t);
	}
	j->left = TRACE_JUMPS;
	find_by_address(j);
	do
		find_pointers(j);
	while (find_by_address(j));
	for (size_t k = 0; k < j->jump.n; k++) {
		struct block *bl = &g->block.v[j->jump.v[k]];
		struct trace t = {.j = j, .g = g};
		j->pointers = NO_TABLE;
		enum verdict v = judge_jump(&t, j->jump.v[k]);
		end_trace(&t);
		f->leads_to_sum |= v != USES_TABLE && t.origins & (FROM_SUM | FROM_OTHER);
		if (v == COMPUTED) {
			bl->computed = true;
			list_opaque_func(&j->opaque, j->func, OPAQUE_JUMP,
				g->insn.v[bl->insn + bl->ninsn - 1].off);
		} else if (v == USES_SCALED) {
			bl->end = END_TABLE;
			vec_push(&j->table_jump,
				(struct table_jump){.block = j->jump.v[k], .table = NO_TABLE});
		} else if (v == USES_TABLE) {
			bl->end = END_TABLE;
			find_table(j, j->jump.v[k], &t);
			uses = true;
		}
	}
	return uses;
}

struct judging {
	struct judge *judge; /* by part */
	bool *uses;	     /* by function */
};

static void judge_part(void *ctx, size_t part, unsigned worker)
{
	const struct judging *w = ctx;
	struct judge j = w->judge[part];
	uint32_t f, end = cfg_part_funcs(j.g, part, &f);
	j.decoder = cfg_decoder(j.g, worker);
	for (; f < end; f++) {
		j.func = f;
		w->uses[f] = j.g->func.v[f].is_code && judge_func(&j);
	}
	vec_free(&j.jump);
	vec_free(&j.known);
	vec_free(&j.lead);
	vec_free(&j.found);
	vec_free(&j.frame_word);
	w->judge[part] = j;
}

void jumps_judge(struct cfg *g, bool *uses)
{
	size_t parts = g->part.n - 1;
	struct judging w = {arena_array(g->arena, struct judge, parts), uses};
	uint32_t *first, *pred;
	find_preds(g, &first, &pred);
	scaled_prove(g, first, pred);
	for (size_t k = 0; k < parts; k++)
		w.judge[k] = (struct judge){.g = g, .first = first, .pred = pred};
	parallel(parts, judge_part, &w);
	for (size_t k = 0; k < parts; k++) {
		make_opaque(g, &w.judge[k].opaque);
		for (size_t i = 0; i < w.judge[k].table_jump.n; i++)
			vec_push(&g->table_jump, w.judge[k].table_jump.v[i]);
		vec_free(&w.judge[k].table_jump);
	}
	free(first);
	free(pred);
}
