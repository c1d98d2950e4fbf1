/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - from sections to instructions, functions and blocks
 *
 * The order of the passes matters.  Symbols cut a section into regions, and decoding restarts
 * at each (so that data in text cannot swallow an instruction); decoding finds branches,
 * and branches name more labels; blocks are cut and jump tables proved when all labels are
 * known.  Each pass has its file:
 * regions.c, labels.c, tables.c, jumps.c, sums.c, opaque.c.
 */
#include "cfg/libc.h"
#include "cfg/blocks.h"
#include "cfg/calls.h"
#include "cfg/cfg.h"
#include "cfg/halves.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/pads.h"
#include "cfg/refs.h"
#include "cfg/regions.h"
#include "cfg/scaled.h"
#include "cfg/tables.h"

#include "base/parallel.h"
#include "base/steps.h"

#include <stdlib.h>

/* Functions ------------------------------------------------------------ */

static void func_push(struct cfg *g, const struct code_section *c, const struct mark *m,
	const struct regions *rs)
{
	uint32_t text = (uint32_t)(c - g->text.v);
	vec_push(&g->func,
		(struct func){.text = text,
			.sym = m->sym,
			.start = m->off,
			.is_code = rs->v.v[region_at(rs, text, m->off)].code});
}

/* Where the next function starts, or the section ends. */
static uint64_t func_limit(const struct cfg *g, const struct code_section *c, uint32_t f)
{
	return f + 1 < c->func + c->nfunc ? g->func.v[f + 1].start : c->sec->size;
}

/* All marks of a section, with the call targets that decoding found outside sized functions. */
static void marks_complete(const struct code_section *c, const struct mark *m, size_t n,
	mark_vec *all)
{
	uint64_t covered = 0;
	size_t i = 0;
	all->n = 0;
	if (!n || m[0].off)
		vec_push(all, (struct mark){.off = 0, .rank = RANK_END});
	for (uint64_t off = 0, next; off < c->sec->size; off = next) {
		for (; i < n && m[i].off == off; i++) {
			bool inside = off < covered && m[i].rank < RANK_FUNC;
			if (!inside)
				vec_push(all, m[i]);
			if (m[i].end > covered) {
				covered = m[i].end;
				vec_push(all, (struct mark){.off = covered, .rank = RANK_END});
			}
		}
		if (off >= covered && set_has(c->entries, off) && set_has(c->starts, off))
			vec_push(all, (struct mark){.off = off, .rank = RANK_CALL});
		next = set_next(c->entries, off, c->sec->size);
		if (i < n && m[i].off < next)
			next = m[i].off;
	}
	sort(all->v, all->n, sizeof *all->v, mark_cmp);
}

/* Compilers and assemblers fill gaps between functions with such instructions. */
static bool is_filler(const struct cfg *g, const struct insn *in)
{
	return in->kind == INSN_NOP || (in->kind == INSN_TRAP && in->len == g->target->code_align);
}

/* Is there only filler between a function's end and the next start?  Then it is padding. */
static bool only_filler(const struct cfg *g, const struct code_section *c, uint64_t from,
	uint64_t to)
{
	uint32_t i = cfg_insn_at(g, c, from);
	for (; i < c->insn + c->ninsn && g->insn.v[i].off < to; i++)
		if (!is_filler(g, &g->insn.v[i]))
			return false;
	return i != UINT32_MAX;
}

static void make_funcs(struct cfg *g, struct code_section *c, const struct mark *m, size_t n,
	mark_vec *all, const struct regions *rs)
{
	marks_complete(c, m, n, all);
	c->func = (uint32_t)g->func.n;
	uint64_t size = c->sec->size;
	for (size_t i = 0; i < all->n; i++) {
		const struct mark *a = &all->v[i];
		if (a->off >= size)
			break;
		if (g->func.n > c->func && g->func.v[g->func.n - 1].start == a->off)
			continue;
		uint64_t next = i + 1 < all->n ? all->v[i + 1].off : size;
		if (a->rank == RANK_END && only_filler(g, c, a->off, next) && g->func.n > c->func) {
			g->func.v[g->func.n - 1].end = a->off;
			continue;
		}
		func_push(g, c, a, rs);
		set_add(c->leaders, a->off);
	}
	c->nfunc = (uint32_t)g->func.n - c->func;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++)
		if (!g->func.v[f].end)
			g->func.v[f].end = func_limit(g, c, f);
}

/* Blocks --------------------------------------------------------------- */

/*
 * A gap: no-ops or traps that nothing leads to, from behind an instruction that does not
 * continue, to the next label or the end.  Sets *end to the insn behind it.
 */
static bool is_gap(const struct cfg *g, const struct code_section *c, uint32_t i, uint32_t last,
	uint32_t *end)
{
	uint32_t k = i;
	while (k < last && is_filler(g, &g->insn.v[k]) && !set_has(c->leaders, g->insn.v[k].off))
		k++;
	*end = k;
	return k > i;
}

static void push_block(struct cfg *g, uint32_t f, uint32_t from, uint32_t to, bool gap)
{
	struct block b = {.insn = from,
		.ninsn = to - from,
		.func = f,
		.target = NO_BLOCK,
		.fall = NO_BLOCK,
		.gap = gap};
	b.end = gap ? END_TRAP : (uint8_t)end_of(&g->insn.v[to - 1]);
	vec_push(&g->block, b);
}

static void func_blocks(struct cfg *g, struct code_section *c, uint32_t f, uint32_t *insn)
{
	struct func *fn = &g->func.v[f];
	uint32_t i = *insn, last = c->insn + c->ninsn;
	while (i < last && g->insn.v[i].off < fn->start)
		i++;
	uint32_t end = i;
	uint64_t limit = func_limit(g, c, f);
	while (end < last && g->insn.v[end].off < limit)
		end++;
	*insn = end;
	fn->block = (uint32_t)g->block.n;
	bool dead = false; /* control does not fall through to insn i */
	while (i < end) {
		uint32_t k;
		dead = dead || g->insn.v[i].off == fn->end;
		if (dead && !set_has(c->leaders, g->insn.v[i].off) && is_gap(g, c, i, end, &k)) {
			push_block(g, f, i, k, true);
			i = k;
			continue;
		}
		k = i + 1;
		while (k < end && !set_has(c->leaders, g->insn.v[k].off) &&
			g->insn.v[k].off != fn->end && end_of(&g->insn.v[k - 1]) == END_FALL)
			k++;
		push_block(g, f, i, k, false);
		dead = !block_continues(&g->block.v[g->block.n - 1]);
		i = k;
	}
	fn->nblock = (uint32_t)g->block.n - fn->block;
}

/* Gaps at the end of a function are not part of it. */
static void trim_func(struct cfg *g, struct func *fn)
{
	while (fn->nblock) {
		const struct block *b = &g->block.v[fn->block + fn->nblock - 1];
		if (!b->gap)
			break;
		fn->end = g->insn.v[b->insn].off;
		fn->nblock--;
	}
}

/* The relocation of an indirect call or jump says that it leads to s. */
static void link_named(const struct cfg *g, struct block *bl, const struct symbol *s)
{
	const struct code_section *t = cfg_section(g, s->sec);
	uint32_t to = t ? cfg_block_at(g, t, s->value) : NO_BLOCK;
	if (symbol_type(s) == STT_GNU_IFUNC || (t && to == NO_BLOCK))
		return;
	bl->chosen = false;
	bl->target = to;
	if (bl->end == END_LEAVE)
		bl->end = END_JUMP;
}

/*
 * hazard: branch into another function.  Code branches into the middle of other functions
 * (hot and cold parts, bodies shared by entries): blocks are found by section, not by
 * function.
 *
 * hazard: tail jump to an IFUNC.  A jump to an IFUNC leads to the function that its resolver
 * chooses: the registers of any function are live there, not those of the resolver.
 */
static void link_block(struct cfg *g, struct code_section *c, uint32_t b)
{
	struct block *bl = &g->block.v[b];
	uint32_t last = bl->insn + bl->ninsn - 1;
	struct ref r;
	bl->entry = set_has(c->entries, g->insn.v[bl->insn].off) ||
		set_has(c->addressed, g->insn.v[bl->insn].off);
	bl->entered = bl->entry || set_has(c->taken, g->insn.v[bl->insn].off) ||
		set_has(c->pads, g->insn.v[bl->insn].off) || b == g->func.v[bl->func].block;
	if (bl->gap)
		return;
	if (block_continues(bl) && b + 1 < c->block + c->nblock &&
		g->insn.v[g->block.v[b + 1].insn].off == insn_end(&g->insn.v[last]))
		bl->fall = b + 1;
	bl->chosen = bl->end == END_CALL;
	if ((bl->end == END_JUMP || bl->end == END_BRANCH || bl->end == END_CALL) &&
		!(g->insn.v[last].flags & INSN_OPERAND_PC) && cfg_ref(g, c, last, &r)) {
		const struct code_section *t = cfg_section(g, r.sec);
		symbolise_jump(g, c, last, bl->func, &r);
		/* the code at the symbol of an IFUNC is the resolver, which chooses the target */
		bl->chosen = r.rel && symbol_type(&g->obj->sym.v[r.rel->sym]) == STT_GNU_IFUNC;
		if (bl->chosen)
			return;
		if (t)
			bl->target = cfg_block_at(g, t, r.off);
		bl->astray = t && bl->target == NO_BLOCK;
	}
	const struct symbol *callee = cfg_callee_symbol(g, c, last);
	if (callee)
		link_named(g, bl, callee);
}

static void func_facts(struct cfg *g, struct func *fn)
{
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
			fn->written |= insn_effects(&g->insn.v[i])->clobbers;
			fn->thread_base |= (g->insn.v[i].flags & INSN_THREAD_BASE) != 0;
		}
	}
}

/*
 * hazard: fall into the next function.  Hand-written functions run into the next symbol:
 * their order stays, and no padding comes between.
 */
static void find_falls(struct cfg *g, const struct code_section *c)
{
	for (uint32_t b = c->block; b < c->block + c->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->fall != NO_BLOCK && g->block.v[bl->fall].func != bl->func)
			g->func.v[g->block.v[bl->fall].func].falls_in = true;
	}
}

/*
 * Facts that follow from the blocks of each function, and the successors of each block.
 *
 * hazard: blocks in sections.  With -fbasic-block-sections every block is a section and
 * every jump between them a relocation.
 */
static void link_part(void *ctx, size_t part, unsigned worker)
{
	struct cfg *g = ctx;
	uint32_t first, end = cfg_part_funcs(g, part, &first);
	(void)worker;
	for (uint32_t f = first; f < end; f++)
		func_facts(g, &g->func.v[f]);
	for (uint32_t i = g->part.v[part]; i < g->part.v[part + 1]; i++) {
		struct code_section *c = &g->text.v[i];
		for (uint32_t b = c->block; b < c->block + c->nblock; b++)
			link_block(g, c, b);
		find_falls(g, c);
	}
}

static void find_shared(struct cfg *g)
{
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		struct block *to = bl->target != NO_BLOCK ? &g->block.v[bl->target] : NULL;
		if (to && to->func != bl->func)
			to->shared = true;
	}
}

/* Padding -------------------------------------------------------------- */

/*
 * [from, to) are no-ops in front of a label.  They are taken for the smallest alignment that
 * explains their number.
 */
static void pad_push(struct cfg *g, struct code_section *c, uint64_t from, uint64_t to)
{
	uint32_t align = 2, f = c->lump.n ? cfg_func_at(g, c, to) : NO_FUNC;
	if (f != NO_FUNC && g->func.v[f].lump && (g->func.v[f].tied || to > g->func.v[f].start))
		return;
	while (align <= to - from)
		align *= 2;
	if (to % align || align > c->sec->align)
		return;
	while (align < 16 && to % (align * 2) == 0 && align * 2 <= c->sec->align)
		align *= 2;
	vec_push(&g->padding, (struct padding){(uint32_t)(c - g->text.v), from, to, align});
}

static void find_padding(struct cfg *g, struct code_section *c)
{
	uint64_t from = UINT64_MAX;
	for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		if (i > c->insn && insn_end(in - 1) != in->off)
			from = UINT64_MAX; /* the bytes between the two did not decode */
		if (set_has(c->leaders, in->off)) {
			if (from != UINT64_MAX)
				pad_push(g, c, from, in->off);
			from = UINT64_MAX;
		}
		/* a no-op with a label of its own is no padding: a probe, the start of a loop */
		if (in->kind != INSN_NOP || (in->flags & INSN_GLUED))
			from = UINT64_MAX;
		else if (from == UINT64_MAX && !set_has(c->leaders, in->off))
			from = in->off;
	}
}

/* Parts ---------------------------------------------------------------- */

static void cut_blocks(struct cfg *g, struct code_section *c)
{
	uint32_t insn = c->insn;
	c->block = (uint32_t)g->block.n;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++)
		func_blocks(g, c, f, &insn);
	c->nblock = (uint32_t)g->block.n - c->block;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++)
		trim_func(g, &g->func.v[f]);
}

/* Results of the parts of the code, numbered within each part until all are joined. */
struct building {
	struct cfg *g;
	const struct marks *marks;
	const struct regions *regions;
	mark_vec *bad;		/* by text section: offsets that do not decode */
	struct cfg *part;	/* functions, blocks and padding by part */
	uint32_t *func, *block; /* by part: numbers of its first function and block */
	opaque_parts *opaque;	/* by part */
};

static uint32_t part_insns(const struct cfg *g, size_t part)
{
	const struct code_section *first = &g->text.v[g->part.v[part]],
				  *last = &g->text.v[g->part.v[part + 1] - 1];
	return last->insn + last->ninsn - first->insn;
}

/* Most parts have a block for each three to five instructions. */
static void cut_part(void *ctx, size_t part, unsigned worker)
{
	const struct building *w = ctx;
	const struct marks *m = w->marks;
	struct cfg g = *w->g;
	mark_vec all = {0};
	(void)worker;
	memset(&g.func, 0, sizeof g.func);
	memset(&g.block, 0, sizeof g.block);
	vec_reserve(&g.block, part_insns(&g, part) / 3);
	for (uint32_t i = g.part.v[part]; i < g.part.v[part + 1]; i++) {
		struct code_section *c = &g.text.v[i];
		resolve_labels(&g, c);
		make_funcs(&g, c, m->v.v + m->first[i], m->first[i + 1] - m->first[i], &all,
			w->regions);
		cut_blocks(&g, c);
	}
	w->part[part] = g;
	vec_free(&all);
}

static void join_part(void *ctx, size_t part, unsigned worker)
{
	const struct building *w = ctx;
	struct cfg *g = w->g, *from = &w->part[part];
	uint32_t func = w->func[part], block = w->block[part];
	(void)worker;
	for (uint32_t i = g->part.v[part]; i < g->part.v[part + 1]; i++) {
		g->text.v[i].func += func;
		g->text.v[i].block += block;
	}
	for (size_t f = 0; f < from->func.n; f++) {
		g->func.v[func + f] = from->func.v[f];
		g->func.v[func + f].block += block;
	}
	for (size_t b = 0; b < from->block.n; b++) {
		g->block.v[block + b] = from->block.v[b];
		g->block.v[block + b].func += func;
	}
	vec_free(&from->func);
	vec_free(&from->block);
}

static void join_parts(struct building *w)
{
	struct cfg *g = w->g;
	size_t parts = g->part.n - 1, func = 0, block = 0;
	w->func = arena_array(g->arena, uint32_t, parts);
	w->block = arena_array(g->arena, uint32_t, parts);
	for (size_t k = 0; k < parts; k++) {
		w->func[k] = (uint32_t)func;
		w->block[k] = (uint32_t)block;
		func += w->part[k].func.n;
		block += w->part[k].block.n;
	}
	vec_reserve(&g->func, func);
	vec_reserve(&g->block, block);
	g->func.n = func;
	g->block.n = block;
	parallel(parts, join_part, w);
}

static void find_opaque_in(void *ctx, size_t part, unsigned worker)
{
	const struct building *w = ctx;
	struct cfg *g = w->g;
	opaque_parts v = {0};
	for (uint32_t i = g->part.v[part]; i < g->part.v[part + 1]; i++) {
		struct code_section *c = &g->text.v[i];
		for (size_t k = 0; k < w->bad[i].n; k++)
			list_opaque_at(g, c, w->bad[i].v[k].off, OPAQUE_UNDECODED, &v);
		list_labels_inside(g, c, &v);
		check_relocs(g, c, &v);
		list_kept_funcs(g, c, &v);
		list_data_references(g, c, &v);
		list_computing_links(g, c, cfg_decoder(g, worker), &v);
		glue_exclusives(g, c, &v);
		join_load_parts(g, c);
		list_shared_parts(g, c, &v);
	}
	w->opaque[part] = v;
}

static void finish_part(void *ctx, size_t part, unsigned worker)
{
	const struct building *w = ctx;
	struct cfg g = *w->g;
	(void)worker;
	memset(&g.padding, 0, sizeof g.padding);
	for (uint32_t i = g.part.v[part]; i < g.part.v[part + 1]; i++) {
		struct code_section *c = &g.text.v[i];
		hold_lumps(&g, c);
		find_padding(&g, c);
	}
	w->part[part] = g;
}

static void finish_parts(struct building *w)
{
	struct cfg *g = w->g;
	parallel(g->part.n - 1, finish_part, w);
	for (size_t k = 0; k + 1 < g->part.n; k++) {
		for (size_t i = 0; i < w->part[k].padding.n; i++)
			vec_push(&g->padding, w->part[k].padding.v[i]);
		vec_free(&w->part[k].padding);
	}
}

/* The whole ------------------------------------------------------------ */

enum { PART = 1 << 17 }; /* bytes of code in one unit of parallel work */

static void cfg_sections(struct cfg *g)
{
	uint64_t part = 0;
	struct object *o = g->obj;
	g->text_of = arena_array(g->arena, uint32_t, o->sec.n);
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (!section_is_code(s) || !s->size || s->dropped)
			continue;
		size_t words = s->size / 64 + 1;
		if (s->size >= UINT32_MAX)
			fatal_at(s, 0, "code section of 4 GiB or more");
		struct code_section c = {.sec = s,
			.starts = arena_array(g->arena, uint64_t, words),
			.leaders = arena_array(g->arena, uint64_t, words),
			.taken = arena_array(g->arena, uint64_t, words),
			.addressed = arena_array(g->arena, uint64_t, words),
			.entries = arena_array(g->arena, uint64_t, words),
			.pads = arena_array(g->arena, uint64_t, words)};
		if (!part || part > PART) {
			vec_push(&g->part, (uint32_t)g->text.n);
			part = 0;
		}
		part += s->size;
		vec_push(&g->text, c);
		g->text_of[i] = (uint32_t)g->text.n;
	}
	vec_push(&g->part, (uint32_t)g->text.n);
}

/* Labels from unwind tables, relocations and symbols; those of branches come later. */
static void label_all(struct cfg *g, struct regions *rs)
{
	const struct object *o = g->obj;
	regions_unwind(g, rs);
	label_sections(g);
	for (size_t i = 1; i < o->sec.n; i++)
		if (!o->sec.v[i].dropped &&
			(o->sec.v[i].type == SHT_NOTE || is_patchable(&o->sec.v[i])))
			label_probes(g, &o->sec.v[i]);
	for (size_t i = 1; i < o->sym.n; i++)
		if (symbol_type(&o->sym.v[i]) != STT_SECTION && !symbol_is_temporary(&o->sym.v[i]))
			cfg_label(g, o->sym.v[i].sec, o->sym.v[i].value,
				symbol_rank(g->target, &o->sym.v[i]) ? LABEL_ENTRY : LABEL_BRANCH);
}

static void decode(struct building *w, struct regions *rs)
{
	struct cfg *g = w->g;
	const struct marks *m = w->marks;
	offset_set *hard = arena_array(g->arena, offset_set, g->text.n + 1);
	for (uint32_t i = 0; i < g->text.n; i++)
		hard[i] = hard_starts(g, &g->text.v[i], m->v.v + m->first[i],
			m->first[i + 1] - m->first[i]);
	decode_sections(g, hard, w->bad);
	for (uint32_t i = 0; i < g->text.n; i++) {
		regions_cut(g, rs, i, m->v.v + m->first[i], m->first[i + 1] - m->first[i], hard[i]);
		for (size_t k = 0; k < w->bad[i].n; k++) {
			struct region *r = &rs->v.v[region_at(rs, i, w->bad[i].v[k].off)];
			r->data = !r->code;
		}
	}
}

struct cfg *cfg_build(struct arena *a, struct object *o, const struct target *t,
	const struct cfg_options *opt)
{
	struct cfg *g = arena_new(a, struct cfg);
	*g = (struct cfg){.arena = a,
		.obj = o,
		.target = t,
		.outside = opt->outside,
		.shared = opt->shared,
		.stated = opt->stated,
		.decoder = arena_array(a, struct decoder *, parallel_workers())};
	cfg_decoder(g, 0);
	find_libc(g);
	cfg_sections(g);
	size_t parts = g->part.n - 1;
	struct marks m = {0};
	struct regions rs = {.first = arena_array(a, uint32_t, g->text.n + 2)};
	opaque_parts numbered = {0};
	struct building w = {.g = g,
		.marks = &m,
		.regions = &rs,
		.bad = arena_array(a, mark_vec, g->text.n + 1),
		.part = arena_array(a, struct cfg, parts),
		.opaque = arena_array(a, opaque_parts, parts)};
	marks_collect(g, &m);
	decode(&w, &rs);
	scaled_find(g, &m);
	step_done("decode");
	label_all(g, &rs);
	regions_spread(g, &rs);
	for (uint32_t i = 0; i < g->text.n; i++)
		regions_unproved(g, &rs, i);
	step_done("labels");
	tables_find(g);
	cfg_foreign(g, &m);
	parallel(parts, cut_part, &w);
	join_parts(&w);
	parallel(parts, link_part, g);
	find_shared(g);
	pads_resolve(g);
	parallel(parts, find_opaque_in, &w);
	for (size_t k = 0; k < parts; k++)
		make_opaque(g, &w.opaque[k]);
	list_numbered_funcs(g, &numbered);
	list_calls_with_data(g, &numbered);
	make_opaque(g, &numbered);
	for (size_t f = 0; opt->far && f < g->func.n; f++)
		if (opt->far[f])
			cfg_opaque(&g->func.v[f], OPAQUE_FAR, g->func.v[f].start);
	halves_pair(g);
	find_noreturn(g);
	step_done("blocks");
	tables_prove(g);
	sums_find(g);
	finish_parts(&w);
	for (size_t i = 0; i < g->text.n; i++)
		vec_free(&w.bad[i]);
	vec_free(&m.v);
	vec_free(&rs.v);
	vec_free(&rs.work);
	return g;
}
