/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.c - what --ldx-dump prints of the plan and of the layout; see cfg/dump.h
 */
#include "program/program.h"
#include "instr/dump.h"

#include "base/shown.h"
#include "cfg/dump.h"
#include "instr/edges.h"
#include "instr/layout.h"
#include "runtime/abi.h"

static uint64_t block_off(const struct cfg *g, uint32_t b)
{
	return g->insn.v[g->block.v[b].insn].off;
}

static void edge_at(const struct cfg *g, const char *dump, uint32_t from, uint32_t to)
{
	printf("%s ", dump);
	dump_block(g, from);
	printf(" -> ");
	dump_block(g, to);
}

static const char *const edge_text[] = {
	[EDGE_FALL] = "fall",
	[EDGE_TAKEN] = "taken",
	[EDGE_TABLE] = "by table",
	[EDGE_IN] = "in",
	[EDGE_OUT] = "out",
};

static const char *const runs_text[] = {
	[RUNS_FALL] = "fallen into",
	[RUNS_ENTRY] = "function entered",
	[RUNS_LEAVE] = "branch out of the function",
	[RUNS_TABLE] = "edges by table",
	[RUNS_EDGE] = "edge",
	[RUNS_ALL] = "all",
};

/* Loops ---------------------------------------------------------------- */

static void func_loops(struct flow *w, uint32_t f)
{
	const struct cfg *g = w->g;
	flow_edges(w, f);
	for (uint32_t b = 0; b < w->block.n; b++) {
		uint32_t head = loop_of(w, b);
		if (g->block.v[w->first + b].gap)
			continue;
		dump_at(g, "loops", f, block_off(g, w->first + b));
		printf(": frequency %.4g", (double)w->block.v[b].freq);
		if (head != NO_BLOCK) {
			printf(", in the loop of ");
			dump_block(g, w->first + head);
		}
		putchar('\n');
	}
	for (size_t e = 0; e < w->edge.n; e++) {
		edge_at(g, "loops", w->edge.v[e].from, w->edge.v[e].to);
		printf(": %s, frequency %.4g%s\n", edge_text[w->edge.v[e].kind],
			(double)w->edge.v[e].freq, w->edge.v[e].critical ? ", critical" : "");
	}
}

/* Loops as the planner finds them where it derives counts. */
static void dump_loops(const struct plan *p)
{
	const struct cfg *g = p->g;
	struct flow w = {.g = g, .returns = cfg_returns(g, p->opt->shared), .prior = p->opt->prior};
	for (uint32_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].why == OPAQUE_NOT && g->func.v[f].nblock &&
			dump_shows(g, p->opt->dump, f))
			func_loops(&w, f);
	flow_free(&w);
}

/* Edges ---------------------------------------------------------------- */

/* Where code of this edge stands, or why none can. */
static void place_fact(const struct cfg *g, struct way e)
{
	struct place at;
	regset live;
	const char *why = edge_refused(g, e, &at, &live);
	if (why) {
		printf("none: %s\n", why);
		return;
	}
	printf("%s ", runs_text[at.runs]);
	dump_place(g, g->text.v[at.text].sec->index, at.off);
	putchar('\n');
}

static void edge_fact(void *ctx, struct way e)
{
	const struct plan *p = *(const struct plan *const *)ctx;
	const struct cfg *g = p->g;
	printf("edges ");
	dump_block(g, e.from);
	if (e.kind == EDGE_TABLE) {
		printf(" -> ");
		dump_block(g, e.to);
	}
	printf(": %s: ", edge_text[e.kind]);
	place_fact(g, e);
}

static void dump_edges(const struct plan *p)
{
	const struct cfg *g = p->g;
	for (uint32_t f = 0; f < g->func.n; f++) {
		const struct func *fn = &g->func.v[f];
		if (!fn->is_code || !dump_shows(g, p->opt->dump, f))
			continue;
		for (uint32_t b = fn->block; b < fn->block + fn->nblock; b++)
			if (!g->block.v[b].gap)
				block_ways(g, b, edge_fact, &p);
	}
}

/* Exits ---------------------------------------------------------------- */

static void dump_exits(const struct plan *p)
{
	const struct cfg *g = p->g;
	struct exits x;
	struct exit e;
	for (uint32_t f = 0; f < g->func.n; f++) {
		if (!dump_shows(g, p->opt->dump, f))
			continue;
		for (exits_start(&x, g, cfg_decoder(g, 0), f); exits_next(&x, &e);) {
			const struct block *bl = &g->block.v[e.block];
			dump_at(g, "exits", f, g->insn.v[bl->insn + bl->ninsn - 1].off);
			printf(": %s: ", exit_text[e.kind]);
			place_fact(g, exit_way(&e));
		}
	}
}

/* Plan ----------------------------------------------------------------- */

static const char *const site_text[] = {
	[SITE_BEGIN] = "begin to hold counter",
	[SITE_END] = "end to hold counter",
	[SITE_BASE] = "base of counter",
	[SITE_COUNT] = "counter",
	[SITE_ENTRY] = "landing and counter",
};

static const char *const maker_text[] = {
	[MAKER_THREADS] = "thread check",
	[MAKER_FORKS] = "fork check",
	[MAKER_POISON] = "poison",
	[MAKER_NOPS] = "no-ops",
	[MAKER_STUBS] = "jump over the code of edges",
};

static const char *const how_text[COUNT_KINDS] = {
	[COUNT_DIRECT] = "direct",
	[COUNT_FLAGS] = "saves flags",
	[COUNT_SAVE] = "saves a register",
	[COUNT_HELD] = "held",
	[COUNT_STEPPED] = "stepped",
};

static const char *const state_text[] = {
	[COUNT_DERIVED] = "derived",
	[COUNT_UNKNOWN] = "unknown",
};

static void site_fact(const struct cfg *g, const struct site *s)
{
	printf("%s %u", site_text[s->kind], s->arg);
	if (s->kind == SITE_COUNT || s->kind == SITE_ENTRY)
		printf(", %s", how_text[s->how]);
	if (s->kind == SITE_BEGIN || s->kind == SITE_END ||
		(s->kind == SITE_COUNT && s->how == COUNT_HELD)) {
		printf(", in");
		dump_regs(g, REG_BIT(s->reg));
	}
	if (s->base) {
		printf(", %s by", s->makes || s->kind == SITE_BASE ? "sets and counts" : "counts");
		dump_regs(g, REG_BIT(s->base - 1));
	}
	if (s->step.by) {
		printf(", stepped by");
		dump_regs(g, REG_BIT(s->step.by - 1));
	}
}

static void insertion_fact(const struct plan *p, size_t part, const struct insertion *in)
{
	const struct cfg *g = p->g;
	printf("plan ");
	dump_place(g, g->text.v[in->text].sec->index, in->off);
	printf(": inserted for %s", runs_text[in->runs]);
	if (in->runs == RUNS_EDGE) {
		printf(" of ");
		dump_place(g, g->text.v[in->text].sec->index, g->insn.v[in->branch].off);
	}
	printf(": ");
	if (in->maker == MAKER_COUNT)
		site_fact(g, &p->sites[part].v[in->id]);
	else
		printf("%s, %u bytes", maker_text[in->maker], in->size);
	putchar('\n');
}

static void func_counts(const struct plan *p, uint32_t i)
{
	const struct cfg *g = p->g;
	const struct func *f = &g->func.v[i];
	if (p->func_counter[i]) {
		dump_at(g, "plan", i, f->start);
		printf(": entries: counter %u\n", p->func_counter[i] - 1);
	}
	for (uint32_t b = f->block; f->why == OPAQUE_NOT && b < f->block + f->nblock; b++) {
		if (g->block.v[b].gap)
			continue;
		dump_at(g, "plan", i, block_off(g, b));
		p->block_counter[b] ? printf(": counter %u%s\n", p->block_counter[b] - 1,
					      p->block_flags[b] & LDX_BLOCK_HELD
						      ? ", in a loop with held counters"
						      : "")
				    : printf(": no counter\n");
	}
	for (uint32_t e = p->func_edge[i]; e < p->func_edge[i + 1]; e++) {
		const struct plan_edge *ed = &p->edge.v[e];
		edge_at(g, "plan", ed->from, ed->to);
		if (ed->state == COUNT_COUNTED)
			printf(": %s, counter %u\n", edge_text[ed->kind], ed->counter);
		else if (p->opt->mode == LDX_MODE_COVER)
			printf(": proof\n");
		else
			printf(": %s, %s\n", edge_text[ed->kind],
				ed->known ? "counted by the callers" : state_text[ed->state]);
	}
}

void dump_plan(const struct plan *p)
{
	const struct cfg *g = p->g;
	if (dump_asked(p->opt->dump, "loops") && p->flows)
		dump_loops(p);
	if (dump_asked(p->opt->dump, "edges"))
		dump_edges(p);
	if (dump_asked(p->opt->dump, "exits"))
		dump_exits(p);
	if (!dump_asked(p->opt->dump, "plan"))
		return;
	for (uint32_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && dump_shows(g, p->opt->dump, f))
			func_counts(p, f);
	for (size_t k = 0; p->inserted && k + 1 < g->part.n; k++)
		for (size_t i = 0; i < p->inserted[k].v.n; i++) {
			const struct insertion *in = &p->inserted[k].v.v[i];
			const struct code_section *t = &g->text.v[in->text];
			if (dump_shows(g, p->opt->dump, cfg_func_at(g, t, in->off)))
				insertion_fact(p, k, in);
		}
}

/* Layout --------------------------------------------------------------- */

/* The labels of an offset that the layout has moved away from the instruction there. */
static const struct label {
	const char *name;
	enum ref_use use;
} label[] = {{"range end", REF_RANGE_END}, {"scope end", REF_SCOPE_END}, {"address", REF_ADDRESS},
	{"edge", REF_EDGE}, {"branch", REF_BRANCH}};

static void insn_place(const struct plan *p, const struct layout *l, uint32_t f, uint32_t i)
{
	const struct cfg *g = p->g;
	const struct insn *in = &g->insn.v[i];
	unsigned len = in->len;
	uint64_t at = map_insn(&l->map, in->off, &len);
	dump_at(g, "layout", f, in->off);
	printf(": at 0x%llx", (unsigned long long)at);
	for (size_t k = 0; k < sizeof label / sizeof *label; k++) {
		uint64_t to = map_addr(&l->map, in->off, label[k].use);
		if (to != at)
			printf(", %s -0x%llx", label[k].name, (unsigned long long)(at - to));
	}
	len != in->len ? printf(", %u bytes instead of %u\n", len, in->len) : putchar('\n');
}

/* Each block, and each instruction that has moved by another distance than the one before it. */
static void func_layout(const struct plan *p, const struct layout *l, uint32_t i)
{
	const struct cfg *g = p->g;
	const struct func *f = &g->func.v[i];
	int64_t moved = 0;
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		uint32_t first = g->block.v[b].insn;
		for (uint32_t k = first; k < first + g->block.v[b].ninsn; k++) {
			const struct insn *in = &g->insn.v[k];
			unsigned len = in->len;
			int64_t by = (int64_t)(map_insn(&l->map, in->off, &len) - in->off);
			if (k == first || by != moved || len != in->len)
				insn_place(p, l, i, k);
			moved = by;
		}
	}
}

/* Fragments that are inserted or have another length; kept bytes are between these. */
static void text_frags(const struct plan *p, const struct code_section *t, const struct addrmap *m)
{
	static const char *const kind[] = {[FRAG_RESIZED] = "resized",
		[FRAG_PADDING] = "padding",
		[FRAG_ALIGN] = "alignment",
		[FRAG_INSERTED] = "inserted",
		[FRAG_RELAY] = "relay"};
	const struct cfg *g = p->g;
	for (size_t i = 0; i < m->n; i++) {
		const struct frag *f = &m->frag[i];
		if (f->kind == FRAG_KEPT || !dump_shows(g, p->opt->dump, cfg_func_at(g, t, f->old)))
			continue;
		printf("layout ");
		dump_place(g, t->sec->index, f->old);
		printf(": fragment at 0x%llx, %s, %u bytes", (unsigned long long)f->new,
			kind[f->kind], f->len);
		if (f->kind == FRAG_INSERTED)
			printf(", for %s", runs_text[f->runs]);
		putchar('\n');
	}
}

/* Branches that lead through code of their own. */
static void text_stubs(const struct plan *p, const struct code_section *t, const struct layout *l)
{
	const struct cfg *g = p->g;
	const struct insertions *in = l->inserted;
	for (size_t i = 0; in && i < in->stub.n; i++) {
		const struct stub *s = &in->stub.v[i];
		if (s->branch < t->insn || s->branch >= t->insn + t->ninsn)
			continue;
		const struct insn *branch = &g->insn.v[s->branch];
		if (!dump_shows(g, p->opt->dump, cfg_func_at(g, t, branch->off)))
			continue;
		printf("layout ");
		dump_place(g, t->sec->index, branch->off);
		printf(": leads %u bytes into the code %s\n", s->skip,
			s->use == REF_LEAVE ? "behind it" : "of its target's edges");
	}
}

void dump_layout(const struct plan *p, const struct layout *lay)
{
	const struct cfg *g = p->g;
	if (!dump_asked(p->opt->dump, "layout"))
		return;
	for (uint32_t i = 0; i < g->text.n; i++) {
		const struct code_section *t = &g->text.v[i];
		if (dump_shows(g, p->opt->dump, NO_FUNC))
			printf("layout %s: 0x%llx bytes of 0x%llx\n", shown(t->sec->name),
				(unsigned long long)lay[i].map.new_size,
				(unsigned long long)lay[i].map.old_size);
		for (uint32_t f = t->func; f < t->func + t->nfunc; f++)
			if (dump_shows(g, p->opt->dump, f))
				func_layout(p, &lay[i], f);
		text_frags(p, t, &lay[i].map);
		text_stubs(p, t, &lay[i]);
	}
}
