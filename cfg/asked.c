/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asked.c - the registers whose values matter to what a client asks for; see values.h
 *
 * A register matters in front of an instruction if a client asks for it there, or if the
 * instruction reads it and makes what matters behind it.  Of the rest states need not know.
 */
#include "cfg/bounds.h"
#include "cfg/calls.h"
#include "cfg/origins.h"
#include "cfg/refs.h"

/* Does the instruction store to the frame, and nothing else? */
static bool stores_to_frame(const struct values *v, const struct insn *in)
{
	regset sp = REG_BIT(v->g->target->stack_reg);
	const struct effects *e = insn_effects(in);
	return in->flags & INSN_MEM && e->reads & sp && !(e->clobbers & REGSET_GENERAL & ~sp);
}

/* The registers on which depends what the instruction makes, of which set matters. */
static regset sources(const struct values *v, const struct insn *in, regset set)
{
	const struct cfg *g = v->g;
	struct insn part[INSN_PARTS];
	struct operation op;
	regset from = 0;
	for (unsigned k = 0, n = cfg_parts(g, v->decoder, v->t, in, part); k < n; k++) {
		g->target->describe(v->decoder, insn_bytes(v->t, &part[k]), &part[k], &op);
		if (bit_of(op.dst) & set)
			from |= v->kinds & KIND(ORIGIN) ? origins_depend(&op, v->tables)
							: bounds_depend(&op);
	}
	return from;
}

static regset before_insn(struct values *v, const struct insn *in, regset set)
{
	const struct effects *e = insn_effects(in);
	regset sp = REG_BIT(v->g->target->stack_reg), made = e->clobbers & set & REGSET_GENERAL;
	set &= may_change_flags(in) ? ~REGSET_FLAGS : ~(regset)0;
	if (made) {
		regset from = sources(v, in, set);
		v->asks_words |= (bool)(in->flags & INSN_MEM && from & sp);
		set = (set & ~e->writes) | from;
	} else if (v->words != WORDS_NONE && stores_to_frame(v, in)) {
		set |= e->reads & REGSET_GENERAL;
	}
	return set;
}

/* What matters at the end of block b; anywhere: at the start of any block. */
static regset behind(const struct values *v, uint32_t b, regset anywhere)
{
	const struct block *bl = &v->g->block.v[b];
	regset set = 0;
	if (bl->end == END_TABLE || bl->end == END_LEAVE)
		return anywhere;
	if (func_has_block(v->f, bl->fall) && !v->asked.v[b - v->f->block].ends)
		set |= v->asked.v[bl->fall - v->f->block].in;
	if (bl->end != END_CALL && func_has_block(v->f, bl->target))
		set |= v->asked.v[bl->target - v->f->block].in;
	return set;
}

/* The flags, if the branch at the end of block b says by them what registers hold, and some matter.
 */
static regset flags_asked(const struct values *v, uint32_t b, regset set)
{
	bool asks = v->kinds & KIND(COMPARED) && set & REGSET_GENERAL;
	return asks && bounds_by_flags(v, b) ? REGSET_FLAGS : 0;
}

/* Those of set that the call at the end of block b keeps, although the psABI lets it change them.
 */
static regset kept(const struct values *v, uint32_t b, regset set)
{
	regset all = 0;
	for (set &= v->keeps ? v->g->target->abi.call_clobbers & REGSET_GENERAL : 0; set;
		set &= set - 1)
		if (v->keeps(v, b, (int)lowest_reg(set)))
			all |= set & -set;
	return all;
}

/* True: more matters than before. */
static bool look_at(struct values *v, uint32_t b, regset *anywhere)
{
	const struct block *bl = &v->g->block.v[b];
	struct asked *a = &v->asked.v[b - v->f->block];
	regset set = behind(v, b, *anywhere), old = a->in;
	if (bl->gap || (a->known && a->out == set))
		return false;
	a->known = true;
	a->out = set;
	a->any |= set;
	if (bl->end == END_CALL)
		set &= ~v->g->target->abi.call_clobbers | kept(v, b, set);
	set |= flags_asked(v, b, set);
	for (uint32_t i = bl->insn + bl->ninsn; i-- > bl->insn;) {
		set = before_insn(v, &v->g->insn.v[i], set);
		if (!(v->kinds & KIND(ORIGIN)) || i + 1 == bl->insn + bl->ninsn)
			set |= v->asks(v, b, i);
		a->any |= set;
	}
	a->in |= set;
	*anywhere |= set & REGSET_GENERAL;
	return a->in != old;
}

void find_asked(struct values *v)
{
	regset anywhere = 0;
	bool more = true;
	vec_reserve(&v->asked, v->f->nblock + 1);
	v->asked.n = v->f->nblock;
	memset(v->asked.v, 0, v->asked.n * sizeof *v->asked.v);
	for (size_t k = 0; k < v->f->nblock; k++)
		v->asked.v[k].ends = never_returns(v->g, &v->g->block.v[v->f->block + k]);
	v->words = WORDS_NONE;
	v->asks_words = false;
	while (more) {
		more = false;
		for (uint32_t b = v->f->block + v->f->nblock; b-- > v->f->block;)
			more |= look_at(v, b, &anywhere);
		if (more || v->words != WORDS_NONE || !v->own || !v->asks_words)
			continue;
		v->words = WORDS_OF_COMPILER;
		more = true;
		for (size_t k = 0; k < v->asked.n; k++)
			v->asked.v[k].known = false;
	}
}
