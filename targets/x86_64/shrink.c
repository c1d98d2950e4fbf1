/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shrink.c - a routine that is pasted, in fewer registers
 *
 * What a register holds, from a write to its last read, may be in any register that is free as long
 * as that.  Compilers take as many registers as they may change, which is for nothing in a routine
 * of its own; here each one that is live has to be saved.
 */
#include "targets/x86_64/part.h"

#include "targets/body.h"

#include <limits.h>

static regset implied_by(const struct parts *parts)
{
	regset regs = 0;
	for (unsigned i = 0; i < parts->n; i++) {
		struct effects e;
		regset named;
		x86_part_effects(&parts->v[i], &e, &named);
		regs |= (e.reads | e.clobbers) & X86_GPRS & ~named;
	}
	return regs;
}

enum { ENTRY = -1, RANGES = PARTS + 16 };

/* What a register holds from one write on, at 2 * part + 1, until it is last read, at 2 * part. */
struct range {
	int first, last;
	int8_t reg;  /* that of the routine */
	int8_t from; /* the range of which it begins as a copy, or NO_REG */
};
struct ranges {
	struct range v[RANGES]; /* by what takes the place of registers in parts */
	int8_t n, now[16];	/* by register; NO_REG: none yet */
	bool whole;		/* each register is one range, as there are branches */
	regset entry;		/* what is in it from the entry on, in that case */
};

static int8_t begin_range(struct ranges *w, int reg, int first)
{
	int8_t now = w->now[reg];
	if (w->whole && now >= 0) {
		w->v[now].last = first;
		return now;
	}
	first = w->whole && w->entry & REG_BIT(reg) ? ENTRY : first;
	w->v[w->n] = (struct range){first, first, (int8_t)reg, NO_REG};
	return w->now[reg] = w->n++;
}

/* The register that it sets, whatever that was; NULL: another one, or it is changed. */
static int8_t *set_by(struct part *p)
{
	if (p->size < 4)
		return NULL;
	if (p->two)
		return (p->op & 0xf6) == 0xb6 ? &p->reg : NULL;
	if (p->low >= 0)
		return &p->low;
	if (p->op == 0x8b || p->op == 0x8d || p->op == 0x63)
		return &p->reg;
	return (p->op == 0x89 || p->op == 0xc7) && !p->memory ? &p->rm : NULL;
}

static bool is_copy(const struct part *p)
{
	return !p->two && (p->op == 0x89 || p->op == 0x8b) && p->wide && !p->memory;
}

/* Of a register that an instruction, at time at, reads or changes, but for what set_by() tells. */
static int8_t use_range(struct ranges *w, int reg, struct effects e, int at)
{
	int8_t now = w->now[reg];
	bool first = now >= 0 && w->v[now].first == at + 1; /* the other operand of xor %eax,%eax */
	if (e.writes & ~e.reads & REG_BIT(reg) && !first)
		return begin_range(w, reg, at + 1);
	if (now < 0)
		now = begin_range(w, reg, ENTRY);
	int last = at + (e.clobbers & REG_BIT(reg) ? 1 : 0);
	w->v[now].last = last > w->v[now].last ? last : w->v[now].last;
	return now;
}

static void find_ranges(struct ranges *w, struct parts *parts)
{
	memset(w->now, NO_REG, sizeof w->now);
	for (int i = 0; i < (int)parts->n; i++) {
		struct part *p = &parts->v[i];
		int8_t *set = set_by(p), none = NO_REG;
		int8_t *field[] = {p->extends ? &none : &p->reg, &p->rm, &p->base, &p->index,
			&p->low};
		struct effects e;
		regset named;
		x86_part_effects(p, &e, &named);
		for (unsigned k = 0; k < sizeof field / sizeof *field; k++) {
			int8_t reg = *field[k];
			if (reg < 0 || field[k] == set)
				continue;
			*field[k] = use_range(w, reg, set ? (struct effects){0} : e, 2 * i);
		}
		if (set) {
			int8_t from = is_copy(p) ? (set == &p->reg ? p->rm : p->reg) : NO_REG;
			*set = begin_range(w, *set, 2 * i + 1);
			if (w->v[*set].first == 2 * i + 1)
				w->v[*set].from = from;
		}
	}
}

enum { NOWHERE = 255 };

/* to: by range. */
static bool is_free(const struct ranges *w, const uint8_t *to, int8_t r, int reg)
{
	bool is = true;
	for (int8_t k = 0; k < w->n; k++)
		is &= to[k] != reg || w->v[k].first > w->v[r].last || w->v[r].first > w->v[k].last;
	return is;
}

/* False: with these registers it is not possible. */
static bool choose_for(const struct ranges *w, uint8_t *to, int8_t r, regset regs)
{
	uint8_t from = w->v[r].from >= 0 ? to[w->v[r].from] : NOWHERE;
	if (from != NOWHERE && regs & REG_BIT(from) && is_free(w, to, r, from))
		to[r] = from;
	for (uint8_t reg = 0; reg < 16 && to[r] == NOWHERE; reg++)
		if (regs & REG_BIT(reg) && is_free(w, to, r, reg))
			to[r] = reg;
	return to[r] != NOWHERE;
}

/* Where one leads to, a register may hold what was written to it here or there. */
static void find_whole(struct ranges *w, const struct parts *parts)
{
	regset live[PARTS + 1];
	live[parts->n] = 0;
	x86_find_live(parts, live);
	w->entry = live[0];
	for (unsigned i = 0; i < parts->n; i++)
		w->whole |= parts->v[i].jumps;
}

/* Without copies of a register to itself. */
static void rename_parts(const struct parts *from, const uint8_t *reg, struct parts *to)
{
	uint8_t part[PARTS + 1];
	to->n = 0;
	for (unsigned i = 0; i < from->n; i++) {
		struct part p = from->v[i];
		part[i] = (uint8_t)to->n;
		x86_rename_part(&p, reg);
		if (!is_copy(&p) || p.reg != p.rm)
			to->v[to->n++] = p;
	}
	part[from->n] = (uint8_t)to->n;
	x86_lead_branches(to, part);
}

bool x86_shrink_body(const struct tool_body *b, regset kept, int *result, struct tool_body *out)
{
	struct parts from, to;
	struct ranges w = {.n = 0};
	uint8_t reg[RANGES];
	regset regs = 0;
	if (!x86_read_parts(b, &from))
		return false;
	find_whole(&w, &from);
	regset pinned = implied_by(&from);
	find_ranges(&w, &from);
	int8_t last = *result >= 0 ? w.now[*result] : NO_REG;
	if (last >= 0)
		w.v[last].last = INT_MAX;
	for (int8_t r = 0; r < w.n; r++) {
		bool stays = w.v[r].first == ENTRY || pinned & REG_BIT(w.v[r].reg);
		reg[r] = stays ? (uint8_t)w.v[r].reg : NOWHERE;
		regs |= REG_BIT(w.v[r].reg) & ~(pinned | kept);
	}
	for (int8_t r = 0; r < w.n; r++)
		if (reg[r] == NOWHERE && !choose_for(&w, reg, r, regs))
			return false;
	rename_parts(&from, reg, &to);
	*result = last >= 0 ? reg[last] : *result;
	return x86_write_parts(&to, out);
}
