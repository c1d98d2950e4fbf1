/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.c - write code sections from their fragments; see emit.h
 *
 * Kept bytes and inserted code are copied; then every pc-relative field without a relocation
 * gets its new distance, and every relocation follows its field.  Code bytes change nowhere else.
 */
#include "instr/emit.h"

#include "base/parallel.h"
#include "cfg/refs.h"
#include "instr/layout.h"
#include "instr/stubs.h"
#include "instr/tool/tool.h"
#include "instr/words.h"
#include "reloc/fix.h"

#include <stdlib.h>

struct emit {
	const struct plan *p;
	const struct cfg *g;
	const struct code_section *t;
	const struct layout *l;
	const struct words *words;
	const uint32_t *symbol; /* by section: its own; 0: there is none */
	struct section *s;
	struct arena *arena;
	struct insn jump;	      /* of insertions that lead on */
	VEC(struct reloc) rel;	      /* all of the new section's, not sorted yet */
	VEC(struct stack_move) stack; /* all of the new section's */
};

/* Inserted code -------------------------------------------------------- */

/* A place in code that is relaxed has a symbol of its own: see fix_bind(). */
struct reloc emit_place(const struct object *o, const uint32_t *symbol, struct reloc r, int64_t adj)
{
	uint32_t sec = r.sym & (PLACE_EXACT - 1);
	const struct section *s = &o->sec.v[sec];
	uint64_t at = map_addr(s->map, (uint64_t)(r.addend + adj),
		r.sym & PLACE_EXACT ? REF_EXACT : REF_ADDRESS);
	r.sym = symbol[sec];
	r.addend = (int64_t)(at - o->sym.v[r.sym].value) - adj;
	if (s->relaxes || !r.sym) {
		r.sym = object_label(o, sec, at);
		r.addend = -adj;
	}
	return r;
}

/* A relocation against what may be code: a place, or the operand of an instruction. */
static void follow_label(const struct emit *w, struct reloc *r)
{
	const struct target *t = w->g->target;
	const struct reloc_info *info = t->reloc_info(r->type);
	bool behind = !t->form->at_field && (info->role == ROLE_PCREL || info->role == ROLE_PLT);
	if (r->sym & PLACE_SYM) {
		*r = emit_place(w->g->obj, w->symbol, *r, behind ? info->size : 0);
		return;
	}
	struct ref ref = fix_ref(w->g->obj, r, 0, REF_ADDRESS);
	if (!ref.sec)
		return;
	if (behind) {
		ref.adj = ref.size;
		ref.off += ref.size;
	}
	*r = fix_ref_reloc(w->g->obj, w->t->sec, &ref);
}

static uint8_t *put_insertion(struct emit *w, uint8_t *out, const struct insertion *in)
{
	const struct insertions *all = w->l->inserted;
	const uint64_t at = (uint64_t)(out - w->s->out);
	memcpy(out, all->byte.v + in->byte, in->size);
	for (uint32_t i = in->rel; i < in->rel + in->nrel; i++) {
		struct reloc r = all->rel.v[i];
		if (in->maker == MAKER_TOOLS)
			follow_label(w, &r);
		vec_push(&w->rel, r);
		w->rel.v[w->rel.n - 1].off += at;
	}
	for (uint32_t i = in->stack; i < in->stack + in->nstack; i++) {
		vec_push(&w->stack, all->stack.v[i]);
		w->stack.v[w->stack.n - 1].at += at;
	}
	for (uint32_t i = in->claim; i < in->claim + in->nclaim; i++) {
		struct claim c = all->claim.v[i];
		c.sec = w->s->index;
		c.at += (uint32_t)at;
		vec_push(&w->s->claims, c);
	}
	return out + in->size;
}

/* Write the code of fragment f at out.  Insertions are in the order of the fragments. */
static void put_insertions(struct emit *w, const struct frag *f, uint8_t *out, uint32_t *next)
{
	const struct insertion *all = w->l->inserted->v.v;
	uint32_t end = w->l->first + w->l->n;
	const uint8_t *behind = out + f->len;
	for (; *next < end && all[*next].off == f->old && all[*next].runs == f->runs; (*next)++)
		out = put_insertion(w, out, &all[*next]);
	w->g->target->nops(out, (size_t)(behind - out));
}

static void put_bytes(struct emit *w)
{
	const struct addrmap *m = &w->l->map;
	const struct section *s = w->s;
	uint32_t next = w->l->first;
	for (const struct frag *f = m->frag; f < m->frag + m->n; f++) {
		uint8_t *out = s->out + f->new;
		switch ((enum frag_kind)f->kind) {
		case FRAG_KEPT: memcpy(out, s->data + f->old, f->len); break;
		case FRAG_CUT: break;
		case FRAG_INSERTED: put_insertions(w, f, out, &next); break;
		case FRAG_RELAY: /* see put_relays() */
		case FRAG_RESIZED:
		case FRAG_PADDING:
		case FRAG_ALIGN: w->g->target->nops(out, f->len); break;
		}
	}
}

static int stack_cmp(const void *a, const void *b)
{
	const struct stack_move *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Stack moves of inserted code, for the unwind tables. */
static void put_stack_moves(struct emit *w)
{
	if (w->p->opt->order)
		sort(w->stack.v, w->stack.n, sizeof *w->stack.v, stack_cmp);
	struct addrmap *m = w->s->map;
	struct stack_move *v = arena_array(w->arena, struct stack_move, w->stack.n + 1);
	if (w->stack.n)
		memcpy(v, w->stack.v, w->stack.n * sizeof *v);
	m->stack = v;
	m->nstack = w->stack.n;
	m->stack_dwarf = w->g->target->abi.stack_dwarf;
}

/* Distances ------------------------------------------------------------ */

/* The relocation of a branch, now at offset at, that is too far away for a distance. */
static bool relocate_far(struct emit *w, const struct insn *in, uint64_t at, unsigned len,
	uint64_t to)
{
	const struct target *t = w->g->target;
	unsigned field = 0;
	uint32_t type = t->form->far_reloc ? t->form->far_reloc(in, len, (int64_t)(to - at), &field)
					   : 0;
	if (!type)
		return true;
	struct reloc r = {.off = at + field,
		.addend = (int64_t)to,
		.type = type,
		.sym = w->symbol[w->s->index]};
	vec_push(&w->rel, r);
	return r.sym && !w->p->opt->moves;
}

/* Set the pc-relative field of an instruction, bytes p, that is now at offset at, len bytes long.
 */
static void set_distance(struct emit *w, const struct insn *in, const uint8_t *p, uint64_t at,
	unsigned len, uint64_t to, bool known)
{
	uint8_t *out = w->s->out + at;
	int64_t dist = known ? (int64_t)(to - at) : 0;
	if (!known && len == in->len)
		return;
	if (!w->g->target->form->encode(in, p, len, dist, out) ||
		(known && !relocate_far(w, in, at, len, to)))
		fatal_at(w->s, in->off,
			in->flags & INSN_OPERAND_PC ? "an operand no longer reaches its place"
						    : "a branch no longer reaches its target");
}

/*
 * Does a field of opaque function fn refer to code outside fn, or call its start?  An offset beyond
 * the section (of that size) without a relocation refers to nothing.
 */
static bool leaves(const struct func *fn, const struct insn *in, uint64_t off, uint64_t size)
{
	return off < fn->start || (off >= fn->end && off <= size) ||
		(in->kind == INSN_CALL && off == fn->start);
}

/*
 * Fields of instructions.  In an opaque function only those that leave it change, and none in a
 * region that may be data.
 */
static void put_fields(struct emit *w)
{
	const struct cfg *g = w->g;
	const struct code_section *t = w->t;
	size_t cursor = 0;
	uint32_t f = t->func;
	for (uint32_t i = t->insn; i < t->insn + t->ninsn; i++) {
		const struct insn *in = &g->insn.v[i];
		struct ref r;
		while (f + 1 < t->func + t->nfunc && g->func.v[f + 1].start <= in->off)
			f++;
		const struct func *fn = &g->func.v[f];
		if (!in->pc_size || !cfg_ref(g, t, i, &r))
			continue;
		if (fn->why != OPAQUE_NOT && (!fn->is_code || !leaves(fn, in, r.off, t->sec->size)))
			continue;
		unsigned len = in->len;
		uint64_t at = map_insn_seq(&w->l->map, &cursor, in->off, &len);
		uint64_t to = r.rel ? 0 : layout_lead(w->p, w->l, t, i, at, len, r.off);
		set_distance(w, in, insn_bytes(t, in), at, len, to, !r.rel);
	}
}

/* Make the jump of in, now at offset at, lead to where its branch led. */
static void lead_on(struct emit *w, const struct insertion *in, uint64_t at)
{
	const struct target *t = w->g->target;
	const struct insn *jump = &w->jump;
	uint8_t bytes[16];
	struct ref r;
	cfg_ref(w->g, w->t, in->branch, &r);
	if (!r.rel) {
		memcpy(bytes, w->s->out + at, in->size);
		set_distance(w, jump, bytes, at, in->size,
			map_addr(&w->l->map, r.off, (enum ref_use)r.use), true);
		return;
	}
	struct reloc out = fix_ref_reloc(w->g->obj, w->t->sec, &r);
	out.off = at + t->form->field(jump, in->size);
	out.addend += r.adj - insn_field_origin(t, jump, in->size);
	if (t->made.jump)
		out.type = t->made.jump;
	vec_push(&w->rel, out);
}

/* Complete the inserted jumps. */
static void put_leaving(struct emit *w)
{
	const struct insertion *all = w->l->inserted ? w->l->inserted->v.v : NULL;
	uint64_t at = 0;
	for (uint32_t i = w->l->first; i < w->l->first + w->l->n; i++) {
		bool first = i == w->l->first || all[i - 1].off != all[i].off ||
			all[i - 1].runs != RUNS_LEAVE;
		if (all[i].runs != RUNS_LEAVE)
			continue;
		if (first)
			at = map_addr(&w->l->map, all[i].off, REF_LEAVE);
		if (all[i].leads_on)
			lead_on(w, &all[i], at);
		at += all[i].size;
	}
}

static void put_relays(struct emit *w)
{
	const struct relays *all = w->l->relays;
	for (size_t k = 0; all && k < all->v.n; k++) {
		const struct relay *r = &all->v.v[k];
		const struct branch_form form = relay_form(all);
		set_distance(w, form.in, form.bytes, r->at, form.len,
			relay_target(all, w->p, w->l, k), true);
		if (w->p->opt->claims)
			vec_push(&w->s->claims,
				(struct claim){.sec = w->s->index,
					.at = (uint32_t)r->at,
					.len = form.len,
					.kind = r->skips ? CLAIM_SKIP : CLAIM_RELAY});
	}
}

/* Relocations ---------------------------------------------------------- */

/* The new offset of the field of a reference, in instruction i or in none. */
static uint64_t field_place(const struct emit *w, uint32_t i, const struct ref *ref, size_t *cursor)
{
	const struct addrmap *m = &w->l->map;
	if (i == NO_INSN)
		return map_addr_seq(m, cursor, ref->rel->off, REF_EXACT);
	const struct insn *in = &w->g->insn.v[i];
	unsigned len = in->len;
	uint64_t at = map_insn_seq(m, cursor, in->off, &len);
	bool moves = len != in->len && !in->resolved; /* else it is in a delay slot */
	return at + (moves ? w->g->target->form->field(in, len) : ref->rel->off - in->off);
}

/* Is ref that of branch i, which has a longer form or leads through code of its edge? */
static bool is_of_branch(const struct emit *w, uint32_t i, const struct ref *ref)
{
	const struct insn *in = i == NO_INSN ? NULL : &w->g->insn.v[i];
	return in && in->pc_size && !in->resolved && ref->rel == &w->s->rel[in->ref] &&
		(insn_stretches(w->g->target, in) || layout_redirects(w->l, i));
}

/* The relocation of branch i, whose reference is ref, for the form that it has now. */
static struct reloc branch_reloc(const struct emit *w, uint32_t i, const struct ref *ref)
{
	const struct target *t = w->g->target;
	const struct insn *in = &w->g->insn.v[i];
	unsigned len = in->len;
	struct reloc out = *ref->rel;
	if (layout_leaves(w->l, i)) {
		out.sym = object_label(w->g->obj, w->s->index,
			layout_target(w->p, w->l, i, ref->off));
		out.addend = -ref->adj;
	} else if (ref->sec == w->s->index)
		fix_bind(w->g->obj, ref->sec, layout_target(w->p, w->l, i, ref->off), ref->adj,
			&out);
	else
		out = fix_ref_reloc(w->g->obj, w->t->sec, ref);
	map_insn(&w->l->map, in->off, &len);
	if (len != in->len)
		out.type = t->form->reloc(in, len);
	return out;
}

/* Does a function behind what takes its place find the GOT by its own address there? */
static bool is_by_original(const struct emit *w, uint32_t i, const struct ref *ref)
{
	const struct cfg *g = w->g;
	if (!g->target->abi.entry_label || ref->role != ROLE_GOTREL || i == NO_INSN ||
		ref->sec != w->s->index)
		return false;
	const struct func *f = &g->func.v[cfg_func_at(g, w->t, g->insn.v[i].off)];
	return f->replaced && ref->off == f->start;
}

/* The relocation of reference ref, in instruction i or in none, whose field is now at off. */
static struct reloc new_reloc(const struct emit *w, uint32_t i, const struct ref *ref, uint64_t off)
{
	const struct addrmap *m = &w->l->map;
	const struct words_ref *table = i == NO_INSN ? NULL : words_of(w->words, i);
	struct reloc out = *ref->rel;
	uint64_t label;
	if (table)
		out.sym = w->words->sym, out.addend = table->addend;
	else if (ref->role == ROLE_BASE && ref->sec)
		out.addend = (int64_t)(off - map_addr(m, ref->off, REF_ADDRESS));
	else if (based_label(w->g, w->t, ref, &label))
		out.addend += (int64_t)(label - out.off + off - map_addr(m, label, REF_ADDRESS));
	else if (is_of_branch(w, i, ref))
		out = branch_reloc(w, i, ref);
	else
		out = fix_ref_reloc(w->g->obj, w->t->sec, ref);
	out.off = off;
	return out;
}

static void move_reloc(struct emit *w, const struct reloc *r, uint32_t i, size_t *cursor)
{
	struct ref ref = cfg_field_ref(w->g, w->t, i, r);
	if (is_by_original(w, i, &ref))
		ref.use = REF_ORIGINAL;
	struct reloc out = new_reloc(w, i, &ref, field_place(w, i, &ref, cursor));
	if (w->p->tools && out.sym == r->sym)
		out.sym = tools_symbol(w->p->tools, w->t, i, &ref);
	vec_push(&w->rel, out);
}

static int reloc_cmp(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;
	return x->off < y->off ? -1 : x->off > y->off;
}

/* The relocations that were there, the last ones of w->rel, into the order of the file. */
static void restore_order(struct emit *w)
{
	uint32_t n = w->s->nrel;
	struct reloc *old = w->rel.v + (w->rel.n - n), *in = arena_array(w->arena, struct reloc, n);
	memcpy(in, old, n * sizeof *in);
	for (uint32_t k = 0; k < n; k++)
		old[k] = in[w->s->order[k]];
}

static void put_relocs(struct emit *w)
{
	const struct cfg *g = w->g;
	uint32_t i = w->t->insn;
	size_t cursor = 0;
	for (uint32_t k = 0; k < w->s->nrel; k++) {
		const struct reloc *r = &w->s->rel[k];
		move_reloc(w, r, cfg_reloc_insn(g, w->t, r, &i), &cursor);
	}
	if (w->s->order) {
		restore_order(w);
		w->s->out_order = relocs_sort(w->arena, w->rel.v, (uint32_t)w->rel.n);
	} else {
		sort(w->rel.v, w->rel.n, sizeof *w->rel.v, reloc_cmp);
	}
	w->s->out_rel = arena_array(w->arena, struct reloc, w->rel.n + 1);
	if (w->rel.n)
		memcpy(w->s->out_rel, w->rel.v, w->rel.n * sizeof *w->rel.v);
	w->s->out_nrel = (uint32_t)w->rel.n;
}

static void add_reloc(void *ctx, struct reloc r)
{
	struct emit *w = ctx;
	vec_push(&w->rel, r);
}

struct emitting {
	struct insn jump;
	const struct plan *p;
	const struct layout *lay;
	const struct words *words;
	const uint32_t *symbol;
};

static void emit_part(void *ctx, size_t part, struct arena *arena)
{
	const struct emitting *all = ctx;
	const struct cfg *g = all->p->g;
	struct emit w = {.p = all->p,
		.g = g,
		.words = all->words,
		.symbol = all->symbol,
		.jump = all->jump,
		.arena = arena};
	for (uint32_t i = g->part.v[part]; i < g->part.v[part + 1]; i++) {
		w.t = &g->text.v[i];
		w.l = &all->lay[i];
		w.s = w.t->sec;
		w.rel.n = w.stack.n = 0;
		w.s->rewritten = true;
		w.s->out_size = w.l->map.new_size;
		w.s->out = arena_array(w.arena, uint8_t, w.s->out_size + 16);
		put_bytes(&w);
		put_stack_moves(&w);
		put_fields(&w);
		put_leaving(&w);
		put_relays(&w);
		words_read(w.words, g, w.t, w.l, w.s->out, add_reloc, &w);
		put_relocs(&w);
	}
	vec_free(&w.rel);
	vec_free(&w.stack);
	if (all->p->inserted)
		insertions_free_code(&all->p->inserted[part]);
}

const uint32_t *section_symbols(struct arena *a, const struct object *o)
{
	uint32_t *symbol = arena_array(a, uint32_t, o->sec.n);
	for (uint32_t i = o->nlocal; --i > 0;)
		if (symbol_type(&o->sym.v[i]) == STT_SECTION && o->sym.v[i].sec < o->sec.n)
			symbol[o->sym.v[i].sec] = i;
	return symbol;
}

void emit_code(const struct plan *p, const struct layout *lay, const struct words *words)
{
	struct emitting all = {.p = p,
		.lay = lay,
		.words = words,
		.symbol = section_symbols(p->g->arena, p->g->obj)};
	uint8_t bytes[16];
	stubs_jump(p->g, &all.jump, bytes);
	parallel_into(p->g->arena, p->g->part.n - 1, emit_part, &all);
}
