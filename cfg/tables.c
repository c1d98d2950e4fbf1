/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables.c - jump tables: found by relocations, proved by code
 *
 * A pc-relative word in a table does not hold what its relocation seems to say.
 * Entry i at place P = base + 4i is .long label - base, which the assembler
 * writes as S + A - P with A larger by P - base.  The label therefore depends on
 * the base, and the base is known only from code: it is the nearest address at or
 * before P that an instruction refers to.
 *
 * A table counts as proved when a function that refers to its base jumps to
 * base + a word loaded from memory, as seen by following the definitions of the
 * jump's register backwards, and all its entries are instructions.  What is not
 * proved makes the functions opaque into which its words may point: an opaque
 * function moves by one distance, which is right whatever was meant.
 */
#include "cfg/cfg.h"

#include "cfg/cfg_priv.h"

#include <stdlib.h>

/* Finding -------------------------------------------------------------- */

/* An address in data that an instruction refers to. */
struct point {
	uint32_t sec;
	uint64_t off;
	uint32_t text;
	uint64_t insn_off;
};
typedef VEC(struct point) point_vec;

static int point_cmp(const void *a, const void *b)
{
	const struct point *x = a, *y = b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	return x->insn_off < y->insn_off ? -1 : x->insn_off > y->insn_off;
}

static void collect_points(const struct cfg *g, point_vec *pts)
{
	for (size_t ci = 0; ci < g->text.n; ci++) {
		const struct text *c = &g->text.v[ci];
		const struct section *s = c->sec;
		uint32_t i = c->insn, end = c->insn + c->ninsn;
		for (uint32_t r = 0; r < s->nrel; r++) {
			const struct reloc *rl = &s->rel[r];
			enum reloc_role role = g->target->reloc_info(rl->type)->role;
			uint64_t symoff;
			const struct section *t = reloc_target(g->obj, rl, &symoff);
			if (!t || g->text_of[t->index] || !(t->flags & SHF_ALLOC) ||
				(role != ROLE_ABS && role != ROLE_PCREL && role != ROLE_PLT))
				continue;
			while (i < end && insn_end(&g->insn.v[i]) <= rl->off)
				i++;
			if (i == end)
				break;
			uint64_t off = symoff + (uint64_t)rl->addend;
			if (role != ROLE_ABS)
				off += insn_end(&g->insn.v[i]) - rl->off;
			vec_push(pts, (struct point){ t->index, off, (uint32_t)ci,
				g->insn.v[i].off });
		}
	}
	if (pts->n)
		sort(pts->v, pts->n, sizeof *pts->v, point_cmp);
}

/* The last point of section sec at or before off, from *cursor on; NULL if none. */
static const struct point *point_before(const point_vec *pts, size_t *cursor, uint32_t sec,
	uint64_t off)
{
	while (*cursor < pts->n && (pts->v[*cursor].sec < sec ||
			(pts->v[*cursor].sec == sec && pts->v[*cursor].off <= off)))
		(*cursor)++;
	if (!*cursor || pts->v[*cursor - 1].sec != sec)
		return NULL;
	return &pts->v[*cursor - 1];
}

/* Where entry r of table t leads: an offset in the section of its symbol. */
static uint64_t entry_label(const struct cfg *g, const struct table *t, uint32_t r,
	struct text **c)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	const struct reloc *rl = &s->rel[r];
	uint64_t symoff;
	const struct section *to = reloc_target(g->obj, rl, &symoff);
	*c = to ? cfg_text(g, to->index) : NULL;
	uint64_t label = symoff + (uint64_t)rl->addend;
	return t->relative ? label - (rl->off - t->base) : label;
}

/*
 * Code refers to base, inside table t: where a table of its own starts with entry r, or one
 * word in front of an array that stands behind t, as in lea array-4(%rip)?  What would
 * lead into the middle of an instruction starts no table; of bytes that are none, nobody knows.
 */
static bool is_stray(const struct cfg *g, const struct table *t, uint32_t r, uint64_t base)
{
	struct table own = *t;
	struct text *c;
	own.base = base;
	uint64_t label = entry_label(g, &own, r, &c), old = entry_label(g, t, r, &c);
	return old < c->sec->size && set_has(c->starts, old) &&
	       (label > c->sec->size || (cfg_insn_at(g, c, label) != UINT32_MAX &&
						!set_has(c->starts, label)));
}

/* Sections in ascending order; *cursor starts as 0. */
static void find_in_section(struct cfg *g, const point_vec *pts, size_t *cursor, uint32_t sec)
{
	const struct section *s = &g->obj->sec.v[sec];
	uint64_t stray = UINT64_MAX;
	for (uint32_t r = 0; r < s->nrel; r++) {
		const struct reloc *rl = &s->rel[r];
		const struct reloc_info *ri = g->target->reloc_info(rl->type);
		uint64_t symoff;
		const struct section *to = reloc_target(g->obj, rl, &symoff);
		bool relative = ri->role == ROLE_PCREL || ri->role == ROLE_PLT;
		if (!to || !g->text_of[to->index] || (!relative && ri->role != ROLE_ABS))
			continue;
		const struct point *p = point_before(pts, cursor, sec, rl->off);
		uint64_t base = p ? p->off : rl->off;
		struct table *last = g->table.n ? &g->table.v[g->table.n - 1] : NULL;
		if (!last || last->sec != sec || last->relative != relative ||
			last->rel + last->n != r || rl->off != s->rel[r - 1].off + ri->size)
			last = NULL; /* r does not continue it */
		if (last && relative && p && (base == stray || is_stray(g, last, r, base))) {
			stray = base;
			base = last->base;
		}
		if (last && last->base == base)
			last->n++;
		else
			vec_push(&g->table, (struct table){ .sec = sec, .base = base, .rel = r,
				.n = 1, .relative = relative });
		struct text *c;
		uint64_t label = entry_label(g, &g->table.v[g->table.n - 1], r, &c);
		if (relative && label < c->sec->size && set_has(c->starts, label))
			cfg_label(g, c->sec->index, label, LABEL_BRANCH);
	}
}

static int ref_cmp(const void *a, const void *b)
{
	const struct table_ref *x = a, *y = b;
	if (x->text != y->text)
		return x->text < y->text ? -1 : 1;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->table < y->table ? -1 : x->table > y->table;
}

/* Which instructions refer to the start of which table. */
static void find_refs(struct cfg *g, const point_vec *pts)
{
	size_t p = 0;
	for (uint32_t t = 0; t < g->table.n; t++) {
		const struct table *tb = &g->table.v[t];
		if (tb->relative && g->obj->sec.v[tb->sec].rel[tb->rel].off != tb->base)
			continue; /* the base is somebody else's */
		while (p < pts->n && (pts->v[p].sec < tb->sec ||
				(pts->v[p].sec == tb->sec && pts->v[p].off < tb->base)))
			p++;
		for (size_t k = p; k < pts->n && pts->v[k].sec == tb->sec &&
			pts->v[k].off == tb->base; k++)
			vec_push(&g->table_ref, (struct table_ref){ pts->v[k].text,
				pts->v[k].insn_off, t });
	}
	if (g->table_ref.n)
		sort(g->table_ref.v, g->table_ref.n, sizeof *g->table_ref.v, ref_cmp);
}

void tables_find(struct cfg *g)
{
	point_vec pts = { 0 };
	size_t cursor = 0;
	collect_points(g, &pts);
	for (uint32_t i = 1; i < g->obj->sec.n; i++) {
		const struct section *s = &g->obj->sec.v[i];
		if (s->dropped || g->text_of[i] || is_metadata(s))
			continue;
		find_in_section(g, &pts, &cursor, i);
	}
	find_refs(g, &pts);
	vec_free(&pts);
}

const struct table *cfg_table_of(const struct cfg *g, uint32_t sec, uint32_t rel)
{
	size_t lo = 0, hi = g->table.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct table *t = &g->table.v[mid];
		if (t->sec < sec || (t->sec == sec && t->rel <= rel))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	const struct table *t = &g->table.v[lo - 1];
	return t->sec == sec && rel - t->rel < t->n ? t : NULL;
}

/* The first table reference at or behind offset off of code c. */
static size_t ref_from(const struct cfg *g, uint32_t code, uint64_t off)
{
	size_t lo = 0, hi = g->table_ref.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct table_ref *r = &g->table_ref.v[mid];
		if (r->text < code || (r->text == code && r->off < off))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The table references made by instructions of f: [*first, returned end). */
static size_t func_refs(const struct cfg *g, const struct func *f, size_t *first)
{
	size_t i = *first = ref_from(g, f->text, f->start);
	while (i < g->table_ref.n && g->table_ref.v[i].text == f->text &&
		g->table_ref.v[i].off < f->end)
		i++;
	return i;
}

void cfg_table_targets(const struct cfg *g, uint32_t b, void (*visit)(void *, uint32_t), void *ctx)
{
	const struct func *f = &g->func.v[g->block.v[b].func];
	for (uint32_t i = f->by_table; i < f->by_table + f->nby_table; i++)
		visit(ctx, g->by_table.v[i]);
}

/* Where the tables lead that f refers to.  seen, by block: 1 + the last function with it. */
static void collect_targets(struct cfg *g, struct func *f, uint32_t *seen)
{
	uint32_t mark = (uint32_t)(f - g->func.v) + 1;
	size_t i, end = func_refs(g, f, &i);
	f->by_table = (uint32_t)g->by_table.n;
	for (; i < end; i++) {
		const struct table *t = &g->table.v[g->table_ref.v[i].table];
		for (uint32_t r = t->rel; r < t->rel + t->n; r++) {
			struct text *c;
			uint64_t label = entry_label(g, t, r, &c);
			uint32_t to = c && label < c->sec->size ? cfg_block_at(g, c, label)
								: NO_BLOCK;
			if (to == NO_BLOCK || seen[to] == mark)
				continue;
			seen[to] = mark;
			vec_push(&g->by_table, to);
		}
	}
	f->nby_table = (uint32_t)g->by_table.n - f->by_table;
}

/* Following definitions ------------------------------------------------ */

/* What a register may hold at a place: a set of origins. */
enum origin {
	FROM_MEMORY = 1,	/* eight bytes loaded: an address there was relocated */
	FROM_WORD = 2,		/* four bytes loaded: perhaps a table's entry */
	FROM_OUTSIDE = 4,	/* an argument, a call's result, a popped value */
	FROM_TABLE = 8,		/* the base of a relative table */
	FROM_DATA = 16,		/* another address in data */
	FROM_LABEL = 32,	/* a code address made by an instruction */
	FROM_SUM = 64,		/* a sum: see struct trace */
	FROM_OTHER = 128,	/* arithmetic, or more than we follow */
	FROM_POINTERS = 256,	/* the base of constant, relocated code addresses, or loaded from there */
};

struct preds {
	uint32_t *first, *v;
};

struct trace {
	struct cfg *g;
	const struct preds *preds;
	uint32_t func;
	const uint32_t *jumps;		/* the blocks of func that end in indirect jumps */
	size_t njumps;
	uint32_t jumped;		/* registers already followed through them */
	unsigned origins, depth;
	uint32_t sum_block, sum_insn;	/* the last FROM_SUM seen; UINT32_MAX: several */
	VEC(uint64_t) seen;		/* block << 8 | register */
};
enum { TRACE_LIMIT = 256, TRACE_DEPTH = 4 };

static void trace_reg(struct trace *t, uint32_t b, uint32_t insn, int reg);

/* Does block b end in a call, of another library's function, that the standards say ends there? */
static bool never_returns(const struct cfg *g, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	const struct text *c = &g->text.v[g->func.v[bl->func].text];
	const struct reloc *r;
	uint32_t sec;
	uint64_t off;
	if (bl->end != END_CALL || !cfg_target(g, c, bl->insn + bl->ninsn - 1, &sec, &off, &r) || !r)
		return false;
	const struct symbol *s = &g->obj->sym.v[r->sym];
	return s->sec == SEC_UNDEF && callee_by_name(s->name) >= CALLEE_DIES;
}

static void trace_preds(struct trace *t, uint32_t b, int reg)
{
	const struct cfg *g = t->g;
	uint64_t key = (uint64_t)b << 8 | (unsigned)reg;
	for (size_t i = 0; i < t->seen.n; i++)
		if (t->seen.v[i] == key)
			return;
	if (t->seen.n == TRACE_LIMIT) {
		t->origins |= FROM_OTHER;
		return;
	}
	vec_push(&t->seen, key);
	const struct func *f = &g->func.v[t->func];
	if (b == f->block)
		t->origins |= FROM_OUTSIDE;
	bool none = true;
	for (uint32_t i = t->preds->first[b]; i < t->preds->first[b + 1]; i++) {
		uint32_t p = t->preds->v[i];
		const struct block *pb = &g->block.v[p];
		if (never_returns(g, p))
			continue;
		trace_reg(t, p, pb->insn + pb->ninsn, reg);
		none = false;
	}
	if (!none || b == f->block)
		return;
	/* reached by an indirect jump only: one of this function's */
	if (t->jumped & 1u << reg)
		return;
	t->jumped |= 1u << reg;
	for (size_t i = 0; i < t->njumps; i++) {
		const struct block *pb = &g->block.v[t->jumps[i]];
		trace_reg(t, t->jumps[i], pb->insn + pb->ninsn, reg);
	}
}

/* Nobody stores there once it is relocated. */
static bool is_constant(const struct section *s)
{
	return !(s->flags & SHF_WRITE) || !strncmp(s->name, ".data.rel.ro", 12);
}

/* What an address in data is that the instruction at off names. */
static unsigned data_origin(const struct cfg *g, const struct text *c, uint64_t off)
{
	uint32_t code = (uint32_t)(c - g->text.v);
	unsigned origin = FROM_DATA;
	for (size_t i = ref_from(g, code, off); i < g->table_ref.n; i++) {
		const struct table_ref *r = &g->table_ref.v[i];
		if (r->text != code || r->off != off)
			break;
		const struct table *t = &g->table.v[r->table];
		if (t->relative)
			return FROM_TABLE;
		if (is_constant(&g->obj->sec.v[t->sec]))
			origin = FROM_POINTERS;
	}
	return origin;
}

/* A place named by a relocated or pc-relative field of insn i. */
static unsigned address_origin(const struct cfg *g, const struct text *c, uint32_t i,
	unsigned field)
{
	const struct insn *in = &g->insn.v[i];
	uint64_t place = in->off + field;
	for (uint32_t r = in->rel; r && r <= c->sec->nrel; r++) {
		const struct reloc *rl = &c->sec->rel[r - 1];
		if (rl->off != place)
			continue;
		enum reloc_role role = g->target->reloc_info(rl->type)->role;
		if (role == ROLE_GOT)
			return FROM_MEMORY;
		uint64_t symoff;
		const struct section *t = reloc_target(g->obj, rl, &symoff);
		if (!t)
			return FROM_OUTSIDE;
		if (g->text_of[t->index])
			return FROM_LABEL;
		return data_origin(g, c, in->off);
	}
	return in->pc_size ? FROM_LABEL : 0;
}

static unsigned origins_of(struct trace *t, uint32_t b, uint32_t insn, int reg);

/* Eight bytes loaded by insn i: from constant pointers, or from anywhere. */
static unsigned pointer_origin(struct trace *t, const struct text *c, uint32_t b, uint32_t i,
	const struct operation *op)
{
	unsigned from = op->base >= 0 ? origins_of(t, b, i, op->base)
		: op->disp_off ? address_origin(t->g, c, i, op->disp_off) : 0;
	return from == FROM_POINTERS ? FROM_POINTERS : FROM_MEMORY;
}

/* What the definition of reg by insn i (of block b) makes it. */
static void trace_def(struct trace *t, const struct text *c, uint32_t b, uint32_t i, int reg)
{
	const struct cfg *g = t->g;
	const struct insn *in = &g->insn.v[i];
	struct operation op;
	unsigned from;
	if (in->kind == INSN_CALL || in->kind == INSN_CALL_IND || in->kind == INSN_SYSCALL) {
		t->origins |= FROM_OUTSIDE;
		return;
	}
	g->target->describe(g->decoder, insn_bytes(c, in), in, &op);
	if (op.dst != reg)
		op.op = OP_OTHER;
	switch (op.op) {
	case OP_MOVE:
		if (op.size == 8)
			trace_reg(t, b, i, op.src);
		else
			t->origins |= FROM_OTHER;
		return;
	case OP_SEXT:
		trace_reg(t, b, i, op.src);
		return;
	case OP_LOAD:
		t->origins |= op.size == 8 ? pointer_origin(t, c, b, i, &op)
			: op.size == 4 ? FROM_WORD : FROM_OTHER;
		return;
	case OP_IMM:
		from = address_origin(g, c, i, op.imm_off);
		t->origins |= from ? from : FROM_OTHER;
		return;
	case OP_LEA:
		if (op.base < 0 && op.index < 0) {
			from = address_origin(g, c, i, op.disp_off);
			t->origins |= from ? from : FROM_OTHER;
			return;
		}
		break;
	case OP_ADD:
	case OP_ADD_LOAD:
		break;
	default:
		t->origins |= FROM_OTHER;
		return;
	}
	if (t->origins & FROM_SUM && t->sum_insn != i)
		t->sum_insn = UINT32_MAX;
	else
		t->sum_insn = i, t->sum_block = b;
	t->origins |= FROM_SUM;
}

static void trace_reg(struct trace *t, uint32_t b, uint32_t insn, int reg)
{
	const struct cfg *g = t->g;
	const struct block *bl = &g->block.v[b];
	const struct text *c = &g->text.v[g->func.v[bl->func].text];
	for (uint32_t i = insn; i-- > bl->insn;) {
		if (insn_effects(&g->insn.v[i])->clobbers & REG_BIT(reg)) {
			trace_def(t, c, b, i, reg);
			return;
		}
		if ((g->insn.v[i].kind == INSN_CALL || g->insn.v[i].kind == INSN_CALL_IND) &&
			(g->target->call_clobbers & REG_BIT(reg))) {
			t->origins |= FROM_OUTSIDE;
			return;
		}
	}
	trace_preds(t, b, reg);
}

static unsigned origins_of(struct trace *t, uint32_t b, uint32_t insn, int reg)
{
	struct trace sub = { .g = t->g, .preds = t->preds, .func = t->func, .jumps = t->jumps,
		.njumps = t->njumps, .depth = t->depth + 1 };
	if (sub.depth > TRACE_DEPTH)
		return FROM_OTHER;
	if (reg >= 0)
		trace_reg(&sub, b, insn, reg);
	vec_free(&sub.seen);
	return sub.origins;
}

/* Proving -------------------------------------------------------------- */

static bool has_relative_table(const struct cfg *g, const struct func *f)
{
	size_t i, end = func_refs(g, f, &i);
	for (; i < end; i++)
		if (g->table.v[g->table_ref.v[i].table].relative)
			return true;
	return false;
}

static bool has_any_table(const struct cfg *g, const struct func *f)
{
	size_t i, end = func_refs(g, f, &i);
	return i < end;
}

/*
 * An instruction of f that makes the address of a label inside f.  Such an address
 * may take part in arithmetic (differences of labels), and through memory, where
 * it is not followed.
 */
static bool makes_label(const struct cfg *g, const struct func *f)
{
	const struct text *t = &g->text.v[f->text];
	const struct section *s = t->sec;
	uint32_t end = f->block + f->nblock - 1;
	uint32_t last = g->block.v[end].insn + g->block.v[end].ninsn;
	for (uint32_t i = g->block.v[f->block].insn; i < last; i++) {
		const struct insn *in = &g->insn.v[i];
		uint32_t sec;
		uint64_t off;
		const struct reloc *rl;
		if ((in->flags & INSN_OPERAND_PC) && !(in->flags & INSN_MEM) &&
			cfg_target(g, t, i, &sec, &off, &rl) && sec == s->index &&
			off > f->start && off < f->end)
			return true;
		for (uint32_t r = in->rel; r && r <= s->nrel && s->rel[r - 1].off < insn_end(in);
			r++) {
			rl = &s->rel[r - 1];
			const struct section *to = reloc_target(g->obj, rl, &off);
			off += (uint64_t)rl->addend;
			if (to == s && off > f->start && off < f->end &&
				g->target->reloc_info(rl->type)->role == ROLE_ABS)
				return true;
		}
	}
	return false;
}

enum verdict { LEAVES, USES_TABLE, COMPUTED };

/* A jump to the sum made by insn i of block b. */
static enum verdict judge_sum(struct trace *t, uint32_t b, uint32_t i)
{
	const struct cfg *g = t->g;
	const struct func *f = &g->func.v[t->func];
	const struct text *c = &g->text.v[g->func.v[g->block.v[b].func].text];
	const struct insn *in = &g->insn.v[i];
	struct operation op;
	g->target->describe(g->decoder, insn_bytes(c, in), in, &op);
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
	/* the base went through memory, or came by a way we do not follow */
	if ((word_x || word_y) && has_relative_table(g, f))
		return USES_TABLE;
	return has_inner_label(g, f) || has_relative_table(g, f) ? COMPUTED : LEAVES;
}

static enum verdict judge_jump(struct trace *t, uint32_t b)
{
	const struct cfg *g = t->g;
	const struct func *f = &g->func.v[t->func];
	const struct block *bl = &g->block.v[b];
	const struct text *c = &g->text.v[f->text];
	uint32_t i = bl->insn + bl->ninsn - 1;
	struct operation op;
	g->target->describe(g->decoder, insn_bytes(c, &g->insn.v[i]), &g->insn.v[i], &op);
	if (op.op == OP_JUMP_MEM && makes_label(g, f) &&
		pointer_origin(t, c, b, i, &op) != FROM_POINTERS)
		return COMPUTED;
	if (op.op == OP_JUMP_MEM)
		return op.index >= 0 && has_any_table(g, f) ? USES_TABLE : LEAVES;
	if (op.op != OP_JUMP_REG)
		return COMPUTED;
	trace_reg(t, b, i, op.src);
	if ((t->origins & ~(unsigned)(FROM_LABEL | FROM_POINTERS)) && makes_label(g, f))
		return COMPUTED;
	if (t->origins & FROM_SUM)
		return t->sum_insn == UINT32_MAX || (t->origins & FROM_LABEL)
			? COMPUTED : judge_sum(t, t->sum_block, t->sum_insn);
	if (t->origins & (FROM_OTHER | FROM_WORD | FROM_DATA | FROM_TABLE))
		return has_inner_label(g, f) ? COMPUTED : LEAVES;
	return LEAVES;
}

/* True when f jumps by tables. */
static bool prove_func(struct cfg *g, const struct preds *preds, uint32_t fi, block_vec *jumps)
{
	struct func *f = &g->func.v[fi];
	bool uses = false;
	jumps->n = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++)
		if (g->block.v[b].end == END_LEAVE)
			vec_push(jumps, b);
	for (size_t k = 0; k < jumps->n; k++) {
		struct block *bl = &g->block.v[jumps->v[k]];
		struct trace t = { .g = g, .preds = preds, .func = fi, .jumps = jumps->v,
			.njumps = jumps->n };
		enum verdict v = judge_jump(&t, jumps->v[k]);
		vec_free(&t.seen);
		if (v == COMPUTED) {
			cfg_opaque(f, OPAQUE_JUMP, g->insn.v[bl->insn + bl->ninsn - 1].off);
		} else if (v == USES_TABLE) {
			bl->end = END_TABLE;
			uses = true;
		}
	}
	if (!uses)
		return false;
	size_t i, end = func_refs(g, f, &i);
	for (; i < end; i++)
		g->table.v[g->table_ref.v[i].table].proved = true;
	return true;
}

/* A proved table's entries must be instructions, or the end of a function. */
static bool entry_sound(const struct text *c, uint64_t label)
{
	return label == c->sec->size || (label < c->sec->size && set_has(c->starts, label));
}

static void check_table(struct cfg *g, const struct table *t)
{
	for (uint32_t r = t->rel; r < t->rel + t->n; r++) {
		struct text *c;
		uint64_t label = entry_label(g, t, r, &c);
		if (entry_sound(c, label))
			continue;
		cfg_freeze(c, OPAQUE_TABLE, label < c->sec->size ? label : 0);
	}
}

/*
 * Nobody was seen to jump through t.  Its words may count from its base or from
 * themselves: both places must move alike.
 */
static void distrust_table(struct cfg *g, const struct table *t)
{
	const struct section *s = &g->obj->sec.v[t->sec];
	for (uint32_t r = t->rel; r < t->rel + t->n; r++) {
		const struct reloc *rl = &s->rel[r];
		struct text *c;
		uint64_t by_base = entry_label(g, t, r, &c), by_self = by_base + (rl->off - t->base);
		uint64_t symoff;
		reloc_target(g->obj, rl, &symoff);
		if (symbol_type(&g->obj->sym.v[rl->sym]) != STT_SECTION &&
			(by_base == symoff || by_self == symoff))
			continue; /* names a symbol, which moves by itself */
		uint32_t f1 = by_base < c->sec->size ? cfg_func_at(g, c, by_base) : NO_FUNC;
		uint32_t f2 = by_self < c->sec->size ? cfg_func_at(g, c, by_self) : NO_FUNC;
		if (f1 == NO_FUNC && f2 == NO_FUNC)
			cfg_freeze(c, OPAQUE_REFERENCE, 0);
		else if (f1 == f2)
			cfg_opaque(&g->func.v[f1], OPAQUE_REFERENCE, by_base);
		else
			cfg_freeze(c, OPAQUE_REFERENCE, f1 != NO_FUNC ? by_base : by_self);
	}
}

static void build_preds(struct cfg *g, struct preds *p)
{
	size_t n = g->block.n;
	p->first = calloc(n + 2, sizeof *p->first);
	if (!p->first)
		fatal("out of memory");
	for (size_t b = 0; b < n; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->fall != NO_BLOCK)
			p->first[bl->fall + 1]++;
		if (bl->target != NO_BLOCK && bl->end != END_CALL)
			p->first[bl->target + 1]++;
	}
	for (size_t b = 0; b < n; b++)
		p->first[b + 1] += p->first[b];
	p->v = calloc((size_t)p->first[n] + 1, sizeof *p->v);
	uint32_t *next = malloc(array_bytes(n + 1, sizeof *next));
	if (!p->v || !next)
		fatal("out of memory");
	memcpy(next, p->first, (n + 1) * sizeof *next);
	for (size_t b = 0; b < n; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->fall != NO_BLOCK)
			p->v[next[bl->fall]++] = (uint32_t)b;
		if (bl->target != NO_BLOCK && bl->end != END_CALL)
			p->v[next[bl->target]++] = (uint32_t)b;
	}
	free(next);
}

void tables_prove(struct cfg *g)
{
	struct preds preds;
	build_preds(g, &preds);
	block_vec jumps = { 0 };
	uint32_t *seen = calloc(g->block.n + 1, sizeof *seen);
	if (!seen)
		fatal("out of memory");
	for (uint32_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && prove_func(g, &preds, f, &jumps))
			collect_targets(g, &g->func.v[f], seen);
	vec_free(&jumps);
	free(seen);
	free(preds.first);
	free(preds.v);
	for (size_t i = 0; i < g->table.n; i++) {
		const struct table *t = &g->table.v[i];
		if (t->proved)
			check_table(g, t);
		else if (t->relative)
			distrust_table(g, t);
	}
}
