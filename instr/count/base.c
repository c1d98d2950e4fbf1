/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.c - which increments share a base register; see base.h
 *
 * A register is available at a point if all paths to it set the register and do not change it
 * afterwards: a forward problem, solved for all registers at once by treating every register that
 * is dead at an increment as set there.  A register is needed at a point if a later increment uses
 * it: a backward problem.  The register that saves most is assigned; the rest is solved again
 * without it.
 */
#include "instr/count/base.h"

#include <stdlib.h>

enum {
	NO_SITE = UINT32_MAX,
	PAGE = 4096,
	ROUNDS = 8,
	MOST_WORK = 1 << 23, /* pages of counters times steps: a function of some 80,000 blocks */
};
/* What an instruction on an edge into a loop costs for its size, in executions for each call. */
#define BASE_SPACE 0.04f

struct sharing {
	struct plan *p;
	struct flow_planner *fp;
	const struct flow *w;
	uint32_t first;	 /* number of counter 0 of p */
	uint64_t page;	 /* the one whose counters share now */
	regset reserved; /* registers that hold counters, or bases, somewhere in the function */
	regset temps;	 /* those that code on an edge may change, to set a base */
};

bool can_share_base(const struct plan *p)
{
	const struct micro *m = p->g->target->micro;
	const struct counter_addressing *to = &p->addressing;
	return m->set_base && p->flows && p->cell == 8 && (!to->pic || m->base_pic || to->row);
}

static uint64_t page_of(const struct sharing *s, const struct site *site)
{
	uint64_t off = ((uint64_t)s->first + site->arg) * s->p->cell;
	if (s->p->addressing.row)
		return off >> s->p->g->target->micro->row_bits;
	return (off + s->p->g->target->micro->base_bias % PAGE) / PAGE;
}

static regset unreserved(const struct sharing *s, const struct site *site)
{
	return site->dead & target_scratch(s->p->g->target) & ~s->reserved;
}

static regset usable(const struct sharing *s, const struct site *site)
{
	return unreserved(s, site) & ~s->temps;
}

static bool is_increment(const struct site *site)
{
	return site->kind == SITE_COUNT && site->how == COUNT_DIRECT;
}

static enum counter_access access_of(const struct sharing *s, const struct site *site)
{
	return site->plain ? ACCESS_PLAIN : s->p->addressing.access;
}

/* Has site more than n registers that its code may change, besides those of own? */
static bool has_more(const struct sharing *s, const struct site *site, regset own, unsigned n)
{
	return count_regs(usable(s, site) & ~own) > n;
}

/* The registers of which site can set any one, or use it. */
static regset shared_by(const struct sharing *s, const struct site *site)
{
	uint8_t more = s->p->g->target->micro->more_regs[access_of(s, site)];
	bool can = is_increment(site) && !site->base && page_of(s, site) == s->page;
	return can && has_more(s, site, 0, more) ? usable(s, site) : 0;
}

/* The registers that the code of a site may change, if it is told to keep any one of the others. */
static regset changed_by(const struct sharing *s, const struct site *site)
{
	enum { MOST_TEMPS = 4 };
	regset own = site->base ? REG_BIT(site->base - 1) : 0;
	const struct micro *m = s->p->g->target->micro;
	enum counter_access access = access_of(s, site);
	unsigned temps = site->kind == SITE_END ? MOST_TEMPS
		: site->base			? m->more_regs[access]
						: m->count_regs[access];
	switch ((enum site_kind)site->kind) {
	case SITE_BASE: return own;
	case SITE_BEGIN: return REG_BIT(site->reg);
	case SITE_COUNT:
		if (site->how == COUNT_HELD || site->how == COUNT_STEPPED)
			return REG_BIT(site->reg);
		if (site->how != COUNT_DIRECT)
			return ~(regset)0;
		/* fallthrough */
	case SITE_END: return own | (has_more(s, site, own, temps) ? 0 : site->dead);
	case SITE_ENTRY: break;
	}
	return ~(regset)0;
}

static struct site *site_of(const struct sharing *s, const struct base_step *st)
{
	return st->site == NO_SITE ? NULL : &s->p->site.v[st->site];
}

/* Lists of steps ------------------------------------------------------- */

static regset insn_changes(const struct cfg *g, const struct block *bl, const struct insn *in)
{
	regset far;
	if (bl->end == END_TABLE || (in->flags & INSN_VAGUE) ||
		(in->kind != INSN_OTHER && in->kind != INSN_NOP && in->kind != INSN_JUMP &&
			in->kind != INSN_BRANCH))
		return ~(regset)0;
	insn_far_len(g->target, in, &far);
	return insn_effects(in)->clobbers | far;
}

/* Sites and insertions of other makers, which come first at each place. */
struct cursor {
	uint32_t site, other;
};

/* The first ones at or behind off. */
static struct cursor cursor_at(const struct plan *p, uint32_t text, uint32_t off)
{
	const struct site *s = p->site.v;
	const struct insertion *in = p->in->to->v.v;
	size_t i, k;
	BISECT(i, 0, p->site.n, s[i].text < text || (s[i].text == text && s[i].off < off));
	BISECT(k, 0, p->in->to->v.n, in[k].text < text || (in[k].text == text && in[k].off < off));
	return (struct cursor){(uint32_t)i, (uint32_t)k};
}

/* The next one there: *site, or else *other; false: there are no more. */
static bool next_at(const struct plan *p, struct cursor *c, uint32_t text, uint32_t off,
	uint32_t *site, const struct insertion **other)
{
	const struct site *s = c->site < p->site.n ? &p->site.v[c->site] : NULL;
	const struct insertion *in = c->other < p->in->to->v.n ? &p->in->to->v.v[c->other] : NULL;
	s = s && s->text == text && s->off == off ? s : NULL;
	in = in && in->text == text && in->off == off ? in : NULL;
	*other = in && (!s || in->runs <= s->runs) ? in : NULL;
	*site = c->site;
	if (*other)
		c->other++;
	else if (s)
		c->site++;
	return *other || s;
}

static void add_step(struct flow_planner *fp, regset changes, uint32_t site, float freq)
{
	vec_push(&fp->step, (struct base_step){.changes = changes, .site = site, .freq = freq});
}

static void block_steps(struct sharing *s, uint32_t b)
{
	const struct cfg *g = s->p->g;
	const struct block *bl = &g->block.v[s->w->first + b];
	uint32_t text = g->func.v[bl->func].text;
	struct cursor c = cursor_at(s->p, text, g->insn.v[bl->insn].off);
	const struct insertion *other;
	uint32_t site;
	float freq = s->w->block.v[b].freq;
	regset changes = 0;
	for (uint32_t k = bl->insn; k < bl->insn + bl->ninsn; k++) {
		while (next_at(s->p, &c, text, g->insn.v[k].off, &site, &other)) {
			if (other) {
				changes |= other->runs == RUNS_ALL ? other->changes : 0;
			} else if (s->p->site.v[site].runs == RUNS_ALL) {
				add_step(s->fp, changes, site, freq);
				changes = 0;
			}
		}
		changes |= insn_changes(g, bl, &g->insn.v[k]);
	}
	add_step(s->fp, changes, NO_SITE, 0);
}

/* Does code with these runners, and of this branch's edge, run on edge e and not in a block? */
static bool runs_on(const struct sharing *s, uint8_t runs, uint32_t branch, const struct edge *e)
{
	const struct block *from = &s->p->g->block.v[e->from];
	if (e->kind == EDGE_FALL)
		return runs != RUNS_ALL && runs & RUN_FALL;
	return runs == RUNS_EDGE && branch == from->insn + from->ninsn - 1;
}

static void edge_steps(struct sharing *s, const struct edge *e)
{
	const struct cfg *g = s->p->g;
	if (e->from == NO_BLOCK || e->to == NO_BLOCK)
		return;
	const struct block *to = &g->block.v[e->to];
	uint32_t text = g->func.v[to->func].text, off = g->insn.v[to->insn].off;
	struct cursor c = cursor_at(s->p, text, off);
	const struct insertion *other;
	regset changes = 0;
	uint32_t i;
	while (next_at(s->p, &c, text, off, &i, &other)) {
		const struct site *site = other ? NULL : &s->p->site.v[i];
		if (other && runs_on(s, other->runs, other->branch, e)) {
			changes |= other->changes;
		} else if (site && runs_on(s, site->runs, site->branch, e)) {
			add_step(s->fp, changes, i, e->freq);
			changes = 0;
		}
	}
	if (e->kind == EDGE_TABLE)
		changes = ~(regset)0;
	if (changes)
		add_step(s->fp, changes, NO_SITE, 0);
}

/* The lists of blocks, then of edges. */
static void make_steps(struct sharing *s)
{
	struct flow_planner *fp = s->fp;
	const struct flow *w = s->w;
	fp->step.n = fp->list.n = 0;
	for (uint32_t b = 0; b < w->block.n; b++) {
		vec_push(&fp->list, (uint32_t)fp->step.n);
		if (!w->g->block.v[w->first + b].gap)
			block_steps(s, b);
	}
	for (size_t e = 0; e < w->edge.n; e++) {
		vec_push(&fp->list, (uint32_t)fp->step.n);
		edge_steps(s, &w->edge.v[e]);
	}
	vec_push(&fp->list, (uint32_t)fp->step.n);
}

/* What the sites of the steps set and change for the current page. */
static void find_effects(struct sharing *s)
{
	for (size_t i = 0; i < s->fp->step.n; i++) {
		struct base_step *st = &s->fp->step.v[i];
		const struct site *site = site_of(s, st);
		st->sets = site ? shared_by(s, site) : 0;
		st->site_changes = site && !st->sets ? changed_by(s, site) : 0;
	}
}

/* Availability --------------------------------------------------------- */

static regset run_list(struct flow_planner *fp, size_t list, regset have)
{
	for (uint32_t i = fp->list.v[list]; i < fp->list.v[list + 1]; i++) {
		struct base_step *st = &fp->step.v[i];
		have &= ~st->changes;
		st->have = have;
		have = (have & ~st->site_changes) | st->sets;
	}
	return have;
}

/* Does edge e lead into the loop of its target from outside? */
static bool enters_loop(const struct flow *w, const struct edge *e)
{
	uint32_t to = e->to - w->first;
	return w->loop.v[to].is_head &&
		(e->from == NO_BLOCK || !in_loop(w, to, e->from - w->first));
}

static void start_forward(struct sharing *s)
{
	struct flow_planner *fp = s->fp;
	const struct flow *w = s->w;
	for (uint32_t b = 0; b < w->block.n; b++)
		fp->share.v[b].have = 0;
	for (size_t e = 0; e < w->edge.n; e++)
		if (w->edge.v[e].to != NO_BLOCK)
			fp->share.v[w->edge.v[e].to - w->first].have = ~(regset)0;
	for (size_t e = 0; e < w->edge.n; e++)
		if (w->edge.v[e].to != NO_BLOCK && w->edge.v[e].from == NO_BLOCK)
			fp->share.v[w->edge.v[e].to - w->first].have = 0;
	for (uint32_t b = 0; b < w->block.n; b++) {
		const struct block *bl = &w->g->block.v[w->first + b];
		/* nothing proves that a call in front does not fall through, but no edge says so */
		bool fallen = b && bl[-1].end == END_CALL && bl[-1].fall == w->first + b;
		if (!b || bl->entry || bl->entered || fallen || bl[-1].gap)
			fp->share.v[b].have = 0;
	}
}

static void solve_forward(struct sharing *s)
{
	struct flow_planner *fp = s->fp;
	const struct flow *w = s->w;
	bool changed = true;
	start_forward(s);
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < w->block.n; b++) {
			const struct flow_block *fb = &w->block.v[b];
			regset out = run_list(fp, b, fp->share.v[b].have);
			for (uint32_t e = fb->edge; e < fb->edge + fb->nedge; e++) {
				const struct edge *ed = &w->edge.v[e];
				if (ed->to == NO_BLOCK)
					continue;
				struct base_block *to = &fp->share.v[ed->to - w->first];
				regset have = run_list(fp, w->block.n + e, out);
				fp->along.v[e] = have;
				have |= enters_loop(w, ed) ? to->set_before : 0;
				changed |= (to->have & ~have) != 0;
				to->have &= have;
			}
		}
	}
}

/* Loops ---------------------------------------------------------------- */

/* The site on edge e that sets a register; its dead registers are those that reach the edge's end.
 */
static bool base_site(const struct sharing *s, const struct edge *e, struct site *site)
{
	if (!edge_site(s->p->g, e, site))
		return false;
	const struct insn *last = &s->p->g->insn.v[site->branch];
	site->dead = unreserved(s, site);
	if (site->off == last->off)
		site->dead &= ~insn_changes(s->p->g, &s->p->g->block.v[e->from], last);
	return true;
}

static float edge_price(const struct sharing *s, const struct edge *e, const struct site *site)
{
	return e->freq + BASE_SPACE + (site->runs == RUNS_EDGE ? skip_cost(s->w, e->to) : 0);
}

/* Does the code that sets a register for the current page need another one? */
static bool needs_temp(const struct sharing *s)
{
	const struct micro *m = s->p->g->target->micro;
	const struct counter_addressing *to = &s->p->addressing;
	return to->row && base_temp(m, to, (int64_t)(s->page << m->row_bits));
}

/* Those of which any one can be set there. */
static regset settable(const struct sharing *s, const struct site *site)
{
	bool one = !(site->dead & (site->dead - 1));
	return needs_temp(s) && one ? 0 : site->dead & ~s->temps;
}

/* The registers that can be set in front of each loop, and what that costs. */
static void start_loops(struct sharing *s)
{
	const struct flow *w = s->w;
	for (uint32_t b = 0; b < w->block.n; b++)
		s->fp->share.v[b] = (struct base_block){
			.set_before = w->loop.v[b].is_head ? ~(regset)0 : 0};
	for (size_t e = 0; e < w->edge.n; e++) {
		const struct edge *ed = &w->edge.v[e];
		struct site site;
		if (ed->to == NO_BLOCK || !enters_loop(w, ed))
			continue;
		struct base_block *to = &s->fp->share.v[ed->to - w->first];
		if (!base_site(s, ed, &site)) {
			to->set_before = 0;
			continue;
		}
		to->set_before &= settable(s, &site);
		to->price += edge_price(s, ed, &site);
	}
}

/* A use of these registers in block b pays for setting them before the loops around it. */
static void pay(struct sharing *s, uint32_t b, float freq, regset regs)
{
	const struct flow *w = s->w;
	for (uint32_t h = loop_of(w, b); h != NO_BLOCK; h = w->loop.v[h].head)
		if (freq > s->fp->share.v[h].price)
			s->fp->share.v[h].paid |= regs;
}

static void find_payers(struct sharing *s)
{
	struct flow_planner *fp = s->fp;
	const struct flow *w = s->w;
	for (uint32_t b = 0; b < w->block.n; b++)
		fp->share.v[b].paid = 0;
	for (size_t list = 0; list < w->block.n + w->edge.n; list++) {
		const struct edge *e = list < w->block.n ? NULL : &w->edge.v[list - w->block.n];
		if (e && e->from == NO_BLOCK)
			continue;
		uint32_t b = e ? e->from - w->first : (uint32_t)list;
		for (uint32_t i = fp->list.v[list]; i < fp->list.v[list + 1]; i++)
			pay(s, b, fp->step.v[i].freq, fp->step.v[i].sets & fp->step.v[i].have);
	}
}

/* Set registers before a loop only if they last for all of it, and that pays. */
static bool drop_loops(struct sharing *s)
{
	struct flow_planner *fp = s->fp;
	const struct flow *w = s->w;
	bool dropped = false;
	find_payers(s);
	for (size_t e = 0; e < w->edge.n; e++) {
		const struct edge *ed = &w->edge.v[e];
		if (ed->to == NO_BLOCK || ed->from == NO_BLOCK || enters_loop(w, ed))
			continue;
		struct base_block *to = &fp->share.v[ed->to - w->first];
		dropped |= (to->set_before & ~fp->along.v[e]) != 0;
		to->set_before &= fp->along.v[e];
	}
	for (uint32_t b = 0; b < w->block.n; b++) {
		struct base_block *l = &fp->share.v[b];
		dropped |= (l->set_before & ~l->paid) != 0;
		l->set_before &= l->paid;
	}
	return dropped;
}

/* Need ----------------------------------------------------------------- */

static regset run_back(struct flow_planner *fp, size_t list, regset need)
{
	for (uint32_t i = fp->list.v[list + 1]; i-- > fp->list.v[list];) {
		struct base_step *st = &fp->step.v[i];
		st->need = need;
		need = (need & ~(st->site_changes | st->sets)) | (st->sets & st->have);
		need &= ~st->changes;
	}
	return need;
}

/* The registers that are set on edge e. */
static regset set_on(const struct sharing *s, uint32_t e)
{
	const struct edge *ed = &s->w->edge.v[e];
	if (ed->from == NO_BLOCK || ed->to == NO_BLOCK || !enters_loop(s->w, ed))
		return 0;
	const struct base_block *to = &s->fp->share.v[ed->to - s->w->first];
	return to->set_before & to->need & ~s->fp->along.v[e];
}

static void solve_back(struct sharing *s)
{
	struct flow_planner *fp = s->fp;
	const struct flow *w = s->w;
	bool changed = true;
	for (uint32_t b = 0; b < w->block.n; b++)
		fp->share.v[b].need = 0;
	while (changed) {
		changed = false;
		for (uint32_t b = (uint32_t)w->block.n; b-- > 0;) {
			const struct flow_block *fb = &w->block.v[b];
			regset need = 0;
			for (uint32_t e = fb->edge; e < fb->edge + fb->nedge; e++)
				if (w->edge.v[e].to != NO_BLOCK)
					need |= run_back(fp, w->block.n + e,
						fp->share.v[w->edge.v[e].to - w->first].need &
							~set_on(s, e));
			need = run_back(fp, b, need);
			changed |= need != fp->share.v[b].need;
			fp->share.v[b].need = need;
		}
	}
}

/* Choice --------------------------------------------------------------- */

enum { REGS = 32 };

static void solve(struct sharing *s)
{
	start_loops(s);
	find_effects(s);
	do
		solve_forward(s);
	while (drop_loops(s));
	solve_back(s);
}

/* The register that saves most; REGS: none saves anything. */
static unsigned best_reg(const struct sharing *s)
{
	const struct flow *w = s->w;
	float saved[REGS] = {0}, most = 0;
	unsigned best = REGS;
	struct site site;
	for (size_t i = 0; i < s->fp->step.n; i++) {
		const struct base_step *st = &s->fp->step.v[i];
		for (regset r = st->sets & st->have; r; r &= r - 1)
			saved[lowest_reg(r)] += st->freq;
	}
	for (uint32_t e = 0; e < w->edge.n; e++)
		for (regset r = set_on(s, e); r; r &= r - 1)
			if (base_site(s, &w->edge.v[e], &site))
				saved[lowest_reg(r)] -= edge_price(s, &w->edge.v[e], &site);
	for (unsigned r = 0; r < REGS; r++)
		if (saved[r] > most) {
			most = saved[r];
			best = r;
		}
	return best;
}

/* Keep register r from the code of a site that runs while r is needed. */
static void assign_steps(struct sharing *s, unsigned r)
{
	regset reg = REG_BIT(r);
	for (size_t i = 0; i < s->fp->step.n; i++) {
		const struct base_step *st = &s->fp->step.v[i];
		struct site *site = site_of(s, st);
		if (!site)
			continue;
		if (st->sets & reg && (st->have | st->need) & reg) {
			site->base = (uint8_t)(r + 1);
			site->makes = !(st->have & reg);
		} else if (st->have & st->need & reg) {
			site->dead &= ~reg;
		}
	}
}

/* The counter of some step that uses register r. */
static uint32_t some_counter(const struct sharing *s, unsigned r)
{
	for (size_t i = 0; i < s->fp->step.n; i++)
		if (s->fp->step.v[i].sets & s->fp->step.v[i].have & REG_BIT(r))
			return site_of(s, &s->fp->step.v[i])->arg;
	return 0;
}

/* The code that sets register r needs another one. */
static void assign_temp(struct sharing *s, unsigned r, struct site *site)
{
	regset regs = site->dead & ~REG_BIT(r), best = regs & s->temps ? regs & s->temps : regs;
	if (!needs_temp(s))
		return;
	site->dead = best & -best;
	s->temps |= site->dead;
}

/* Registers set on edges are sites of their own, which are added when all steps are done. */
static void assign_edges(struct sharing *s, unsigned r)
{
	const struct flow *w = s->w;
	for (uint32_t e = 0; e < w->edge.n; e++) {
		struct site site;
		if (!(set_on(s, e) & REG_BIT(r)) || !base_site(s, &w->edge.v[e], &site))
			continue;
		site.kind = SITE_BASE;
		site.arg = some_counter(s, r);
		site.base = (uint8_t)(r + 1);
		assign_temp(s, r, &site);
		vec_push(&s->fp->base, site);
	}
}

static void keep_from_poison(struct sharing *s, unsigned r)
{
	const struct flow *w = s->w;
	for (uint32_t b = 0; s->p->held && b < w->block.n; b++) {
		regset used = s->fp->share.v[b].need;
		for (uint32_t i = s->fp->list.v[b]; i < s->fp->list.v[b + 1]; i++)
			used |= s->fp->step.v[i].need;
		s->p->held[w->first + b] |= used & REG_BIT(r);
	}
}

static void share_page(struct sharing *s)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		solve(s);
		unsigned r = best_reg(s);
		if (r == REGS)
			return;
		assign_steps(s, r);
		assign_edges(s, r);
		keep_from_poison(s, r);
		s->reserved |= REG_BIT(r);
	}
}

static uint64_t pages(struct sharing *s, uint64_t *first)
{
	uint64_t end = 0;
	*first = UINT64_MAX;
	s->reserved = 0;
	for (size_t i = 0; i < s->fp->step.n; i++) {
		const struct site *site = site_of(s, &s->fp->step.v[i]);
		if (!site)
			continue;
		if (site->kind == SITE_BEGIN)
			s->reserved |= REG_BIT(site->reg);
		if (!is_increment(site))
			continue;
		uint64_t page = page_of(s, site);
		*first = page < *first ? page : *first;
		end = page >= end ? page + 1 : end;
	}
	return end;
}

static void share_in(struct plan *p, uint32_t fi, uint32_t first, struct flow_planner *fp)
{
	struct sharing s = {.p = p, .fp = fp, .w = &fp->flow, .first = first};
	flow_edges(&fp->flow, fi);
	vec_reserve(&fp->share, fp->flow.block.n);
	vec_reserve(&fp->along, fp->flow.edge.n);
	make_steps(&s);
	uint64_t end = pages(&s, &s.page);
	if (end > s.page && (end - s.page) * fp->step.n > MOST_WORK)
		return;
	for (; s.page < end; s.page++)
		share_page(&s);
}

void plan_bases(struct plan *p, uint32_t first, uint32_t end, uint32_t counter,
	struct flow_planner *fp)
{
	insertions_sort(p->in->to);
	sites_sort(&p->site);
	fp->base.n = 0;
	for (uint32_t f = first; f < end; f++) {
		const struct func *fn = &p->g->func.v[f];
		if (fn->is_code && fn->nblock && fn->why == OPAQUE_NOT &&
			(!p->selected || p->selected[f]))
			share_in(p, f, counter, fp);
	}
	for (size_t i = 0; i < fp->base.n; i++)
		vec_push(&p->site, fp->base.v[i]);
}
