/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify_live.c - what is live where code was inserted
 *
 * The verifier's own data flow, over single instructions of the old code, without
 * functions, blocks or jump tables: an indirect jump may lead to every label of
 * its function whose address is in data.  It knows less than the rewriter, and
 * takes more for live.
 */
#include "instr/verify_priv.h"

#include <stdlib.h>

struct flow {
	struct verify *v;
	struct vtext *t;
	regset *ret;		/* by insn: flags a function beginning there returns */
	regset *changed;	/* by insn: what the function beginning there changes */
	uint64_t *input;	/* by insn: what the function there met last time, hashed */
	regset *kept;		/* by insn: what callers of the function there count on; or NULL */
	bool again;
};

static const struct vtext *text_of_insn(const struct verify *v, uint32_t k)
{
	size_t lo = 0, hi = v->text.n;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (v->text.v[mid].first <= k)
			lo = mid;
		else
			hi = mid;
	}
	return &v->text.v[lo];
}

static bool starts_function(const struct verify *v, const struct vtext *t, uint32_t k)
{
	return k < t->first + t->n && bit_get(t->start, v->insn.v[k].off);
}

/* The beginning of the function that k is in: functions may be long, and this is asked often. */
static uint32_t function_of(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint64_t x = v->insn.v[k].off, i = x >> 6;
	uint64_t word = t->start[i] & (~(uint64_t)0 >> (63 - (x & 63)));
	for (;;) {
		while (!word && i)
			word = t->start[--i];
		if (!word)
			return t->first;
		unsigned bit = 63 - (unsigned)__builtin_clzll(word);
		uint32_t start = insn_at(v, t, i << 6 | bit);
		if (v->insn.v[start].off == (i << 6 | bit))
			return start;
		word ^= (uint64_t)1 << bit;
	}
}

/* A branch into an instruction, or out of the section without a relocation: strings look so. */
static bool is_odd(const struct verify *v, const struct vtext *t, const struct insn *in)
{
	uint32_t sec;
	uint64_t x;
	insn_target(v, t, in, NULL, &sec, &x);
	return !is_boundary(v, sec, x) &&
	       !(x && x < t->a->size &&
		       (v->insn.v[insn_at(v, t, x)].flags & INSN_LOCK_SPLIT));
}

/* Direct branches and calls, and labels that data refer to. */
static void collect_branches(struct verify *v)
{
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		const struct section *s = t->a;
		uint32_t r = 0;
		for (uint32_t k = t->first; k < t->first + t->n; k++) {
			const struct insn *in = &v->insn.v[k];
			if (in->kind == KIND_RAW || !in->pc_size || (in->flags & INSN_OPERAND_PC))
				continue;
			while (r < s->nrel && s->rel[r].off < in->off + in->pc_off)
				r++;
			bool has = r < s->nrel && s->rel[r].off == in->off + in->pc_off;
			uint32_t sec;
			uint64_t x;
			struct vtext *to;
			if (!has && is_odd(v, t, in))
				bit_set(t->raw, v->insn.v[function_of(v, t, k)].off);
			if (insn_target(v, t, in, has ? &s->rel[r] : NULL, &sec, &x) &&
				(to = text_at(v, sec)) && x < to->a->size) {
				uint32_t target = insn_at(v, to, x);
				vec_push(&v->branch, (struct vbranch){ k, target,
					function_of(v, to, target) });
				if (in->kind == INSN_CALL)
					bit_set(to->called, x);
			}
		}
	}
}

static void find_taken(struct verify *v)
{
	for (size_t i = 1; i < v->a->sec.n; i++) {
		const struct section *s = &v->a->sec.v[i];
		bool code = section_is_code(s);
		if (!(s->flags & SHF_ALLOC) || !strcmp(s->name, ".eh_frame") ||
			!strcmp(s->name, ".sframe"))
			continue;
		for (uint32_t k = 0; k < s->nrel; k++) {
			enum reloc_role role = v->target->reloc_info(s->rel[k].type)->role;
			uint32_t sec;
			uint64_t x;
			if ((role != ROLE_ABS && (code || role != ROLE_PCREL)) ||
				!place_of(v->a, &s->rel[k], 0, &sec, &x))
				continue;
			struct vtext *t = text_at(v, sec);
			uint64_t base = s->rel[k].off;
			if (t && role == ROLE_PCREL && table_base(v, s, base, &base) &&
				is_boundary(v, sec, x - (s->rel[k].off - base)))
				x -= s->rel[k].off - base;
			if (t && x < t->a->size)
				bit_set(v->taken, insn_at(v, t, x));
		}
	}
}

/* Is there only padding between the end of k and another function, or data behind this one? */
static bool ends_function(const struct verify *v, const struct vtext *t, uint32_t k)
{
	uint32_t end = t->first + t->n;
	while (++k < end && v->insn.v[k].kind == INSN_NOP && !starts_function(v, t, k))
		;
	return k == end || starts_function(v, t, k) ||
	       (v->insn.v[k].kind == KIND_RAW && bit_get(t->loose, v->insn.v[k].off));
}

static regset behind_call(struct flow *w, uint32_t k, const struct vbranch *br, regset fall)
{
	struct verify *v = w->v;
	const struct target *t = v->target;
	const struct insn *in = &v->insn.v[k];
	/* A function that ends in a call goes on in no other. */
	if (ends_function(v, w->t, k))
		fall = t->ret_live;
	regset live = t->entry_live | insn_effects(in)->reads | fall;
	if (!br)
		return live;
	live |= v->live[br->target] & REGSET_FLAGS;
	regset flags = fall & REGSET_FLAGS & t->call_clobbers;
	if (flags & ~w->ret[br->target]) {
		w->ret[br->target] |= flags;
		w->again = true;
	}
	return live;
}

static regset live_before(struct flow *w, uint32_t k, const struct vbranch *br, regset fall,
	regset taken, regset ret)
{
	const struct verify *v = w->v;
	const struct target *t = v->target;
	const struct insn *in = &v->insn.v[k];
	regset leave = t->entry_live | t->ret_live, live = fall;
	if (in->kind == KIND_RAW || (in->flags & INSN_VAGUE))
		return ~(regset)0;
	switch ((enum insn_kind)in->kind) {
	case INSN_CALL:
	case INSN_CALL_IND: return behind_call(w, k, br, fall);
	case INSN_JUMP: live = br ? v->live[br->target] : leave; break;
	case INSN_BRANCH:
	case INSN_XBEGIN: live |= br ? v->live[br->target] : leave; break;
	case INSN_JUMP_IND: live = taken | leave; break;
	case INSN_RET: live = t->ret_live | ret; break;
	case INSN_TRAP: live = t->ret_live; break;
	case INSN_OTHER:
	case INSN_NOP:
	case INSN_SYSCALL: break;
	}
	const struct effects *e = insn_effects(in);
	return (live & ~e->writes) | e->reads;
}

/* What control may meet behind an indirect jump of the function [from, to). */
static regset taken_live(const struct verify *v, uint32_t from, uint32_t to)
{
	regset live = 0;
	for (uint32_t k = from; k < to; k++) {
		if (!(k & 63) && !v->taken[k >> 6]) {
			k += 63;
			continue;
		}
		if (bit_get(v->taken, k))
			live |= v->live[k];
	}
	return live;
}

/* Control goes on from the function at from to the one at to, which returns for it. */
static void pass_returns(struct flow *w, uint32_t from, uint32_t to)
{
	if (w->ret[from] & ~w->ret[to]) {
		w->ret[to] |= w->ret[from];
		w->again = true;
	}
}

static bool falls_out(const struct verify *v, uint32_t from, uint32_t to)
{
	while (to > from && is_padding(&v->insn.v[to - 1]))
		to--;
	uint8_t kind = to > from ? v->insn.v[to - 1].kind : INSN_OTHER;
	return kind == INSN_OTHER || kind == INSN_BRANCH || kind == INSN_SYSCALL;
}

/* Backward over the function [from, to) once; br: the last branch in front of to. */
static bool flow_once(struct flow *w, uint32_t from, uint32_t to, size_t br)
{
	struct verify *v = w->v;
	regset taken = taken_live(v, from, to);
	bool last = to == w->t->first + w->t->n, changed = false;
	if (!last && falls_out(v, from, to))
		pass_returns(w, from, to);
	regset live = last ? v->target->entry_live | v->target->ret_live : v->live[to];
	for (uint32_t k = to; k-- > from;) {
		const struct vbranch *b = NULL;
		if (br && v->branch.v[br - 1].insn == k)
			b = &v->branch.v[--br];
		if (b && b->func != from && v->insn.v[k].kind != INSN_CALL)
			pass_returns(w, from, b->func);
		live = live_before(w, k, b, live, taken, w->ret[from]);
		changed |= live != v->live[k];
		v->live[k] = live;
	}
	return changed;
}

/* All that the live sets of [from, to) depend on outside of it. */
static uint64_t hash_input(const struct flow *w, uint32_t from, uint32_t to, size_t first,
	size_t last)
{
	const struct verify *v = w->v;
	uint64_t h = w->ret[from] + 1;
	if (to < w->t->first + w->t->n)
		h = (h ^ v->live[to]) * 0x9e3779b97f4a7c15;
	for (size_t i = first; i < last; i++) {
		uint32_t target = v->branch.v[i].target;
		if (target < from || target >= to)
			h = ((h ^ v->live[target]) * 0x9e3779b97f4a7c15) ^ h >> 29;
	}
	return h | 1;
}

/* Until nothing changes in [from, to), unless nothing can have since the last time. */
static size_t flow_function(struct flow *w, uint32_t from, uint32_t to, size_t br)
{
	size_t first = br;
	while (first && w->v->branch.v[first - 1].insn >= from)
		first--;
	uint64_t input = hash_input(w, from, to, first, br);
	if (input == w->input[from])
		return first;
	w->input[from] = input;
	while (flow_once(w, from, to, br))
		w->again = true;
	return first;
}

static void find_changed(struct flow *w)
{
	const struct verify *v = w->v;
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		uint32_t from = t->first;
		for (uint32_t k = t->first; k < t->first + t->n; k++) {
			if (starts_function(v, t, k))
				from = k;
			if (v->insn.v[k].kind != KIND_RAW)
				w->changed[from] |= insn_effects(&v->insn.v[k])->clobbers;
		}
	}
}

static void flow_all(struct flow *w)
{
	struct verify *v = w->v;
	size_t br = v->branch.n;
	w->again = false;
	for (size_t i = v->text.n; i-- > 0;) {
		w->t = &v->text.v[i];
		for (uint32_t to = w->t->first + w->t->n; to > w->t->first;) {
			uint32_t from = function_of(v, w->t, to - 1);
			br = flow_function(w, from, to, br);
			to = from;
		}
	}
}

/* From one function, by where it begins, into another. */
struct way {
	uint32_t from, to;
};
typedef VEC(struct way) way_vec;

static void keep_over_calls(struct flow *w)
{
	const struct verify *v = w->v;
	for (size_t i = 0; i < v->branch.n; i++) {
		const struct vbranch *br = &v->branch.v[i];
		const struct vtext *t = text_of_insn(v, br->insn), *to = text_of_insn(v, br->target);
		if (v->insn.v[br->insn].kind == INSN_CALL && !ends_function(v, t, br->insn))
			w->kept[function_of(v, to, br->target)] |= v->live[br->insn + 1];
	}
}

/* A function that ends in a call goes on in no other. */
static bool goes_on_in(const struct verify *v, const struct vtext *t, uint32_t k)
{
	const struct insn *above = &v->insn.v[before_padding(v, t, k) - 1];
	return falls_in(v, t, k) && above->kind != INSN_CALL && above->kind != INSN_CALL_IND;
}

static void find_ways(const struct verify *v, way_vec *ways)
{
	for (size_t i = 0; i < v->branch.n; i++) {
		uint32_t k = v->branch.v[i].insn, target = v->branch.v[i].target;
		struct way w = { function_of(v, text_of_insn(v, k), k),
			function_of(v, text_of_insn(v, target), target) };
		if (w.from != w.to)
			vec_push(ways, w);
	}
	for (size_t i = 0; i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first + 1; k < t->first + t->n; k++)
			if (starts_function(v, t, k) && goes_on_in(v, t, k))
				vec_push(ways, (struct way){ function_of(v, t, k - 1), k });
	}
}

/*
 * What callers of each function have in registers that they know it leaves alone.  What is
 * counted on in one function that does not change it, is in those it calls or goes on in.
 */
static void find_kept(struct flow *w)
{
	way_vec ways = { 0 };
	w->kept = arena_array(&w->v->arena, regset, w->v->insn.n + 1);
	keep_over_calls(w);
	find_ways(w->v, &ways);
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < ways.n; i++) {
			uint32_t from = ways.v[i].from;
			regset kept = w->kept[from] & ~w->changed[from], *to = &w->kept[ways.v[i].to];
			again |= (kept & ~*to) != 0;
			*to |= kept;
		}
	}
	vec_free(&ways);
}

/* Registers that no psABI function finds or leaves anything in, and no caller of f's keeps. */
static regset spare(struct flow *w, uint32_t f)
{
	const struct target *t = w->v->target;
	if (!w->kept)
		find_kept(w);
	return t->call_clobbers & ~(t->entry_live | t->ret_live | w->kept[f]);
}

/*
 * Those of regs that a function's code in front of instruction k must not change, because
 * its callers may use them and it does not itself.  In front of padding the code may be
 * the next function's as well, whose padding has shrunk.
 */
static regset foreign(struct flow *w, const struct vtext *t, uint32_t k, regset regs)
{
	const struct verify *v = w->v;
	uint32_t next = k;
	while (next + 1 < t->first + t->n && v->insn.v[next].kind == INSN_NOP)
		next++;
	uint32_t f = function_of(v, t, k), g = function_of(v, t, next);
	regs &= ~(w->changed[f] | w->changed[g]);
	return regs ? regs & ~(spare(w, f) | spare(w, g)) : 0;
}

static void check_site(struct flow *w, const struct vsite *s)
{
	struct verify *v = w->v;
	struct vtext *t = &v->text.v[s->text];
	regset need = s->pattern->need;
	if (t->broken || !need)
		return;
	uint64_t x = s->insn == NO_INSN ? t->a->size : v->insn.v[s->insn].off;
	if (s->insn == NO_INSN || (need & v->live[s->insn])) {
		vfail(v, t->a, x, "inserted code at 0x%x changes what is alive there: 0x%llx",
			s->at, s->insn == NO_INSN ? (unsigned long long)need
				: (unsigned long long)(need & v->live[s->insn]));
		return;
	}
	/* A register the function itself leaves alone may be in use in its caller. */
	regset regs = foreign(w, t, s->insn, need & ~REGSET_FLAGS);
	if (regs)
		vfail(v, t->a, x, "inserted code at 0x%x changes a register that its function does "
			"not: 0x%llx", s->at, (unsigned long long)regs);
}

void verify_branches(struct verify *v)
{
	v->taken = arena_array(&v->arena, uint64_t, v->insn.n / 64 + 1);
	collect_branches(v);
	find_taken(v);
}

void verify_live(struct verify *v)
{
	struct flow w = { .v = v };
	v->live = arena_array(&v->arena, regset, v->insn.n + 1);
	w.ret = calloc(v->insn.n + 1, sizeof *w.ret);
	w.changed = calloc(v->insn.n + 1, sizeof *w.changed);
	w.input = calloc(v->insn.n + 1, sizeof *w.input);
	if (!w.ret || !w.changed || !w.input)
		fatal("out of memory");
	find_changed(&w);
	do
		flow_all(&w);
	while (w.again);
	for (size_t i = 0; i < v->site.n; i++)
		check_site(&w, &v->site.v[i]);
	v->ninserted = v->site.n;
	free(w.ret);
	free(w.changed);
	free(w.input);
}
