/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opaque.c - which functions are not understood, and which of them stay together
 */
#include "cfg/blocks.h"
#include "cfg/cfg.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"

#include <stdlib.h>

const char *const opaque_text[OPAQUE_REASONS] = {
	[OPAQUE_NOT] = "whole",
	[OPAQUE_UNDECODED] = "bytes that are no instruction",
	[OPAQUE_MIDDLE] = "a reference into the middle of an instruction",
	[OPAQUE_DATA] = "data in text",
	[OPAQUE_JUMP] = "an indirect jump or call to a computed place",
	[OPAQUE_TABLE] = "a jump table entry that is no instruction",
	[OPAQUE_REFERENCE] = "a pc-relative word in data whose target is not proved",
	[OPAQUE_KEEP] = "its bytes, its stack or its return address are part of its meaning",
	[OPAQUE_RELOC] = "a relocation of unknown meaning",
	[OPAQUE_DISTANCE] = "a distance from it, or its size, is a number",
	[OPAQUE_HELD] = "in one piece with code that cannot be moved apart",
	[OPAQUE_FAR] = "with counters, a branch would not reach its target",
	[OPAQUE_READ] = "its bytes are read or written",
};

bool cfg_hold(struct code_section *c, struct lump lump)
{
	if (lump.to > c->sec->size)
		lump.to = c->sec->size;
	c->reasons |= 1u << lump.why;
	for (size_t i = 0; i < c->lump.n; i++) {
		struct lump *l = &c->lump.v[i];
		if (l->from <= lump.from && l->to >= lump.to)
			return false;
		if (l->by != lump.by || l->why != lump.why || l->by == NO_FUNC ||
			l->from > lump.to || l->to < lump.from)
			continue;
		l->from = lump.from < l->from ? lump.from : l->from;
		l->to = lump.to > l->to ? lump.to : l->to;
		return true;
	}
	vec_push(&c->lump, lump);
	return true;
}

static struct lump whole_lump(enum opaque why, uint64_t off)
{
	return (struct lump){.to = UINT64_MAX, .why = why, .why_off = off, .by = NO_FUNC};
}

void cfg_opaque_section(struct code_section *c, enum opaque why, uint64_t off)
{
	cfg_hold(c, whole_lump(why, off));
}

void cfg_opaque(struct func *f, enum opaque why, uint64_t off)
{
	/* of the reasons, the strongest: nothing may be in front of its first byte */
	if (f->why == OPAQUE_NOT || (why == OPAQUE_READ && f->why != why)) {
		f->why = why;
		f->why_off = off;
	}
}

void list_lump(opaque_parts *v, uint32_t text, struct lump lump)
{
	vec_push(v, (struct opaque_part){.number = text, .lump = lump});
}

void list_opaque_section(opaque_parts *v, uint32_t text, enum opaque why, uint64_t off)
{
	list_lump(v, text, whole_lump(why, off));
}

void list_opaque_func(opaque_parts *v, uint32_t func, enum opaque why, uint64_t off)
{
	vec_push(v,
		(struct opaque_part){.func = true,
			.number = func,
			.lump = {.why = why, .why_off = off}});
}

void make_opaque(struct cfg *g, opaque_parts *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct opaque_part *d = &v->v[i];
		if (d->func)
			cfg_opaque(&g->func.v[d->number], d->lump.why, d->lump.why_off);
		else
			cfg_hold(&g->text.v[d->number], d->lump);
	}
	vec_free(v);
}

/*
 * hazard: address with a number.  Assemblers name a section and an offset in place of a label and a
 * number, as in f-64(%rip): where that is outside of the section, it is no label of it.
 */
bool is_outside(const struct cfg *g, const struct ref *r)
{
	const struct code_section *c = cfg_section(g, r->sec);
	return c && r->off > c->sec->size;
}

void list_opaque_from(const struct cfg *g, const struct ref *r, opaque_parts *v)
{
	if (is_outside(g, r))
		list_opaque_section(v, g->text_of[r->sec] - 1, OPAQUE_READ, 0);
}

static bool func_has_indirect(const struct cfg *g, const struct func *fn)
{
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++)
		if (g->block.v[b].end == END_LEAVE)
			return true;
	return false;
}

/* Mark in seen the blocks of fn that are reachable from those in todo, and empty todo. */
static void mark_reachable(const struct cfg *g, const struct func *fn, block_vec *todo, bool *seen)
{
	while (todo->n) {
		uint32_t b = todo->v[--todo->n];
		if (!func_has_block(fn, b) || seen[b - fn->block])
			continue;
		const struct block *bl = &g->block.v[b];
		seen[b - fn->block] = true;
		vec_push(todo, bl->fall);
		if (bl->end != END_CALL)
			vec_push(todo, bl->target);
	}
}

/*
 * Are the bytes at off behind all blocks of fn that its labels reach, and does fn have no indirect
 * jump?  Then they are data at its end.
 */
static bool behind_code(const struct cfg *g, const struct code_section *t, const struct func *fn,
	uint64_t off)
{
	if (func_has_indirect(g, fn) || !fn->nblock)
		return false;
	bool *seen = calloc(fn->nblock, sizeof *seen);
	if (!seen)
		fatal("out of memory");
	bool ok = true;
	block_vec todo = {0};
	for (uint32_t k = 0; k < fn->nblock; k++) {
		uint64_t start = g->insn.v[g->block.v[fn->block + k].insn].off;
		if (start < off && (start == fn->start || set_has(t->entries, start)))
			vec_push(&todo, fn->block + k);
	}
	mark_reachable(g, fn, &todo, seen);
	vec_free(&todo);
	for (uint32_t k = 0; k < fn->nblock; k++) {
		const struct block *bl = &g->block.v[fn->block + k];
		uint64_t end = insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]);
		/* no reachable block runs into the bytes, or lies behind them */
		ok = ok && !(seen[k] && (end > off || (block_continues(bl) && end >= off)));
		if (seen[k] && block_continues(bl) && bl->fall == NO_BLOCK)
			ok = false;
	}
	free(seen);
	return ok;
}

static void find_reached(const struct cfg *g, const struct code_section *t, uint32_t f,
	struct reached *r)
{
	const struct func *fn = &g->func.v[f];
	block_vec todo = {0};
	r->func = f;
	vec_reserve(&r->block, fn->nblock + 1);
	memset(r->block.v, 0, (fn->nblock + 1) * sizeof *r->block.v);
	for (uint32_t k = fn->block; k < fn->block + fn->nblock; k++) {
		uint64_t start = g->insn.v[g->block.v[k].insn].off;
		if (start == fn->start || set_has(t->entries, start))
			vec_push(&todo, k);
	}
	mark_reachable(g, fn, &todo, r->block.v);
	vec_free(&todo);
}

bool control_reaches(const struct cfg *g, const struct code_section *t, uint64_t off,
	struct reached *r)
{
	uint32_t f = cfg_func_at(g, t, off), b = cfg_block_at(g, t, off);
	if (f == NO_FUNC || b == NO_BLOCK || !g->func.v[f].is_code)
		return false;
	const struct func *fn = &g->func.v[f];
	if (r->func != f)
		find_reached(g, t, f, r);
	return func_has_block(fn, b) && r->block.v[b - fn->block];
}

/* Makes the region of the bytes at off opaque if it cannot be code, else the whole section. */
void list_opaque_at(const struct cfg *g, const struct code_section *c, uint64_t off,
	enum opaque why, opaque_parts *v)
{
	uint32_t f = cfg_func_at(g, c, off);
	if (f != NO_FUNC && (!g->func.v[f].is_code || behind_code(g, c, &g->func.v[f], off)))
		list_opaque_func(v, f, OPAQUE_DATA, off);
	else
		list_opaque_section(v, (uint32_t)(c - g->text.v), why, off);
}

/* How a function may use addresses of its own labels. */
struct own_labels {
	bool known;	    /* the rest is set */
	bool jumps;	    /* it jumps indirectly: computed goto */
	VEC(uint64_t) base; /* sorted: labels the GOT's distance counts from, large code model */
};

static int off_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void find_own_labels(const struct cfg *g, const struct code_section *t,
	const struct func *fn, struct own_labels *own)
{
	const struct section *s = t->sec;
	own->known = true;
	own->jumps = func_has_indirect(g, fn);
	uint32_t at = g->block.v[fn->block].insn, k = section_first_reloc(s, fn->start);
	for (; !own->jumps && k < s->nrel && s->rel[k].off < fn->end; k++) {
		uint32_t i = cfg_reloc_insn(g, t, &s->rel[k], &at);
		struct ref r = cfg_reloc_ref(g, t, i, &s->rel[k]);
		if (r.role == ROLE_BASE && r.sec && r.rel->addend >= 0)
			vec_push(&own->base, r.off);
	}
	if (own->base.n)
		sort(own->base.v, own->base.n, sizeof *own->base.v, off_cmp);
}

/* May fn make the address of its own label at off as compiled code does? */
static bool is_own_label(const struct cfg *g, const struct code_section *t, const struct func *fn,
	uint64_t off, struct own_labels *own)
{
	if (!own->known)
		find_own_labels(g, t, fn, own);
	return own->jumps ||
		(own->base.n && bsearch(&off, own->base.v, own->base.n, sizeof off, off_cmp));
}

/* Is off that of the instruction itself or of the next one, which control reaches through it? */
static bool is_pc(const struct insn *in, uint64_t off)
{
	return off == in->off || off == insn_end(in);
}

/*
 * Pc-relative operands that refer to text.  Bytes that are read are data.  An address is a label if
 * a function starts there, if it is the program counter, or if it is inside the same function and
 * that has indirect jumps (computed goto) or makes the GOT's address from it; any other address is
 * taken for data.
 *
 * hazard: data in text.  Constants among the code have no mark, and many of them decode as
 * instructions.  Bytes are data if they are read through %rip, are an object symbol's, or are the
 * target of a branch into the middle of an instruction.
 */
static void func_refers(const struct cfg *g, const struct code_section *c, uint32_t f,
	opaque_parts *v)
{
	const struct func *fn = &g->func.v[f];
	struct own_labels own = {0};
	struct ref r;
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &g->insn.v[i];
			if (!(in->flags & INSN_OPERAND_PC) || !cfg_ref(g, c, i, &r))
				continue;
			const struct code_section *t = cfg_section(g, r.sec);
			if (!t || r.off >= t->sec->size)
				continue;
			uint32_t tf = cfg_func_at(g, t, r.off);
			const struct func *to = &g->func.v[tf];
			bool read = in->flags & INSN_MEM;
			if (!read && to->start == r.off && to->is_code)
				continue;
			if (!read && tf == f && set_has(t->starts, r.off) &&
				(is_pc(in, r.off) || is_own_label(g, t, fn, r.off, &own)))
				continue;
			if (read || !to->is_code || !set_has(t->starts, r.off))
				list_opaque_func(v, tf, OPAQUE_DATA, r.off);
			else
				list_opaque_func(v, tf, OPAQUE_JUMP, r.off);
		}
	}
	vec_free(&own.base);
}

void list_data_references(const struct cfg *g, const struct code_section *c, opaque_parts *v)
{
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++)
		func_refers(g, c, f, v);
}

static bool is_led_to(const struct cfg *g, const struct func *fn, uint32_t b)
{
	for (uint32_t k = fn->block; k < fn->block + fn->nblock; k++)
		if (g->block.v[k].target == b || g->block.v[k].fall == b)
			return true;
	return b == fn->block;
}

/*
 * Does block b end with a trap behind which a handler or a debugger lets control go on?
 *
 * hazard: trap that continues.  A handler of SIGTRAP returns behind int3, or adds 4 to the pc of
 * brk.  With -mharden-sls there is an int3 behind each return, which nothing leads to.
 */
static bool may_go_on(const struct cfg *g, const struct func *fn, uint32_t b)
{
	const struct block *bl = &g->block.v[b];
	const struct insn *last = &g->insn.v[bl->insn + bl->ninsn - 1];
	return !bl->gap && bl->end == END_TRAP && last->flags & INSN_VAGUE &&
		func_has_block(fn, b + 1) && (bl->ninsn > 1 || is_led_to(g, fn, b));
}

void list_kept_funcs(const struct cfg *g, const struct code_section *c, opaque_parts *v)
{
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++) {
		const struct func *fn = &g->func.v[f];
		const char *why;
		if (!fn->is_code)
			list_opaque_func(v, f, OPAQUE_DATA, fn->start);
		if (g->target->keep_whole(fn->sym ? g->obj->sym.v[fn->sym].name : "",
			    c->sec->data + fn->start, fn->end - fn->start, &why))
			list_opaque_func(v, f, OPAQUE_KEEP, fn->start);
		for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++)
			if (may_go_on(g, fn, b))
				list_opaque_func(v, f, OPAQUE_KEEP,
					g->insn.v[g->block.v[b].insn].off);
	}
}

/*
 * Labels that resolve_labels() found within instructions: in data they are ignored; with one in
 * code the section stays together.
 */
void list_labels_inside(const struct cfg *g, const struct code_section *c, opaque_parts *v)
{
	size_t words = c->sec->size / 64 + 1;
	for (size_t w = 0; w < words; w++)
		for (uint64_t odd = c->entries[w] & ~c->starts[w]; odd; odd &= odd - 1)
			list_opaque_at(g, c, w * 64 + (unsigned)__builtin_ctzll(odd), OPAQUE_MIDDLE,
				v);
}

/* Does the GOT's distance count from a label in the same function? */
static bool base_label_sound(const struct cfg *g, const struct code_section *t, const struct ref *r)
{
	if (r->off > t->sec->size)
		fatal_at(t->sec, r->rel->off,
			"the GOT's distance from a place outside the "
			"section");
	return r->off < t->sec->size && set_has(t->leaders, r->off) &&
		cfg_func_at(g, t, r->off) == cfg_func_at(g, t, r->rel->off);
}

/*
 * Is the next instruction glued to i, although control may enter between the two, other than by a
 * return to there?
 */
static bool is_glue_broken(const struct cfg *g, const struct code_section *c, uint32_t i)
{
	const struct insn *next = &g->insn.v[i + 1];
	enum block_end end = end_of(&g->insn.v[i]);
	return i + 1 < c->insn + c->ninsn && (next->flags & INSN_GLUED) &&
		((end != END_FALL && end != END_CALL) || set_has(c->leaders, next->off));
}

static bool is_in_code(const struct cfg *g, const struct code_section *c, uint64_t off)
{
	uint32_t f = cfg_func_at(g, c, off);
	return f != NO_FUNC && g->func.v[f].is_code;
}

/*
 * Does the instruction set the stack pointer to a constant address?  Inserted code may write
 * below the stack pointer, as a signal handler may, but such code reads tables through it.
 */
static bool moves_stack(const struct cfg *g, const struct code_section *c, uint32_t i)
{
	const struct insn *in = &g->insn.v[i];
	const struct effects *e = insn_effects(in);
	return in->kind == INSN_OTHER && !(in->flags & INSN_MEM) &&
		(e->writes & ~e->reads & g->target->no_scratch) &&
		g->target->stack_use(insn_bytes(c, in), in) == STACK_ODD;
}

/* Is relocation r on a field of instruction i, with a meaning that is known there? */
static bool is_explained(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct ref *r)
{
	if (r->role == ROLE_BASE && r->sec && !base_label_sound(g, c, r))
		return false;
	return r->role != ROLE_UNKNOWN && i != NO_INSN && !is_glue_broken(g, c, i) &&
		r->rel->off + r->size <= insn_end(&g->insn.v[i]);
}

static bool is_own_field(const struct insn *in, const struct code_section *c, const struct ref *r)
{
	return in->pc_size && !in->resolved && r->rel == &c->sec->rel[in->ref];
}

/*
 * A relocation that is not on a known field of an instruction, or has an unknown meaning, makes
 * its function opaque.  A pc-relative one that does not count from its own instruction refers to an
 * unknown place: x264 has `movzbl table-label(%rcx,%r10),%ecx', with an address in the same section
 * in %r10.  If that is known, the distance is corrected.
 *
 * hazard: pc-relative word elsewhere.  A pc-relative relocation outside of a %rip operand,
 * as in movzbl table-label(%rcx,%r10), counts from whatever a register holds.
 */
static void check_reloc(const struct cfg *g, struct code_section *c, uint32_t i,
	const struct ref *r, opaque_parts *v)
{
	uint64_t off = r->rel->off;
	list_opaque_from(g, r, v);
	if (!is_explained(g, c, i, r))
		list_opaque_at(g, c, off, OPAQUE_RELOC, v);
	if (i != NO_INSN && moves_stack(g, c, i))
		list_opaque_func(v, cfg_func_at(g, c, off), OPAQUE_KEEP, off);
	if (!ref_is_relative(r) || (i != NO_INSN && is_own_field(&g->insn.v[i], c, r)))
		return;
	if (g->text_of[r->sec])
		list_opaque_section(v, g->text_of[r->sec] - 1, OPAQUE_REFERENCE, r->off);
	if (may_be_based(g, c, i, r)) /* sums.c looks into the register */
		c->may_be_based = true;
	else if (r->adj || (i != NO_INSN && is_in_code(g, c, off)))
		list_opaque_section(v, (uint32_t)(c - g->text.v), OPAQUE_RELOC, off);
}

void check_relocs(const struct cfg *g, struct code_section *c, opaque_parts *v)
{
	uint32_t at = c->insn;
	for (uint32_t k = 0; k < c->sec->nrel; k++) {
		const struct reloc *rel = &c->sec->rel[k];
		uint32_t i = cfg_reloc_insn(g, c, rel, &at);
		struct ref r = cfg_reloc_ref(g, c, i, rel);
		if (r.role != ROLE_NONE)
			check_reloc(g, c, i, &r, v);
	}
}

/*
 * The short branch of insn i out of an opaque function cannot be widened: what is between it and
 * its target stays together.
 */
static bool hold_short(const struct cfg *g, struct code_section *c, uint32_t f, uint32_t i)
{
	const struct func *fn = &g->func.v[f];
	const struct insn *in = &g->insn.v[i];
	struct ref r;
	if (!insn_grows(g->target, in) || !cfg_ref(g, c, i, &r) ||
		(r.off >= fn->start && r.off < fn->end))
		return false;
	struct lump p = whole_lump(fn->why, in->off);
	p.by = f;
	if (r.sec == c->sec->index) {
		p.from = r.off < in->off ? r.off : in->off;
		p.to = r.off > in->off ? r.off + 1 : insn_end(in);
	}
	return cfg_hold(c, p);
}

static bool hold_shorts(const struct cfg *g, struct code_section *c)
{
	bool more = false;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++) {
		const struct func *fn = &g->func.v[f];
		if (fn->why == OPAQUE_NOT || !fn->is_code)
			continue;
		for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
			const struct block *bl = &g->block.v[b];
			if (!bl->gap)
				more |= hold_short(g, c, f, bl->insn + bl->ninsn - 1);
		}
	}
	return more;
}

static void hold_lump(struct cfg *g, struct code_section *c, uint32_t k)
{
	const struct lump *p = &c->lump.v[k];
	bool before = false;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++) {
		struct func *fn = &g->func.v[f];
		bool here = p->why_off >= fn->start && p->why_off < fn->end;
		bool held = lump_holds(g, c, p, f);
		if (held) {
			cfg_opaque(fn, here ? p->why : OPAQUE_HELD, p->why_off);
			fn->lump = fn->lump ? fn->lump : k + 1;
			fn->tied |= before;
		}
		before = held;
	}
}

void hold_lumps(struct cfg *g, struct code_section *c)
{
	do
		for (size_t k = 0; k < c->lump.n; k++)
			hold_lump(g, c, (uint32_t)k);
	while (hold_shorts(g, c));
}
