/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parts.c - registers that two instructions load together
 *
 * hazard: register loaded in two parts.  MIPS loads a word that is not aligned by lwl and lwr, each
 * of which keeps the bytes of the register that the other one loads.  The first of the two does not
 * read the register: its old value is lost.
 */
#include "cfg/cfg_priv.h"

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
