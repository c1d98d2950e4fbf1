/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - sites and requests: include/ldx/tool.h */
#include "instr/tool/session.h"

/* Sites -------------------------------------------------------------------- */

ldx_site site_refused(const char *why)
{
	asking->refused = why;
	note_refusal(why);
	return (ldx_site){0};
}

static ldx_site make_site(struct tool_site s)
{
	s.at.text = asking->g->func.v[asking->g->block.v[s.block].func].text;
	vec_push(&asking->site, s);
	return (ldx_site){asking->site.n};
}

static bool passes_landing(const struct insn *in)
{
	return in->flags & INSN_LANDING;
}

/* Where control falls through from block b to the next one. */
ldx_site site_behind(uint32_t b, uint8_t passes)
{
	const struct cfg *g = asking->g;
	const struct block *bl = &g->block.v[b];
	const struct insn *last = &g->insn.v[bl->insn + bl->ninsn - 1];
	if (bl->fall == NO_BLOCK || g->block.v[bl->fall].gap)
		return site_refused("control does not go on behind it");
	if (g->insn.v[g->block.v[bl->fall].insn].flags & INSN_GLUED)
		return site_refused("it is part of a sequence that stays together");
	if (is_named_return(g, bl->fall))
		return site_refused("the program takes the address of what is behind it");
	return make_site((struct tool_site){.block = b,
		.k = bl->ninsn,
		.at = {.off = (uint32_t)insn_end(last), .runs = RUNS_FALL},
		.passes = passes});
}

/* In front of instruction k of block b, or behind a landing instruction, which does nothing. */
ldx_site site_before(uint32_t b, uint32_t k, uint8_t passes)
{
	const struct cfg *g = asking->g;
	const struct block *bl = &g->block.v[b];
	const struct insn *in = &g->insn.v[bl->insn];
	while (k < bl->ninsn && passes_landing(&in[k]))
		k++;
	if (k == bl->ninsn)
		return site_behind(b, passes);
	if (in[k].flags & INSN_GLUED)
		return site_refused("it is part of a sequence that stays together");
	return make_site((struct tool_site){.block = b,
		.k = k,
		.at = {.off = in[k].off, .runs = RUNS_ALL},
		.passes = passes});
}

static bool is_call(const struct insn *in)
{
	return in->kind == INSN_CALL || in->kind == INSN_CALL_IND;
}

/* The block of an instruction, and its number there. */
static uint32_t find_insn(const ldx_insn *i, uint32_t *k)
{
	const struct cfg *g = asking->g;
	uint32_t b = block_with(g, insn_of(i));
	*k = (uint32_t)(insn_of(i) - g->insn.v) - g->block.v[b].insn;
	asking->at = &g->func.v[g->block.v[b].func];
	return b;
}

ldx_site ldx_before(const ldx_insn *i)
{
	uint32_t k, b = find_insn(i, &k);
	bool passes = is_call(insn_of(i));
	return site_before(b, k,
		passes				       ? PASSES_ARGUMENTS
			: insn_of(i)->kind == INSN_RET ? PASSES_RESULT
						       : 0);
}

ldx_site ldx_after(const ldx_insn *i)
{
	const struct cfg *g = asking->g;
	uint32_t k, b = find_insn(i, &k);
	uint8_t passes = is_call(insn_of(i)) ? PASSES_RESULT : 0;
	if (k + 1 == g->block.v[b].ninsn)
		return site_behind(b, passes);
	return site_before(b, k + 1, passes);
}

ldx_site site_in_block(uint32_t b)
{
	const struct cfg *g = asking->g;
	const struct block *bl = &g->block.v[b];
	const struct insn *in = &g->insn.v[bl->insn];
	uint32_t k = 0;
	while (k < bl->ninsn && in[k].flags & (INSN_LANDING | INSN_GLUED))
		k++;
	if (k == bl->ninsn)
		return site_behind(b, 0);
	return site_before(b, k, 0);
}

ldx_site ldx_at_block(const ldx_block *b)
{
	return site_in_block((uint32_t)(block_of(b) - asking->g->block.v));
}

/*
 * Behind instructions that nothing can stand in front of.  Branches of the function to its start
 * would run that code too: where these are a landing instruction, the code stands in front of it,
 * and begins with one of its own.
 */
ldx_site ldx_at_entry(const ldx_func *f)
{
	const struct cfg *g = asking->g;
	const struct func *fn = func_of(f);
	const struct block *bl = &g->block.v[fn->block];
	const struct insn *in = &g->insn.v[bl->insn];
	bool loops = loops_to_start(g, (uint32_t)(fn - g->func.v));
	bool lands = loops && passes_landing(in) && g->target->micro->landing;
	uint32_t k = 0;
	if (fn->why != OPAQUE_NOT || !fn->nblock)
		return site_refused("the function is moved whole");
	if (left_out(fn))
		return site_refused(left_out(fn));
	while (!lands && k < bl->ninsn && in[k].flags & (INSN_LANDING | INSN_GLUED))
		k++;
	if (k && loops)
		return site_refused("the function branches to its start, where nothing can stand");
	if (k == bl->ninsn)
		return site_behind(fn->block, PASSES_ARGUMENTS);
	return make_site((struct tool_site){.block = fn->block,
		.k = k,
		.at = {.off = in[k].off, .runs = k ? RUNS_ALL : RUNS_ENTRY},
		.lands = lands,
		.entry = true,
		.passes = PASSES_ARGUMENTS});
}

ldx_site ldx_at_loop_head(const ldx_loop *l)
{
	return ldx_at_block(ldx_loop_head(l));
}

static ldx_site site_on(struct way w, uint32_t to, uint8_t passes)
{
	const struct cfg *g = asking->g;
	const struct block *bl = &g->block.v[w.from];
	struct tool_site s = {.block = w.from,
		.k = NO_K,
		.to = to,
		.way = w,
		.end = (uint32_t)insn_end(&g->insn.v[bl->insn + bl->ninsn - 1]),
		.passes = passes};
	regset live;
	const char *why = edge_refused(g, w, &s.at, &live);
	return why ? site_refused(why) : make_site(s);
}

/* Where a call returns to block b, or where b begins the function. */
static ldx_site site_from_outside(uint32_t b)
{
	const struct cfg *g = asking->g;
	const struct func *f = &g->func.v[g->block.v[b].func];
	const struct block *before = b > f->block ? &g->block.v[b - 1] : NULL;
	if (!before)
		return ldx_at_entry(func_handle(f));
	if (!g->block.v[b].entered && before->fall == b &&
		(before->end == END_CALL || before->end == END_SYSCALL))
		return site_behind(b - 1, PASSES_RESULT);
	return site_refused("it has no place of its own");
}

ldx_site ldx_at_edge(const ldx_edge *e)
{
	const struct edge *ed = edge_of(e);
	if (ed->from == NO_BLOCK)
		return site_from_outside(ed->to);
	return site_on(edge_way(ed), ed->to, 0);
}

ldx_site ldx_at_exit(const ldx_exit *x)
{
	const struct exit *e = exit_of(x);
	uint8_t passes = e->kind == EXIT_RETURN ? PASSES_RESULT
		: e->kind == EXIT_JUMP || e->kind == EXIT_BRANCH || e->kind == EXIT_INDIRECT ||
			e->kind == EXIT_CALL
		? PASSES_ARGUMENTS
		: 0;
	return site_on(exit_way(e), NO_BLOCK, passes);
}

const char *ldx_refused(void)
{
	return asking->refused;
}

/* Requests ----------------------------------------------------------------- */

/* Is an operand's address a label of code, which the verifier would take for that of a place? */
static bool names_code(const struct call_arg *a)
{
	const struct object *o = asking->g->obj;
	const struct address *at = a->operand;
	uint32_t sec = at && at->type ? o->sym.v[at->sym].sec : SEC_UNDEF;
	return sec && sec < o->sec.n && section_is_code(&o->sec.v[sec]);
}

static const char two_labels[] = "an operand is in code, and an argument is an address of code";

/* Are labels of code in two ways among the arguments? */
static bool mixes_labels(const struct tool_call *call, const struct tool_call *when)
{
	bool place = false, operand = false;
	for (; call; call = when, when = NULL)
		for (unsigned k = 0; k < call->nargs; k++) {
			place |= call->arg[k].gives == GIVES_PLACE;
			operand |= names_code(&call->arg[k]);
		}
	return place && operand;
}

/* By function: does it use more of vector registers than is saved, or keep more for its callers? */
static const bool *find_longer(struct tools *t)
{
	const struct cfg *g = t->g;
	const struct micro *m = g->target->micro;
	bool *longer = arena_array(g->arena, bool, g->func.n + 1);
	for (uint32_t i = 0; i < g->obj->sym.n; i++) {
		const struct symbol *s = &g->obj->sym.v[i];
		const struct code_section *text =
			s->other & m->keeps_more_other ? cfg_section(g, s->sec) : NULL;
		uint32_t f = text ? cfg_func_at(g, text, s->value) : NO_FUNC;
		if (f != NO_FUNC)
			longer[f] = true;
	}
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		const struct func *f = &g->func.v[bl->func];
		const uint8_t *data = g->text.v[f->text].sec->data;
		for (uint32_t k = bl->insn; k < bl->insn + bl->ninsn; k++)
			longer[bl->func] |= m->keeps_more(data + g->insn.v[k].off);
	}
	return longer;
}

static bool is_longer(const struct tool_site *s)
{
	const struct cfg *g = asking->g;
	if (!g->target->micro->keeps_more)
		return false;
	if (!asking->longer)
		asking->longer = find_longer(asking);
	return asking->longer[g->block.v[s->block].func];
}

/* Why the site cannot have a call of the routine for its vectors; NULL: it can. */
static const char *refuses_vectors(const struct tool_site *s, const struct routine *r)
{
	if (!(r->rest & REST_FLOAT))
		return NULL;
	if (s->event)
		return "the routine has LDX_VECTORS, and the runtime keeps none for it";
	return is_longer(s) ? "the function uses more of vector registers than is saved" : NULL;
}

/* A routine with its arguments.  False: refused. */
static bool make_call(const struct tool_site *s, const char *name, unsigned n, const ldx_arg *arg,
	struct tool_call *call)
{
	if (n > CALL_ARGS)
		tool_error("%s is called with %u arguments; %d are possible", name, n, CALL_ARGS);
	const struct routine *r = routine_find(asking, &asking->tool[asking->now], name);
	if (r->originals)
		tool_error("%s calls an original, which may change all of vector registers: it "
			   "can only take the place of a function",
			name);
	const char *vectors = refuses_vectors(s, r);
	if (vectors)
		return site_refused(vectors).place;
	*call = (struct tool_call){.sym = r->sym,
		.landing = r->landing,
		.nargs = (uint8_t)n,
		.of = s->at.off,
		.body = r->body,
		.changes = r->body ? r->body_changes : routine_changes(asking, r, 0),
		.rest = r->rest};
	for (unsigned k = 0; k < n; k++) {
		const char *why = argument_convert(s, &arg[k], &call->arg[k]);
		if (why)
			return site_refused(why).place;
		if (!argument_of_insn(&arg[k]))
			continue;
		uint32_t of = insn_of(arg[k].data)->off;
		if (call->of != s->at.off && call->of != of)
			return site_refused("arguments are of two instructions").place;
		call->of = of;
	}
	if (mixes_labels(call, NULL))
		return site_refused(two_labels).place;
	return true;
}

static void request(ldx_site site, const struct tool_call *call)
{
	struct request q = {.site = (uint32_t)site.place - 1,
		.tool = (uint32_t)asking->now,
		.call = *call};
	const struct tool_site *s = &asking->site.v[q.site];
	if (s->event)
		vec_push(&asking->event, (struct event_call){s->event - 1u, *call});
	else
		vec_push(&asking->request, q);
	asking->tool[asking->now].requests++;
	asking->tool[asking->now].pasted += !s->event && (call->body || call->when);
}

static const struct tool_site *find_site(ldx_site site)
{
	if (site.place > asking->site.n)
		tool_error("a site that no function of ldx/tool.h made");
	return site.place ? &asking->site.v[site.place - 1] : NULL;
}

bool ldx_call(ldx_site site, const char *name, unsigned n, const ldx_arg *arg)
{
	const struct tool_site *s = find_site(site);
	struct tool_call call;
	if (!s || !make_call(s, name, n, arg, &call))
		return false;
	request(site, &call);
	return true;
}

bool ldx_wrap(const ldx_insn *i, const char *before, unsigned n, const ldx_arg *arg,
	const char *after, unsigned m, const ldx_arg *behind)
{
	struct tool_call call, returned;
	if (!is_call(insn_of(i)))
		return site_refused("it is no call").place;
	ldx_site site = ldx_before(i), end = site.place ? ldx_after(i) : site;
	if (!end.place || !make_call(find_site(site), before, n, arg, &call) ||
		!make_call(find_site(end), after, m, behind, &returned))
		return false;
	request(site, &call);
	request(end, &returned);
	return true;
}

bool ldx_is_copied(const char *name)
{
	return routine_find(asking, &asking->tool[asking->now], name)->body;
}

bool ldx_call_if(ldx_site site, const char *predicate, unsigned np, const ldx_arg *parg,
	const char *name, unsigned n, const ldx_arg *arg)
{
	const struct target *t = asking->g->target;
	const struct tool_site *s = find_site(site);
	struct tool_call call, when;
	if (s && s->event)
		return site_refused("it is no place of the code").place;
	if (!s || !make_call(s, predicate, np, parg, &when) || !make_call(s, name, n, arg, &call))
		return false;
	if (!when.body)
		tool_error("%s is no predicate: it is long, has a frame or LDX_VECTORS, or calls",
			predicate);
	if (!(when.changes & REG_BIT(t->abi.result)))
		tool_error("%s is no predicate: it returns nothing", predicate);
	if (when.of != s->at.off && call.of != s->at.off && when.of != call.of)
		return site_refused("arguments are of two instructions").place;
	if (mixes_labels(&call, &when))
		return site_refused(two_labels).place;
	call.of = call.of == s->at.off ? when.of : call.of;
	when.changes |= t->micro->test_flags;
	call.when = arena_new(&kept_calls, struct tool_call);
	*call.when = when;
	request(site, &call);
	return true;
}

static bool ask_variable(ldx_site site, const char *name, struct tool_call call, uint64_t size)
{
	if (!find_site(site))
		return false;
	if (find_site(site)->event)
		return site_refused("it is no place of the code").place;
	const struct variable *x = variable_find(&asking->tool[asking->now], name);
	if ((uint64_t)call.at > x->size || size > x->size - (uint64_t)call.at)
		tool_error("variable %s has only %llu bytes", name, (unsigned long long)x->size);
	if (x->process)
		tool_error("variable %s is of the process: only routines change it", name);
	if (x->rule != LDX_RULE_SUM && (size != 1 || x->rule != LDX_RULE_OR))
		tool_error("variable %s is not merged as what %s", name,
			size == 1 ? "ldx_mark() sets" : "ldx_add_to() adds to");
	if ((x->off + (uint64_t)call.at) % size)
		tool_error("variable %s is not aligned to words of 64 bits", name);
	call.sym = x->sym;
	request(site, &call);
	return true;
}

bool ldx_add_to(ldx_site site, const char *variable, size_t word, int64_t n)
{
	if (n > UINT32_MAX || n < -(int64_t)UINT32_MAX)
		tool_error("more than 32 bits are added to %s", variable);
	if (n < 0 && asking->g->target->word < 8)
		return site_refused("nothing is subtracted on this CPU").place;
	if (word > DATA_MOST / 8)
		tool_error("variable %s has no word %zu", variable, word);
	struct tool_call call = {.does = DOES_ADD, .at = (int64_t)word * 8, .number = n};
	return ask_variable(site, variable, call, 8);
}

bool ldx_mark(ldx_site site, const char *variable, size_t byte)
{
	return ask_variable(site, variable,
		(struct tool_call){.does = DOES_MARK, .at = (int64_t)byte}, 1);
}

bool ldx_count_byte(ldx_site site, const char *variable, size_t byte)
{
	struct tool *tool = &asking->tool[asking->now];
	struct tool_call call = {.does = DOES_COUNT_BYTE, .at = (int64_t)byte};
	if (!find_site(site))
		return false;
	if (find_site(site)->event)
		return site_refused("it is no place of the code").place;
	const struct variable *x = ordinary_find(asking, tool, variable);
	if (byte >= x->size)
		tool_error("variable %s has only %llu bytes", variable,
			(unsigned long long)x->size);
	call.sym = x->sym;
	request(site, &call);
	return true;
}

/* It moves behind all others. */
void ldx_set_size(const char *variable, uint64_t bytes)
{
	struct tool *tool = &asking->tool[asking->now];
	struct variable *x = (struct variable *)variable_find(tool, variable);
	if (bytes <= x->size)
		return;
	if (bytes > DATA_MOST)
		tool_error("%llu bytes of variable %s are more than the possible 1 GB",
			(unsigned long long)bytes, variable);
	if (x->rule == LDX_RULE_TABLE && bytes % ((x->keys + x->sums) * 8u))
		tool_error("%llu bytes are no whole entries of table %s", (unsigned long long)bytes,
			variable);
	x->off = tool->cells * 8;
	x->size = bytes;
	tool->cells += (bytes + 7) / 8;
}
