/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static_map.c - the map of functions, blocks and counters; see runtime/abi.h
 */
#include "instr/static_map.h"

#include "instr/count/called.h"
#include "instr/row.h"
#include "instr/tool/tool.h"

#include "base/parallel.h"
#include "reloc/diff.h"
#include "reloc/fix.h"
#include "runtime/abi.h"

#include <stdlib.h>

/* Offsets in strings. */
struct names {
	uint32_t func, section, why;
};

/* Instructions of a block without inserted bytes between, and the bytes up to the next run. */
struct run {
	uint32_t insns;
	uint64_t skip;
};

/* The whole map while it is written; each part of the code is written to a copy. */
struct writer {
	const struct plan *p;
	const struct cfg *g;
	struct buf b; /* of a part */
	uint8_t *map; /* the header, functions, strings */
	size_t size;  /* of what is written, without the header */
	struct buf strings;
	struct strmap seen;
	VEC(struct reloc) rel;
	VEC(uint64_t) distance;		       /* where those are that the last link may write */
	uint32_t *symbol;		       /* by code section: a symbol in it */
	uint32_t *file;			       /* by symbol: offset of its file's name in strings */
	struct names *names;		       /* by function */
	int64_t last_counter, lowest, highest; /* of a function; highest < lowest: none */
	uint64_t nfuncs, nblocks, nedges;
	uint64_t inputs;      /* where the table of inputs begins */
	uint64_t variables;   /* where the table of variables begins */
	uint32_t text;	      /* code section of the last function */
	size_t cursor;	      /* in that section's address map */
	VEC(uint32_t) number; /* by block of a function: 1 + its number in the map */
	VEC(struct run) run;  /* of a block */
};

static uint64_t intern(struct writer *w, const char *s)
{
	uint64_t *slot = strmap_slot(&w->seen, s);
	if (!*slot) {
		*slot = w->strings.n + 1;
		buf_str(&w->strings, s);
	}
	return *slot - 1;
}

/* Add a symbol to each code section that has none: the gABI does not require one. */
static void name_sections(struct writer *w)
{
	struct object *o = w->g->obj;
	for (size_t i = 0; i < w->g->text.n; i++) {
		uint32_t sec = w->g->text.v[i].sec->index;
		struct symbol s = {.sec = sec,
			.other = STV_HIDDEN,
			.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
			.name = arena_printf(o->arena, "__ldx_text_%u", sec)};
		if (!w->symbol[sec])
			w->symbol[sec] = object_add_symbol(o, &s);
	}
}

/*
 * Find a symbol for each section, and the source file of each local symbol.  LLD wrote the combined
 * object, and puts the section symbols of an input behind its other local symbols: the symbols
 * behind these are of another input, whose source file is unknown unless a file symbol precedes.
 */
static void index_symbols(struct writer *w)
{
	struct object *o = w->g->obj;
	w->symbol = arena_array(w->g->arena, uint32_t, o->sec.n);
	w->file = arena_array(w->g->arena, uint32_t, o->sym.n);
	uint32_t file = 0;
	for (uint32_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		if (symbol_type(s) == STT_FILE)
			file = (uint32_t)intern(w, s->name);
		else if (symbol_type(s) != STT_SECTION && symbol_type(s - 1) == STT_SECTION)
			file = 0;
		w->file[i] = i < o->nlocal ? file : 0;
		if (s->sec && s->sec < o->sec.n &&
			(!w->symbol[s->sec] || symbol_type(s) == STT_SECTION))
			w->symbol[s->sec] = i;
	}
	name_sections(w);
}

/* In a field of 8 bytes, those of an address of fewer. */
static unsigned address_in(const struct object *o)
{
	return o->big ? 8 - o->word : 0;
}

static void put_address(struct writer *w, const struct func *f)
{
	const struct object *o = w->g->obj;
	const struct section *s = w->g->text.v[f->text].sec;
	struct reloc r = {.off = sizeof(struct ldx_map_header) + w->b.n + address_in(o),
		.type = w->g->target->made.address,
		.sym = w->symbol[s->index]};
	if (s->relaxes) {
		r.sym = object_label(o, s->index, map_addr(s->map, f->start, REF_ADDRESS));
	} else {
		r.addend = (int64_t)(f->start - o->sym.v[r.sym].value);
		r = fix_reloc(o, s, &r, REF_ADDRESS);
	}
	vec_push(&w->rel, r);
	buf_u64(&w->b, 0);
}

/*
 * The distance between new offsets, with a sign.  Where the last link may shorten it, which then
 * writes it, it has 32 bits: GNU ld 2.40 knows no relocation of LEB128 numbers.
 */
static void put_distance(struct writer *w, const struct section *s, uint64_t from, uint64_t to)
{
	struct reloc r[2];
	bool zero, back = to < from;
	uint64_t off = sizeof(struct ldx_map_header) + w->b.n;
	if (!w->g->obj->terms) {
		buf_sleb(&w->b, (int64_t)(to - from));
		return;
	}
	buf_u32(&w->b, (uint32_t)(to - from));
	vec_push(&w->distance, off);
	if (back && diff_shrinks(w->g->obj, s, to, from))
		fatal_at(s, to, "code that is relaxed, in another order");
	if (!diff_relocs(w->g->obj, s, from, to, 32, off, r, &zero))
		return;
	vec_push(&w->rel, r[0]);
	vec_push(&w->rel, r[1]);
}

static void put_counter(struct writer *w, uint32_t number)
{
	buf_sleb(&w->b, (int64_t)number - w->last_counter - 1);
	w->last_counter = (int64_t)number;
	w->lowest = w->last_counter < w->lowest ? w->last_counter : w->lowest;
	w->highest = w->last_counter > w->highest ? w->last_counter : w->highest;
}

uint32_t count_insns(const struct cfg *g, const struct insn *in, uint32_t n)
{
	uint32_t longest = g->target->insn_size, count = n;
	for (uint32_t i = 0; longest && i < n; i++)
		count += in[i].len > longest;
	return count;
}

/* Were bytes of [from, to) changed, or code inserted?  next: the first fragment behind from. */
static bool is_edited(const struct addrmap *m, size_t next, uint64_t from, uint64_t to)
{
	return (next && m->frag[next - 1].old == from && m->frag[next - 1].kind != FRAG_KEPT) ||
		(next < m->n && m->frag[next].old < to);
}

/*
 * How many instructions of the block are kept: all, but for no-ops at its end if these are padding
 * whose size has changed.
 */
static uint32_t kept_insns(const struct writer *w, const struct addrmap *m, const struct block *bl,
	uint64_t to)
{
	const struct insn *in = &w->g->insn.v[bl->insn];
	uint32_t n = bl->ninsn;
	while (n && in[n - 1].kind == INSN_NOP)
		n--;
	uint64_t from = n < bl->ninsn ? in[n].off : to;
	size_t next = w->cursor;
	map_addr_seq(m, &next, from, REF_EXACT);
	return is_edited(m, next, from, to) ? n : bl->ninsn;
}

/* The runs of a block's instructions.  False: all of them are one. */
static bool find_runs(struct writer *w, const struct addrmap *m, const struct block *bl,
	uint64_t to)
{
	const struct insn *in = &w->g->insn.v[bl->insn];
	const uint32_t n = kept_insns(w, m, bl, to);
	size_t at_cursor = w->cursor, end_cursor = w->cursor;
	uint64_t end = 0;
	w->run.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t at = map_addr_seq(m, &at_cursor, in[i].off, REF_EXACT);
		if (i && at != end)
			w->run.v[w->run.n - 1].skip = at - end;
		if (!i || at != end)
			vec_push(&w->run, (struct run){0});
		w->run.v[w->run.n - 1].insns += count_insns(w->g, &in[i], 1);
		end = map_addr_seq(m, &end_cursor, insn_end(&in[i]), REF_RANGE_END);
	}
	return n < bl->ninsn || w->run.n > 1;
}

static void put_block(struct writer *w, uint32_t b, uint64_t *end, uint64_t *moved)
{
	const struct cfg *g = w->g;
	const struct block *bl = &g->block.v[b];
	const struct section *s = g->text.v[g->func.v[bl->func].text].sec;
	uint64_t from = g->insn.v[bl->insn].off,
		 to = insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]);
	uint64_t at = map_addr_seq(s->map, &w->cursor, from, REF_EXACT);
	uint32_t counter = w->p->block_counter[b];
	bool apart = s->map && is_edited(s->map, w->cursor, from, to) &&
		find_runs(w, s->map, bl, to);
	buf_uleb(&w->b, from - *end);
	buf_uleb(&w->b, to - from);
	buf_uleb(&w->b, count_insns(w->g, &g->insn.v[bl->insn], bl->ninsn));
	put_distance(w, s, *moved, at);
	buf_uleb(&w->b,
		(counter ? LDX_BLOCK_COUNTED : 0u) | (apart ? LDX_BLOCK_APART : 0u) |
			(bl->end == END_CALL ? LDX_BLOCK_CALL : 0u) |
			(bl->entry ? LDX_BLOCK_ENTRY : 0u) | w->p->block_flags[b]);
	if (counter)
		put_counter(w, counter - 1);
	if (apart)
		buf_uleb(&w->b, w->run.n);
	for (size_t i = 0; apart && i < w->run.n; i++) {
		buf_uleb(&w->b, w->run.v[i].insns);
		buf_uleb(&w->b, w->run.v[i].skip);
	}
	*end = to;
	*moved = at;
}

static void put_edges(struct writer *w, uint32_t fi)
{
	const struct plan *p = w->p;
	uint32_t first = w->g->func.v[fi].block;
	for (uint32_t i = p->func_edge[fi]; i < p->func_edge[fi + 1]; i++) {
		const struct plan_edge *e = &p->edge.v[i];
		buf_uleb(&w->b, e->from == NO_BLOCK ? 0 : w->number.v[e->from - first]);
		buf_uleb(&w->b, e->to == NO_BLOCK ? 0 : w->number.v[e->to - first]);
		buf_uleb(&w->b,
			(e->state == COUNT_COUNTED ? LDX_EDGE_COUNTED : 0u) |
				(e->state == COUNT_UNKNOWN ? LDX_EDGE_UNKNOWN : 0u) |
				(e->kind == EDGE_FALL ? LDX_EDGE_FALL : 0u) |
				(e->by_next ? LDX_EDGE_NEXT : 0u) |
				(e->known ? LDX_EDGE_CALLS : 0u));
		if (e->state == COUNT_COUNTED)
			put_counter(w, e->counter);
		w->nedges++;
	}
}

/* Insert bytes at a place of the part's buffer. */
static void insert_head(struct writer *w, size_t at, const struct buf *b, size_t rel,
	size_t distance)
{
	size_t n = w->b.n - at;
	if (!b->n)
		return;
	buf_put(&w->b, b->v, b->n);
	memmove(w->b.v + at + b->n, w->b.v + at, n);
	memcpy(w->b.v + at, b->v, b->n);
	for (; rel < w->rel.n; rel++)
		w->rel.v[rel].off += b->n;
	for (; distance < w->distance.n; distance++)
		w->distance.v[distance] += b->n;
}

/* The blocks and edges of a function, behind what a reader needs that skips them. */
static void put_flow(struct writer *w, uint32_t fi, uint32_t n, uint64_t moved)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	uint64_t end = f->start;
	size_t at = w->b.n, rel = w->rel.n, distance = w->distance.n;
	int64_t before = w->last_counter;
	w->lowest = INT64_MAX;
	w->highest = -1;
	for (uint32_t b = f->block; n && b < f->block + f->nblock; b++)
		if (!g->block.v[b].gap)
			put_block(w, b, &end, &moved);
	put_edges(w, fi);
	struct buf head = {0};
	bool counts = w->highest >= w->lowest;
	if (w->b.n > at) {
		buf_uleb(&head, w->b.n - at);
		buf_uleb(&head, counts ? (uint64_t)(w->highest - w->lowest + 1) : 0);
	}
	if (counts) {
		buf_sleb(&head, w->lowest - before - 1);
		buf_uleb(&head, (uint64_t)(w->highest - w->last_counter));
	}
	insert_head(w, at, &head, rel, distance);
	free(head.v);
}

static void put_callers(struct writer *w, uint32_t fi)
{
	const struct called *c = w->p->called;
	uint32_t n = called_sites(c, fi);
	if (n)
		buf_uleb(&w->b, n);
	for (uint32_t i = 0; i < n; i++)
		buf_uleb(&w->b, w->p->block_counter[c->site[c->first[fi] + i]] - 1);
}

static void put_func(struct writer *w, uint32_t fi)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	const struct section *s = g->text.v[f->text].sec;
	uint64_t entry = map_addr(s->map, f->start, REF_ADDRESS);
	bool whole = f->why == OPAQUE_NOT;
	uint32_t n = 0;
	w->number.n = 0;
	if (w->text != f->text)
		w->cursor = 0;
	w->text = f->text;
	for (uint32_t b = f->block; whole && b < f->block + f->nblock; b++) {
		n += !g->block.v[b].gap;
		vec_push(&w->number, n);
	}
	put_address(w, f);
	buf_uleb(&w->b, w->names[fi].func);
	buf_uleb(&w->b, w->names[fi].section);
	buf_uleb(&w->b, f->sym ? w->file[f->sym] : 0);
	buf_uleb(&w->b, f->start);
	buf_uleb(&w->b, f->end - f->start);
	buf_uleb(&w->b,
		(whole ? 0u : LDX_FUNC_OPAQUE) | (w->p->func_counter[fi] ? LDX_FUNC_ENTRY : 0u) |
			(called_sites(w->p->called, fi) ? LDX_FUNC_CALLED : 0u));
	buf_uleb(&w->b, w->p->func_counter[fi]);
	buf_uleb(&w->b, w->names[fi].why);
	buf_uleb(&w->b, n);
	buf_uleb(&w->b, w->p->func_edge[fi + 1] - w->p->func_edge[fi]);
	put_callers(w, fi);
	put_flow(w, fi, n, entry);
	w->nfuncs++;
	w->nblocks += n;
}

/* Parts ---------------------------------------------------------------- */

/* The last counter that put_func() writes for function fi; -1: none. */
static int64_t last_counter(const struct writer *w, uint32_t fi)
{
	const struct plan *p = w->p;
	const struct func *f = &w->g->func.v[fi];
	if (!f->is_code)
		return -1;
	for (uint32_t i = p->func_edge[fi + 1]; i-- > p->func_edge[fi];)
		if (p->edge.v[i].state == COUNT_COUNTED)
			return p->edge.v[i].counter;
	for (uint32_t b = f->block + f->nblock; f->why == OPAQUE_NOT && b-- > f->block;)
		if (!w->g->block.v[b].gap && p->block_counter[b])
			return (int64_t)p->block_counter[b] - 1;
	return -1;
}

static void put_part(void *ctx, size_t part, unsigned worker)
{
	struct writer *parts = ctx, w = parts[part];
	uint32_t first, end = cfg_part_funcs(w.g, part, &first);
	(void)worker;
	for (uint32_t f = first; f < end; f++)
		if (w.g->func.v[f].is_code)
			put_func(&w, f);
	vec_free(&w.number);
	vec_free(&w.run);
	parts[part] = w;
}

static void name_funcs(struct writer *w)
{
	const struct cfg *g = w->g;
	w->names = arena_array(g->arena, struct names, g->func.n + 1);
	for (uint32_t i = 0; i < g->func.n; i++) {
		const struct func *f = &g->func.v[i];
		struct names *n = &w->names[i];
		if (!f->is_code)
			continue;
		n->func = (uint32_t)intern(w, func_name(g, f));
		n->section = (uint32_t)intern(w, g->text.v[f->text].sec->name);
		n->why = f->why == OPAQUE_NOT ? 0 : (uint32_t)intern(w, opaque_text[f->why]);
	}
}

static void put_bytes(struct writer *w, const struct buf *b)
{
	if (b->n)
		memcpy(w->map + sizeof(struct ldx_map_header) + w->size, b->v, b->n);
	w->size += b->n;
}

static void put_input(struct buf *b, uint64_t n, uint64_t name)
{
	if (!n)
		return;
	buf_uleb(b, n);
	buf_uleb(b, name);
}

static struct buf make_inputs(struct writer *w)
{
	const struct cfg *g = w->g;
	const char **input = g->obj->input;
	const struct origins *from = w->p->opt->origins;
	struct buf b = {0};
	uint64_t n = 0, last = 0;
	for (uint32_t i = 0; i < g->func.n; i++) {
		const struct func *f = &g->func.v[i];
		if (!f->is_code)
			continue;
		const char *file = input ? input[g->text.v[f->text].sec->index] : NULL;
		uint64_t name = file && !from->temporary(from->ctx, file) ? intern(w, file) : 0;
		if (name != last) {
			put_input(&b, n, last);
			n = 0;
		}
		last = name;
		n++;
	}
	put_input(&b, n, last);
	return b;
}

struct variables {
	struct writer *w;
	struct buf b;
	uint64_t n;
};

static void put_variable(void *ctx, const char *tool, const char *name, uint64_t at, uint64_t size)
{
	struct variables *x = ctx;
	x->n++;
	buf_uleb(&x->b, intern(x->w, tool));
	buf_uleb(&x->b, intern(x->w, name));
	buf_uleb(&x->b, at);
	buf_uleb(&x->b, size);
}

static struct buf make_variables(struct writer *w)
{
	struct variables x = {.w = w};
	struct buf all = {0};
	rule_vec rules = {0};
	if (w->p->tools)
		tools_variables(w->p->tools, put_variable, &x);
	buf_uleb(&all, x.n);
	buf_put(&all, x.b.v, x.b.n);
	vec_free(&x.b);
	tools_rules(w->p->tools, &rules);
	if (x.n)
		buf_uleb(&all, rules.n);
	for (size_t i = 0; i < rules.n; i++) {
		buf_uleb(&all, rules.v[i].first);
		buf_uleb(&all, rules.v[i].cells);
		buf_uleb(&all, rules.v[i].kind);
		buf_uleb(&all, rules.v[i].keys);
		buf_uleb(&all, rules.v[i].sums);
	}
	vec_free(&rules);
	return all;
}

static void put_funcs(struct writer *w)
{
	size_t parts = w->g->part.n - 1;
	struct writer *part = arena_array(w->g->arena, struct writer, parts);
	name_funcs(w);
	/*
	 * A counter is written as its distance from the previous one, maybe of an earlier part.
	 */
	for (size_t k = 0; k < parts; k++) {
		uint32_t first, f = cfg_part_funcs(w->g, k, &first);
		int64_t last = -1;
		part[k] = *w;
		while (f-- > first && last < 0)
			last = last_counter(w, f);
		w->last_counter = last < 0 ? w->last_counter : last;
	}
	parallel(parts, put_part, part);
	struct buf inputs = make_inputs(w), variables = make_variables(w);
	size_t size = w->strings.n + inputs.n + variables.n;
	for (size_t k = 0; k < parts; k++)
		size += part[k].b.n;
	w->map = arena_alloc(w->g->arena, sizeof(struct ldx_map_header) + size);
	for (size_t k = 0; k < parts; k++) {
		struct writer *from = &part[k];
		for (size_t i = 0; i < from->rel.n; i++) {
			from->rel.v[i].off += w->size;
			vec_push(&w->rel, from->rel.v[i]);
		}
		for (size_t i = 0; i < from->distance.n; i++)
			vec_push(&w->distance, from->distance.v[i] + w->size);
		put_bytes(w, &from->b);
		w->nfuncs += from->nfuncs;
		w->nblocks += from->nblocks;
		w->nedges += from->nedges;
		vec_free(&from->rel);
		vec_free(&from->distance);
		free(from->b.v);
	}
	w->inputs = sizeof(struct ldx_map_header) + w->size;
	put_bytes(w, &inputs);
	w->variables = sizeof(struct ldx_map_header) + w->size;
	put_bytes(w, &variables);
	vec_free(&inputs);
	vec_free(&variables);
}

/* FNV-1a (public domain, Fowler, Noll and Vo). */
static uint64_t checksum(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3;
	return h;
}

/* The checksum of the map, in which distances that the last link may write count as zeros. */
static uint64_t checksum_map(const struct writer *w)
{
	size_t size = sizeof(struct ldx_map_header) + w->size;
	const uint8_t *map = w->map;
	if (w->distance.n) {
		uint8_t *copy = arena_alloc(w->g->arena, size);
		memcpy(copy, map, size);
		for (size_t i = 0; i < w->distance.n; i++)
			memset(copy + w->distance.v[i], 0, 4);
		map = copy;
	}
	return checksum(map + sizeof(struct ldx_map_header), w->size);
}

static void add_map(struct writer *w, uint64_t *build)
{
	struct object *o = w->g->obj;
	uint64_t strings = sizeof(struct ldx_map_header) + w->size;
	put_bytes(w, &w->strings);
	*build = checksum_map(w);
	uint64_t size = sizeof(struct ldx_map_header) + w->size;
	struct buf h = {.big = o->big};
	buf_u32(&h, LDX_MAP_MAGIC);
	buf_u32(&h, sizeof(struct ldx_map_header));
	buf_u64(&h, *build);
	buf_u64(&h, plan_cells(w->p));
	buf_u64(&h, w->nfuncs);
	buf_u64(&h, w->nblocks);
	buf_u64(&h, w->nedges);
	buf_u64(&h, strings);
	buf_u64(&h, size);
	buf_u32(&h, (uint32_t)w->p->opt->mode);
	buf_u32(&h, o->machine);
	buf_u64(&h, w->inputs);
	buf_u64(&h, w->variables);
	memcpy(w->map, h.v, sizeof(struct ldx_map_header));
	vec_free(&h);
	struct section s = {.name = ".ldx.map",
		.type = SHT_PROGBITS,
		.align = 8,
		.size = size,
		.data = w->map,
		.rewritten = true,
		.out = w->map,
		.out_size = size,
		.out_nrel = (uint32_t)w->rel.n};
	s.out_rel = arena_array(o->arena, struct reloc, w->rel.n + 1);
	if (w->rel.n)
		memcpy(s.out_rel, w->rel.v, w->rel.n * sizeof *w->rel.v);
	object_add_section(o, &s);
}

/*
 * Add memory for the cells to the image: the counters, or, where the runtime maps these elsewhere,
 * spare memory for the case that it cannot.  Returns its symbol.
 */
static uint32_t add_cells(const struct plan *p)
{
	struct object *o = p->g->obj;
	uint64_t bytes = (plan_cells(p) * 8 + LDX_PAGE) & ~(uint64_t)(LDX_PAGE - 1);
	struct section s = {.name = ".ldx.counters",
		.type = SHT_NOBITS,
		.align = LDX_PAGE,
		.flags = SHF_ALLOC | SHF_WRITE,
		.size = bytes};
	struct symbol spare = {.name = "__ldx_spare",
		.other = STV_HIDDEN,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)};
	if (p->addressing.moved) {
		o->sym.v[p->addressing.sym_fixed].value = LDX_CELLS;
		o->sym.v[p->addressing.sym_fixed].sec = SEC_ABS;
	}
	spare.sec = object_add_section(o, &s);
	if (!p->addressing.near)
		return object_add_symbol(o, &spare);
	o->sym.v[p->addressing.sym].sec = spare.sec;
	return p->addressing.sym;
}

static uint64_t info_flags(const struct plan *p)
{
	uint64_t flags = p->addressing.moved ? LDX_INFO_MAPPED : 0;
	if (p->opt->mode == LDX_MODE_COVER)
		flags |= LDX_INFO_MARKS;
	if (p->opt->ends)
		flags |= LDX_INFO_ENDS;
	if (p->addressing.access == ACCESS_TURNED)
		flags |= LDX_INFO_TURNS;
	if (counts_by_thread(&p->addressing))
		flags |= LDX_INFO_THREADS | (p->opt->dynamic ? LDX_INFO_CHECKS : 0u) |
			(p->filters ? LDX_INFO_AHEAD : 0u);
	return flags;
}

static void put_field(const struct object *o, uint8_t *info, size_t at, uint64_t x)
{
	put_word(info + at, 8, o->big, x);
}

static void put_rule(const struct object *o, uint8_t *to, const struct ldx_rule *r)
{
	put_field(o, to, offsetof(struct ldx_rule, first), r->first);
	put_field(o, to, offsetof(struct ldx_rule, cells), r->cells);
	put_field(o, to, offsetof(struct ldx_rule, kind), r->kind);
	put_field(o, to, offsetof(struct ldx_rule, keys), r->keys);
	put_field(o, to, offsetof(struct ldx_rule, sums), r->sums);
}

/*
 * The label at the field is for GNU ld for RISC-V, which adds what the psABI subtracts, the addend.
 */
struct reloc *distance_reloc(const struct cfg *g, struct reloc *r, uint32_t sec, uint64_t off,
	uint32_t sym, int64_t addend)
{
	struct object *o = g->obj;
	uint64_t at = off + address_in(o);
	*r++ = (struct reloc){.off = at,
		.type = g->target->made.distance,
		.sym = sym,
		.addend = addend + address_in(o)};
	if (g->target->made.subtract)
		*r++ = (struct reloc){.off = at,
			.type = g->target->made.subtract,
			.sym = object_label(o, sec, at)};
	return r;
}

static void add_info(const struct plan *p, uint64_t build)
{
	struct object *o = p->g->obj;
	const char *pattern = p->opt->profile ? p->opt->profile : "";
	rule_vec rules = {0};
	tools_rules(p->tools, &rules);
	size_t behind = sizeof(struct ldx_info);
	behind += rules.n ? (rules.n + 1) * sizeof(struct ldx_rule) : 0;
	size_t size = behind + (*pattern ? strlen(pattern) + 1 : 0);
	uint8_t *info = arena_alloc(o->arena, size);
	put_field(o, info, offsetof(struct ldx_info, magic), LDX_INFO_MAGIC);
	put_field(o, info, offsetof(struct ldx_info, build), build);
	put_field(o, info, offsetof(struct ldx_info, ncounters), plan_cells(p));
	put_field(o, info, offsetof(struct ldx_info, flags),
		info_flags(p) | (rules.n ? LDX_INFO_RULES : 0u));
	for (size_t i = 0; i < rules.n; i++)
		put_rule(o, info + sizeof(struct ldx_info) + i * sizeof(struct ldx_rule),
			&rules.v[i]);
	vec_free(&rules);
	if (*pattern) {
		size_t at = offsetof(struct ldx_info, pattern);
		put_field(o, info, at, behind - at);
		memcpy(info + behind, pattern, size - behind);
	}
	uint32_t cells = add_cells(p), event = tools_event_symbol(p->tools);
	struct reloc *rel = arena_array(o->arena, struct reloc, 4), *r = rel;
	struct section si = {.name = ".ldx.info",
		.type = SHT_PROGBITS,
		.align = 8,
		.flags = SHF_ALLOC,
		.size = size,
		.data = info,
		.rewritten = true,
		.out = info,
		.out_size = size,
		.out_rel = rel};
	uint32_t sec = object_add_section(o, &si);
	struct symbol sym = {.name = "__ldx_info",
		.sec = sec,
		.size = sizeof(struct ldx_info),
		.other = STV_HIDDEN,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)};
	object_add_symbol(o, &sym);
	r = distance_reloc(p->g, r, sec,
		p->addressing.near ? offsetof(struct ldx_info, counters)
				   : offsetof(struct ldx_info, spare),
		cells, 0);
	if (event)
		r = distance_reloc(p->g, r, sec, offsetof(struct ldx_info, events), event, 0);
	o->sec.v[sec].out_nrel = (uint32_t)(r - rel);
}

void static_map_write(const struct plan *p)
{
	struct writer w = {.p = p, .g = p->g, .last_counter = -1};
	uint64_t build;
	intern(&w, "");
	index_symbols(&w);
	put_funcs(&w);
	add_map(&w, &build);
	if (measures(p->opt)) {
		add_info(p, build);
		row_add(p);
	}
	if (p->tools)
		tools_write(p->tools);
	vec_free(&w.rel);
	free(w.strings.v);
	free(w.seen.v);
}
