/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - inserted code changes no live register
 *
 * The verifier's own interprocedural liveness, by instruction, over the whole object.  The first
 * pass goes from callees to callers: which registers may be read before the function returns
 * (use), and which reach its return unwritten (pass).  The second goes from callers to callees:
 * which registers are read behind the calls that a return may lead to.  No calling convention is
 * assumed for code in the object; what the psABI lets code outside or a caller read is live, too.
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/sites.h"
#include "verify/tables.h"

#include <stdlib.h>

/* Live-in of an instruction: use, and those of pass that are live where its function returns. */
struct live {
	regset use, pass;
};

/* A jump by a table of pointers in constant data. */
struct pointed {
	uint32_t jump;
	struct vbase first;
};

struct solver {
	struct verify *v;
	struct flow flow;
	struct live *live; /* by insn */
	/* by first part of a function, union over its labels that are address-taken, or in tables
	 */
	struct live *group, *scaled;
	regset open;		   /* union of use over the targets of indirect calls */
	regset saved;		   /* callee-saved by the psABI */
	uint64_t *watched;	   /* insns whose live-in other parts depend on; by insn number */
	uint64_t *looped;	   /* targets of branches of their own part, and landing pads */
	uint32_t *first, *watcher; /* CSR by part: the parts that depend on it */
	uint32_t *jumper, *next;   /* per function, list of parts with indirect jumps; 1 + part */
	uint8_t *wild;		   /* by part: depends on open */
	uint8_t *due;
	uint32_t ndue;
	VEC(struct pointed) pointed; /* sorted */
	regset *ret;		     /* by node: live where it returns to */
	regset *changed; /* by first part of a function: its clobbers; 0: not computed yet */
};

static struct live join(struct live a, struct live b)
{
	return (struct live){a.use | b.use, a.pass | b.pass};
}

static bool is_call(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
}

/* Which part depends on which ------------------------------------------- */

struct look {
	uint32_t at, who;
};
typedef VEC(struct look) look_vec;

static void add_look(look_vec *looks, uint32_t at, uint32_t who)
{
	if (at != who)
		vec_push(looks, (struct look){at, who});
}

static void find_looks(struct solver *s, look_vec *looks)
{
	const struct verify *v = s->v;
	const struct flow *w = &s->flow;
	uint32_t part = 0;
	for (size_t i = 0; i < v->branch.n; i++) {
		const struct vbranch *b = &v->branch.v[i];
		while (w->part.v[part + 1].first <= b->insn)
			part++;
		uint32_t to = part_of(w, b->target);
		add_look(looks, to, part);
		bit_set(to == part ? s->looped : s->watched, b->target);
	}
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		bit_set(s->watched, w->part.v[i].first);
		if (i && w->part.v[i].text == w->part.v[i - 1].text)
			add_look(looks, i, i - 1);
	}
	for (size_t i = 0; i < w->pad.n; i++) {
		const struct vpad *p = &w->pad.v[i];
		bit_set(s->watched, p->pad);
		bit_set(s->looped, p->pad);
		for (uint32_t k = part_of(w, p->from); k <= part_of(w, p->to); k++)
			add_look(looks, part_of(w, p->pad), k);
	}
}

/* May control come to instruction k only from the one in front of it? */
static bool only_falls_in(const struct solver *s, uint32_t k)
{
	return !bit_get(s->flow.taken, k) && !bit_get(s->looped, k) && !bit_get(s->watched, k);
}

static void find_pointed(struct solver *s, uint32_t part, look_vec *looks)
{
	const struct verify *v = s->v;
	const struct part *p = &s->flow.part.v[part];
	const struct vtext *t = &v->text.v[p->text];
	for (uint32_t k = p->first; p->jumps && k < p[1].first; k++) {
		struct pointed q = {.jump = k};
		uint32_t from = k, to;
		if (v->insn.v[k].kind != INSN_JUMP_IND || bit_get(s->flow.by_table, k) ||
			branch_at(v, k))
			continue;
		while (from > p->first && v->insn.v[from - 1].kind == INSN_OTHER &&
			only_falls_in(s, from))
			from--;
		if (!find_pointers(v, t, from, k, &q.first))
			continue;
		vec_push(&s->pointed, q);
		uint32_t rel = section_first_reloc(&v->a->sec.v[q.first.sec], q.first.off);
		while ((to = next_pointer(v, q.first.sec, &rel)) != NO_INSN)
			if (bit_get(s->flow.open, to)) {
				uint32_t other = part_of(&s->flow, to);
				add_look(looks, other, part);
				bit_set(other == part ? s->looped : s->watched, to);
			}
	}
}

static void index_looks(struct solver *s, const look_vec *looks)
{
	size_t n = s->flow.part.n;
	s->first = arena_array(&s->v->arena, uint32_t, n + 2);
	s->watcher = arena_array(&s->v->arena, uint32_t, looks->n + 1);
	for (size_t i = 0; i < looks->n; i++)
		s->first[looks->v[i].at + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		s->first[i] += s->first[i - 1];
	for (size_t i = 0; i < looks->n; i++)
		s->watcher[s->first[looks->v[i].at + 1]++] = looks->v[i].who;
}

static void find_wild(struct solver *s)
{
	const struct verify *v = s->v;
	const struct flow *w = &s->flow;
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		const struct part *p = &w->part.v[i];
		s->wild[i] = p->odd;
		for (uint32_t k = p->first; k < p[1].first && !s->wild[i]; k++)
			s->wild[i] = v->insn.v[k].kind == INSN_CALL_IND ||
				(v->insn.v[k].kind == INSN_JUMP_IND && !bit_get(w->by_table, k));
		if (p->jumps) {
			s->next[i] = s->jumper[p->func];
			s->jumper[p->func] = i + 1;
		}
	}
	for (size_t i = 0; i < v->branch.n; i++)
		if (v->branch.v[i].sure == VBRANCH_CHOSEN)
			s->wild[part_of(w, v->branch.v[i].insn)] = 1;
}

/* From callees to callers ----------------------------------------------- */

static void wake(struct solver *s, uint32_t part)
{
	s->ndue += !s->due[part];
	s->due[part] = 1;
}

/* An indirect call or jump through the GOT to an undefined symbol. */
static bool leads_outside(const struct solver *s, const struct vtext *t, uint32_t k)
{
	const struct insn *in = &s->v->insn.v[k];
	const struct reloc *r = target_reloc(s->v, t, in);
	const struct reloc_info *info = r ? s->v->target->reloc_info(r->type) : NULL;
	return info && (info->role == ROLE_GOT || info->callee) &&
		s->v->a->sym.v[r->sym].sec == SEC_UNDEF;
}

/* Live-out of an unknown jump; within: it may lead to open instructions of this object. */
static struct live anywhere(const struct solver *s, bool within)
{
	const struct target *t = s->v->target;
	return (struct live){t->abi.entry_live | t->abi.ret_live | (within ? s->open : 0),
		~(regset)0};
}

static struct live at_target(const struct solver *s, const struct vbranch *b)
{
	if (!b || b->sure == VBRANCH_CHOSEN)
		return anywhere(s, b != NULL);
	return b->sure == VBRANCH_SURE ? s->live[b->target]
				       : join(s->live[b->target], anywhere(s, false));
}

static struct live at_call(const struct solver *s, const struct part *p, const struct vtext *t,
	uint32_t k, const struct vbranch *b, struct live behind)
{
	bool known = b && b->sure == VBRANCH_SURE;
	struct live f = {known ? s->saved : s->v->target->abi.entry_live, ~(regset)0};
	const struct reloc *r = known ? NULL : target_reloc(s->v, t, &s->v->insn.v[k]);
	const char *profiler = s->v->target->abi.profiler;
	if (r && profiler && !strcmp(s->v->a->sym.v[r->sym].name, profiler))
		f.use |= s->v->target->abi.profiler_reads;
	/* A call at a function's end does not return into the next function. */
	if (ends_function(s->v, t, k))
		behind = (struct live){
			.use = s->v->target->abi.ret_live & ~s->v->target->abi.call_clobbers};
	if (b ? b->sure == VBRANCH_CHOSEN
	      : s->v->insn.v[k].kind == INSN_CALL_IND && !leads_outside(s, t, k))
		f.use |= s->open;
	if (b && b->sure != VBRANCH_CHOSEN) {
		f.use |= s->live[b->target].use;
		f.pass = known ? s->live[b->target].pass : f.pass;
	}
	struct live all = {f.use | (f.pass & behind.use), f.pass & behind.pass};
	/* A call of a label within the function may be a jump: the label may pop the address. */
	if (b && b->target > p->first &&
		s->flow.part.v[part_of(&s->flow, b->target)].func == p->func)
		all = join(all, s->live[b->target]);
	return all;
}

static const struct vpad *pad_of(const struct solver *s, uint32_t k)
{
	const struct vpad *p = s->flow.pad.v;
	size_t i;
	BISECT(i, 0, s->flow.pad.n, p[i].from <= k);
	return i && p[i - 1].to >= k ? &p[i - 1] : NULL;
}

/*
 * Live where the words of its table lead that any jump may lead to, as others are labels of other
 * functions; false: it is no such jump.
 */
static bool behind_pointed(const struct solver *s, uint32_t k, struct live *live)
{
	const struct pointed *p = s->pointed.v;
	const struct verify *v = s->v;
	size_t i;
	uint32_t to;
	BISECT(i, 0, s->pointed.n, p[i].jump < k);
	if (i == s->pointed.n || p[i].jump != k)
		return false;
	*live = (struct live){v->target->abi.entry_live, ~(regset)0};
	uint32_t rel = section_first_reloc(&v->a->sec.v[p[i].first.sec], p[i].first.off);
	while ((to = next_pointer(v, p[i].first.sec, &rel)) != NO_INSN)
		live->use |= bit_get(s->flow.open, to) ? s->live[to].use : 0;
	return true;
}

static struct live behind_jump(const struct solver *s, const struct part *p, const struct vtext *t,
	uint32_t k)
{
	struct live to, own = scaled_at(s->v, k) ? s->scaled[p->func] : s->group[p->func];
	if (!bit_get(s->flow.by_table, k)) {
		if (!behind_pointed(s, k, &to))
			to = anywhere(s, !leads_outside(s, t, k));
		return join(own, to);
	}
	own.use |= s->v->target->abi.entry_live;
	return own;
}

/* Do system call k and the instructions in front of it end the thread? */
static bool ends_thread(const struct solver *s, const struct part *p, const struct vtext *t,
	uint32_t k)
{
	const struct verify *v = s->v;
	uint32_t from = k;
	while (from > p->first && v->insn.v[from - 1].kind == INSN_OTHER && only_falls_in(s, from))
		from--;
	return syscall_ends(v->target, v->decoder, t->a->data, &v->insn.v[from], k + 1 - from);
}

static struct live live_before(const struct solver *s, const struct part *p, const struct vtext *t,
	uint32_t k, const struct vbranch *b, struct live live)
{
	const struct target *g = s->v->target;
	const struct insn *in = &s->v->insn.v[k];
	if (in->kind == KIND_RAW || (in->flags & INSN_VAGUE))
		return (struct live){.use = ~(regset)0};
	const struct effects *e = insn_effects(in);
	regset writes = e->writes;
	switch ((enum insn_kind)in->kind) {
	case INSN_CALL:
	case INSN_CALL_IND:
		live = at_call(s, p, t, k, b, live);
		writes = call_writes(g, in);
		break;
	case INSN_JUMP: live = at_target(s, b); break;
	case INSN_BRANCH:
	case INSN_XBEGIN: live = join(live, at_target(s, b)); break;
	case INSN_JUMP_IND: live = b ? at_target(s, b) : behind_jump(s, p, t, k); break;
	case INSN_RET:
		live = p->odd ? anywhere(s, true) : (struct live){g->abi.ret_live, ~(regset)0};
		break;
	case INSN_TRAP: live = (struct live){.use = g->abi.ret_live}; break;
	case INSN_SYSCALL:
		if (ends_thread(s, p, t, k))
			live = (struct live){0};
		break;
	case INSN_OTHER:
	case INSN_NOP: break;
	}
	live = (struct live){(live.use & ~writes) | e->reads, live.pass & ~writes};
	const struct vpad *pad = is_call(in) || (in->flags & INSN_MEM) ? pad_of(s, k) : NULL;
	if (pad) {
		regset kept = s->saved & ~(is_call(in) ? writes : 0);
		live.use |= s->live[pad->pad].use & kept;
		live.pass |= s->live[pad->pad].pass & kept;
	}
	return live;
}

/* One backward pass; br: branches before the part's end; *again: repeat.  True: wake watchers. */
static bool sweep(struct solver *s, uint32_t part, size_t br, bool *again)
{
	const struct verify *v = s->v;
	const struct part *p = &s->flow.part.v[part];
	const struct vtext *t = &v->text.v[p->text];
	uint32_t k = p[1].first;
	struct live live = k < t->first + t->n ? s->live[k] : anywhere(s, false);
	bool shown = false;
	*again = false;
	while (k-- > p->first) {
		const struct vbranch *b = NULL;
		if (br && v->branch.v[br - 1].insn == k)
			b = &v->branch.v[--br];
		live = live_before(s, p, t, k, b, live);
		if (live.use == s->live[k].use && live.pass == s->live[k].pass)
			continue;
		s->live[k] = live;
		*again |= bit_get(s->looped, k);
		shown |= bit_get(s->watched, k);
	}
	return shown;
}

static bool widen(struct live *a, struct live b)
{
	struct live all = join(*a, b);
	bool more = all.use != a->use || all.pass != a->pass;
	*a = all;
	return more;
}

/* Add the part's live-in sets to its function's groups and to open. */
static void show_labels(struct solver *s, uint32_t part)
{
	const struct flow *w = &s->flow;
	const struct part *p = &w->part.v[part];
	bool more = false;
	regset open = s->open;
	for (uint32_t k = p->first; k < p[1].first; k++) {
		if (!(k & 63) && !w->taken[k >> 6] && !w->open[k >> 6]) {
			k |= 63;
			continue;
		}
		if (bit_get(w->named, k))
			more |= widen(&s->group[p->func], s->live[k]);
		if (bit_get(w->scaled, k))
			more |= widen(&s->scaled[p->func], s->live[k]);
		if (bit_get(w->open, k))
			open |= s->live[k].use;
	}
	for (uint32_t i = more ? s->jumper[p->func] : 0; i; i = s->next[i - 1])
		wake(s, i - 1);
	if (open == s->open)
		return;
	s->open = open;
	for (uint32_t i = 0; i + 1 < w->part.n; i++)
		if (s->wild[i])
			wake(s, i);
}

static void solve_part(struct solver *s, uint32_t part)
{
	const struct part *p = &s->flow.part.v[part];
	bool again = true, shown = false;
	size_t br;
	BISECT(br, 0, s->v->branch.n, s->v->branch.v[br].insn < p[1].first);
	s->due[part] = 0;
	s->ndue--;
	while (again)
		shown |= sweep(s, part, br, &again);
	show_labels(s, part);
	for (uint32_t i = s->first[part]; shown && i < s->first[part + 1]; i++)
		wake(s, s->watcher[i]);
}

/* From callers to callees ----------------------------------------------- */

/* An edge of the second pass: ret[to] includes gen | (ret[from] & keep). */
struct arc {
	uint32_t from, to;
	regset gen, keep;
};
typedef VEC(struct arc) arc_vec;

/* Nodes: one per part, one for all targets of indirect calls, one per function for its labels. */
static uint32_t open_node(const struct solver *s)
{
	return (uint32_t)s->flow.part.n;
}

static uint32_t labels_node(const struct solver *s, uint32_t part)
{
	return (uint32_t)s->flow.part.n + 1 + s->flow.part.v[part].func;
}

static void add_arc(const struct solver *s, arc_vec *arcs, uint32_t from, uint32_t to,
	struct live live)
{
	regset more = ~s->v->target->abi.ret_live;
	if (from != to && ((live.use | live.pass) & more))
		vec_push(arcs, (struct arc){from, to, live.use & more, live.pass & more});
}

static void pass_all(const struct solver *s, arc_vec *arcs, uint32_t from, uint32_t to)
{
	add_arc(s, arcs, from, to, (struct live){.pass = ~(regset)0});
}

static void call_arc(const struct solver *s, arc_vec *arcs, uint32_t part, uint32_t k, uint32_t to)
{
	const struct vtext *t = &s->v->text.v[s->flow.part.v[part].text];
	if (!ends_function(s->v, t, k))
		add_arc(s, arcs, part, to, s->live[k + 1]);
}

static void branch_arcs(const struct solver *s, arc_vec *arcs)
{
	const struct flow *w = &s->flow;
	for (size_t i = 0; i < s->v->branch.n; i++) {
		const struct vbranch *b = &s->v->branch.v[i];
		uint32_t from = part_of(w, b->insn), to = part_of(w, b->target);
		bool call = is_call(&s->v->insn.v[b->insn]);
		if (w->part.v[from].idle)
			continue;
		if (!call ||
			(b->sure != VBRANCH_CHOSEN && w->part.v[from].func == w->part.v[to].func))
			pass_all(s, arcs, from, b->sure == VBRANCH_CHOSEN ? open_node(s) : to);
		if (call)
			call_arc(s, arcs, from, b->insn,
				b->sure == VBRANCH_CHOSEN ? open_node(s) : to);
	}
}

static void part_arcs(const struct solver *s, arc_vec *arcs, uint32_t i)
{
	const struct flow *w = &s->flow;
	const struct part *p = &w->part.v[i];
	const struct vtext *t = &s->v->text.v[p->text];
	bool taken = false, open = false;
	if (p->idle)
		return;
	if (p->odd)
		pass_all(s, arcs, i, open_node(s));
	if (p[1].first < t->first + t->n && falls_out(w, i))
		pass_all(s, arcs, i, i + 1);
	for (uint32_t k = p->first; k < p[1].first; k++) {
		taken |= bit_get(w->taken, k);
		open |= bit_get(w->open, k);
		if (branch_at(s->v, k))
			continue;
		if (s->v->insn.v[k].kind == INSN_CALL_IND && !leads_outside(s, t, k))
			call_arc(s, arcs, i, k, open_node(s));
		if (s->v->insn.v[k].kind == INSN_JUMP_IND && !bit_get(w->by_table, k) &&
			!leads_outside(s, t, k))
			pass_all(s, arcs, i, open_node(s));
	}
	if (p->jumps)
		pass_all(s, arcs, i, labels_node(s, i));
	if (taken)
		pass_all(s, arcs, labels_node(s, i), i);
	if (open)
		pass_all(s, arcs, open_node(s), i);
}

static void pad_arcs(const struct solver *s, arc_vec *arcs)
{
	const struct flow *w = &s->flow;
	for (size_t i = 0; i < w->pad.n; i++)
		for (uint32_t k = part_of(w, w->pad.v[i].from); k <= part_of(w, w->pad.v[i].to);
			k++)
			pass_all(s, arcs, k, part_of(w, w->pad.v[i].pad));
}

static int arc_cmp(const void *a, const void *b)
{
	const struct arc *x = a, *y = b;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* The least fixpoint of ret over the arcs, by a worklist. */
static void spread_returns(struct solver *s, const arc_vec *arcs, size_t nodes)
{
	VEC(uint32_t) todo = {0};
	for (size_t i = 0; i < nodes; i++)
		s->ret[i] = s->v->target->abi.ret_live;
	s->ret[open_node(s)] |= s->v->target->abi.ret_more;
	for (size_t i = 0; i < arcs->n; i++)
		s->ret[arcs->v[i].to] |= arcs->v[i].gen;
	for (uint32_t i = 0; i < nodes; i++)
		if (s->ret[i] != s->v->target->abi.ret_live)
			vec_push(&todo, i);
	while (todo.n) {
		uint32_t from = todo.v[--todo.n];
		size_t i;
		BISECT(i, 0, arcs->n, arcs->v[i].from < from);
		for (; i < arcs->n && arcs->v[i].from == from; i++) {
			const struct arc *w = &arcs->v[i];
			if (!(s->ret[from] & w->keep & ~s->ret[w->to]))
				continue;
			s->ret[w->to] |= s->ret[from] & w->keep;
			vec_push(&todo, w->to);
		}
	}
	vec_free(&todo);
}

static void solve_returns(struct solver *s)
{
	size_t nodes = s->flow.part.n * 2 + 1;
	arc_vec arcs = {0};
	s->ret = arena_array(&s->v->arena, regset, nodes);
	branch_arcs(s, &arcs);
	for (uint32_t i = 0; i + 1 < s->flow.part.n; i++)
		part_arcs(s, &arcs, i);
	pad_arcs(s, &arcs);
	sort(arcs.v, arcs.n, sizeof *arcs.v, arc_cmp);
	spread_returns(s, &arcs, nodes);
	vec_free(&arcs);
}

/* The whole ------------------------------------------------------------- */

static void solve(struct solver *s)
{
	struct arena *a = &s->v->arena;
	size_t insns = s->v->insn.n + 1, parts = s->flow.part.n;
	look_vec looks = {0};
	s->saved = s->v->target->abi.ret_live & ~s->v->target->abi.call_clobbers;
	s->live = arena_array(a, struct live, insns);
	s->group = arena_array(a, struct live, parts);
	s->scaled = arena_array(a, struct live, parts);
	s->watched = arena_array(a, uint64_t, insns / 64 + 1);
	s->looped = arena_array(a, uint64_t, insns / 64 + 1);
	s->jumper = arena_array(a, uint32_t, parts);
	s->next = arena_array(a, uint32_t, parts);
	s->wild = arena_array(a, uint8_t, parts);
	s->due = arena_array(a, uint8_t, parts);
	s->changed = arena_array(a, regset, parts);
	find_looks(s, &looks);
	for (uint32_t i = 0; i + 1 < parts; i++)
		find_pointed(s, i, &looks);
	index_looks(s, &looks);
	vec_free(&looks);
	find_wild(s);
	for (uint32_t i = 0; i + 1 < parts; i++)
		wake(s, i);
	while (s->ndue)
		for (uint32_t i = (uint32_t)parts - 1; i-- > 0;)
			if (s->due[i])
				solve_part(s, i);
	solve_returns(s);
}

/* Clobbers of the part's function. */
static regset changed(const struct solver *s, uint32_t part)
{
	const struct part *all = s->flow.part.v, *f = &all[all[part].func];
	regset *known = &s->changed[all[part].func], here = 0;
	for (uint32_t k = f->first; !*known && k < all[f->func_end].first; k++)
		if (s->v->insn.v[k].kind != KIND_RAW)
			here |= insn_effects(&s->v->insn.v[k])->clobbers;
	if (!*known)
		*known = here | REG_BIT(REGSET_BITS - 1);
	return *known;
}

/*
 * Callee-saved registers that the function at k never changes, and so does not save: no unwinder
 * could restore them.  In front of padding, inserted code may belong to the next function.
 */
static regset unsaved(const struct solver *s, const struct vtext *t, uint32_t k)
{
	uint32_t next = k;
	while (next + 1 < t->first + t->n && s->v->insn.v[next].kind == INSN_NOP)
		next++;
	return s->saved & ~(changed(s, part_of(&s->flow, k)) | changed(s, part_of(&s->flow, next)));
}

static const char *names(struct verify *v, regset set)
{
	const char *all = "";
	for (; set; set &= set - 1) {
		const char *name = v->target->reg_name[lowest_reg(set)];
		all = name ? arena_printf(&v->arena, "%s %s", all, name)
			   : arena_printf(&v->arena, "%s %u", all, lowest_reg(set));
	}
	return all;
}

/* In front of which instruction does what is live not change behind the code of this site? */
static uint32_t runs_before(const struct verify *v, const struct vsite *site)
{
	const struct vtext *t = &v->text.v[site->text];
	const struct vsite *s = site, *end = v->site.v + v->site.n;
	uint32_t k = leaving_branch(v, t, site->insn);
	for (; k != NO_INSN && s < end && s->text == site->text &&
		leaving_branch(v, t, s->insn) == k;
		s++)
		if (s->pattern->kind == PATTERN_LEAVE)
			return k;
	return site->insn;
}

static void check_site(struct solver *s, const struct vsite *site)
{
	struct verify *v = s->v;
	struct vtext *t = &v->text.v[site->text];
	regset need = site->pattern->need;
	uint32_t k = need ? runs_before(v, site) : NO_INSN;
	if (t->broken || !need)
		return;
	regset live = ~(regset)0;
	if (k != NO_INSN)
		live = s->live[k].use | (s->live[k].pass & s->ret[part_of(&s->flow, k)]);
	if (leads_to_routine(site->pattern))
		live = v->target->abi.entry_live;
	if (need & live)
		vfail(v, t->a, k == NO_INSN ? t->a->size : v->insn.v[k].off,
			"inserted code at 0x%x changes live registers:%s", site->at,
			names(v, need & live));
	else if ((need & s->saved) && (need & unsaved(s, t, k)))
		vfail(v, t->a, v->insn.v[k].off,
			"inserted code at 0x%x changes callee-saved registers that its "
			"function does not save:%s",
			site->at, names(v, need & unsaved(s, t, k)));
}

/* Instructions in longer forms change no live register, and none that is not saved. */
static void check_forms(struct solver *s)
{
	struct verify *v = s->v;
	for (size_t i = 0; i < v->text.n && (v->target->form->far_len || v->target->words); i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k < t->first + t->n && !t->broken; k++) {
			regset changes = form_changes(v, t, k), live = s->live[k].use;
			if (!changes)
				continue;
			live |= s->live[k].pass & s->ret[part_of(&s->flow, k)];
			live |= s->saved & unsaved(s, t, k);
			if (changes & live)
				vfail(v, t->a, v->insn.v[k].off,
					"its new form changes live registers:%s",
					names(v, changes & live));
		}
	}
}

/* What is in a register between two instructions that make an address together is of no use. */
static void check_pairs(struct solver *s)
{
	struct verify *v = s->v;
	for (size_t i = 0; v->target->join && i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k + 1 < t->first + t->n && !t->broken; k++) {
			const struct insn *in = &v->insn.v[k];
			if (in->kind != INSN_OTHER || !(in->flags & INSN_OPERAND_PC) ||
				in->len <= v->target->insn_size)
				continue;
			const struct effects *e = insn_effects(in);
			regset live = s->live[k + 1].use |
				(s->live[k + 1].pass & s->ret[part_of(&s->flow, k + 1)]);
			if (e->clobbers & ~e->writes & live &&
				memcmp(t->a->data + in->off, t->b->data + t->hi[k - t->first],
					in->len) != 0)
				vfail(v, t->a, in->off,
					"a part of the address that it makes is in use");
		}
	}
}

/* Threads --------------------------------------------------------------- */

/* The first site of this kind whose instruction is in [k, end); or NULL. */
static const struct vsite *find_site(const struct verify *v, uint32_t text, uint32_t k,
	uint32_t end, enum pattern_kind kind)
{
	const struct vsite *s = first_site(v, text, k), *last = v->site.v + v->site.n;
	while (s < last && s->text == text && s->insn < end && s->pattern->kind != kind)
		s++;
	return s < last && s->text == text && s->insn < end ? s : NULL;
}

/*
 * A thread starts at an address-taken function.  Does this function count without a thread check in
 * front of its first branch?
 */
static bool counts_unseen(const struct flow *w, const struct vtext *t, uint32_t k)
{
	const struct verify *v = w->v;
	const struct part *all = w->part.v, *f = &all[all[part_of(w, k)].func];
	uint32_t text = (uint32_t)(t - v->text.v), end = all[f->func_end].first;
	if (!find_site(v, text, k, end, PATTERN_COUNT))
		return false;
	k = before_padding(v, t, k);
	const struct vsite *check = find_site(v, text, k, end, PATTERN_THREAD);
	while (check && k < check->insn &&
		(v->insn.v[k].kind == INSN_OTHER || v->insn.v[k].kind == INSN_NOP))
		k++;
	return !check || k < check->insn;
}

static void check_threads(const struct flow *w)
{
	struct verify *v = w->v;
	for (size_t i = 1; v->checks && i < v->a->sym.n; i++) {
		const struct symbol *s = &v->a->sym.v[i];
		const struct vtext *t = text_at(v, s->sec);
		if (symbol_type(s) != STT_FUNC || !t || t->broken || s->value >= t->a->size)
			continue;
		uint32_t k = insn_at(v, t, s->value);
		if (bit_get(w->entry, k) && counts_unseen(w, t, k))
			vfail(v, t->a, s->value,
				"a thread that starts here counts in another thread's counters");
	}
}

/* Loads in two parts ---------------------------------------------------- */

/*
 * Do the instructions from k on load, before they use the register, the part of it that p does not?
 * Branches lead on both ways.
 */
static bool loads_rest(const struct verify *v, const struct vtext *t, uint32_t k,
	const struct load_part *p, int branches)
{
	enum { FAR = 32 };
	const regset own = REG_BIT(p->reg) | REG_BIT(p->base);
	for (uint32_t i = k; i < t->first + t->n && i < k + FAR; i++) {
		const struct insn *in = &v->insn.v[i];
		const struct vbranch *b = in->kind == INSN_BRANCH ? branch_of(v, i) : NULL;
		struct load_part q;
		if ((in->kind != INSN_OTHER && !is_padding(in) && !b) || (in->flags & INSN_VAGUE))
			return false;
		if (!b && v->target->load_part(t->a->data + in->off, in->len, &q) &&
			q.reg == p->reg)
			return q.base == p->base && q.bytes == p->bytes && q.at == p->at &&
				q.left != p->left && !insn_reloc(t, in, 0);
		const struct effects *e = insn_effects(in);
		if ((e->clobbers & own) || (e->reads & REG_BIT(p->reg)))
			return false;
		if (b &&
			(!branches || b->target < t->first || b->target >= t->first + t->n ||
				!loads_rest(v, t, b->target, p, branches - 1)))
			return false;
	}
	return false;
}

/* The first of two such loads overwrites the register. */
static void join_loads(struct verify *v)
{
	for (size_t i = 0; v->target->load_part && i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k < t->first + t->n; k++) {
			struct insn *in = &v->insn.v[k];
			struct load_part p;
			const struct vbranch *b = insn_is_likely(in) ? NULL : branch_of(v, k);
			if ((in->kind != INSN_OTHER && (in->kind != INSN_BRANCH || !b)) ||
				insn_reloc(t, in, 0) || insn_reloc(t, in, in->len / 2) ||
				!v->target->load_part(t->a->data + in->off, in->len, &p) ||
				p.reg == p.base || !loads_rest(v, t, k + 1, &p, 2) ||
				(b &&
					(b->target < t->first || b->target >= t->first + t->n ||
						!loads_rest(v, t, b->target, &p, 2))))
				continue;
			struct effects e = *insn_effects(in);
			e.reads &= ~REG_BIT(p.reg);
			in->effects = effects_number(&e);
		}
	}
}

void verify_live(struct verify *v)
{
	struct solver s = {.v = v};
	join_loads(v);
	flow_open(&s.flow, v);
	solve(&s);
	for (size_t i = 0; i < v->site.n; i++)
		check_site(&s, &v->site.v[i]);
	check_forms(&s);
	check_pairs(&s);
	v->ninserted = v->site.n;
	check_threads(&s.flow);
	verify_called(&s.flow);
	verify_sums(&s.flow);
	verify_sizes(&s.flow);
	for (size_t i = 0; i < v->by_table.n; i++)
		if (!bit_get(s.flow.taken, v->by_table.v[i]) &&
			!bit_get(s.flow.perhaps, v->by_table.v[i]))
			vfail(v, &v->b->sec.v[v->map], 0,
				"the map has an edge of a table jump to a "
				"place that is in no table");
	vec_free(&s.pointed);
	flow_close(&s.flow);
}
