/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.c - routines that take the place of functions
 *
 * In front of the function stands a jump to the routine, which all references to the function lead
 * to: they bind to it as they bind to code at the entry, so no caller changes, and the function
 * still has one address.  The routine calls the function by a symbol behind the jump.
 */
#include "instr/tool/session.h"

#include "cfg/program.h"
#include "instr/count/count.h"
#include "instr/count/threads.h"

static bool is_resolver(const struct cfg *g, const struct func *f)
{
	uint32_t sec = g->text.v[f->text].sec->index;
	for (size_t i = 1; i < g->obj->sym.n; i++) {
		const struct symbol *s = &g->obj->sym.v[i];
		if (s->sec == sec && s->value == f->start && symbol_type(s) == STT_GNU_IFUNC)
			return true;
	}
	return false;
}

/* Must the jump stand behind a landing instruction?  What else must be first stays so for calls of
 * the original. */
static bool needs_landing(const struct cfg *g, const struct func *f)
{
	return g->target->micro->landing &&
		g->insn.v[g->block.v[f->block].insn].flags & INSN_LANDING;
}

/* Why nothing can stand in front of f that only its callers run; NULL: it can. */
static const char *entry_refused(const struct cfg *g, const struct func *f)
{
	if (f->why != OPAQUE_NOT)
		return entry_is_safe(g, f) ? NULL : "the function is moved whole";
	if (!f->nblock || !is_function_symbol(g, f))
		return "it is not the symbol of a function";
	if (f->falls_in || f->start_named)
		return "control comes to its start otherwise than by calls";
	if (g->insn.v[g->block.v[f->block].insn].flags & INSN_GLUED)
		return "it begins with a sequence that stays together";
	return NULL;
}

static const regset *kept_by_callers(struct tools *t)
{
	if (!t->kept) {
		t->kept = cfg_kept(t->g, t->g->shared);
		cfg_liveness(t->g, t->g->shared);
	}
	return t->kept;
}

/* NULL: none of these registers are needed. */
static const char *reliance(const struct cfg *g, regset needed)
{
	const char *names = "";
	for (unsigned r = 0; r < 64; r++)
		if (needed & REG_BIT(r) && g->target->reg_name[r])
			names = arena_printf(g->arena, "%s %s", names, g->target->reg_name[r]);
	return needed ? arena_printf(g->arena,
				"a caller relies on registers that functions may change:%s", names)
		      : NULL;
}

static const char *refused(struct tools *t, const struct func *f, const struct tool_call *call)
{
	const struct cfg *g = t->g;
	const char *why = entry_refused(g, f);
	bool landing = !why && needs_landing(g, f);
	if (why)
		return why;
	if (f->replaced)
		return "another routine takes its place";
	if (is_resolver(g, f))
		return "it chooses a function when the program is loaded";
	if (landing && is_checked(t->p, f->block))
		return "it begins with an instruction that must be the first";
	regset lost = call->changes | (g->target->micro->lead_changes & ~g->target->entry_label);
	return reliance(g, lost & kept_by_callers(t)[f - g->func.v]);
}

/* The symbol by which routines call function f, if they do. */
static uint32_t name_original(struct tools *t, struct tool *tool, struct original *x, uint32_t f)
{
	const char *name = arena_printf(t->g->arena, ORIGINAL "%s", x->name);
	x->func = f;
	return x->sym = outside_symbol(t, linked_name(t, tool, name));
}

bool ldx_replace(const ldx_func *handle, const char *name)
{
	struct tools *t = asking;
	struct tool *tool = &t->tool[t->now];
	const struct cfg *g = t->g;
	uint32_t f = (uint32_t)(func_of(handle) - g->func.v);
	struct func *fn = &t->g->func.v[f];
	const struct routine *r = routine_find(t, tool, name);
	struct original *x = original_find(tool, func_name(g, fn));
	uint64_t own = x ? (uint64_t)1 << (x - tool->original.v) : 0;
	struct request q = {.site = (uint32_t)t->site.n,
		.tool = (uint32_t)t->now,
		.call = {.does = DOES_LEAD,
			.sym = r->sym,
			.changes = routine_changes(t, r, own),
			.rest = r->rest}};
	const char *why = refused(t, fn, &q.call);
	if (!why && x && x->func != NO_FUNC)
		why = "another function of its name is replaced";
	if (why)
		return site_refused(why).place;
	q.call.original = x ? name_original(t, tool, x, f) : NO_SYMBOL;
	vec_push(&t->site,
		(struct tool_site){.block = fn->block,
			.at = {.text = fn->text, .off = (uint32_t)fn->start, .runs = RUNS_REPLACED},
			.lands = needs_landing(g, fn)});
	vec_push(&t->request, q);
	fn->replaced = true;
	tool->requests++;
	return true;
}

void tools_define(struct tools *t)
{
	for (const struct request *q = t->request.v; q < t->request.v + t->request.n; q++) {
		if (!q->call.original)
			continue;
		struct symbol *s = &t->g->obj->sym.v[q->call.original];
		s->sec = q->call.sec;
		s->value = map_addr(t->g->obj->sec.v[s->sec].map, q->call.off, REF_ORIGINAL);
	}
}
