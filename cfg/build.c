/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - from sections to instructions, functions and blocks
 *
 * The order of the passes matters.  Symbols cut a section into regions, so that
 * decoding starts afresh at each (data in text may not swallow an instruction);
 * decoding finds branches, and these more labels; only with all labels known
 * can blocks be cut and jump tables be proved.  Jump tables are in tables.c.
 */
#include "cfg/cfg.h"

#include "cfg/cfg_priv.h"
#include "reloc/codec.h"

#include <stdlib.h>

const char *const opaque_text[OPAQUE_REASONS] = {
	[OPAQUE_NOT] = "whole",
	[OPAQUE_UNDECODED] = "bytes that are no instruction",
	[OPAQUE_MIDDLE] = "a reference into the middle of an instruction",
	[OPAQUE_DATA] = "data in text",
	[OPAQUE_JUMP] = "an indirect jump to a computed place",
	[OPAQUE_TABLE] = "a jump table entry that is no instruction",
	[OPAQUE_REFERENCE] = "a pc-relative word in data whose target is not proved",
	[OPAQUE_KEEP] = "its bytes or its return address are part of its meaning",
	[OPAQUE_RELOC] = "a relocation of unknown meaning",
	[OPAQUE_DISTANCE] = "distances from it stand in a table of another tool",
	[OPAQUE_SECTION] = "in one section with code that cannot be moved apart",
};

/* Lookups -------------------------------------------------------------- */

struct text *cfg_text(const struct cfg *g, uint32_t sec)
{
	uint32_t c = sec < g->obj->sec.n ? g->text_of[sec] : 0;
	return c ? &g->text.v[c - 1] : NULL;
}

uint32_t cfg_insn_at(const struct cfg *g, const struct text *c, uint64_t off)
{
	uint32_t lo = c->insn, hi = c->insn + c->ninsn;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (g->insn.v[mid].off <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == c->insn || off >= insn_end(&g->insn.v[lo - 1]))
		return UINT32_MAX;
	return lo - 1;
}

uint32_t cfg_func_at(const struct cfg *g, const struct text *c, uint64_t off)
{
	uint32_t lo = c->func, hi = c->func + c->nfunc;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (g->func.v[mid].start <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == c->func ? NO_FUNC : lo - 1;
}

uint32_t cfg_block_at(const struct cfg *g, const struct text *c, uint64_t off)
{
	uint32_t lo = c->block, hi = c->block + c->nblock;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (g->insn.v[g->block.v[mid].insn].off < off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == c->block + c->nblock || g->insn.v[g->block.v[lo].insn].off != off)
		return NO_BLOCK;
	return lo;
}

const char *func_name(const struct cfg *g, const struct func *f)
{
	if (f->sym != NO_SYMBOL)
		return g->obj->sym.v[f->sym].name;
	return arena_printf(g->arena, "%s+0x%llx", g->text.v[f->text].sec->name,
		(unsigned long long)f->start);
}

bool cfg_target(const struct cfg *g, const struct text *c, uint32_t i, uint32_t *sec,
	uint64_t *off, const struct reloc **rel)
{
	const struct insn *in = &g->insn.v[i];
	*rel = NULL;
	*sec = 0;
	*off = 0;
	if (!in->pc_size)
		return false;
	uint64_t field = in->off + in->pc_off;
	for (uint32_t r = g->rel.v[i]; r && r <= c->sec->nrel; r++) {
		const struct reloc *rl = &c->sec->rel[r - 1];
		if (rl->off > field)
			break;
		if (rl->off < field)
			continue;
		*rel = rl;
		const struct reloc_info *ri = g->target->reloc_info(rl->type);
		if (ri->role != ROLE_PCREL && ri->role != ROLE_PLT)
			return true;
		uint64_t symoff;
		const struct section *t = reloc_target(g->obj, rl, &symoff);
		if (t) {
			*sec = t->index;
			*off = symoff + (uint64_t)rl->addend + (insn_end(in) - rl->off);
		}
		return true;
	}
	const uint8_t *p = c->sec->data + field;
	int64_t disp = in->pc_size == 1 ? (int8_t)*p : (int32_t)get_u32(p);
	*sec = c->sec->index;
	*off = insn_end(in) + (uint64_t)disp;
	return true;
}

/* Opacity -------------------------------------------------------------- */

void cfg_freeze(struct text *c, enum opaque why, uint64_t off)
{
	if (!c->frozen) {
		c->frozen = true;
		c->why = why;
		c->why_off = off;
	}
}

void cfg_opaque(struct func *f, enum opaque why, uint64_t off)
{
	if (f->why == OPAQUE_NOT) {
		f->why = why;
		f->why_off = off;
	}
}

/* Regions and functions ------------------------------------------------ */

/* A place where a function or another region may start. */
struct mark {
	uint64_t off, end;	/* end: of a sized function; else off */
	uint32_t sym;
	uint8_t rank;		/* of several at one offset, the highest names it */
};
enum { RANK_END, RANK_CALL, RANK_OBJECT, RANK_NOTYPE, RANK_FUNC };
typedef VEC(struct mark) mark_vec;

static int mark_cmp(const void *a, const void *b)
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

/* The rank of a symbol as a region's start; 0: none. */
static unsigned symbol_rank(const struct symbol *s)
{
	unsigned type = symbol_type(s), global = symbol_bind(s) != STB_LOCAL;
	if (is_function_type(type))
		return RANK_FUNC + (s->size ? 2 : 0) + global;
	if (type == STT_NOTYPE)
		return s->name[0] && strncmp(s->name, ".L", 2) ? RANK_NOTYPE : 0;
	return type == STT_OBJECT ? RANK_OBJECT : 0;
}

/* Marks by code section, in CSR form: those of code c are v[first[c]..first[c + 1]). */
struct marks {
	mark_vec v;
	uint32_t *first;
};

static void marks_collect(struct cfg *g, struct marks *m)
{
	const struct object *o = g->obj;
	m->first = arena_array(g->arena, uint32_t, g->text.n + 2);
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct text *c = cfg_text(g, o->sym.v[i].sec);
		if (c && symbol_rank(&o->sym.v[i]))
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
		const struct text *c = cfg_text(g, s->sec);
		unsigned rank = c ? symbol_rank(s) : 0;
		if (!rank)
			continue;
		uint64_t end = s->value;
		if (rank >= RANK_FUNC && s->size <= c->sec->size - s->value)
			end += s->size;
		m->v.v[next[c - g->text.v]++] =
			(struct mark){ s->value, end, (uint32_t)i, (uint8_t)rank };
	}
	free(next);
	for (size_t c = 0; c < g->text.n; c++)
		qsort(m->v.v + m->first[c], m->first[c + 1] - m->first[c], sizeof *m->v.v,
			mark_cmp);
}

/*
 * Offsets at which decoding must be in step: every symbol, and the ends of
 * sized functions (constants may follow one without a symbol of their own).
 */
static offset_set hard_starts(struct cfg *g, const struct text *c, const struct mark *m, size_t n)
{
	offset_set s = arena_array(g->arena, uint64_t, c->sec->size / 64 + 1);
	for (size_t i = 0; i < n; i++) {
		set_add(s, m[i].off);
		set_add(s, m[i].end);
	}
	return s;
}

/* The first member of s in (from, to); to if none. */
static uint64_t set_next(const uint64_t *s, uint64_t from, uint64_t to)
{
	for (uint64_t i = from + 1; i < to; i++) {
		if (!(i & 63) && !s[i >> 6]) {
			i += 63;
			continue;
		}
		if (set_has(s, i))
			return i;
	}
	return to;
}

/* Decoding ------------------------------------------------------------- */

static void decode_section(struct cfg *g, struct text *c, const uint64_t *hard, mark_vec *bad)
{
	const struct section *s = c->sec;
	uint32_t r = 0;
	c->insn = (uint32_t)g->insn.n;
	for (uint64_t off = 0; off < s->size;) {
		struct insn in = { 0 };
		bool ok = g->target->decode(g->decoder, s->data + off, s->size - off, &in);
		uint64_t stop = ok ? set_next(hard, off, off + in.len) : 0;
		if (!ok || stop < off + in.len) {
			vec_push(bad, (struct mark){ .off = off });
			off = set_next(hard, off, s->size);
			continue;
		}
		in.off = (uint32_t)off;
		set_add(c->starts, off);
		while (r < s->nrel && s->rel[r].off < off)
			r++;
		bool has = r < s->nrel && s->rel[r].off < off + in.len;
		if (g->insn.n > c->insn) {
			const struct insn *prev = &g->insn.v[g->insn.n - 1];
			if (g->rel.v[g->insn.n - 1] && insn_end(prev) == off &&
				g->target->glued(g->obj, s, prev, &in))
				in.flags |= INSN_GLUED;
		}
		vec_push(&g->insn, in);
		vec_push(&g->rel, has ? r + 1 : 0);
		off += in.len;
	}
	c->ninsn = (uint32_t)g->insn.n - c->insn;
}

static enum block_end end_of(const struct insn *in)
{
	switch ((enum insn_kind)in->kind) {
	case INSN_JUMP: return END_JUMP;
	case INSN_BRANCH: case INSN_XBEGIN: return END_BRANCH;
	case INSN_CALL: case INSN_CALL_IND: return END_CALL;
	case INSN_JUMP_IND: return END_LEAVE;
	case INSN_RET: return END_RET;
	case INSN_TRAP: return END_TRAP;
	case INSN_SYSCALL: return END_SYSCALL;
	case INSN_OTHER: case INSN_NOP: break;
	}
	return END_FALL;
}

/* Regions: code or not -------------------------------------------------- */

/*
 * What the symbols cut a section into.  A region is code when a function symbol or
 * an unwind entry says so, or when code branches, calls or falls into it.  Any
 * other may be data, and what looks like a branch in it means nothing.
 */
struct region {
	uint64_t off;
	bool code;
	bool data;	/* certainly not code: an object, read as data, undecodable */
};
struct regions {
	VEC(struct region) v;
	uint32_t *first;	/* by text, CSR */
	VEC(uint32_t) work;	/* code, not scanned yet */
};

static uint32_t region_at(const struct regions *rs, uint32_t text, uint64_t off)
{
	uint32_t lo = rs->first[text], hi = rs->first[text + 1];
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (rs->v.v[mid].off <= off)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void region_code(struct regions *rs, uint32_t r)
{
	if (rs->v.v[r].code)
		return;
	rs->v.v[r].code = true;
	vec_push(&rs->work, r);
}

/* Marks are sorted; ends are not, so they are found by the set of hard starts. */
static void regions_cut(struct cfg *g, struct regions *rs, uint32_t text, const struct mark *m,
	size_t n, const uint64_t *hard)
{
	const struct section *s = g->text.v[text].sec;
	size_t k = 0;
	for (uint64_t off = 0; off < s->size; off = set_next(hard, off, s->size)) {
		struct region r = { .off = off };
		for (; k < n && m[k].off == off; k++) {
			r.code = r.code || m[k].rank >= RANK_FUNC;
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
};
static void region_fde(void *ctx, uint32_t sec, uint64_t off, enum unwind_label kind)
{
	struct fde_ctx *c = ctx;
	const struct text *t = cfg_text(c->g, sec);
	if (kind == LABEL_LANDING_PAD)
		cfg_label(c->g, sec, off, LABEL_BRANCH);
	if (kind != LABEL_FDE_START || !t || off >= t->sec->size)
		return;
	uint32_t r = region_at(c->rs, (uint32_t)(t - c->g->text.v), off);
	if (c->rs->v.v[r].off == off)
		region_code(c->rs, r);
}

/* Where the code of region r leads. */
static void region_scan(struct cfg *g, struct regions *rs, uint32_t text, uint32_t r)
{
	const struct text *t = &g->text.v[text];
	uint64_t end = r + 1 < rs->first[text + 1] ? rs->v.v[r + 1].off : t->sec->size;
	const struct insn *last = NULL;
	uint32_t i = cfg_insn_at(g, t, rs->v.v[r].off);
	for (; i < t->insn + t->ninsn && g->insn.v[i].off < end; i++) {
		uint32_t sec;
		uint64_t off;
		const struct reloc *rl;
		last = &g->insn.v[i];
		if (!cfg_target(g, t, i, &sec, &off, &rl))
			continue;
		const struct text *to = cfg_text(g, sec);
		if (!to || off >= to->sec->size)
			continue;
		uint32_t tr = region_at(rs, (uint32_t)(to - g->text.v), off);
		if (!(last->flags & INSN_OPERAND_PC))
			region_code(rs, tr);
		else if (last->flags & INSN_MEM)
			rs->v.v[tr].data = !rs->v.v[tr].code;
	}
	if (last && r + 1 < rs->first[text + 1] && insn_end(last) == end) {
		enum block_end e = end_of(last);
		if ((e == END_FALL && last->kind != INSN_NOP) || e == END_BRANCH)
			region_code(rs, r + 1);
	}
}

static void regions_spread(struct cfg *g, struct regions *rs)
{
	while (rs->work.n) {
		uint32_t r = rs->work.v[--rs->work.n], lo = 0, hi = (uint32_t)g->text.n;
		while (hi - lo > 1) {
			uint32_t mid = lo + (hi - lo) / 2;
			if (rs->first[mid] <= r)
				lo = mid;
			else
				hi = mid;
		}
		region_scan(g, rs, lo, r);
	}
}

/* Could instructions [i, end) be code nobody is seen to reach?  It would not run off its end. */
static bool ends_like_code(const struct cfg *g, const struct text *t, uint32_t i, uint64_t end)
{
	const struct insn *last = NULL;
	for (; i < t->insn + t->ninsn && g->insn.v[i].off < end; i++)
		if (g->insn.v[i].kind != INSN_NOP)
			last = &g->insn.v[i];
	return last && (end_of(last) == END_JUMP || end_of(last) == END_RET ||
			       end_of(last) == END_TRAP || end_of(last) == END_LEAVE);
}

/*
 * A region that may be code or data must be neither changed nor moved apart from
 * what it would branch to if it were code.
 */
static void regions_doubtful(struct cfg *g, const struct regions *rs, uint32_t text)
{
	struct text *t = &g->text.v[text];
	for (uint32_t r = rs->first[text]; r < rs->first[text + 1]; r++) {
		const struct region *rg = &rs->v.v[r];
		uint64_t end = r + 1 < rs->first[text + 1] ? rs->v.v[r + 1].off : t->sec->size;
		if (rg->code || rg->data)
			continue;
		uint32_t i = cfg_insn_at(g, t, rg->off);
		if (!ends_like_code(g, t, i, end))
			continue;
		for (; i < t->insn + t->ninsn && g->insn.v[i].off < end; i++) {
			uint32_t sec;
			uint64_t off;
			const struct reloc *rl;
			if (cfg_target(g, t, i, &sec, &off, &rl) && !rl &&
				(off < rg->off || off >= end))
				cfg_freeze(t, OPAQUE_DATA, g->insn.v[i].off);
		}
	}
}

/* Labels --------------------------------------------------------------- */

/* A label in code: a block begins there.  One past the end is nobody's start. */
void cfg_label(struct cfg *g, uint32_t sec, uint64_t off, enum label how)
{
	struct text *c = cfg_text(g, sec);
	if (!c || off >= c->sec->size)
		return;
	set_add(c->leaders, off);
	if (how == LABEL_ENTRY)
		set_add(c->entries, off);
	if (how == LABEL_TAKEN)
		set_add(c->taken, off);
}

/* -fpatchable-function-entry: addresses of no-ops around function entries. */
bool is_patchable(const struct section *s)
{
	return !strcmp(s->name, "__patchable_function_entries");
}

/* Sections whose relocations say nothing about control flow, or are a codec's. */
static bool is_metadata(const struct section *s)
{
	return !(s->flags & SHF_ALLOC) || !strncmp(s->name, ".eh_frame", 9) ||
	       s->type == SHT_NOTE || is_patchable(s);
}

static void label_relocs(struct cfg *g, const struct section *s)
{
	bool code = section_is_code(s);
	for (uint32_t i = 0; i < s->nrel; i++) {
		const struct reloc *r = &s->rel[i];
		uint64_t symoff;
		const struct section *t = reloc_target(g->obj, r, &symoff);
		if (!t || !g->text_of[t->index])
			continue;
		const struct reloc_info *ri = g->target->reloc_info(r->type);
		uint64_t label = symoff + (uint64_t)r->addend;
		if (ri->role == ROLE_ABS || ri->role == ROLE_GOTREL)
			cfg_label(g, t->index, label, LABEL_TAKEN);
		else if (ri->role == ROLE_GOT)
			cfg_label(g, t->index, symoff, LABEL_TAKEN);
		else if ((ri->role == ROLE_PCREL || ri->role == ROLE_PLT) && !code)
			continue; /* tables.c */
		else if (ri->role != ROLE_PCREL && ri->role != ROLE_PLT && ri->role != ROLE_NONE)
			cfg_freeze(cfg_text(g, t->index), OPAQUE_RELOC, label);
	}
}

/*
 * No-ops that a tracer will overwrite: with a block of its own such a no-op is no
 * padding.  SystemTap's notes name single ones, the table of patchable entries
 * runs of them that stay together.
 */
static void label_probes(struct cfg *g, const struct section *s)
{
	for (uint32_t i = 0; i < s->nrel; i++) {
		uint64_t symoff;
		const struct section *t = reloc_target(g->obj, &s->rel[i], &symoff);
		uint64_t off = symoff + (uint64_t)s->rel[i].addend;
		const struct text *c = t ? cfg_text(g, t->index) : NULL;
		if (!c || off >= c->sec->size || !set_has(c->starts, off))
			continue;
		cfg_label(g, t->index, off, LABEL_BRANCH);
		uint32_t k = cfg_insn_at(g, c, off);
		while (is_patchable(s) && ++k < c->insn + c->ninsn &&
			g->insn.v[k].kind == INSN_NOP && g->insn.v[k].len == g->insn.v[k - 1].len)
			g->insn.v[k].flags |= INSN_GLUED;
	}
}

/* Branch targets, and what pc-relative operands refer to. */
static void label_insns(struct cfg *g, struct text *c, const struct regions *rs)
{
	uint32_t text = (uint32_t)(c - g->text.v), rg = rs->first[text];
	for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		uint32_t sec;
		uint64_t off;
		const struct reloc *r;
		while (rg + 1 < rs->first[text + 1] && rs->v.v[rg + 1].off <= in->off)
			rg++;
		if (!rs->v.v[rg].code || !cfg_target(g, c, i, &sec, &off, &r))
			continue;
		struct text *t = cfg_text(g, sec);
		if (r && in->pc_size != 4)
			cfg_freeze(c, OPAQUE_RELOC, in->off);
		if (!t)
			continue;
		if (off > t->sec->size) {
			/* a branch out of the section that no relocation explains */
			cfg_freeze(c, OPAQUE_MIDDLE, in->off);
			continue;
		}
		bool operand = in->flags & INSN_OPERAND_PC;
		if (operand && (in->flags & INSN_MEM))
			continue; /* data in text: see refer_data() */
		cfg_label(g, sec, off, operand ? LABEL_TAKEN
			: in->kind == INSN_CALL ? LABEL_ENTRY : LABEL_BRANCH);
	}
}

/*
 * A label inside an instruction: behind a lock prefix it stands for the next
 * instruction, and the two ways in meet there; anywhere else the section is
 * not what it seems.
 */
static void settle_labels(struct cfg *g, struct text *c)
{
	size_t words = c->sec->size / 64 + 1;
	for (size_t w = 0; w < words; w++) {
		uint64_t odd = c->leaders[w] & ~c->starts[w];
		for (; odd; odd &= odd - 1) {
			uint64_t off = w * 64 + (unsigned)__builtin_ctzll(odd);
			uint32_t i = cfg_insn_at(g, c, off);
			c->leaders[w] &= ~(odd & -odd);
			if (i != UINT32_MAX && (g->insn.v[i].flags & INSN_LOCK_SPLIT) &&
				off == g->insn.v[i].off + 1u) {
				cfg_label(g, c->sec->index, insn_end(&g->insn.v[i]),
					set_has(c->taken, off) ? LABEL_TAKEN : LABEL_BRANCH);
				continue;
			}
			set_add(c->entries, off); /* remembered for settle_middle() */
		}
	}
}

/* Functions ------------------------------------------------------------ */

static void func_push(struct cfg *g, const struct text *c, const struct mark *m,
	const struct regions *rs)
{
	uint32_t text = (uint32_t)(c - g->text.v);
	vec_push(&g->func, (struct func){ .text = text, .sym = m->sym, .start = m->off,
		.is_code = rs->v.v[region_at(rs, text, m->off)].code });
}

/* Where the next function starts, or the section ends. */
static uint64_t func_limit(const struct cfg *g, const struct text *c, uint32_t f)
{
	return f + 1 < c->func + c->nfunc ? g->func.v[f + 1].start : c->sec->size;
}

/* All marks of a section, with those decoding found outside sized functions. */
static void marks_complete(const struct text *c, const struct mark *m, size_t n,
	mark_vec *all)
{
	uint64_t covered = 0;
	size_t i = 0;
	all->n = 0;
	if (!n || m[0].off)
		vec_push(all, (struct mark){ .off = 0, .rank = RANK_END });
	for (uint64_t off = 0; off < c->sec->size; off++) {
		for (; i < n && m[i].off == off; i++) {
			bool inside = off < covered && m[i].rank < RANK_FUNC;
			if (!inside)
				vec_push(all, m[i]);
			if (m[i].end > covered) {
				covered = m[i].end;
				vec_push(all, (struct mark){ .off = covered, .rank = RANK_END });
			}
		}
		if (off >= covered && set_has(c->entries, off) && set_has(c->starts, off))
			vec_push(all, (struct mark){ .off = off, .rank = RANK_CALL });
	}
	qsort(all->v, all->n, sizeof *all->v, mark_cmp);
}

/* Nothing but no-ops from a function's end to the next start: padding, not a region. */
static bool only_nops(const struct cfg *g, const struct text *c, uint64_t from, uint64_t to)
{
	uint32_t i = cfg_insn_at(g, c, from);
	for (; i < c->insn + c->ninsn && g->insn.v[i].off < to; i++)
		if (g->insn.v[i].kind != INSN_NOP &&
			!(g->insn.v[i].kind == INSN_TRAP && g->insn.v[i].len == 1))
			return false;
	return i != UINT32_MAX;
}

static void make_funcs(struct cfg *g, struct text *c, const struct mark *m, size_t n,
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
		if (a->rank == RANK_END && only_nops(g, c, a->off, next) && g->func.n > c->func) {
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

bool block_continues(const struct block *b)
{
	return b->end == END_FALL || b->end == END_BRANCH || b->end == END_CALL ||
	       b->end == END_SYSCALL;
}

/*
 * Padding: no-ops (or traps) that nothing leads to, from behind an instruction
 * that does not continue to the next label or the end.  Sets the end of it.
 */
static bool is_gap(const struct cfg *g, const struct text *c, uint32_t i, uint32_t last,
	uint32_t *end)
{
	uint32_t k = i;
	while (k < last && (g->insn.v[k].kind == INSN_NOP ||
			(g->insn.v[k].kind == INSN_TRAP && g->insn.v[k].len == 1)) &&
		!set_has(c->leaders, g->insn.v[k].off))
		k++;
	*end = k;
	return k > i;
}

static void push_block(struct cfg *g, uint32_t f, uint32_t from, uint32_t to, bool gap)
{
	struct block b = { .insn = from, .ninsn = to - from, .func = f, .target = NO_BLOCK,
		.fall = NO_BLOCK, .gap = gap };
	b.end = gap ? END_TRAP : (uint8_t)end_of(&g->insn.v[to - 1]);
	vec_push(&g->block, b);
}

static void func_blocks(struct cfg *g, struct text *c, uint32_t f, uint32_t *insn)
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
	bool dead = false; /* the block before does not continue */
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

/* A region of nothing but no-ops between functions is a gap as well. */
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

static void link_block(struct cfg *g, struct text *c, uint32_t b)
{
	struct block *bl = &g->block.v[b];
	uint32_t last = bl->insn + bl->ninsn - 1;
	uint32_t sec;
	uint64_t off;
	const struct reloc *r;
	bl->entry = set_has(c->entries, g->insn.v[bl->insn].off) ||
		    set_has(c->taken, g->insn.v[bl->insn].off);
	if (bl->gap)
		return;
	if (block_continues(bl) && b + 1 < c->block + c->nblock &&
		g->insn.v[g->block.v[b + 1].insn].off == insn_end(&g->insn.v[last]))
		bl->fall = b + 1;
	if ((bl->end == END_JUMP || bl->end == END_BRANCH || bl->end == END_CALL) &&
		cfg_target(g, c, last, &sec, &off, &r)) {
		const struct text *t = cfg_text(g, sec);
		if (t)
			bl->target = cfg_block_at(g, t, off);
	}
}

static void func_facts(struct cfg *g, struct func *fn)
{
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++)
			fn->written |= g->insn.v[i].clobbers;
	}
}

static void find_falls(struct cfg *g, const struct text *c)
{
	for (uint32_t b = c->block; b < c->block + c->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->fall != NO_BLOCK && g->block.v[bl->fall].func != bl->func)
			g->func.v[g->block.v[bl->fall].func].falls_in = true;
	}
}

/* What moves whole ------------------------------------------------------ */

static bool func_has_indirect(const struct cfg *g, const struct func *fn)
{
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++)
		if (g->block.v[b].end == END_LEAVE)
			return true;
	return false;
}

static void reach(const struct cfg *g, const struct func *fn, uint32_t b, bool *seen)
{
	while (b != NO_BLOCK && b >= fn->block && b < fn->block + fn->nblock &&
		!seen[b - fn->block]) {
		const struct block *bl = &g->block.v[b];
		seen[b - fn->block] = true;
		if (bl->target != NO_BLOCK && bl->end != END_CALL)
			reach(g, fn, bl->target, seen);
		b = bl->fall;
	}
}

/*
 * Do the bytes at off lie behind all that can be reached in fn from its labels, and
 * does no jump lead to an unknown place?  Then they are data in its tail.
 */
static bool behind_code(const struct cfg *g, const struct text *t, const struct func *fn,
	uint64_t off)
{
	if (func_has_indirect(g, fn) || !fn->nblock)
		return false;
	bool *seen = calloc(fn->nblock, sizeof *seen);
	if (!seen)
		fatal("out of memory");
	bool ok = true;
	for (uint32_t k = 0; k < fn->nblock; k++) {
		uint64_t start = g->insn.v[g->block.v[fn->block + k].insn].off;
		if (start < off && (start == fn->start || set_has(t->entries, start)))
			reach(g, fn, fn->block + k, seen);
	}
	for (uint32_t k = 0; k < fn->nblock; k++) {
		const struct block *bl = &g->block.v[fn->block + k];
		uint64_t end = insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]);
		/* code must neither run into the bad bytes nor lead behind them */
		ok = ok && !(seen[k] && (end > off || (block_continues(bl) && end >= off)));
		if (seen[k] && block_continues(bl) && bl->fall == NO_BLOCK)
			ok = false;
	}
	free(seen);
	return ok;
}

/* The region a bad place lies in: alone when no code can be there, else the section. */
static void spoil(struct cfg *g, struct text *c, uint64_t off, enum opaque why)
{
	uint32_t f = cfg_func_at(g, c, off);
	if (f != NO_FUNC && (!g->func.v[f].is_code || behind_code(g, c, &g->func.v[f], off)))
		cfg_opaque(&g->func.v[f], OPAQUE_DATA, off);
	else
		cfg_freeze(c, why, off);
}

/* Does the GOT's distance in fn count from off, as in the large code model? */
static bool is_base_label(const struct cfg *g, const struct text *t, const struct func *fn,
	uint64_t off)
{
	const struct section *s = t->sec;
	for (uint32_t i = section_first_reloc(s, off); i < s->nrel && s->rel[i].off < fn->end; i++) {
		const struct reloc *r = &s->rel[i];
		uint32_t in = cfg_insn_at(g, t, r->off);
		if (r->off - (uint64_t)r->addend == off && in != UINT32_MAX &&
			cfg_base_label(g, in, r))
			return true;
	}
	return false;
}

/*
 * Pc-relative operands that refer to text.  Reading it makes the place data.
 * An address is a label when a function starts there, or inside the very function
 * when that jumps indirectly (computed goto) or makes the GOT's address of it; any
 * other address is taken for data.
 */
static void refer_data(struct cfg *g, struct text *c, uint32_t f)
{
	const struct func *fn = &g->func.v[f];
	uint32_t sec;
	uint64_t off;
	const struct reloc *r;
	for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn; i++) {
			const struct insn *in = &g->insn.v[i];
			if (!(in->flags & INSN_OPERAND_PC) || !cfg_target(g, c, i, &sec, &off, &r))
				continue;
			struct text *t = cfg_text(g, sec);
			if (!t || off >= t->sec->size)
				continue;
			uint32_t tf = cfg_func_at(g, t, off);
			struct func *to = &g->func.v[tf];
			bool read = in->flags & INSN_MEM;
			if (!read && to->start == off && to->is_code)
				continue;
			if (!read && tf == f && set_has(t->starts, off) &&
				(func_has_indirect(g, fn) || is_base_label(g, t, fn, off)))
				continue;
			if (read || !to->is_code || !set_has(t->starts, off))
				cfg_opaque(to, OPAQUE_DATA, off);
			else
				cfg_opaque(to, OPAQUE_JUMP, off);
		}
	}
}

static void keep_funcs(struct cfg *g, struct text *c)
{
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++) {
		struct func *fn = &g->func.v[f];
		const char *why;
		if (!fn->is_code)
			cfg_opaque(fn, OPAQUE_DATA, fn->start);
		if (g->target->keep_whole(fn->sym ? g->obj->sym.v[fn->sym].name : "",
				c->sec->data + fn->start, fn->end - fn->start, &why))
			cfg_opaque(fn, OPAQUE_KEEP, fn->start);
	}
}

/*
 * A label that is no instruction start, seen by settle_labels().  In data it is
 * data's business; in code it spoils the section.
 */
static void settle_middle(struct cfg *g, struct text *c)
{
	size_t words = c->sec->size / 64 + 1;
	for (size_t w = 0; w < words; w++)
		for (uint64_t odd = c->entries[w] & ~c->starts[w]; odd; odd &= odd - 1)
			spoil(g, c, w * 64 + (unsigned)__builtin_ctzll(odd), OPAQUE_MIDDLE);
}

/*
 * The GOT's address by two instructions, as the large code model makes it (psABI,
 * 3.5.5): lea L(%rip), then movabs $GOT - L, whose addend is its distance from L.
 */
bool cfg_base_label(const struct cfg *g, uint32_t i, const struct reloc *r)
{
	const struct insn *in = &g->insn.v[i];
	return g->target->reloc_info(r->type)->role == ROLE_BASE &&
	       !(in->pc_size && r->off == in->off + in->pc_off);
}

static bool base_label_sound(const struct cfg *g, const struct text *t, const struct reloc *r)
{
	uint64_t label = r->off - (uint64_t)r->addend;
	return label < t->sec->size && set_has(t->leaders, label) &&
	       cfg_func_at(g, t, label) == cfg_func_at(g, t, r->off);
}

/*
 * A function with a relocation no instruction field explains, or of unknown
 * meaning, is not understood.
 */
static void check_relocs(struct cfg *g, struct text *c)
{
	for (uint32_t i = 0; i < c->sec->nrel; i++) {
		const struct reloc *r = &c->sec->rel[i];
		const struct reloc_info *ri = g->target->reloc_info(r->type);
		if (ri->role == ROLE_NONE)
			continue;
		uint32_t in = cfg_insn_at(g, c, r->off);
		if (ri->role == ROLE_UNKNOWN || in == UINT32_MAX ||
			r->off + ri->size > insn_end(&g->insn.v[in]) ||
			(cfg_base_label(g, in, r) && !base_label_sound(g, c, r)))
			spoil(g, c, r->off, OPAQUE_RELOC);
	}
}

/*
 * What a frozen or opaque range cannot do is widen a short branch that leaves
 * it: then all of the section stays together.
 */
static void check_short(struct cfg *g, struct text *c)
{
	for (uint32_t f = c->func; f < c->func + c->nfunc && !c->frozen; f++) {
		const struct func *fn = &g->func.v[f];
		if (fn->why == OPAQUE_NOT)
			continue;
		for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++) {
			const struct block *bl = &g->block.v[b];
			const struct insn *in = &g->insn.v[bl->insn + bl->ninsn - 1];
			uint32_t sec;
			uint64_t off;
			const struct reloc *r;
			if (!bl->gap && fn->is_code && in->pc_size == 1 &&
				cfg_target(g, c, bl->insn + bl->ninsn - 1, &sec, &off, &r) &&
				(off < fn->start || off >= fn->end))
				cfg_freeze(c, fn->why, in->off);
		}
	}
}

static void apply_frozen(struct cfg *g, struct text *c)
{
	if (!c->frozen)
		return;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++) {
		struct func *fn = &g->func.v[f];
		bool here = c->why_off >= fn->start && c->why_off < fn->end;
		cfg_opaque(fn, here ? c->why : OPAQUE_SECTION, c->why_off);
	}
}

/* Padding -------------------------------------------------------------- */

/*
 * [from, to) are no-ops in front of a label.  The alignment that asked for them
 * is the smallest one that explains their number.
 */
static void pad_push(struct cfg *g, struct text *c, uint64_t from, uint64_t to)
{
	uint32_t align = 2;
	while (align <= to - from)
		align *= 2;
	if (to % align || align > c->sec->align)
		return;
	while (align < 16 && to % (align * 2) == 0 && align * 2 <= c->sec->align)
		align *= 2;
	vec_push(&g->padding, (struct padding){ (uint32_t)(c - g->text.v), from, to, align });
}

static void find_padding(struct cfg *g, struct text *c)
{
	uint64_t from = UINT64_MAX;
	for (uint32_t i = c->insn; i < c->insn + c->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		if (set_has(c->leaders, in->off)) {
			if (from != UINT64_MAX)
				pad_push(g, c, from, in->off);
			from = UINT64_MAX;
		}
		/* a no-op that is a label itself is no padding: a probe's place, a loop */
		if (in->kind != INSN_NOP || g->rel.v[i] || (in->flags & INSN_GLUED))
			from = UINT64_MAX;
		else if (from == UINT64_MAX && !set_has(c->leaders, in->off))
			from = in->off;
	}
}

/* ---------------------------------------------------------------------- */

static void cut_blocks(struct cfg *g, struct text *c)
{
	uint32_t insn = c->insn;
	c->block = (uint32_t)g->block.n;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++)
		func_blocks(g, c, f, &insn);
	c->nblock = (uint32_t)g->block.n - c->block;
	for (uint32_t f = c->func; f < c->func + c->nfunc; f++)
		trim_func(g, &g->func.v[f]);
}

static void cfg_sections(struct cfg *g)
{
	struct object *o = g->obj;
	g->text_of = arena_array(g->arena, uint32_t, o->sec.n);
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if (!section_is_code(s) || !s->size || s->dropped)
			continue;
		size_t words = s->size / 64 + 1;
		if (s->size > UINT32_MAX)
			fatal_at(s, 0, "code section of more than 4 GiB");
		struct text c = { .sec = s, .starts = arena_array(g->arena, uint64_t, words),
			.leaders = arena_array(g->arena, uint64_t, words),
			.taken = arena_array(g->arena, uint64_t, words),
			.entries = arena_array(g->arena, uint64_t, words) };
		vec_push(&g->text, c);
		g->text_of[i] = (uint32_t)g->text.n;
	}
}

struct cfg *cfg_build(struct arena *a, struct object *o, const struct target *t)
{
	struct cfg *g = arena_new(a, struct cfg);
	*g = (struct cfg){ .arena = a, .obj = o, .target = t, .decoder = t->decoder_new() };
	cfg_sections(g);

	struct marks m = { 0 };
	struct regions rs = { .first = arena_array(a, uint32_t, g->text.n + 2) };
	mark_vec *bad = arena_array(a, mark_vec, g->text.n + 1), all = { 0 };
	marks_collect(g, &m);
	for (uint32_t i = 0; i < g->text.n; i++) {
		const struct mark *mk = m.v.v + m.first[i];
		size_t n = m.first[i + 1] - m.first[i];
		offset_set hard = hard_starts(g, &g->text.v[i], mk, n);
		decode_section(g, &g->text.v[i], hard, &bad[i]);
		regions_cut(g, &rs, i, mk, n, hard);
		for (size_t k = 0; k < bad[i].n; k++) {
			struct region *r = &rs.v.v[region_at(&rs, i, bad[i].v[k].off)];
			r->data = !r->code;
		}
	}
	unwind_labels(o, region_fde, &(struct fde_ctx){ g, &rs });
	regions_spread(g, &rs);

	for (size_t i = 1; i < o->sec.n; i++)
		if (!o->sec.v[i].dropped && !is_metadata(&o->sec.v[i]))
			label_relocs(g, &o->sec.v[i]);
		else if (o->sec.v[i].type == SHT_NOTE || is_patchable(&o->sec.v[i]))
			label_probes(g, &o->sec.v[i]);
	for (size_t i = 1; i < o->sym.n; i++)
		if (symbol_type(&o->sym.v[i]) != STT_SECTION)
			cfg_label(g, o->sym.v[i].sec, o->sym.v[i].value,
				symbol_rank(&o->sym.v[i]) ? LABEL_ENTRY : LABEL_BRANCH);
	for (uint32_t i = 0; i < g->text.n; i++) {
		label_insns(g, &g->text.v[i], &rs);
		regions_doubtful(g, &rs, i);
	}
	tables_find(g);
	cfg_foreign(g, o);

	for (size_t i = 0; i < g->text.n; i++) {
		struct text *c = &g->text.v[i];
		settle_labels(g, c);
		make_funcs(g, c, m.v.v + m.first[i], m.first[i + 1] - m.first[i], &all, &rs);
		cut_blocks(g, c);
	}
	for (size_t i = 0; i < g->text.n; i++) {
		struct text *c = &g->text.v[i];
		for (uint32_t b = c->block; b < c->block + c->nblock; b++)
			link_block(g, c, b);
	}
	for (size_t i = 0; i < g->text.n; i++)
		find_falls(g, &g->text.v[i]);
	for (size_t i = 0; i < g->text.n; i++) {
		struct text *c = &g->text.v[i];
		for (size_t k = 0; k < bad[i].n; k++)
			spoil(g, c, bad[i].v[k].off, OPAQUE_UNDECODED);
		vec_free(&bad[i]);
		settle_middle(g, c);
		check_relocs(g, c);
		keep_funcs(g, c);
		for (uint32_t f = c->func; f < c->func + c->nfunc; f++) {
			refer_data(g, c, f);
			func_facts(g, &g->func.v[f]);
		}
	}
	tables_prove(g);
	for (size_t i = 0; i < g->text.n; i++) {
		check_short(g, &g->text.v[i]);
		apply_frozen(g, &g->text.v[i]);
		if (!g->text.v[i].frozen)
			find_padding(g, &g->text.v[i]);
	}
	vec_free(&m.v);
	vec_free(&rs.v);
	vec_free(&rs.work);
	vec_free(&all);
	return g;
}
