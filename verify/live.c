/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - inserted code changes no live register
 *
 * Liveness is not computed: the rewriter states what is live at the start of each block, and each
 * statement is checked once, against those at the places to which control may go from the block.
 * Statements that follow from each other in this way include what is really live, since that is
 * the least solution of the same inequalities: a statement may name too many registers, and none
 * too few.  Where nothing is stated, that is live which follows up to the next place where
 * something is, or everything.
 *
 * A fact (targets/stated.h) has the registers that may be read before the function returns (use),
 * those that may reach its return unwritten (pass), and those that are live there (ret).  What is
 * live behind a call is in the callee's ret, and so in that of all that it leads to but by calls.
 * No calling convention is assumed for code in the object; what the psABI lets code outside or a
 * caller read is live, too.
 */
#include "verify/branches.h"
#include "verify/flow.h"
#include "verify/landing.h"
#include "verify/passes.h"
#include "verify/places.h"
#include "verify/sites.h"
#include "verify/tables.h"

#include "targets/stated.h"

#include <stdlib.h>

struct checker {
	struct verify *v;
	struct flow flow;
	uint32_t *number; /* by insn: 1 + that of the fact of its block; 0: nothing is stated */
	uint64_t *stated; /* insns with a fact of their own */
	/* by first part of a function: at all of its labels whose address is taken, or in tables */
	struct fact *label, *scaled, *address; /* address: at those of label that are addressed */
	struct fact open;		       /* at all targets of indirect calls */
	bool within;			       /* in follows_at() */
	regset saved;			       /* callee-saved by the psABI */
	regset *live;			       /* by insn */
	regset *changed; /* by first part of a function: its clobbers; 0: not computed yet */
};

static struct fact follows_at(const struct checker *c, uint32_t k);

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

/* What is stated ------------------------------------------------------------ */

static const struct fact nowhere = {.ret = ~(regset)0};

/* At either of two places. */
static struct fact join(struct fact a, struct fact b)
{
	return (struct fact){a.use | b.use, a.pass | b.pass, a.ret & b.ret};
}

/* Where instruction k returns to. */
static regset ret_at(const struct checker *c, uint32_t k)
{
	uint32_t n = c->number[k];
	return n ? c->v->opt.stated->fact.v[n - 1].ret | c->v->target->abi.ret_live : ~(regset)0;
}

static struct fact fact_at(const struct checker *c, uint32_t k)
{
	const struct fact *f = &c->v->opt.stated->fact.v[c->number[k] - 1];
	return (struct fact){f->use, f->pass | f->use, ret_at(c, k)};
}

static struct fact stated_at(const struct checker *c, uint32_t k)
{
	if (bit_get(c->stated, k))
		return fact_at(c, k);
	return c->within ? (struct fact){~(regset)0, ~(regset)0, ret_at(c, k)} : follows_at(c, k);
}

/* Facts about places that are no start of an instruction say nothing. */
static void read_facts(struct checker *c)
{
	const struct verify *v = c->v;
	const struct stated *all = v->opt.stated;
	for (size_t i = 0; all && i < all->at.n; i++) {
		const struct fact_at *at = &all->at.v[i];
		const struct vtext *t = text_at(v, at->sec);
		if (!t || at->off >= t->a->size || at->fact >= all->fact.n)
			continue;
		uint32_t k = insn_at(v, t, at->off);
		if (v->insn.v[k].off != at->off)
			continue;
		bit_set(c->stated, k);
		c->number[k] = at->fact + 1;
	}
	for (size_t i = 0; i < v->text.n; i++)
		for (uint32_t k = v->text.v[i].first + 1; k < v->text.v[i].first + v->text.v[i].n;
			k++)
			if (!bit_get(c->stated, k) && !stops(&v->insn.v[k - 1]))
				c->number[k] = c->number[k - 1];
}

static void add_label(const struct checker *c, struct fact *all, uint32_t func, uint32_t k)
{
	all[func] = join(all[func], stated_at(c, k));
}

/* Code outside calls k, or what has its address. */
static void add_open(struct checker *c, const struct part *p, uint32_t k, struct fact *open)
{
	struct verify *v = c->v;
	struct fact live = stated_at(c, k);
	if (v->target->abi.ret_more & ~live.ret)
		vfail(v, v->text.v[p->text].a, v->insn.v[k].off,
			"what is live where it returns to is not what follows:%s",
			names(v, v->target->abi.ret_more & ~live.ret));
	*open = join(*open, live);
}

/* Join what is stated at the labels of each function, and at all targets of indirect calls. */
static void join_labels(struct checker *c)
{
	const struct flow *w = &c->flow;
	struct fact open = nowhere;
	c->open = (struct fact){~(regset)0, ~(regset)0, 0};
	for (uint32_t i = 0; i + 1 < w->part.n; i++)
		c->label[i] = c->scaled[i] = c->address[i] = nowhere;
	for (uint32_t i = 0; i + 1 < w->part.n; i++) {
		const struct part *p = &w->part.v[i];
		for (uint32_t k = p->first; k < p[1].first; k++) {
			if (!(k & 63) && !w->taken[k >> 6] && !w->open[k >> 6]) {
				k |= 63;
				continue;
			}
			if (bit_get(w->named, k))
				add_label(c, c->label, p->func, k);
			if (bit_get(w->scaled, k))
				add_label(c, c->scaled, p->func, k);
			if (bit_get(w->addressed, k))
				add_label(c, c->address, p->func, k);
			if (bit_get(w->open, k))
				add_open(c, p, k, &open);
		}
	}
	for (size_t i = 0; i < w->across.n; i++)
		add_label(c, c->label, w->across.v[i].func, w->across.v[i].label);
	c->open = open;
}

/* What follows -------------------------------------------------------------- */

/* An indirect call or jump through the GOT to an undefined symbol. */
static bool leads_outside(const struct checker *c, const struct vtext *t, uint32_t k)
{
	const struct insn *in = &c->v->insn.v[k];
	const struct reloc *r = target_reloc(c->v, t, in);
	const struct reloc_info *info = r ? c->v->target->reloc_info(r->type) : NULL;
	return info && (info->role == ROLE_GOT || info->callee) &&
		c->v->a->sym.v[r->sym].sec == SEC_UNDEF;
}

/* At an unknown place; within: it may be an open one of this object. */
static struct fact anywhere(const struct checker *c, bool within)
{
	const struct target *t = c->v->target;
	struct fact out = {t->abi.entry_live | t->abi.ret_live, ~(regset)0, ~(regset)0};
	return within ? join(out, c->open) : out;
}

static struct fact at_target(const struct checker *c, const struct vbranch *b)
{
	if (!b || b->sure == VBRANCH_CHOSEN)
		return anywhere(c, b != NULL);
	return b->sure == VBRANCH_SURE ? stated_at(c, b->target)
				       : join(stated_at(c, b->target), anywhere(c, false));
}

/* What call k leads to: its ret has what is live behind the call. */
static struct fact at_callee(const struct checker *c, const struct vtext *t, uint32_t k,
	const struct vbranch *b)
{
	const struct target *g = c->v->target;
	bool known = b && b->sure == VBRANCH_SURE;
	struct fact f = {known ? c->saved : g->abi.entry_live, ~(regset)0, ~(regset)0};
	const struct reloc *r = known ? NULL : target_reloc(c->v, t, &c->v->insn.v[k]);
	if (r && g->abi.profiler && !strcmp(c->v->a->sym.v[r->sym].name, g->abi.profiler))
		f.use |= g->abi.profiler_reads;
	if (b ? b->sure == VBRANCH_CHOSEN
	      : c->v->insn.v[k].kind == INSN_CALL_IND && !leads_outside(c, t, k))
		f = join(f, c->open);
	if (b && b->sure != VBRANCH_CHOSEN) {
		struct fact to = stated_at(c, b->target);
		f.use |= to.use;
		f.pass = known ? to.pass : f.pass;
		f.ret = to.ret;
	}
	return f;
}

/* A call of a label within the function may be a jump: the label may pop the address. */
static bool may_be_jump(const struct checker *c, const struct part *p, const struct vbranch *b)
{
	return b && b->sure != VBRANCH_CHOSEN &&
		c->flow.part.v[part_of(&c->flow, b->target)].func == p->func;
}

static const struct vpad *pad_of(const struct checker *c, uint32_t k)
{
	const struct vpad *p = c->flow.pad.v;
	size_t i;
	BISECT(i, 0, c->flow.pad.n, p[i].from <= k);
	return i && p[i - 1].to >= k ? &p[i - 1] : NULL;
}

/* The first of the instructions in front of k that lead only there. */
static uint32_t line_start(const struct checker *c, const struct part *p, uint32_t k)
{
	const struct insn *in = c->v->insn.v;
	while (k > p->first && in[k - 1].kind == INSN_OTHER && !bit_get(c->flow.led_to, k) &&
		!bit_get(c->flow.taken, k))
		k--;
	return k;
}

/* Where the words of a table lead, but for labels of other functions: these are of other tables. */
static struct fact at_words(const struct checker *c, const struct part *p,
	const struct vtable *table)
{
	const struct part *all_parts = c->flow.part.v, *func = &all_parts[p->func];
	const struct verify *v = c->v;
	struct fact all = nowhere;
	struct vwords w = vtable_words(v, table);
	uint32_t sec;
	uint64_t to;
	while (vtable_next(v, &w, &sec, &to)) {
		const struct vtext *t = text_at(v, sec);
		uint32_t k = to < t->a->size ? insn_at(v, t, to) : NO_INSN;
		bool own = k >= func->first && k < all_parts[func->func_end].first;
		if (k != NO_INSN && (own || bit_get(c->flow.open, k)))
			all = join(all, stated_at(c, k));
	}
	return all;
}

static struct fact behind_jump(const struct checker *c, const struct part *p, const struct vtext *t,
	uint32_t k)
{
	const struct fact *own = scaled_at(c->v, k) ? c->scaled
		: jump_at(c->v, k)		    ? c->label
						    : c->address;
	const struct vtable *table = table_at(c->v, k);
	struct fact all = {c->v->target->abi.entry_live, 0, ~(regset)0};
	if (leads_outside(c, t, k))
		return anywhere(c, false);
	if (table)
		all = join(all, at_words(c, p, table));
	if (bit_get(c->flow.by_table, k))
		return join(all, own[p->func]);
	return join(own[p->func], anywhere(c, true));
}

/* Do system call k and the instructions in front of it end the thread? */
static bool ends_thread(const struct checker *c, const struct part *p, const struct vtext *t,
	uint32_t k)
{
	const struct verify *v = c->v;
	uint32_t from = line_start(c, p, k);
	return syscall_ends(v->target, v->decoder, t->a->data, &v->insn.v[from], k + 1 - from);
}

/* One instruction, while the part is walked from its end. */
struct at {
	const struct part *p;
	const struct vtext *t;
	const struct vbranch *b; /* a direct branch or call; or NULL */
	uint32_t k;
	regset ret; /* of its function */
};

static void not_following(const struct checker *c, const struct at *at, const char *what,
	regset more)
{
	vfail(c->v, at->t->a, c->v->insn.v[at->k].off, "%s is not what follows:%s", what,
		names(c->v, more));
}

static bool is_reached(const struct checker *c, uint32_t k)
{
	return bit_get(c->flow.reached, k);
}

/* Control goes, but by a call, to places where this is stated: they return to the same place. */
static struct fact go(const struct checker *c, const struct at *at, struct fact to)
{
	regset more = at->ret & ~to.ret;
	if (more && is_reached(c, at->k) && !c->within)
		not_following(c, at, "what is live where it returns to", more);
	return (struct fact){to.use, to.pass, at->ret};
}

/* Does call k not return to what is behind it, since it never does, or ends its function? */
static bool ends_by_call(const struct checker *c, const struct vtext *t, uint32_t k)
{
	return ends_function(c->v, t, k) || is_last_call(&c->flow, t, k);
}

static struct fact before_call(const struct checker *c, const struct at *at, struct fact behind)
{
	const struct target *g = c->v->target;
	struct fact f = at_callee(c, at->t, at->k, at->b);
	bool ends = ends_by_call(c, at->t, at->k);
	if (ends)
		behind = (struct fact){.use = g->abi.ret_live & ~g->abi.call_clobbers};
	regset more = (behind.use | (behind.pass & at->ret)) & ~g->abi.ret_live & ~f.ret;
	if (more && is_reached(c, at->k) && !c->within && !ends)
		not_following(c, at, "what is live where its callee returns to", more);
	struct fact all = {f.use | (f.pass & behind.use), f.pass & behind.pass, at->ret};
	if (may_be_jump(c, at->p, at->b)) {
		struct fact to = go(c, at, stated_at(c, at->b->target));
		if (at->b->target > at->p->first)
			all = join(all, to);
	}
	return all;
}

/* What is live in front of an instruction; live: behind it, if control falls there. */
static struct fact live_before(const struct checker *c, const struct at *at, struct fact live)
{
	const struct target *g = c->v->target;
	const struct insn *in = &c->v->insn.v[at->k];
	if (in->kind == KIND_RAW || (in->flags & INSN_VAGUE))
		return (struct fact){~(regset)0, ~(regset)0, at->ret};
	const struct effects *e = insn_effects(in);
	switch ((enum insn_kind)in->kind) {
	case INSN_CALL:
	case INSN_CALL_IND: live = before_call(c, at, live); break;
	case INSN_JUMP: live = go(c, at, at_target(c, at->b)); break;
	case INSN_BRANCH:
	case INSN_XBEGIN: live = join(live, go(c, at, at_target(c, at->b))); break;
	case INSN_JUMP_IND:
		live = go(c, at, at->b ? at_target(c, at->b) : behind_jump(c, at->p, at->t, at->k));
		break;
	case INSN_RET:
		live = at->p->odd ? go(c, at, anywhere(c, true))
				  : (struct fact){g->abi.ret_live, ~(regset)0, at->ret};
		break;
	case INSN_TRAP: live = (struct fact){.use = g->abi.ret_live, .ret = at->ret}; break;
	case INSN_SYSCALL:
		if (ends_thread(c, at->p, at->t, at->k))
			live = (struct fact){.ret = at->ret};
		break;
	case INSN_OTHER:
	case INSN_NOP: break;
	}
	live = (struct fact){(live.use & ~e->writes) | e->reads, live.pass & ~e->writes, at->ret};
	const struct vpad *pad = is_call(in) || (in->flags & INSN_MEM) ? pad_of(c, at->k) : NULL;
	if (pad) {
		struct fact to = go(c, at, stated_at(c, pad->pad));
		regset kept = c->saved & ~(is_call(in) ? e->writes : 0);
		live.use |= to.use & kept;
		live.pass |= to.pass & kept;
	}
	return live;
}

/*
 * What is live at k, for which nothing is stated: from the next place for which something is, or
 * where control leaves the straight line.
 */
static struct fact follows_at(const struct checker *c, uint32_t k)
{
	const struct verify *v = c->v;
	struct checker own = *c;
	struct at at = {.p = &c->flow.part.v[part_of(&c->flow, k)], .k = k};
	at.t = &v->text.v[at.p->text];
	uint32_t end = at.t->first + at.t->n;
	while (at.k + 1 < end && !stops(&v->insn.v[at.k]) && !bit_get(c->stated, at.k + 1))
		at.k++;
	struct fact live = anywhere(c, false);
	if (at.k + 1 < end)
		live = stops(&v->insn.v[at.k]) ? nowhere : fact_at(c, at.k + 1);
	own.within = true;
	at.ret = ret_at(c, k);
	for (at.k++; at.k-- > k;) {
		at.b = branch_at(v, at.k);
		live = live_before(&own, &at, live);
	}
	return live;
}

/* May control fall from k into what follows? */
static bool falls(const struct checker *c, const struct at *at)
{
	const struct verify *v = c->v;
	uint32_t k = at->k;
	while (k > at->p->first && is_padding(&v->insn.v[k]) && !bit_get(c->flow.led_to, k))
		k--;
	switch (v->insn.v[k].kind) {
	case INSN_JUMP:
	case INSN_JUMP_IND:
	case INSN_RET:
	case INSN_TRAP: return false;
	case INSN_CALL:
	case INSN_CALL_IND: return !ends_by_call(c, at->t, k);
	default: return true;
	}
}

/* Check what is stated in a part; live: behind it.  Returns what is live at its start. */
static struct fact check_part(struct checker *c, uint32_t part, size_t *br, struct fact live)
{
	const struct verify *v = c->v;
	const struct part *p = &c->flow.part.v[part];
	struct at at = {.p = p, .t = &v->text.v[p->text]};
	for (at.k = p[1].first; at.k-- > p->first;) {
		while (*br && v->branch.v[*br - 1].insn > at.k)
			--*br;
		bool branch = *br && v->branch.v[*br - 1].insn == at.k;
		at.b = branch ? &v->branch.v[*br - 1] : NULL;
		/* what is inserted in padding that no control falls into is of what follows it */
		bool padding = is_padding(&v->insn.v[at.k]) && !falls(c, &at);
		at.ret = padding ? live.ret : ret_at(c, at.k);
		if ((at.ret & ~live.ret) && falls(c, &at))
			live = go(c, &at, live);
		live = live_before(c, &at, live);
		c->live[at.k] = live.use | (live.pass & live.ret);
		if (!bit_get(c->stated, at.k))
			continue;
		struct fact said = stated_at(c, at.k);
		regset more = (live.use & ~said.use) | (live.pass & ~said.pass);
		if (more)
			not_following(c, &at, "what is live", more);
	}
	return live;
}

static void check_facts(struct checker *c)
{
	const struct verify *v = c->v;
	const struct flow *w = &c->flow;
	size_t br = v->branch.n;
	struct fact live = nowhere;
	for (uint32_t i = (uint32_t)w->part.n - 1; i-- > 0;) {
		if (w->part.v[i].text != w->part.v[i + 1].text || i + 2 == w->part.n)
			live = anywhere(c, false);
		live = check_part(c, i, &br, live);
	}
}

static void open_checker(struct checker *c)
{
	struct arena *a = &c->v->arena;
	size_t insns = c->v->insn.n + 1, parts = c->flow.part.n;
	c->saved = c->v->target->abi.ret_live & ~c->v->target->abi.call_clobbers;
	c->number = arena_array(a, uint32_t, insns);
	c->stated = arena_array(a, uint64_t, insns / 64 + 1);
	c->label = arena_array(a, struct fact, parts);
	c->scaled = arena_array(a, struct fact, parts);
	c->address = arena_array(a, struct fact, parts);
	c->live = arena_array(a, regset, insns);
	c->changed = arena_array(a, regset, parts);
	read_facts(c);
	join_labels(c);
	check_facts(c);
}

/* What changes registers ---------------------------------------------------- */

/* Clobbers of the part's function. */
static regset changed(const struct checker *c, uint32_t part)
{
	const struct part *all = c->flow.part.v, *f = &all[all[part].func];
	regset *known = &c->changed[all[part].func], here = 0;
	for (uint32_t k = f->first; !*known && k < all[f->func_end].first; k++)
		if (c->v->insn.v[k].kind != KIND_RAW)
			here |= insn_effects(&c->v->insn.v[k])->clobbers;
	if (!*known)
		*known = here | REG_BIT(REGSET_BITS - 1);
	return *known;
}

/*
 * Callee-saved registers that the function at k never changes, and so does not save: no unwinder
 * could restore them.  In front of padding, inserted code may belong to the next function.
 */
static regset unsaved(const struct checker *c, const struct vtext *t, uint32_t k)
{
	uint32_t next = k;
	while (next + 1 < t->first + t->n && c->v->insn.v[next].kind == INSN_NOP)
		next++;
	return c->saved & ~(changed(c, part_of(&c->flow, k)) | changed(c, part_of(&c->flow, next)));
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

static void check_site(struct checker *c, const struct vsite *site)
{
	struct verify *v = c->v;
	struct vtext *t = &v->text.v[site->text];
	regset need = site->pattern->need;
	uint32_t k = need ? runs_before(v, site) : NO_INSN;
	if (t->broken || !need)
		return;
	regset live = ~(regset)0;
	if (k != NO_INSN)
		live = c->live[k];
	if (leads_to_routine(site->pattern))
		live = v->target->abi.entry_live;
	if (need & live)
		vfail(v, t->a, k == NO_INSN ? t->a->size : v->insn.v[k].off,
			"inserted code at 0x%x changes live registers:%s", site->at,
			names(v, need & live));
	else if ((need & c->saved) && (need & unsaved(c, t, k)))
		vfail(v, t->a, v->insn.v[k].off,
			"inserted code at 0x%x changes callee-saved registers that its "
			"function does not save:%s",
			site->at, names(v, need & unsaved(c, t, k)));
}

/* Instructions in longer forms change no live register, and none that is not saved. */
static void check_forms(struct checker *c)
{
	struct verify *v = c->v;
	for (size_t i = 0; i < v->text.n && (v->target->form->far_len || v->target->words); i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k < t->first + t->n && !t->broken; k++) {
			regset changes = form_changes(v, t, k), live = c->live[k];
			if (!changes)
				continue;
			live |= c->saved & unsaved(c, t, k);
			if (changes & live)
				vfail(v, t->a, v->insn.v[k].off,
					"its new form changes live registers:%s",
					names(v, changes & live));
		}
	}
}

/* What is in a register between two instructions that make an address together is of no use. */
static void check_pairs(struct checker *c)
{
	struct verify *v = c->v;
	for (size_t i = 0; v->target->join && i < v->text.n; i++) {
		const struct vtext *t = &v->text.v[i];
		for (uint32_t k = t->first; k + 1 < t->first + t->n && !t->broken; k++) {
			const struct insn *in = &v->insn.v[k];
			if (in->kind != INSN_OTHER || !(in->flags & INSN_OPERAND_PC) ||
				in->len <= v->target->insn_size)
				continue;
			const struct effects *e = insn_effects(in);
			if (e->clobbers & ~e->writes & c->live[k + 1] &&
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

void verify_live(struct verify *v)
{
	struct checker c = {.v = v};
	join_loads(v);
	flow_open(&c.flow, v);
	open_checker(&c);
	for (size_t i = 0; i < v->site.n; i++)
		check_site(&c, &v->site.v[i]);
	check_forms(&c);
	check_pairs(&c);
	v->ninserted = v->site.n;
	check_threads(&c.flow);
	verify_called(&c.flow);
	verify_entries(&c.flow);
	verify_values(&c.flow);
	find_pairs(&c.flow);
	verify_sums(&c.flow);
	verify_sizes(&c.flow);
	for (size_t i = 0; i < v->by_table.n; i++)
		if (!bit_get(c.flow.taken, v->by_table.v[i]) &&
			!bit_get(c.flow.perhaps, v->by_table.v[i]))
			vfail(v, &v->b->sec.v[v->map], 0,
				"the map has an edge of a table jump to a "
				"place that is in no table");
	flow_close(&c.flow);
}
