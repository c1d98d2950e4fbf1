/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - tools are loaded, ask, and have their code inserted; see tool.h */
#include "cfg/liveness.h"
#include "program/program.h"
#include "instr/tool/tool.h"

#include "base/guard.h"
#include "instr/emit.h"
#include "instr/tool/session.h"
#include "targets/disassembler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void ended(const char *how)
{
	char text[512];
	const struct func *at = asking->at;
	if (!how)
		end_by_tool(" called exit()");
	snprintf(text, sizeof text, " crashed: %s%s%s", how, at ? " at function " : "",
		at ? func_name(asking->g, at) : "");
	end_by_tool(text);
}

static void instrument(void *tool)
{
	((const struct tool *)tool)->part->instrument(ldx_next_object(NULL));
}

/* Loading ------------------------------------------------------------------- */

/* Options that the tool does not have are errors. */
static void check_options(const struct tool *tool)
{
	for (const char *p = tool->use->options; *p; p += strspn(p, ":")) {
		size_t n = strcspn(p, ":"), name = strcspn(p, "=:");
		if (!ldx_option(arena_printf(asking->g->arena, "%.*s", (int)name, p)))
			tool_error("it has no option %.*s", (int)name, p);
		if (name == n)
			tool_error("option %.*s has no value", (int)n, p);
		p += n;
	}
}

static void load(struct tool *tool)
{
	tool->handle = dlopen(tool->use->asks, RTLD_NOW | RTLD_LOCAL);
	if (!tool->handle)
		tool_error("cannot be loaded: %s", dlerror());
	tool->part = dlsym(tool->handle, "ldx_tool");
	if (!tool->part || !tool->part->instrument)
		tool_error("defines no ldx_tool with an instrument()");
	if (tool->part->version != LDX_TOOL_VERSION)
		tool_error("is made for version %u of ldx/tool.h, not for %d", tool->part->version,
			LDX_TOOL_VERSION);
	check_options(tool);
}

/* Requests ------------------------------------------------------------------ */

static struct place place_of(const struct tools *t, const struct request *q)
{
	return t->site.v[q->site].at;
}

static int request_cmp(const void *a, const void *b)
{
	const struct request *x = a, *y = b;
	return place_cmp(place_of(asking, x), place_of(asking, y));
}

/* The strings of arguments will be in a section of this symbol: see write_data(). */
static void name_data(struct tools *t)
{
	struct symbol sym = {.name = "__ldx_tool_data",
		.sec = SEC_UNDEF,
		.other = STV_HIDDEN,
		.info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)};
	if (t->data.n)
		t->sym_data = object_add_symbol(t->g->obj, &sym);
}

/* When the analysis, which knows no new sections, is over. */
static void write_data(const struct tools *t)
{
	struct object *o = t->g->obj;
	if (!t->data.n)
		return;
	const uint32_t *symbol = section_symbols(o->arena, o);
	uint8_t *bytes = arena_alloc(o->arena, t->data.n);
	struct reloc *rel = arena_array(o->arena, struct reloc, 2 * t->word.n + 1), *r = rel;
	memcpy(bytes, t->data.v, t->data.n);
	struct section s = {.name = ".ldx.data",
		.type = SHT_PROGBITS,
		.flags = SHF_ALLOC | SHF_WRITE,
		.align = DATA_ALIGN,
		.size = t->data.n,
		.data = bytes,
		.rewritten = true,
		.out = bytes,
		.out_size = t->data.n,
		.out_rel = rel};
	uint32_t sec = object_add_section(o, &s);
	o->sym.v[t->sym_data].sec = sec;
	for (size_t i = 0; i < t->word.n; i++) {
		struct call_arg a = t->word.v[i].is;
		a.sym = a.gives == GIVES_ADDRESS ? t->sym_data : a.sym;
		r = address_relocs(t, symbol, &a, sec, t->word.v[i].off, r);
	}
	o->sec.v[sec].out_nrel = (uint32_t)(r - rel);
}

static void name_bytes(const struct tools *t, struct tool_call *call)
{
	for (unsigned k = 0; call && k < call->nargs; k++)
		if (call->arg[k].gives == GIVES_ADDRESS)
			call->arg[k].sym = t->sym_data;
}

static regset read_by(const struct tool_call *call)
{
	regset wanted = 0;
	for (unsigned k = 0; call && k < call->nargs; k++)
		if (call->arg[k].gives == GIVES_REGISTER)
			wanted |= REG_BIT(call->arg[k].reg);
		else if (call->arg[k].gives == GIVES_VALUE || call->arg[k].gives == GIVES_COMPARED)
			wanted |= REG_BIT(call->arg[k].from);
	return wanted;
}

static void finish_requests(struct tools *t)
{
	sort(t->request.v, t->request.n, sizeof *t->request.v, request_cmp);
	name_data(t);
	events_name(t);
	for (struct request *q = t->request.v; q < t->request.v + t->request.n; q++) {
		struct place at = place_of(t, q);
		q->call.sec = t->g->text.v[at.text].sec->index;
		q->call.off = at.off;
		q->call.runs = at.runs;
		q->call.end = t->site.v[q->site].end;
		name_bytes(t, &q->call);
		name_bytes(t, q->call.when);
	}
}

/* Rules ------------------------------------------------------------------------ */

static int compare_rules(const void *a, const void *b)
{
	const struct ldx_rule *x = a, *y = b;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Adjacent variables with the same rule have one; tables each have their own. */
static void find_rules(const struct tools *t, uint64_t cell, rule_vec *to)
{
	size_t n = 0;
	for (size_t i = 0; i < t->n; cell += t->tool[i++].cells)
		for (size_t k = 0; k < t->tool[i].variable.n; k++) {
			const struct variable *x = &t->tool[i].variable.v[k];
			uint64_t first = cell + x->off / 8, end = cell + (x->off + x->size + 7) / 8;
			if (x->size)
				vec_push(to,
					(struct ldx_rule){first, end - first, x->rule, x->keys,
						x->sums});
		}
	if (to->n)
		qsort(to->v, to->n, sizeof *to->v, compare_rules);
	for (size_t i = 0; i < to->n; i++) {
		struct ldx_rule *last = n ? &to->v[n - 1] : NULL, *r = &to->v[i];
		uint64_t end = r->first + r->cells;
		if (!last || last->kind != r->kind || r->kind == LDX_RULE_TABLE ||
			last->first + last->cells < r->first)
			to->v[n++] = *r;
		else if (end > last->first + last->cells)
			last->cells = end - last->first;
	}
	to->n = n;
}

/* Those of this tool and of the ones before it. */
static void check_data(const struct tools *t)
{
	rule_vec rules = {0};
	uint64_t bytes = tools_cells(t) * 8;
	if (bytes > DATA_MOST)
		tool_error("its data, and those of tools before it, are %llu bytes: more than 1 GB",
			(unsigned long long)bytes);
	find_rules(t, 0, &rules);
	if (rules.n >= LDX_RULES)
		tool_error("its data, and those of tools before it, need more than %d rules",
			LDX_RULES - 1);
	vec_free(&rules);
}

/* Forked processes of the tool end when they return. */
static void ask(struct tools *t, struct tool *tool)
{
	volatile uint32_t *asks = t->p->opt->asks;
	pid_t own = getpid();
	if (asks)
		*asks = (uint32_t)t->now + 1;
	guarded(instrument, tool, ended);
	if (getpid() != own)
		_exit(0);
	if (asks)
		*asks = 0;
}

struct tools *tools_run(struct plan *p, struct cfg *g, const struct returns *returns)
{
	if (!p->opt->ntools)
		return NULL;
	struct tools *t = arena_new(g->arena, struct tools);
	*t = (struct tools){.p = p,
		.g = g,
		.tool = arena_array(g->arena, struct tool, p->opt->ntools),
		.n = p->opt->ntools};
	t->flow = (struct flow){.g = g,
		.returns = returns ? returns : cfg_returns(p->g, p->opt->shared)};
	asking = t;
	for (t->now = 0; t->now < t->n; t->now++) {
		struct tool *tool = &t->tool[t->now];
		tool->use = &p->opt->tool[t->now];
		t->at = NULL;
		load(tool);
		routines_read(t, tool);
		ask(t, tool);
		check_data(t);
	}
	finish_requests(t);
	return t;
}

void tools_want(const struct tools *t, struct cfg *g)
{
	for (size_t i = 0; t && i < t->request.n; i++) {
		const struct request *q = &t->request.v[i];
		uint32_t b = t->site.v[q->site].block;
		regset wanted = read_by(&q->call) | read_by(q->call.when);
		if (q->call.does == DOES_LEAD) { /* the routine takes all arguments */
			if (!g->wanted)
				g->wanted = arena_array(g->arena, regset, g->block.n + 1);
			g->wanted[b] |= g->target->abi.entry_live;
		}
		if (wanted && !g->wanted)
			g->wanted = arena_array(g->arena, regset, g->block.n + 1);
		if (wanted)
			g->wanted[b] |= wanted;
		g->func.v[g->block.v[b].func].wanted |= wanted;
	}
	if (g->wanted)
		cfg_liveness(g, g->shared);
}

uint64_t tools_cells(const struct tools *t)
{
	uint64_t n = 0;
	for (size_t i = 0; t && i < t->n; i++)
		n += t->tool[i].cells;
	return n;
}

/* Code ---------------------------------------------------------------------- */

/* What is live in front of each instruction of a block: requests of one follow one another. */
struct block_live {
	live_vec *v;
	uint32_t block; /* NO_BLOCK: none */
};

static regset live_in_block(const struct cfg *g, struct block_live *w, uint32_t b, uint32_t k)
{
	const struct block *bl = &g->block.v[b];
	if (w->block != b) {
		vec_reserve(w->v, bl->ninsn);
		live_before(g, bl, w->v->v);
	}
	w->block = b;
	return w->v->v[k];
}

/* Registers and flags that a request's code may change. */
static regset dead_at(const struct tools *t, const struct tool_site *s, struct block_live *live)
{
	const struct cfg *g = t->g;
	const regset *held = t->p->held;
	const struct block *bl = &g->block.v[s->block];
	regset l, h = held[s->block];
	if (s->k == NO_K) {
		struct place at;
		edge_refused(g, s->way, &at, &l);
		h |= s->to != NO_BLOCK ? held[s->to] : 0;
	} else if (s->k == bl->ninsn) {
		l = g->block.v[bl->fall].live_in;
		h |= held[bl->fall];
	} else {
		bool entry = s->at.runs == RUNS_ENTRY || s->at.runs == RUNS_REPLACED;
		l = entry ? bl->live_in : live_in_block(g, live, s->block, s->k);
		if (!s->k && s->block && g->block.v[s->block - 1].fall == s->block)
			h |= held[s->block - 1];
	}
	return cfg_scratch(g, &g->func.v[bl->func], l) & ~h;
}

static void put_request(struct tools *t, struct code *code, uint32_t i, regset dead)
{
	const struct tool_call *call = &t->request.v[i].call;
	bool shared = call->does == DOES_COUNT_BYTE;
	switch ((enum does)call->does) {
	case DOES_CALL: code_call(t->g->target, code, call, i, dead); break;
	case DOES_LEAD: code_lead(t->g->target, code, call, i); break;
	case DOES_ADD:
	case DOES_MARK:
	case DOES_COUNT_BYTE: {
		const struct counter_addressing to =
			(shared ? ordinary_addressing : variable_addressing)(t, call->sym);
		const struct counted at = {&to, call->at, dead};
		code_variable(t->g->target, code, &at, call, i);
		break;
	}
	}
}

static void insert_request(struct tools *t, struct plan *p, uint32_t i, struct block_live *live)
{
	const struct request *q = &t->request.v[i];
	const struct tool_site *s = &t->site.v[q->site];
	struct place at = place_of(t, q);
	regset dead = dead_at(t, s, live);
	if (s->lands) {
		t->g->target->micro->landing(&p->in->code);
		code_claim(&p->in->code, 0, (struct claim){.kind = CLAIM_LANDING});
	}
	put_request(t, &p->in->code, i, dead);
	__atomic_fetch_add(&t->tool[q->tool].bytes, p->in->code.bytes.n, __ATOMIC_RELAXED);
	insert(p->in,
		(struct insertion){.text = at.text,
			.off = at.off,
			.branch = at.branch,
			.runs = at.runs,
			.maker = MAKER_TOOLS,
			.id = i,
			.changes = dead});
}

void tools_insert(struct tools *t, struct plan *p, uint32_t first, uint32_t end, live_vec *live)
{
	struct block_live of = {live, NO_BLOCK};
	size_t i;
	BISECT(i, 0, t->request.n, place_of(t, &t->request.v[i]).text < first);
	for (; i < t->request.n && place_of(t, &t->request.v[i]).text < end; i++)
		insert_request(t, p, (uint32_t)i, &of);
}

void tools_write(struct tools *t)
{
	uint64_t cell = plan_counter_cells(t->p);
	write_data(t);
	events_write(t);
	for (size_t i = 0; i < t->n; i++) {
		t->now = i; /* for messages */
		if (t->tool[i].o) {
			variables_define(t, &t->tool[i], cell);
			routines_write(t, &t->tool[i]);
		}
		cell += t->tool[i].cells;
	}
}

void tools_variables(const struct tools *t, visit_variable *visit, void *ctx)
{
	uint64_t cell = plan_counter_cells(t->p);
	for (size_t i = 0; i < t->n; i++) {
		const struct tool *tool = &t->tool[i];
		for (size_t k = 0; k < tool->variable.n; k++) {
			const struct variable *x = &tool->variable.v[k];
			visit(ctx, tool->use->name, x->name, cell * 8 + x->off, x->size);
		}
		cell += tool->cells;
	}
}

void tools_rules(const struct tools *t, rule_vec *to)
{
	if (t)
		find_rules(t, plan_counter_cells(t->p), to);
}

void tools_calls(const struct tools *t, tool_call_vec *to, redirect_vec *redirects)
{
	for (size_t i = 0; i < t->redirect.n; i++)
		vec_push(redirects, t->redirect.v[i]);
	for (size_t i = 0; i < t->request.n; i++)
		vec_push(to, t->request.v[i].call);
}

static void print_tool(const struct tool *tool, FILE *f)
{
	unsigned long long refused = 0;
	for (size_t k = 0; k < tool->refusal.n; k++)
		refused += tool->refusal.v[k].n;
	fprintf(f,
		"ldx: stats: tool %s: requests %llu, inlined %llu, refused %llu, code %llu bytes, data %llu bytes\n",
		tool->use->name, (unsigned long long)tool->requests,
		(unsigned long long)tool->pasted, refused, (unsigned long long)tool->bytes,
		(unsigned long long)tool->cells * 8);
	for (size_t k = 0; k < tool->refusal.n; k++) {
		const struct refusal *r = &tool->refusal.v[k];
		fprintf(f, "ldx: stats: tool %s: refused %llu%s%s: %s\n", tool->use->name,
			(unsigned long long)r->n, r->first ? ", first in " : "",
			r->first ? r->first : "", r->why);
	}
}

void tools_print(const struct tools *t, FILE *f)
{
	for (size_t i = 0; t && i < t->n; i++)
		print_tool(&t->tool[i], f);
}

void tools_free(struct tools *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		dlclose(t->tool[i].handle);
		vec_free(&t->tool[i].routine);
		vec_free(&t->tool[i].variable);
		vec_free(&t->tool[i].ordinary);
		vec_free(&t->tool[i].original);
		vec_free(&t->tool[i].refusal);
	}
	disassembler_free(t->disassembler);
	flow_free(&t->flow);
	vec_free(&t->site);
	vec_free(&t->request);
	vec_free(&t->redirect);
	vec_free(&t->event);
	vec_free(&t->word);
	vec_free(&t->data);
	vec_free(&t->line);
	asking = NULL;
}
