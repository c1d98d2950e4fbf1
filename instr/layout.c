/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.c - address maps by a fixpoint; see layout.h
 */
#include "cfg/liveness.h"
#include "instr/layout.h"

#include "base/parallel.h"
#include "cfg/refs.h"
#include "cfg/scaled.h"
#include "reloc/meta/codec.h"

#include <stdlib.h>

/* A symbol that may mark the end of the code in front of it. */
struct bound {
	uint32_t sec;
	uint64_t off;
};
typedef VEC(struct bound) bound_vec;

/* What debug information describes by two places in section sec. */
struct two_ends {
	uint32_t sec;
	struct map_span span;
};
typedef VEC(struct two_ends) ends_vec;

struct lay {
	const struct plan *p;
	const bound_vec *bounds; /* NULL: functions keep their order */
	const ends_vec *ends;	 /* sorted by section */
	const struct cfg *g;
	struct code_section *t;
	struct layout *l;
	struct arena *arena;
	VEC(struct frag) queued; /* all that may differ from the old code */
	VEC(struct frag) list;
	VEC(uint32_t) run;    /* where runs of the list begin, in the new order */
	VEC(bool) stays;      /* those that do not change places */
	VEC(uint32_t) branch; /* the blocks that end in FRAG_RESIZED, in the list's order */
	struct relays relays;
};

/* The stub that the branch of insn i leads through, or NULL. */
static const struct stub *stub_of(const struct layout *l, uint32_t i)
{
	const struct insertions *in = l->inserted;
	size_t k, n = in ? in->stub.n : 0;
	BISECT(k, 0, n, in->stub.v[k].branch < i);
	return k < n && in->stub.v[k].branch == i ? &in->stub.v[k] : NULL;
}

struct stub layout_entry_stub(const struct layout *l, uint32_t jump, uint64_t off)
{
	const struct insertions *in = l->inserted;
	size_t k, n = in && jump != NO_INSN ? in->stub.n : 0;
	BISECT(k, 0, n,
		in->stub.v[k].branch < jump ||
			(in->stub.v[k].branch == jump && in->stub.v[k].off < off));
	return k < n && in->stub.v[k].branch == jump && in->stub.v[k].off == off
		? in->stub.v[k]
		: (struct stub){.use = REF_BRANCH};
}

uint64_t layout_entry(const struct layout *l, uint32_t jump, uint64_t off)
{
	struct stub s = layout_entry_stub(l, jump, off);
	return map_addr(&l->map, off, (enum ref_use)s.use) + s.skip;
}

bool layout_redirects(const struct layout *l, uint32_t i)
{
	return stub_of(l, i);
}

bool layout_leaves(const struct layout *l, uint32_t i)
{
	const struct stub *s = stub_of(l, i);
	return s && s->use == REF_LEAVE;
}

uint64_t layout_target(const struct plan *p, const struct layout *l, uint32_t i, uint64_t off)
{
	const struct stub *s = stub_of(l, i);
	if (s)
		return map_addr(&l->map, s->off, (enum ref_use)s->use) + s->skip;
	return map_addr(&l->map, off, insn_use(&p->g->insn.v[i]));
}

bool layout_label(const struct plan *p, const struct layout *l, const struct code_section *t,
	uint32_t i, struct dest *label)
{
	const struct insn *in = &p->g->insn.v[i];
	const struct stub *s = stub_of(l, i);
	struct ref r;
	if (!in->pc_size || in->flags & INSN_OPERAND_PC || !cfg_ref(p->g, t, i, &r) || r.rel)
		return false;
	*label = s ? (struct dest){s->off, s->skip, s->use}
		   : (struct dest){.off = (uint32_t)r.off, .use = (uint8_t)insn_use(in)};
	return r.off <= t->sec->size;
}

uint64_t layout_place(const struct layout *l, const struct dest *label)
{
	return map_addr(&l->map, label->off, (enum ref_use)label->use) + label->skip;
}

uint64_t layout_lead(const struct plan *p, const struct layout *l, const struct code_section *t,
	uint32_t i, uint64_t at, unsigned len, uint64_t off)
{
	const struct insn *in = &p->g->insn.v[i];
	const struct branch_form form = {in, insn_bytes(t, in), len};
	uint64_t to = layout_target(p, l, i, off);
	struct dest label;
	if (!l->relays || !layout_label(p, l, t, i, &label))
		return to;
	return relays_lead(l->relays, p, &form, at, &label, to);
}

/* What may change -------------------------------------------------------- */

static unsigned log2_of(uint64_t align)
{
	return (unsigned)__builtin_ctzll(align);
}

static int frag_cmp(const void *a, const void *b)
{
	const struct frag *x = a, *y = b;
	if (x->old != y->old)
		return x->old < y->old ? -1 : 1;
	return x->runs - y->runs;
}

/* Is the entry of an opaque function here, and even? */
static bool is_kept_entry(const struct lay *w, uint64_t off)
{
	uint32_t n = cfg_func_at(w->g, w->t, off);
	const struct func *f = n == NO_FUNC ? NULL : &w->g->func.v[n];
	return f && f->start == off && f->why != OPAQUE_NOT && off % 2 == 0;
}

/*
 * Code with the same offset and runners forms one fragment.  An opaque function keeps its address
 * modulo an alignment, behind such code: a no-op more makes the entry even, see queue_alignment().
 */
static void queue_insertions(struct lay *w)
{
	for (uint32_t i = w->l->first; i < w->l->first + w->l->n; i++) {
		const struct insertion *s = &w->l->inserted->v.v[i];
		struct frag *last = w->queued.n ? &w->queued.v[w->queued.n - 1] : NULL;
		if (!last || last->old != s->off || last->runs != s->runs) {
			vec_push(&w->queued,
				(struct frag){.old = s->off,
					.runs = s->runs,
					.kind = FRAG_INSERTED});
			last = &w->queued.v[w->queued.n - 1];
		}
		last->len += s->size;
	}
	for (size_t i = 0; i < w->queued.n; i++) {
		struct frag *f = &w->queued.v[i];
		f->len += f->len % 2 && is_kept_entry(w, f->old);
	}
}

/*
 * hazard: alignment by the linker.  Where the last link deletes bytes, it aligns code too, by
 * deleting some of the no-ops behind R_RISCV_ALIGN: these keep their number.
 */
static void queue_padding(struct lay *w)
{
	const struct cfg *g = w->g;
	uint32_t ti = (uint32_t)(w->t - g->text.v);
	size_t i;
	BISECT(i, 0, g->padding.n, g->padding.v[i].text < ti);
	for (; !w->t->sec->relaxes && i < g->padding.n && g->padding.v[i].text == ti; i++) {
		const struct padding *pd = &g->padding.v[i];
		if (pd->align)
			vec_push(&w->queued,
				(struct frag){.old = pd->from,
					.runs = RUNS_OLD,
					.kind = FRAG_PADDING,
					.len = (uint32_t)(pd->to - pd->from),
					.align = (uint8_t)log2_of(pd->align)});
	}
}

/*
 * hazard: aligned data in text.  movdqa constants and unrolled rows need their address
 * modulo the alignment of the section.
 *
 * hazard: odd function address.  Bit 0 of a pointer to a member function means virtual, and
 * -Os aligns such functions to 2 only: an entry stays even.
 *
 * hazard: bytes in front of an entry.  Callers read the word in front of a function (type
 * hashes of -fsanitize=function and kcfi), or no-ops stand there to be patched: nothing
 * comes between.
 */
static void queue_alignment(struct lay *w)
{
	const struct cfg *g = w->g;
	uint32_t end = w->t->func + w->t->nfunc, align = (uint32_t)w->t->sec->align;
	for (uint32_t f = w->t->func; f < end; f++) {
		const struct func *fn = &g->func.v[f];
		struct frag q = {.old = fn->start, .runs = RUN_PAST, .kind = FRAG_ALIGN};
		/* the ABI needs even entries: bit 0 of a pointer to member function means virtual
		 */
		bool glued = fn->nblock &&
			(g->insn.v[g->block.v[fn->block].insn].flags & INSN_GLUED);
		if (align < 2 || w->t->sec->relaxes || fn->tied)
			continue;
		/* also behind another opaque function: counted entries insert code between */
		q.keep = fn->why != OPAQUE_NOT;
		if (q.keep)
			q.align = (uint8_t)log2_of(align);
		else if (fn->is_code && fn->start % 2 == 0 && !glued)
			q.align = align >= 16 && fn->start % 16 == 0 ? 4 : 1;
		if (q.align)
			vec_push(&w->queued, q);
	}
}

static void queue_branches(struct lay *w)
{
	const struct cfg *g = w->g;
	const struct code_section *t = w->t;
	for (uint32_t b = t->block; b < t->block + t->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		const struct insn *in = &g->insn.v[bl->insn + bl->ninsn - 1];
		if (bl->gap || !insn_stretches(g->target, in) ||
			g->func.v[bl->func].why != OPAQUE_NOT)
			continue;
		vec_push(&w->queued,
			(struct frag){.old = in->off,
				.runs = RUNS_OLD,
				.kind = FRAG_RESIZED,
				.len = in->len});
		vec_push(&w->branch, b);
	}
}

/* Loads of tables' entries that make the tables' addresses, if anything is inserted. */
static void queue_loads(struct lay *w)
{
	const struct cfg *g = w->g;
	const struct code_section *t = w->t;
	offset_set queued = NULL; /* loads that several tables have */
	size_t k;
	BISECT(k, 0, g->scaled.n, g->scaled.v[k].insn[SCALED_JUMP] < t->insn);
	for (; w->p->inserts && k < g->scaled.n; k++) {
		const struct scaled_table *s = &g->scaled.v[k];
		const struct insn *jump = &g->insn.v[s->insn[SCALED_JUMP]];
		if (s->insn[SCALED_JUMP] >= t->insn + t->ninsn)
			break;
		const struct insn *load = &g->insn.v[s->insn[SCALED_LOAD]];
		struct frag f = {.old = load->off,
			.runs = RUNS_OLD,
			.kind = FRAG_RESIZED,
			.keep = true,
			.len = load->len};
		if (s->own < 0 || !s->proved ||
			g->func.v[cfg_func_at(g, t, jump->off)].why != OPAQUE_NOT)
			continue;
		if (!queued)
			queued = arena_array(w->arena, uint64_t, t->sec->size / 64 + 1);
		if (set_has(queued, f.old))
			continue;
		set_add(queued, f.old);
		vec_push(&w->queued, f);
	}
}

static int bound_cmp(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;
	if (x->sec != y->sec)
		return x->sec < y->sec ? -1 : 1;
	return x->off < y->off ? -1 : x->off > y->off;
}

/*
 * hazard: label behind a function.  A program may compare addresses with such a label to learn
 * whether they are in the function: what is behind the label stays there.  Local labels of the
 * assembler are in objects only where linkers delete bytes of code.
 */
static void find_bounds(const struct object *o, bound_vec *all)
{
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		unsigned type = symbol_type(s);
		if (s->sec && s->sec < o->sec.n && section_is_code(&o->sec.v[s->sec]) &&
			(type == STT_NOTYPE || type == STT_OBJECT) &&
			strncmp(s->name, ".L", 2) != 0)
			vec_push(all, (struct bound){s->sec, s->value});
	}
	if (all->n)
		sort(all->v, all->n, sizeof *all->v, bound_cmp);
}

static bool is_bound(const bound_vec *all, struct bound b)
{
	size_t i;
	BISECT(i, 0, all->n, bound_cmp(&all->v[i], &b) < 0);
	return i < all->n && !bound_cmp(&all->v[i], &b);
}

/* May control fall through to instruction i from the last one before it that is no no-op? */
static bool falls_into(const struct cfg *g, const struct code_section *t, uint32_t i)
{
	while (i > t->insn && g->insn.v[i - 1].kind == INSN_NOP)
		i--;
	if (i == t->insn)
		return true;
	switch (g->insn.v[i - 1].kind) {
	case INSN_JUMP:
	case INSN_JUMP_IND:
	case INSN_RET:
	case INSN_TRAP:
	case INSN_CALL: /* one that returned would fall into another function */
	case INSN_CALL_IND: return false;
	default: return true;
	}
}

/*
 * May f be laid out elsewhere than behind the previous function?  Not if control falls into it, if
 * it belongs to the bytes in front of it, or if one of the two functions is opaque.
 */
static bool is_apart(const struct lay *w, const struct func *f)
{
	const struct cfg *g = w->g;
	if (is_bound(w->bounds, (struct bound){w->t->sec->index, f->start}))
		return false;
	if (f->why != OPAQUE_NOT || f[-1].why != OPAQUE_NOT || !f->is_code || f->falls_in ||
		!is_function_symbol(g, f) || !f->nblock || f[-1].end > f->start)
		return false;
	uint32_t i = g->block.v[f->block].insn;
	return !(g->insn.v[i].flags & INSN_GLUED) && !falls_into(g, w->t, i);
}

static void queue_cuts(struct lay *w)
{
	const struct cfg *g = w->g;
	uint32_t end = w->t->func + w->t->nfunc;
	for (uint32_t f = w->t->func + 1; f < end; f++)
		if (is_apart(w, &g->func.v[f]))
			vec_push(&w->queued,
				(struct frag){.old = g->func.v[f].start, .kind = FRAG_CUT});
}

static void put_kept(struct lay *w, uint64_t from, uint64_t to)
{
	vec_push(&w->list,
		(struct frag){.old = from,
			.runs = RUNS_OLD,
			.kind = FRAG_KEPT,
			.len = (uint32_t)(to - from)});
}

/* The list of fragments covers the section: bytes between the queued ones are kept. */
static void list_frags(struct lay *w)
{
	uint64_t from = 0;
	w->list.n = 0;
	sort(w->queued.v, w->queued.n, sizeof *w->queued.v, frag_cmp);
	for (size_t k = 0; k < w->queued.n; k++) {
		const struct frag *q = &w->queued.v[k];
		if (q->old > from)
			put_kept(w, from, q->old);
		vec_push(&w->list, *q);
		from = q->runs == RUNS_OLD ? q->old + q->len : q->old;
	}
	put_kept(w, from, w->t->sec->size);
}

static void find_runs(struct lay *w)
{
	w->run.n = w->stays.n = 0;
	for (uint32_t k = 0; k < w->list.n; k++) {
		if (k && w->list.v[k].kind != FRAG_CUT)
			continue;
		vec_push(&w->run, k);
		vec_push(&w->stays, false);
	}
}

/* The run with old offset off, in the old order. */
static size_t run_with(const struct lay *w, uint64_t off)
{
	size_t i;
	BISECT(i, 1, w->run.n, w->list.v[w->run.v[i]].old <= off);
	return i - 1;
}

/*
 * hazard: ranges of several functions.  A unit has one range for all of its functions, and offsets
 * from the first one: the first and the last function of a range stay, the others between them.
 */
static void keep_ends(struct lay *w)
{
	uint32_t sec = w->t->sec->index;
	size_t i;
	BISECT(i, 0, w->ends->n, w->ends->v[i].sec < sec);
	for (; i < w->ends->n && w->ends->v[i].sec == sec; i++) {
		const struct map_span *s = &w->ends->v[i].span;
		size_t first = run_with(w, s->from), last = run_with(w, s->to - 1);
		if (first == last)
			continue;
		w->stays.v[first] = true;
		w->stays.v[last] |= !s->base;
	}
}

/* Shuffle the runs [first, end). */
static void shuffle(struct lay *w, size_t first, size_t end, uint64_t *seed)
{
	for (size_t i = end; i > first + 1; i--) {
		size_t k = first + random_next(seed) % (i - first);
		uint32_t other = w->run.v[i - 1];
		w->run.v[i - 1] = w->run.v[k];
		w->run.v[k] = other;
	}
}

/*
 * Shuffle the runs between those that stay: the last one, and the first one unless it begins with a
 * function.  Where symbols mark code, one stays at the section's start: GNU ld for AArch64 takes
 * the section to be as much longer as there is code in front of the first mark.
 */
static void order_runs(struct lay *w)
{
	const struct func *f = &w->g->func.v[w->t->func];
	uint64_t seed = random_start(w->p->opt->order_seed ^ (uint64_t)(w->t->sec->index) << 32);
	find_runs(w);
	w->stays.v[0] = !w->t->nfunc || f->start || !is_function_symbol(w->g, f) ||
		w->g->target->mark.code;
	w->stays.v[w->stays.n - 1] = true;
	if (w->bounds)
		keep_ends(w);
	for (size_t i = 0, end; i < w->run.n; i = end + 1) {
		for (end = i; !w->stays.v[end];)
			end++;
		shuffle(w, i, end, &seed);
	}
}

/* Positions ------------------------------------------------------------ */

static uint64_t padding_to(uint64_t pos, unsigned align)
{
	return -pos & (((uint64_t)1 << align) - 1);
}

/* No-ops at f->new, for the alignment of what is behind them. */
static uint32_t align_len(const struct frag *f)
{
	const struct frag *next = f + 1;
	uint64_t pos = f->new;
	if (f->kind == FRAG_PADDING)
		pos += next->runs == RUNS_FALL ? next->len : 0;
	for (; f->keep && next->kind == FRAG_INSERTED && next->old == f->old; next++)
		pos += next->len;
	return (uint32_t)padding_to(f->keep ? pos - f->old : pos, f->align);
}

/* The fragments from f to the next cut; returns where they end. */
static uint64_t place_run(struct lay *w, struct frag *f, uint64_t pos)
{
	const struct frag *end = w->list.v + w->list.n;
	do {
		f->new = pos;
		if (f->kind == FRAG_ALIGN || f->kind == FRAG_PADDING)
			f->len = align_len(f);
		pos += f->len;
	} while (++f < end && f->kind != FRAG_CUT);
	return pos;
}

/* Give each fragment its address, with the branch lengths of now. */
static void place(struct lay *w)
{
	uint64_t pos = 0;
	for (size_t i = 0; i < w->run.n; i++)
		pos = place_run(w, &w->list.v[w->run.v[i]], pos);
	w->l->map.new_size = pos;
}

/* Relays and their fragments are in the same order. */
static void place_relays(struct lay *w)
{
	struct relay *r = w->relays.v.v;
	for (size_t k = 0; k < w->list.n; k++)
		if (w->list.v[k].kind == FRAG_RELAY)
			(r++)->at = w->list.v[k].new;
}

/*
 * How far the target of the branch of insn i, fragment f, is.  What the last link deletes makes it
 * nearer.  How far other sections are is not known: those that have grown may be far.
 */
static int64_t distance_to(const struct lay *w, const struct frag *f, uint32_t i)
{
	struct ref r;
	cfg_ref(w->g, w->t, i, &r);
	if (r.rel && r.sec != w->t->sec->index && !stub_of(w->l, i))
		return w->p->inserts ? INT64_MAX / 2 : 0;
	return (int64_t)layout_target(w->p, w->l, i, r.off) - (int64_t)f->new;
}

/* May the last instruction of block b change these registers besides? */
static bool may_change(const struct cfg *g, const struct block *b, regset changes)
{
	regset live = insn_live(g, &g->insn.v[b->insn + b->ninsn - 1], b->live_out);
	return g->has_liveness && !(changes & ~cfg_scratch(g, &g->func.v[b->func], live));
}

/* How long the last instruction of block b, fragment f, must be now. */
static unsigned wanted_len(const struct lay *w, const struct frag *f, const struct block *b)
{
	const struct target *t = w->g->target;
	uint32_t i = b->insn + b->ninsn - 1;
	const struct insn *in = &w->g->insn.v[i];
	int64_t dist = distance_to(w, f, i);
	unsigned want = uses_relays(w->p) ? f->len : t->form->len(in, dist, f->len);
	regset changes;
	unsigned far = insn_far_len(t, in, &changes);
	uint8_t out[24];
	if (!far || t->form->encode(in, insn_bytes(w->t, in), want, dist, out))
		return want;
	return !changes || may_change(w->g, b, changes) ? far : want;
}

/* A branch that does not reach its target asks the CPU for a longer form. */
static bool widen(struct lay *w)
{
	const uint32_t *branch = w->branch.v;
	bool changed = false;
	for (size_t k = 0; k < w->list.n; k++) {
		struct frag *f = &w->list.v[k];
		if (f->kind != FRAG_RESIZED)
			continue;
		unsigned want = f->keep ? w->g->target->words->own_len
					: wanted_len(w, f, &w->g->block.v[*branch++]);
		if (want > f->len) {
			f->len = want;
			changed = true;
		}
	}
	return changed;
}

/* Queue more relays for the layout of now.  False: none. */
static bool queue_relays(struct lay *w)
{
	size_t n = 0;
	if (!w->p->inserts || !uses_relays(w->p) || !relays_add(&w->relays, w->p, w->l, w->t))
		return false;
	for (size_t k = 0; k < w->queued.n; k++)
		if (w->queued.v[k].kind != FRAG_RELAY)
			w->queued.v[n++] = w->queued.v[k];
	w->queued.n = n;
	for (size_t k = 0; k < w->relays.v.n; k++)
		vec_push(&w->queued,
			(struct frag){.old = w->relays.v.v[k].off,
				.runs = RUNS_LEAVE,
				.kind = FRAG_RELAY,
				.len = w->relays.jump.len});
	return true;
}

static void keep_relays(struct lay *w)
{
	if (!w->relays.v.n)
		return;
	w->l->relays = arena_new(w->arena, struct relays);
	*w->l->relays = w->relays;
	w->l->relays->v.v = arena_array(w->arena, struct relay, w->relays.v.n);
	memcpy(w->l->relays->v.v, w->relays.v.v, w->relays.v.n * sizeof *w->relays.v.v);
	w->l->relays->by_label.v = arena_array(w->arena, uint32_t, w->relays.v.n);
	memcpy(w->l->relays->by_label.v, w->relays.by_label.v,
		w->relays.v.n * sizeof *w->relays.by_label.v);
}

static bool is_cut(const struct frag *f)
{
	return f->kind == FRAG_CUT && f->new != f[-1].new + f[-1].len;
}

static void list_cuts(struct lay *w)
{
	struct addrmap *m = &w->l->map;
	for (size_t i = 1; i < m->n; i++)
		m->ncut += is_cut(&m->frag[i]);
	m->cut = arena_array(w->arena, uint64_t, m->ncut);
	m->ncut = 0;
	for (size_t i = 1; i < m->n; i++)
		if (is_cut(&m->frag[i]))
			m->cut[m->ncut++] = m->frag[i].old;
}

/* Turn fragments that did not change into kept ones, and copy the list to the arena. */
static void keep_list(struct lay *w)
{
	struct addrmap *m = &w->l->map;
	size_t n = 0;
	for (size_t k = 0; k < w->list.n; k++) {
		struct frag f = w->list.v[k], *last = n ? &w->list.v[n - 1] : NULL;
		if (f.kind == FRAG_ALIGN && !f.len)
			continue;
		if (f.runs == RUNS_OLD && k + 1 < w->list.n &&
			f.len == w->list.v[k + 1].old - f.old)
			f.kind = FRAG_KEPT;
		if (f.kind == FRAG_KEPT && last && last->kind == FRAG_KEPT)
			last->len += f.len;
		else
			w->list.v[n++] = f;
	}
	m->frag = arena_array(w->arena, struct frag, n);
	memcpy(m->frag, w->list.v, n * sizeof *m->frag);
	m->n = n;
}

/* Each round of relays makes room for those that the last one has made necessary. */
enum { MAX_ROUNDS = 32 };

static void lay_out(struct lay *w)
{
	struct code_section *t = w->t;
	struct layout *l = w->l;
	w->queued.n = w->branch.n = 0;
	queue_insertions(w);
	queue_padding(w);
	queue_alignment(w);
	queue_branches(w);
	queue_loads(w);
	if (w->bounds)
		queue_cuts(w);
	w->relays.v.n = w->relays.by_label.n = 0;
	unsigned rounds = 0;
	do {
		list_frags(w);
		order_runs(w);
		l->map = (struct addrmap){.frag = w->list.v,
			.n = w->list.n,
			.old_size = t->sec->size};
		do
			place(w);
		while (widen(w));
		place_relays(w);
	} while (rounds++ < MAX_ROUNDS && queue_relays(w));
	keep_list(w);
	keep_relays(w);
	if (w->bounds)
		list_cuts(w);
	t->sec->map = &l->map;
}

struct laying {
	const struct plan *p;
	struct layout *lay;
	const bound_vec *bounds;
	ends_vec ends;
};

static void lay_out_part(void *ctx, size_t part, struct arena *arena)
{
	const struct laying *all = ctx;
	const struct cfg *g = all->p->g;
	struct lay w = {.p = all->p,
		.bounds = all->bounds,
		.ends = &all->ends,
		.g = g,
		.arena = arena};
	relays_start(&w.relays, g);
	for (uint32_t i = g->part.v[part]; i < g->part.v[part + 1]; i++) {
		w.t = &g->text.v[i];
		w.l = &all->lay[i];
		lay_out(&w);
	}
	relays_free(&w.relays);
	vec_free(&w.queued);
	vec_free(&w.list);
	vec_free(&w.run);
	vec_free(&w.stays);
	vec_free(&w.branch);
}

static void note_span(void *ctx, uint32_t sec, const struct map_span *span)
{
	ends_vec *ends = ctx;
	vec_push(ends, (struct two_ends){sec, *span});
}

/* The insertions of each code section. */
static void find_insertions(const struct plan *p, struct layout *lay)
{
	const struct cfg *g = p->g;
	for (size_t k = 0; p->inserted && k + 1 < g->part.n; k++) {
		const struct insertions *in = &p->inserted[k];
		uint32_t n = 0;
		for (uint32_t i = g->part.v[k]; i < g->part.v[k + 1]; i++) {
			lay[i].inserted = in;
			lay[i].first = n;
			while (n < in->v.n && in->v.v[n].text == i)
				n++;
			lay[i].n = n - lay[i].first;
		}
	}
}

struct layout *layout_make(const struct plan *p)
{
	const struct cfg *g = p->g;
	struct laying all = {.p = p, .lay = arena_array(g->arena, struct layout, g->text.n + 1)};
	bound_vec bounds = {0};
	if (p->opt->order) {
		find_bounds(g->obj, &bounds);
		debug_spans(g->obj, note_span, &all.ends);
		all.bounds = &bounds;
	}
	find_insertions(p, all.lay);
	parallel_into(g->arena, g->part.n - 1, lay_out_part, &all);
	vec_free(&bounds);
	vec_free(&all.ends);
	return all.lay;
}

/* Branches that do not reach ------------------------------------------------ */

static bool branch_reaches(const struct plan *p, const struct layout *l,
	const struct code_section *t, uint32_t i)
{
	const struct insn *in = &p->g->insn.v[i];
	struct branch_form form = {in, insn_bytes(t, in), in->len};
	struct ref r;
	if (!insn_stretches(p->g->target, in) || !cfg_ref(p->g, t, i, &r) ||
		(r.rel && (!p->g->target->form->far_len || r.sec != t->sec->index) &&
			!stub_of(l, i)))
		return true;
	uint64_t at = map_insn(&l->map, in->off, &form.len);
	return form_reaches(p, &form, (int64_t)(layout_lead(p, l, t, i, at, form.len, r.off) - at));
}

/* Mark in far the functions of relays that do not reach; false: all do. */
static bool far_relays(const struct plan *p, const struct layout *l, const struct code_section *t,
	bool *far)
{
	bool any = false;
	for (size_t k = 0; l->relays && k < l->relays->v.n; k++) {
		const struct relay *r = &l->relays->v.v[k];
		const struct branch_form form = relay_form(l->relays);
		uint64_t to = relay_target(l->relays, p, l, k);
		if (!form_reaches(p, &form, (int64_t)(to - r->at)))
			any = far[cfg_func_at(p->g, t, r->off)] = true;
	}
	return any;
}

bool layout_too_far(const struct plan *p, const struct layout *lay, bool *far)
{
	const struct cfg *g = p->g;
	bool any = false;
	if (!g->target->form->far_len && (!p->opt->moves || !g->target->form->far_reloc))
		return false;
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		const struct func *f = &g->func.v[bl->func];
		if (bl->gap || f->why != OPAQUE_NOT ||
			branch_reaches(p, &lay[f->text], &g->text.v[f->text],
				bl->insn + bl->ninsn - 1))
			continue;
		any = far[bl->func] = true;
	}
	for (uint32_t i = 0; i < g->text.n; i++)
		any |= far_relays(p, &lay[i], &g->text.v[i], far);
	return any;
}
