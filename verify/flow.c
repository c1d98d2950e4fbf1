/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow.c - control flow of the old code, by instruction
 *
 * The code is divided into parts, which begin at functions and at targets of calls.  A direct
 * branch leads to its target.  An indirect jump through a table of its own function leads to
 * the address-taken labels of that function; any other indirect jump leads to these, too, and to
 * all open instructions.  Indirect calls lead to open instructions only: those whose address is
 * taken, without the unnamed labels of functions that jump to labels (see is_open()).
 * An exception leads from each instruction that may raise one to its landing pad.
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/halves.h"
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/rows.h"
#include "verify/tables.h"

#include "reloc/outside.h"
#include "targets/stated.h"

#include <stdlib.h>

/* Addresses ------------------------------------------------------------- */

/*
 * May any indirect call or jump lead to k?  If its function has indirect jumps, an unnamed label
 * whose address no other function takes is for these only.
 */
static bool is_open(const struct flow *w, const struct vtext *t, uint32_t k, uint32_t by)
{
	const struct part *p = w->part.v;
	uint32_t func = p[part_of(w, k)].func;
	return is_named(w->v, t, k) || !p[func].func_jumps ||
		(by != NO_INSN && p[part_of(w, by)].func != func);
}

/* Does a relocation next to i lead into a function, not to its start?  Then both are of a table. */
static bool is_beside_label(const struct verify *v, const struct section *s, uint32_t i)
{
	for (uint32_t k = i ? i - 1 : i + 1; k <= i + 1 && k < s->nrel; k += 2) {
		uint32_t sec;
		uint64_t x;
		const struct vtext *t;
		if (!place_of(v->a, &s->rel[k], 0, &sec, &x) || !(t = text_at(v, sec)) ||
			x >= t->a->size)
			continue;
		uint32_t to = insn_at(v, t, x);
		if (!bit_get(t->start, v->insn.v[to].off) || v->insn.v[to].off != x)
			return true;
	}
	return false;
}

/*
 * Is x, to which entry i of a table leads, the end of a function into which the nearest other
 * entry leads?  Then it is no address of what begins there.  Words without terms count from base.
 *
 * hazard: entry behind the function.  clang's tables have the end of the function for values that
 * do not occur.
 */
static bool is_past(const struct verify *v, const struct section *s, uint32_t i, uint64_t base,
	uint32_t sec, uint64_t x)
{
	const struct vtext *t = text_at(v, sec);
	bool terms = is_difference(v, s, &s->rel[i]);
	uint32_t step = terms ? 2 : 1;
	if (!t || !x || x >= t->a->size || !bit_get(t->start, x))
		return false;
	uint32_t own = function_of(v, t, insn_at(v, t, x - 1));
	for (uint32_t up = 0; up < 2; up++) {
		uint32_t n = i, other = sec;
		uint64_t y = x;
		while (other == sec && y == x) {
			n = up ? n + step : n - step;
			if (n >= s->nrel || !place_of(v->a, &s->rel[n], 0, &other, &y))
				break;
			y -= terms ? 0 : s->rel[n].off - base;
		}
		if (other == sec && y < x && function_of(v, t, insn_at(v, t, y)) == own &&
			!bit_get(t->start, y))
			return true;
	}
	return false;
}

/* What has a place: its address; a word of a table, as an address or as a distance. */
enum taken { TAKEN_ADDRESS, TAKEN_WORD, TAKEN_DISTANCE };

/* Note that instruction by (NO_INSN: a word of data) takes the address of x in section sec. */
static void take(struct flow *w, uint32_t sec, uint64_t x, uint32_t by, enum taken how)
{
	const struct verify *v = w->v;
	const struct vtext *t = text_at(v, sec);
	if (!t || x >= t->a->size)
		return;
	uint32_t k = insn_at(v, t, x);
	bit_set(w->taken, k);
	if (how != TAKEN_DISTANCE)
		bit_set(w->addressed, k);
	bool sure = by == NO_INSN || is_named(v, t, k);
	if (is_open(w, t, k, by) && (sure || looks_like_code(v, t, k, x)))
		bit_set(w->open, k);
	if (how == TAKEN_ADDRESS)
		bit_set(w->entry, k);
}

bool leads_nowhere(const struct section *s)
{
	return !(s->flags & SHF_ALLOC) || s->type == SHT_NOTE || is_eh_frame(s) ||
		!strcmp(s->name, ".sframe") || !strncmp(s->name, ".gcc_except_table", 17) ||
		lists_places(s) || !strcmp(s->name, "xray_instr_map");
}

/*
 * A pc-relative word in data is relative to its table's base: the nearest place in front of it that
 * code refers to.  Code may also refer into the table; then the base is one of the places before
 * that, so the labels that these would give are noted in perhaps.
 */
static bool take_by_table(struct flow *w, const struct section *s, const struct reloc *r,
	uint32_t sec, uint64_t x)
{
	enum { BASES = 4 };
	const struct verify *v = w->v;
	uint64_t base = r->off + 1;
	bool taken = false;
	for (int i = 0; i < BASES && base && table_base(v, s, base - 1, &base); i++) {
		uint64_t to = x - (r->off - base);
		const struct vtext *t = text_at(v, sec);
		if (!is_boundary(v, sec, to) || to >= t->a->size)
			continue;
		bit_set(w->perhaps, insn_at(v, t, to));
		if (i)
			continue;
		if (is_past(v, s, (uint32_t)(r - s->rel), base, sec, to))
			bit_set(w->taken, insn_at(v, t, to));
		else if (!take_across(w, (struct vbase){s->index, base}, sec, to))
			take(w, sec, to, NO_INSN, TAKEN_DISTANCE);
		taken = true;
	}
	return taken;
}

static void take_reloc(struct flow *w, const struct section *s, const struct reloc *r)
{
	const struct verify *v = w->v;
	const struct vtext *code = text_at(v, s->index);
	enum reloc_role role = v->target->reloc_info(r->type)->role;
	uint32_t by = code ? insn_at(v, code, r->off) : NO_INSN, sec;
	uint64_t x, symoff = 0;
	/* of a page, the low half has the address */
	bool entry = role == ROLE_GOT && !is_high(v, r);
	const struct section *to = entry ? reloc_target(v->a, r, &symoff) : NULL;
	if (to)
		take(w, to->index, symoff, by, TAKEN_ADDRESS);
	if ((role != ROLE_ABS && role != ROLE_GOTREL && (code || role != ROLE_PCREL)) ||
		!place_of(v->a, r, 0, &sec, &x) || !text_at(v, sec))
		return;
	if (role == ROLE_PCREL && take_by_table(w, s, r, sec, x))
		return;
	if (!code && is_difference(v, s, r) && is_past(v, s, (uint32_t)(r - s->rel), 0, sec, x)) {
		bit_set(w->taken, insn_at(v, text_at(v, sec), x));
		return;
	}
	enum taken how = TAKEN_ADDRESS;
	if (!code && (role == ROLE_PCREL || is_difference(v, s, r)))
		how = TAKEN_DISTANCE;
	else if (!code && is_beside_label(v, s, (uint32_t)(r - s->rel)))
		how = role == ROLE_GOTREL ? TAKEN_DISTANCE : TAKEN_WORD;
	uint32_t k = insn_at(v, text_at(v, sec), x);
	uint64_t base;
	if (code || !table_base(v, s, r->off, &base) ||
		!take_across(w, (struct vbase){s->index, base}, sec, x) || how == TAKEN_ADDRESS ||
		is_named(v, text_at(v, sec), k))
		take(w, sec, x, by, how);
	else if (how == TAKEN_WORD)
		bit_set(w->addressed, k);
}

/* Addresses that instructions compute from their own. */
static void take_operands(struct flow *w, const struct vtext *t)
{
	const struct verify *v = w->v;
	for (uint32_t k = t->first; k < t->first + t->n; k++) {
		const struct insn *in = &v->insn.v[k];
		uint32_t sec;
		uint64_t x;
		if (in->kind == KIND_RAW || !(in->flags & INSN_OPERAND_PC) ||
			(in->flags & INSN_MEM) || is_scaled_part(v, k))
			continue;
		if (insn_target(v, t, in, insn_reloc(t, in, in->pc_off), &sec, &x))
			take(w, sec, x, k, TAKEN_ADDRESS);
	}
}

/* Exported symbols are open: other modules call them.  They are not thereby taken as labels. */
static void take_exported(struct flow *w)
{
	const struct verify *v = w->v;
	for (size_t i = 1; i < v->a->sym.n; i++) {
		const struct symbol *s = &v->a->sym.v[i];
		const struct vtext *t = text_at(v, s->sec);
		if (t && s->value < t->a->size && symbol_type(s) != STT_OBJECT &&
			outside_exports(v->opt.outside, s)) {
			bit_set(w->open, insn_at(v, t, s->value));
			bit_set(w->entry, insn_at(v, t, s->value));
		}
	}
}

static void find_taken(struct flow *w)
{
	struct verify *v = w->v;
	w->taken = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	w->addressed = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	w->perhaps = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	w->open = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	w->entry = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	find_users(w);
	for (size_t i = 1; i < v->a->sec.n; i++) {
		const struct section *s = &v->a->sec.v[i];
		for (uint32_t k = 0; !leads_nowhere(s) && k < s->nrel; k++)
			take_reloc(w, s, &s->rel[k]);
	}
	for (size_t i = 0; i < v->text.n; i++)
		take_operands(w, &v->text.v[i]);
	w->scaled = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	w->named = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	memcpy(w->named, w->taken, (v->insn.n / 64 + 1) * sizeof *w->taken);
	for (size_t i = 0; i < v->scaled.n; i++)
		for (uint32_t k = 0; k < v->scaled.v[i].n; k++) {
			uint32_t to = scaled_target(v, &v->scaled.v[i], k);
			if (to == NO_INSN)
				continue;
			bit_set(w->taken, to);
			bit_set(w->scaled, to);
		}
	take_exported(w);
}

/* Jumps ----------------------------------------------------------------- */

/* Is it stated that jump k leads by a table of words? */
static bool is_by_words(const struct flow *w, uint32_t part, uint32_t k)
{
	const struct vjump *j = jump_at(w->v, k);
	return j && (j->table != ANY_TABLE || bit_get(w->has_table, w->part.v[part].func));
}

/* The whole ----------------------------------------------------------------- */

static bool returns(const struct flow *w, uint32_t part)
{
	const struct part *p = &w->part.v[part];
	for (uint32_t k = p->first; k < p[1].first; k++)
		if (w->v->insn.v[k].kind == INSN_RET)
			return true;
	return false;
}

/* A part behind a function or in front of the first is data unless control can come there. */
static void find_idle(struct flow *w)
{
	const struct verify *v = w->v;
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		struct part *p = &w->part.v[i];
		if (p->idle && i && p->text == p[-1].text && !p[-1].idle && falls_out(w, i - 1))
			p->idle = false;
		for (uint32_t k = p->first; p->idle && k < p[1].first; k++)
			p->idle = !bit_get(w->open, k);
	}
	for (size_t i = 0; i < v->branch.n; i++) {
		uint32_t to = part_of(w, v->branch.v[i].target);
		if (w->part.v[to].idle && !w->part.v[part_of(w, v->branch.v[i].insn)].idle)
			w->part.v[to].idle = false;
	}
}

static void classify(struct flow *w)
{
	const struct verify *v = w->v;
	w->by_table = arena_array(&w->v->arena, uint64_t, v->insn.n / 64 + 1);
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		struct part *p = &w->part.v[i];
		p->odd = !p->idle && returns(w, i) && is_stack_odd(w, i);
		for (uint32_t k = p->first; k < p[1].first; k++)
			if (scaled_at(v, k) || is_by_words(w, i, k))
				bit_set(w->by_table, k);
	}
}

void flow_open(struct flow *w, struct verify *v)
{
	*w = (struct flow){.v = v};
	cut_parts(w);
	find_taken(w);
	find_idle(w);
	find_pads(v, &w->pad);
	find_reached(w);
	find_led_to(w);
	classify(w);
	check_endless(w);
	check_changes(w);
}

void flow_close(struct flow *w)
{
	vec_free(&w->part);
	vec_free(&w->across);
	vec_free(&w->user);
	vec_free(&w->pad);
	vec_free(&w->changes);
}
