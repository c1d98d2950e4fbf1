/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - decoding, and which parts of a code section are code
 *
 * Symbols cut a section into regions.  Decoding restarts at each, so that data in text cannot
 * swallow an instruction.  Then branches, calls and fall-through determine which regions are code.
 */
#include "cfg/blocks.h"
#include "cfg/cfg.h"
#include "cfg/labels.h"
#include "cfg/opaque.h"
#include "cfg/pads.h"
#include "cfg/refs.h"
#include "cfg/regions.h"

#include "base/parallel.h"
#include "reloc/meta/codec.h"

#include <stdlib.h>
#include <sys/mman.h>

int mark_cmp(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->sym < y->sym ? -1 : x->sym > y->sym;
}

static bool is_function_type(unsigned type)
{
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* The mark, or with a name behind it, a local symbol (AAELF64, 5.5.5). */
static bool is_mark(const struct target *t, const struct symbol *s, const char *mark)
{
	size_t n = mark ? strlen(mark) : 0;
	if (!n || symbol_bind(s) != STB_LOCAL || strncmp(s->name, mark, n))
		return false;
	return !s->name[n] || s->name[n] == '.' ||
		(t->mark.isa && !strncmp(s->name + n, t->mark.isa, strlen(t->mark.isa)));
}

/*
 * The rank of a symbol as a region's start; 0: none.  Some psABIs mark where code and data begin.
 *
 * hazard: object label on code.  nasm's local labels are objects of size 1 on an
 * instruction: the type of a symbol alone does not prove data.
 */
unsigned symbol_rank(const struct target *t, const struct symbol *s)
{
	if (is_mark(t, s, t->mark.code))
		return RANK_NOTYPE;
	if (is_mark(t, s, t->mark.data))
		return RANK_OBJECT;
	unsigned type = symbol_type(s), global = symbol_bind(s) != STB_LOCAL;
	if (is_function_type(type))
		return RANK_FUNC + (s->size ? 2 : 0) + global;
	if (type == STT_NOTYPE)
		return s->name[0] && strncmp(s->name, ".L", 2) ? RANK_NOTYPE : 0;
	return type == STT_OBJECT ? RANK_OBJECT : 0;
}

/*
 * hazard: function of size 0.  Functions of nasm and in hand-written code have no size, and some no
 * type: the code of such a symbol extends to the next symbol.
 */
void marks_collect(struct cfg *g, struct marks *m)
{
	const struct object *o = g->obj;
	m->first = arena_array(g->arena, uint32_t, g->text.n + 2);
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct code_section *c = cfg_section(g, o->sym.v[i].sec);
		if (c && symbol_rank(g->target, &o->sym.v[i]))
			m->first[c - g->text.v + 1]++;
	}
	for (size_t c = 0; c < g->text.n; c++)
		m->first[c + 1] += m->first[c];
	uint32_t *next = malloc(array_bytes(g->text.n + 1, sizeof *next));
	if (!next)
		fatal("out of memory");
	memcpy(next, m->first, (g->text.n + 1) * sizeof *next);
	vec_reserve(&m->v, m->first[g->text.n] + 1);
	m->v.n = m->first[g->text.n];
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		const struct code_section *c = cfg_section(g, s->sec);
		unsigned rank = c ? symbol_rank(g->target, s) : 0;
		if (!rank)
			continue;
		uint64_t end = s->value;
		if (rank >= RANK_FUNC && s->size <= c->sec->size - s->value)
			end += s->size;
		m->v.v[next[c - g->text.v]++] =
			(struct mark){s->value, end, (uint32_t)i, (uint8_t)rank};
	}
	free(next);
	for (size_t c = 0; c < g->text.n; c++)
		sort(m->v.v + m->first[c], m->first[c + 1] - m->first[c], sizeof *m->v.v, mark_cmp);
}

/*
 * Offsets at which decoding restarts: every symbol, and the ends of sized functions
 * (constants without a symbol may follow).
 */
offset_set hard_starts(struct cfg *g, const struct code_section *c, const struct mark *m, size_t n)
{
	offset_set s = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
	for (size_t i = 0; i < n; i++) {
		set_add(s, m[i].off);
		set_add(s, m[i].end);
	}
	return s;
}

/*
 * A no-op that a relocation changes is no padding.  One that the linker deletes for the alignment
 * of what is behind it is, unless control falls into it: before is the instruction in front, or
 * NULL.
 *
 * hazard: fall over alignment.  A function of hand-written code ends in front of no-ops that align
 * the next one, and falls through them.
 */
static bool is_changed(const struct cfg *g, const struct section *s, const struct insn *in,
	const struct insn *before)
{
	bool falls = before && (end_of(before) == END_FALL || end_of(before) == END_BRANCH);
	for (uint32_t r = in->ref; in->has_rel && r < s->nrel && s->rel[r].off < insn_end(in); r++)
		if (falls || !g->obj->reloc_info(s->rel[r].type)->aligns)
			return true;
	return false;
}

/*
 * Makes instruction in at off and the one behind it one if they make an address without
 * relocations; r: the first one from off on.
 *
 * hazard: address of two instructions.  LLVM's assembler resolves auipc and addi of a label in the
 * same section if the linker does not relax, and clang 14 tells it so.
 */
static void join_address(const struct cfg *g, const struct section *s, uint32_t r, uint64_t off,
	struct insn *in)
{
	struct insn both = *in;
	if (g->target->join && g->target->join(s->data + off, s->size - off, &both) &&
		(r == s->nrel || s->rel[r].off >= off + both.len))
		*in = both;
}

static void decode_section(const struct cfg *g, struct decoder *d, struct code_section *c,
	const uint64_t *hard, struct insn *to, mark_vec *bad)
{
	const struct section *s = c->sec;
	struct insn *in = to;
	uint32_t r = 0;
	for (uint64_t off = 0; off < s->size;) {
		bool ok = g->target->decode(d, s->data + off, s->size - off, in);
		while (r < s->nrel && s->rel[r].off < off)
			r++;
		if (ok)
			join_address(g, s, r, off, in);
		uint64_t stop = ok ? set_next(hard, off, off + in->len) : 0;
		if (!ok || stop < off + in->len) {
			vec_push(bad, (struct mark){.off = off});
			off = set_next(hard, off, s->size);
			continue;
		}
		in->off = (uint32_t)off;
		set_add(c->starts, off);
		in->has_rel = r < s->nrel && s->rel[r].off < off + in->len;
		in->ref = r;
		if (in->kind == INSN_NOP && is_changed(g, s, in, in > to ? in - 1 : NULL))
			in->kind = INSN_OTHER;
		/* a sequence is recognised by relocations, which not each instruction has */
		if (in > to && (in[-1].has_rel || in[-1].flags & INSN_GLUED) &&
			insn_end(in - 1) == off && g->target->glued(g->obj, s, in - 1, in))
			in->flags |= INSN_GLUED;
		off += in->len;
		in++;
	}
	c->ninsn = (uint32_t)(in - to);
}

struct decoding {
	struct cfg *g;
	const offset_set *hard;
	mark_vec *bad;
};

/* Each part decodes into its share of insn.v, which has one element for each byte. */
static void decode_part(void *ctx, size_t part, unsigned worker)
{
	const struct decoding *d = ctx;
	const struct cfg *g = d->g;
	uint32_t first = g->text.v[g->part.v[part]].insn;
	struct decoder *decoder = cfg_decoder(g, worker);
	for (uint32_t i = g->part.v[part]; i < g->part.v[part + 1]; i++) {
		struct code_section *c = &g->text.v[i];
		c->insn = first;
		decode_section(g, decoder, c, d->hard[i], g->insn.v + first, &d->bad[i]);
		first += c->ninsn;
		symbolise(g, c);
	}
}

/*
 * Each part has room for as many instructions as it has bytes.  Pages of it that are never
 * touched take no memory.
 */
static void make_room(struct cfg *g)
{
	uint64_t n = 0;
	for (uint32_t i = 0, part = 0; i < g->text.n; i++) {
		if (i == g->part.v[part]) {
			g->text.v[i].insn = (uint32_t)n;
			part++;
		}
		n += g->text.v[i].sec->size;
		if (n >= UINT32_MAX)
			fatal("%s: more than 4 GiB of code", g->obj->path);
	}
	/* one more: code may look at the insn behind the last one */
	g->insn.v = mmap(NULL, array_bytes(n + 1, sizeof *g->insn.v), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (g->insn.v == MAP_FAILED)
		fatal("out of memory");
}

void decode_sections(struct cfg *g, const offset_set *hard, mark_vec *bad)
{
	struct decoding d = {.g = g, .hard = hard, .bad = bad};
	make_room(g);
	parallel(g->part.n - 1, decode_part, &d);
}

static void region_code(struct regions *rs, uint32_t r)
{
	if (rs->v.v[r].code)
		return;
	rs->v.v[r].code = true;
	vec_push(&rs->work, r);
}

/* Marks are sorted by start only; the ends are in the set hard. */
void regions_cut(struct cfg *g, struct regions *rs, uint32_t text, const struct mark *m, size_t n,
	const uint64_t *hard)
{
	const struct section *s = g->text.v[text].sec;
	size_t k = 0;
	for (uint64_t off = 0; off < s->size; off = set_next(hard, off, s->size)) {
		struct region r = {.off = off};
		for (; k < n && m[k].off == off; k++) {
			r.code = r.code || m[k].rank >= RANK_FUNC ||
				g->obj->sym.v[m[k].sym].entered;
			r.data = r.data || m[k].rank == RANK_OBJECT;
		}
		r.data = r.data && !r.code;
		if (r.code)
			vec_push(&rs->work, (uint32_t)rs->v.n);
		vec_push(&rs->v, r);
	}
	rs->first[text + 1] = (uint32_t)rs->v.n;
}

/* An unwind entry that starts a region makes it code. */
struct fde_ctx {
	struct cfg *g;
	struct regions *rs;
	uint32_t pad_sec; /* the last landing pad */
	uint64_t pad;
};
static void mark_caught(struct cfg *g, struct code_section *c, uint64_t from, uint64_t len)
{
	uint32_t i;
	if (!c->catching)
		c->catching = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
	if (from < c->sec->size)
		set_add(c->catching, from);
	BISECT(i, c->insn, c->insn + c->ninsn, g->insn.v[i].off < from);
	for (; i < c->insn + c->ninsn && g->insn.v[i].off < from + len; i++)
		g->insn.v[i].caught = (g->insn.v[i].flags & INSN_MEM) != 0;
}

static void region_fde(void *ctx, uint32_t sec, uint64_t off, uint64_t len, enum unwind_label kind)
{
	struct fde_ctx *c = ctx;
	struct code_section *t = cfg_section(c->g, sec);
	if (kind == LABEL_CAUGHT && t)
		mark_caught(c->g, t, off, len);
	if (kind == LABEL_CAUGHT && sec != c->pad_sec)
		pad_add(c->g, sec, off, c->pad_sec, c->pad);
	/* its table may have distances in all of the section */
	if (kind == LABEL_FOREIGN && t)
		cfg_opaque_section(t, OPAQUE_DISTANCE, off);
	if (kind == LABEL_LANDING_PAD) {
		cfg_label(c->g, sec, off, LABEL_PAD);
		c->pad_sec = sec;
		c->pad = off;
	}
	/* in padding it divides that; within an instruction it has no defined new offset */
	if (kind == LABEL_FDE_START)
		cfg_label(c->g, sec, off, LABEL_BRANCH);
	if (kind != LABEL_FDE_START || !t || off >= t->sec->size)
		return;
	uint32_t r = region_at(c->rs, (uint32_t)(t - c->g->text.v), off);
	if (c->rs->v.v[r].off == off)
		region_code(c->rs, r);
}

void regions_unwind(struct cfg *g, struct regions *rs)
{
	unwind_labels(g->obj, region_fde, &(struct fde_ctx){.g = g, .rs = rs});
}

/* One round of regions_spread(): scans rs->work in order.  found: by part, the next round's. */
struct spreading {
	struct cfg *g;
	struct regions *rs;
	region_vec *found;
};

static void found_code(struct spreading *w, region_vec *found, uint32_t r)
{
	bool *code = &w->rs->v.v[r].code;
	if (!__atomic_load_n(code, __ATOMIC_RELAXED) &&
		!__atomic_exchange_n(code, true, __ATOMIC_RELAXED))
		vec_push(found, r);
}

static void region_scan(struct spreading *w, region_vec *found, uint32_t text, uint32_t r)
{
	struct cfg *g = w->g;
	const struct regions *rs = w->rs;
	struct code_section *t = &g->text.v[text];
	uint64_t end = r + 1 < rs->first[text + 1] ? rs->v.v[r + 1].off : t->sec->size;
	const struct insn *last = NULL;
	uint32_t i = cfg_insn_at(g, t, rs->v.v[r].off);
	for (; i < t->insn + t->ninsn && g->insn.v[i].off < end; i++) {
		struct ref ref;
		last = &g->insn.v[i];
		if (!last->pc_size || !cfg_ref(g, t, i, &ref))
			continue;
		label_insn(g, t, i, &ref);
		const struct code_section *to = cfg_section(g, ref.sec);
		if (!to || ref.off >= to->sec->size)
			continue;
		uint32_t tr = region_at(rs, (uint32_t)(to - g->text.v), ref.off);
		if (!(last->flags & INSN_OPERAND_PC))
			found_code(w, found, tr);
		else if (last->flags & INSN_MEM)
			__atomic_store_n(&rs->v.v[tr].data, true, __ATOMIC_RELAXED);
	}
	if (last && r + 1 < rs->first[text + 1] && insn_end(last) == end) {
		enum block_end e = end_of(last);
		if ((e == END_FALL && last->kind != INSN_NOP) || e == END_BRANCH)
			found_code(w, found, r + 1);
	}
}

/* The index of the first region in rs->work that is not below r. */
static size_t work_from(const struct regions *rs, uint32_t r)
{
	size_t i;
	BISECT(i, 0, rs->work.n, rs->work.v[i] < r);
	return i;
}

static void scan_part(void *ctx, size_t part, unsigned worker)
{
	struct spreading *w = ctx;
	const struct regions *rs = w->rs;
	uint32_t text = w->g->part.v[part], end = rs->first[w->g->part.v[part + 1]];
	region_vec found = {0};
	(void)worker;
	for (size_t k = work_from(rs, rs->first[text]); k < rs->work.n && rs->work.v[k] < end;
		k++) {
		while (rs->first[text + 1] <= rs->work.v[k])
			text++;
		region_scan(w, &found, text, rs->work.v[k]);
	}
	w->found[part] = found;
}

static int number_cmp(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

void regions_spread(struct cfg *g, struct regions *rs)
{
	size_t parts = g->part.n - 1;
	struct spreading w = {g, rs, arena_array(g->arena, region_vec, parts)};
	while (rs->work.n) {
		sort(rs->work.v, rs->work.n, sizeof *rs->work.v, number_cmp);
		parallel(parts, scan_part, &w);
		rs->work.n = 0;
		for (size_t k = 0; k < parts; k++) {
			for (size_t i = 0; i < w.found[k].n; i++)
				vec_push(&rs->work, w.found[k].v[i]);
			vec_free(&w.found[k]);
		}
	}
}

/* Could the instructions from i to offset end be unreached code?  Code does not run off its end. */
static bool ends_like_code(const struct cfg *g, const struct code_section *t, uint32_t i,
	uint64_t end)
{
	const struct insn *last = NULL;
	for (; i < t->insn + t->ninsn && g->insn.v[i].off < end; i++)
		if (g->insn.v[i].kind != INSN_NOP)
			last = &g->insn.v[i];
	return last &&
		(end_of(last) == END_JUMP || end_of(last) == END_RET || end_of(last) == END_TRAP ||
			end_of(last) == END_LEAVE);
}

/*
 * A region that may be code or data must neither be changed nor be moved apart from the targets
 * of its branches, if it is code.
 *
 * hazard: unreached bytes.  Bytes that no code leads to may be code or data: they are not changed,
 * nor moved apart from the targets of their branches.
 */
void regions_unproved(struct cfg *g, const struct regions *rs, uint32_t text)
{
	struct code_section *t = &g->text.v[text];
	for (uint32_t r = rs->first[text]; r < rs->first[text + 1]; r++) {
		const struct region *rg = &rs->v.v[r];
		uint64_t end = r + 1 < rs->first[text + 1] ? rs->v.v[r + 1].off : t->sec->size;
		if (rg->code || rg->data)
			continue;
		uint32_t i = cfg_insn_at(g, t, rg->off);
		if (!ends_like_code(g, t, i, end))
			continue;
		for (; i < t->insn + t->ninsn && g->insn.v[i].off < end; i++) {
			struct ref ref;
			if (cfg_ref(g, t, i, &ref) && !ref.rel &&
				(ref.off < rg->off || ref.off >= end))
				cfg_opaque_section(t, OPAQUE_DATA, g->insn.v[i].off);
		}
	}
}
