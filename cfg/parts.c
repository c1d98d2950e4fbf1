/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c - registers that two instructions set together
 *
 * hazard: register loaded in two parts.  MIPS loads a word that is not aligned by lwl and lwr, each
 * of which keeps the bytes of the register that the other one loads.  The first of the two does not
 * read the register: its old value is lost.
 */
#include "cfg/blocks.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"

#include <stdlib.h>

enum { NEAR = 32, BRANCHES = 2 }; /* instructions: memcpy() loads eight registers at a time */

struct joining {
	const struct cfg *g;
	const struct code_section *c;
	struct load_part first;
};

static bool is_inside(const struct cfg *g, uint32_t b, uint32_t func)
{
	return b != NO_BLOCK && g->block.v[b].func == func && !g->block.v[b].gap;
}

/* Is the rest of the register loaded from instruction i of block b on, whatever branches do? */
static bool is_completed(const struct joining *w, uint32_t b, uint32_t i, int near, int branches)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[b];
	const regset reg = REG_BIT(w->first.reg), base = REG_BIT(w->first.base);
	for (; i < bl->insn + bl->ninsn && near-- > 0; i++) {
		const struct insn *in = &g->insn.v[i];
		const struct effects *e = insn_effects(in);
		struct load_part l;
		if (in->flags & INSN_VAGUE)
			return false;
		if (in->kind == INSN_OTHER &&
			g->target->load_part(insn_bytes(w->c, in), in->len, &l) &&
			l.reg == w->first.reg)
			return l.base == w->first.base && l.at == w->first.at &&
				l.bytes == w->first.bytes && l.left != w->first.left &&
				!in->has_rel;
		if (((e->reads | e->clobbers) & reg) || (e->clobbers & base))
			return false;
	}
	bool falls = bl->end == END_FALL || bl->end == END_BRANCH;
	if (near <= 0 || bl->gap || !falls || branches < (bl->end == END_BRANCH) ||
		!is_inside(g, bl->fall, bl->func) ||
		!is_completed(w, bl->fall, g->block.v[bl->fall].insn, near, branches - 1))
		return false;
	return bl->end == END_FALL ||
		(is_inside(g, bl->target, bl->func) &&
			is_completed(w, bl->target, g->block.v[bl->target].insn, near,
				branches - 1));
}

static void join_in_block(struct cfg *g, const struct code_section *c, uint32_t b)
{
	struct joining w = {.g = g, .c = c};
	const struct block *bl = &g->block.v[b];
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
		struct insn *in = &g->insn.v[i];
		bool branch = in->kind == INSN_BRANCH && !insn_is_likely(in);
		if ((in->kind != INSN_OTHER && !branch) || in->has_rel ||
			!g->target->load_part(insn_bytes(c, in), in->len, &w.first) ||
			w.first.reg == w.first.base || !is_completed(&w, b, i + 1, NEAR, BRANCHES))
			continue;
		struct effects e = *insn_effects(in);
		e.reads &= ~REG_BIT(w.first.reg);
		in->effects = effects_number(&e);
	}
}

void join_load_parts(struct cfg *g, const struct code_section *c)
{
	for (uint32_t b = c->block; g->target->load_part && b < c->block + c->nblock; b++)
		if (!g->block.v[b].gap)
			join_in_block(g, c, b);
}

/* Addresses --------------------------------------------------------------- */

struct spread {
	const struct cfg *g;
	const struct func *f;
	regset part;	/* the register with a part of the address */
	VEC(bool) seen; /* by block of f */
	block_vec todo;
};

static void spread_to(struct spread *w, uint32_t b)
{
	if (w->seen.v[b - w->f->block])
		return;
	w->seen.v[b - w->f->block] = true;
	vec_push(&w->todo, b);
}

/*
 * May the part be in use from instruction i of block b on?  Queues the blocks that it comes to.  It
 * is taken to be wherever it leaves the function, or is kept over a call.
 */
static bool is_used(struct spread *w, uint32_t b, uint32_t i)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[b];
	for (; i < bl->insn + bl->ninsn; i++) {
		const struct effects *e = insn_effects(&g->insn.v[i]);
		if (e->reads & w->part)
			return true;
		if (e->writes & w->part)
			return false;
	}
	if (bl->end == END_RET)
		return g->target->abi.ret_live & w->part;
	if (bl->end == END_TRAP)
		return false;
	if ((bl->end != END_FALL && bl->end != END_JUMP && bl->end != END_BRANCH) ||
		(bl->end != END_JUMP && !func_has_block(w->f, bl->fall)) ||
		(bl->end != END_FALL && !func_has_block(w->f, bl->target)))
		return true;
	if (bl->end != END_JUMP)
		spread_to(w, bl->fall);
	if (bl->end != END_FALL)
		spread_to(w, bl->target);
	return false;
}

/* Is the part that instruction i of block b leaves in a register used? */
static bool is_shared(struct spread *w, uint32_t b, uint32_t i)
{
	const struct insn *in = &w->g->insn.v[i];
	const struct effects *e = insn_effects(in);
	if (!(in->flags & INSN_OPERAND_PC) || in->len <= w->g->target->insn_size)
		return false;
	w->part = e->clobbers & ~e->writes;
	if (!w->part)
		return false;
	vec_reserve(&w->seen, w->f->nblock);
	memset(w->seen.v, 0, w->f->nblock * sizeof *w->seen.v);
	w->todo.n = 0;
	bool used = is_used(w, b, i + 1);
	while (w->todo.n && !used) {
		uint32_t next = w->todo.v[--w->todo.n];
		used = is_used(w, next, w->g->block.v[next].insn);
	}
	return used;
}

/* What is between the instruction and the label stays as it is. */
static void hold_address(const struct cfg *g, const struct code_section *c, uint32_t f, uint32_t i,
	opaque_parts *v)
{
	const struct insn *in = &g->insn.v[i];
	struct ref r;
	list_opaque_func(v, f, OPAQUE_DISTANCE, in->off);
	if (!cfg_ref(g, c, i, &r))
		return;
	uint64_t from = r.off < in->off ? r.off : in->off, to = r.off < in->off ? in->off : r.off;
	list_lump(v, (uint32_t)(c - g->text.v),
		(struct lump){.from = from,
			.to = to + 1,
			.why = OPAQUE_DISTANCE,
			.why_off = in->off,
			.by = f});
}

void list_shared_parts(const struct cfg *g, const struct code_section *c, opaque_parts *v)
{
	struct spread w = {.g = g};
	for (uint32_t f = c->func; g->target->join && f < c->func + c->nfunc; f++) {
		w.f = &g->func.v[f];
		for (uint32_t b = w.f->block; b < w.f->block + w.f->nblock; b++) {
			const struct block *bl = &g->block.v[b];
			for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++)
				if (is_shared(&w, b, i))
					hold_address(g, c, f, i, v);
		}
	}
	vec_free(&w.seen);
	vec_free(&w.todo);
}
