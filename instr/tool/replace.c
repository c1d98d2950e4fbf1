/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.c - routines that take the place of functions
 *
 * In front of the function stands a jump to the routine, which all references to the function lead
 * to: they bind to it as they bind to code at the entry, so no caller changes, and the function
 * still has one address.  The routine calls the function by a symbol behind the jump.
 */
#include "cfg/liveness.h"
#include "instr/tool/session.h"

#include "cfg/calls.h"
#include "cfg/refs.h"
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
	if (is_fallen_into(g, f) || f->start_named)
		return "control comes to its start otherwise than by calls";
	if (g->insn.v[g->block.v[f->block].insn].flags & INSN_GLUED)
		return "it begins with a sequence that stays together";
	return NULL;
}

/* Does the function begin by comparing what only those with any number of arguments get? */
static bool is_variadic(const struct cfg *g, const struct func *f)
{
	const struct block *bl = &g->block.v[f->block];
	regset told = g->target->abi.variadic;
	for (uint32_t i = bl->insn; i < bl->insn + bl->ninsn && told; i++) {
		const struct effects *e = insn_effects(&g->insn.v[i]);
		if (e->reads & told && e->clobbers & REGSET_FLAGS)
			return true;
		told &= ~e->clobbers;
	}
	return false;
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
	for (unsigned r = 0; r < REGSET_BITS; r++)
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
	if (f->why == OPAQUE_NOT && left_out(f))
		return left_out(f);
	if (f->replaced)
		return "another routine takes its place";
	if (f->why == OPAQUE_NOT && is_variadic(g, f))
		return "it has a variable number of arguments, which no routine passes on";
	if (is_resolver(g, f))
		return "it chooses a function when the program is loaded";
	if (landing && is_checked(t->p, f->block))
		return "it begins with an instruction that must be the first";
	regset lost = call->changes |
		(g->target->micro->lead_changes & ~g->target->abi.entry_label);
	return reliance(g, lost & kept_by_callers(t)[f - g->func.v]);
}

/* The symbol by which routines call function f, if they do. */
static uint32_t name_original(struct tools *t, struct tool *tool, struct original *x)
{
	const char *name = arena_printf(t->g->arena, ORIGINAL "%s", x->name);
	return x->sym = outside_symbol(t, linked_name(t, tool, name));
}

static uint32_t func_of_symbol(const struct cfg *g, const struct symbol *s)
{
	const struct code_section *c = cfg_section(g, s->sec);
	uint32_t f = c ? cfg_func_at(g, c, s->value) : NO_FUNC;
	return f != NO_FUNC && g->func.v[f].start == s->value && g->func.v[f].is_code ? f : NO_FUNC;
}

/* The original without a name, if routine r calls that. */
static struct original *original_any(struct tool *tool, const struct routine *r)
{
	struct original *x = original_find(tool, "");
	return x && r->originals >> (x - tool->original.v) & 1 ? x : NULL;
}

/* Functions have several names: the original that is called by one of those of f, or NULL. */
static struct original *original_at(const struct tools *t, struct tool *tool, uint32_t f,
	const struct routine *r)
{
	const struct object *o = t->g->obj;
	for (size_t i = 1; i < o->sym.n && tool->original.n; i++) {
		const char *name = o->sym.v[i].name;
		struct original *x = *name ? original_find(tool, name) : NULL;
		if (x && func_of_symbol(t->g, &o->sym.v[i]) == f)
			return x;
	}
	return original_any(tool, r);
}

/* An original is one function only. */
static const char *taken(const struct original *x)
{
	return *x->name ? "another function of its name is replaced"
			: "another function is the original without a name";
}

const ldx_func *ldx_find_func(const ldx_object *handle, const char *name)
{
	const struct cfg *g = asking->g;
	uint32_t f = NO_FUNC;
	(void)handle;
	for (size_t i = g->obj->nlocal; i < g->obj->sym.n && f == NO_FUNC; i++)
		if (!strcmp(g->obj->sym.v[i].name, name))
			f = func_of_symbol(g, &g->obj->sym.v[i]);
	for (size_t i = 1; i < g->obj->nlocal && f == NO_FUNC; i++)
		if (!strcmp(g->obj->sym.v[i].name, name))
			f = func_of_symbol(g, &g->obj->sym.v[i]);
	return f == NO_FUNC ? NULL : func_handle(&g->func.v[f]);
}

bool ldx_replace(const ldx_func *handle, const char *name)
{
	struct tools *t = asking;
	struct tool *tool = &t->tool[t->now];
	const struct cfg *g = t->g;
	uint32_t f = (uint32_t)(func_of(handle) - g->func.v);
	struct func *fn = &t->g->func.v[f];
	const struct routine *r = routine_find(t, tool, name);
	struct original *x = original_at(t, tool, f, r);
	uint64_t own = x ? (uint64_t)1 << (x - tool->original.v) : 0;
	struct request q = {.site = (uint32_t)t->site.n,
		.tool = (uint32_t)t->now,
		.call = {.does = DOES_LEAD,
			.sym = r->sym,
			.changes = routine_changes(t, r, own),
			.rest = r->rest}};
	const char *why = refused(t, fn, &q.call);
	if (!why && x && x->sym)
		why = taken(x);
	if (why)
		return site_refused(why).place;
	q.call.original = x ? name_original(t, tool, x) : NO_SYMBOL;
	vec_push(&t->site,
		(struct tool_site){.block = fn->block,
			.at = {.text = fn->text, .off = (uint32_t)fn->start, .runs = RUNS_REPLACED},
			.lands = needs_landing(g, fn)});
	vec_push(&t->request, q);
	fn->replaced = true;
	tool->requests++;
	return true;
}

/* Functions that are not in the object ----------------------------------------- */

/* A function of that name whose code is chosen when the program runs; NO_SYMBOL: there is none. */
static uint32_t find_outside(const struct object *o, const char *name)
{
	for (uint32_t i = o->nlocal; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		bool outside = s->sec == SEC_UNDEF && symbol_type(s) != STT_TLS;
		if ((outside || symbol_type(s) == STT_GNU_IFUNC) && !strcmp(s->name, name))
			return i;
	}
	return NO_SYMBOL;
}

/* Is r, in insn i or in none, a reference that control follows? */
static bool is_call_of(const struct cfg *g, const struct code_section *c, uint32_t i,
	const struct reloc *r)
{
	const struct reloc_info *info = g->obj->reloc_info(r->type);
	if (info->callee || info->calls)
		return true;
	if (i == NO_INSN)
		return false;
	const struct insn *in = &g->insn.v[i];
	switch (in->kind) {
	case INSN_CALL:
	case INSN_JUMP:
	case INSN_BRANCH: return !in->resolved && in->pc_size && r == &c->sec->rel[in->ref];
	case INSN_CALL_IND:
	case INSN_JUMP_IND: /* through the GOT, by an operand in memory */
		return info->role == ROLE_GOT && in->flags & INSN_MEM && !g->target->insn_size;
	default: return false;
	}
}

static const struct redirect *redirect_of(const struct tools *t, uint32_t sym)
{
	for (size_t k = 0; k < t->redirect.n; k++)
		if (t->redirect.v[k].from == sym)
			return &t->redirect.v[k];
	return NULL;
}

uint32_t tools_symbol(const struct tools *t, const struct code_section *c, uint32_t i,
	const struct ref *r)
{
	const struct redirect *x = redirect_of(t, r->rel->sym);
	return x && is_call_of(t->g, c, i, r->rel) ? x->to : r->rel->sym;
}

/* Are there calls of it? */
static bool is_called(const struct tools *t, uint32_t sym)
{
	const struct cfg *g = t->g;
	for (const struct code_section *c = g->text.v; c < g->text.v + g->text.n; c++) {
		uint32_t i = c->insn;
		for (const struct reloc *r = c->sec->rel; r < c->sec->rel + c->sec->nrel; r++)
			if (r->sym == sym && is_call_of(g, c, cfg_reloc_insn(g, c, r, &i), r))
				return true;
	}
	return false;
}

bool ldx_replace_outside(const ldx_object *o, const char *name, const char *routine)
{
	struct tools *t = asking;
	struct tool *tool = &t->tool[t->now];
	const struct routine *r = routine_find(t, tool, routine);
	struct original *named = original_find(tool, name);
	struct original *x = named ? named : original_any(tool, r);
	uint32_t sym = find_outside(t->g->obj, name);
	(void)o;
	if (!sym)
		return site_refused("the object refers to no such function outside").place;
	if (redirect_of(t, sym))
		return site_refused("another routine takes its place").place;
	if (!is_called(t, sym))
		return site_refused("nothing calls it by its name").place;
	if (x && x->sym)
		return site_refused(taken(x)).place;
	vec_push(&t->redirect, (struct redirect){sym, r->sym});
	if (x)
		x->sym = sym;
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
