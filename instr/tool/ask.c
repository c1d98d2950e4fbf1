/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - sites, arguments and requests: include/ldx/tool.h */
#include "instr/tool/session.h"

#include "cfg/scaled.h"
#include "code/operand.h"

#include <stdlib.h>

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

/* Arguments ---------------------------------------------------------------- */

enum {
	ARG_NUMBER,
	ARG_DATA,
	ARG_REGISTER,
	ARG_STACK,
	ARG_CALL,
	ARG_RESULT,
	ARG_ACCESS,
	ARG_LENGTH,
	ARG_VALUE,
	ARG_TAKEN,
	ARG_COMPARED,
	ARG_TARGET,
	ARG_RETURN,
	ARG_FUNC,
	ARG_INSN,
};

ldx_arg ldx_number(uint64_t n)
{
	return (ldx_arg){.kind = ARG_NUMBER, .number = n};
}

ldx_arg ldx_bytes(const void *p, size_t n, size_t align)
{
	struct buf *data = &asking->data;
	if (align & (align - 1) || align > DATA_ALIGN)
		tool_error("bytes with alignment %zu", align);
	if (n > DATA_MOST - data->n)
		tool_error("its bytes and strings are more than the possible 1 GB");
	while (align && data->n % align)
		buf_u8(data, 0);
	ldx_arg a = {.kind = ARG_DATA, .number = data->n};
	buf_put(data, p, n);
	a.data = (const void *)data->n; /* where they end */
	return a;
}

ldx_arg ldx_bytes_at(ldx_arg bytes, size_t n)
{
	if (bytes.kind != ARG_DATA)
		tool_error("ldx_bytes_at() of what is no bytes");
	if (n > (uintptr_t)bytes.data - bytes.number)
		tool_error("ldx_bytes_at() of a place behind the bytes");
	bytes.number += n;
	return bytes;
}

ldx_arg ldx_string(const char *s)
{
	return ldx_bytes(s, strlen(s) + 1, 1);
}

ldx_arg ldx_register(const char *name)
{
	const struct target *t = asking->g->target;
	for (unsigned r = 0; r < REG_VECTOR; r++)
		if (t->reg_name[r] && !strcmp(t->reg_name[r], name))
			return (ldx_arg){.kind = ARG_REGISTER, .reg = r};
	tool_error("%s has no general register %s", t->name, name);
}

ldx_arg ldx_stack(void)
{
	return (ldx_arg){.kind = ARG_STACK};
}

ldx_arg ldx_call_arg(unsigned n)
{
	return (ldx_arg){.kind = ARG_CALL, .reg = n};
}

ldx_arg ldx_result(void)
{
	return (ldx_arg){.kind = ARG_RESULT};
}

ldx_arg ldx_access_address(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_ACCESS, .reg = n, .data = i};
}

ldx_arg ldx_access_length(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_LENGTH, .reg = n, .data = i};
}

ldx_arg ldx_access_value(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_VALUE, .reg = n, .data = i};
}

ldx_arg ldx_branch_taken(const ldx_insn *i)
{
	return (ldx_arg){.kind = ARG_TAKEN, .data = i};
}

static const struct func *func_with(const struct insn *in)
{
	const struct cfg *g = asking->g;
	return &g->func.v[g->block.v[block_with(g, in)].func];
}

uint64_t ldx_insn_offset(const ldx_insn *i)
{
	return insn_of(i)->off - func_with(insn_of(i))->start;
}

static struct comparison compares(const ldx_insn *i)
{
	const struct cfg *g = asking->g;
	return operand_comparison(g->text.v[func_with(insn_of(i))->text].sec, g->target,
		insn_of(i));
}

unsigned ldx_compare_size(const ldx_insn *i)
{
	return compares(i).size;
}

int ldx_compare_memory(const ldx_insn *i)
{
	struct comparison c = compares(i);
	for (int n = 0; n < 2; n++)
		if (c.value[n] == COMPARES_MEMORY)
			return n;
	return -1;
}

ldx_arg ldx_compare_value(const ldx_insn *i, unsigned n)
{
	return (ldx_arg){.kind = ARG_COMPARED, .reg = n, .data = i};
}

ldx_arg ldx_target(const ldx_insn *i)
{
	return (ldx_arg){.kind = ARG_TARGET, .data = i};
}

ldx_arg ldx_return_address(void)
{
	return (ldx_arg){.kind = ARG_RETURN};
}

ldx_arg ldx_func_address(const ldx_func *f)
{
	return (ldx_arg){.kind = ARG_FUNC, .data = f};
}

ldx_arg ldx_insn_address(const ldx_insn *i)
{
	return (ldx_arg){.kind = ARG_INSN, .data = i};
}

/* The instruction that the site is in front of, or NULL. */
static const struct insn *insn_behind(const struct tool_site *s)
{
	const struct cfg *g = asking->g;
	const struct block *bl = &g->block.v[s->block];
	if (s->event || s->lands)
		return NULL;
	if (s->k == NO_K) /* an exit by its last one */
		return s->at.runs == RUNS_ALL ? &g->insn.v[s->at.branch] : NULL;
	return s->k < bl->ninsn ? &g->insn.v[bl->insn + s->k] : NULL;
}

static bool is_before(const struct tool_site *s, const struct insn *in)
{
	return in == insn_behind(s);
}

/* Does it load from a jump table that is made anew, with larger entries? */
static bool loads_scaled(struct tools *t, const struct insn *in)
{
	const struct cfg *g = t->g;
	if (!t->scaled) {
		const struct code_section *last = &g->text.v[g->text.n - 1];
		t->scaled = arena_array(g->arena, bool, last->insn + last->ninsn + 1);
		for (size_t i = 0; i < g->scaled.n; i++)
			t->scaled[g->scaled.v[i].insn[SCALED_LOAD]] = true;
	}
	return t->scaled[in - g->insn.v];
}

static const char *convert_access(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct insn *in = insn_of(a->data);
	struct address *o = arena_new(g->arena, struct address);
	bool length = a->kind == ARG_LENGTH;
	const char *why = (length ? operand_length : operand_address)(g->obj,
		g->text.v[s->at.text].sec, in, a->reg, o);
	if (!is_before(s, in))
		return "it is not in front of that instruction";
	if (loads_scaled(asking, in))
		return "it loads from a jump table that is made anew";
	*out = (struct call_arg){.gives = length ? GIVES_LENGTH : GIVES_ACCESS,
		.reg = (uint8_t)a->reg,
		.operand = o};
	if (length && !why && o->index < 0)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = o->n};
	return why;
}

static const char *convert_branch(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct insn *in = insn_of(a->data);
	const struct section *sec = g->text.v[s->at.text].sec;
	if (!is_before(s, in))
		return "it is not in front of that instruction";
	if (a->kind == ARG_TAKEN) {
		struct condition *c = arena_new(g->arena, struct condition);
		*out = (struct call_arg){.gives = GIVES_TAKEN, .condition = c};
		return operand_taken(g->obj, sec, in, c);
	}
	struct address *to = arena_new(g->arena, struct address);
	*out = (struct call_arg){.gives = GIVES_TARGET, .operand = to};
	return operand_target(g->obj, sec, in, to);
}

static const char *convert_value(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct insn *in = insn_of(a->data);
	const struct block *bl = &g->block.v[s->block];
	bool stores = is_before(s, in);
	int reg;
	unsigned size;
	int64_t number;
	if (!stores && (s->k == NO_K || !s->k || in != &g->insn.v[bl->insn + s->k - 1]))
		return "it is neither in front of that instruction nor behind it";
	const char *why = operand_value(g->obj, g->text.v[s->at.text].sec, in, a->reg, stores, &reg,
		&size, &number);
	if (why)
		return why;
	*out = (struct call_arg){.gives = GIVES_VALUE,
		.reg = (uint8_t)a->reg,
		.from = (uint8_t)reg,
		.size = (uint8_t)size};
	if (reg < 0)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = number};
	return NULL;
}

static const char *convert_compared(const struct tool_site *s, const ldx_arg *a,
	struct call_arg *out)
{
	const struct cfg *g = asking->g;
	int reg;
	unsigned size;
	int64_t number;
	if (!is_before(s, insn_of(a->data)))
		return "it is not in front of that instruction";
	const char *why = operand_compared(g->obj, g->text.v[s->at.text].sec, insn_of(a->data),
		a->reg, &reg, &size, &number);
	if (why)
		return why;
	*out = (struct call_arg){.gives = GIVES_COMPARED,
		.reg = (uint8_t)a->reg,
		.from = (uint8_t)reg,
		.size = (uint8_t)size};
	if (reg < 0)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = number};
	return NULL;
}

/* At a function's entry, nothing has been executed yet but landing instructions. */
static const char *convert_return(const struct tool_site *s, struct call_arg *out)
{
	const struct target *t = asking->g->target;
	if (!s->entry)
		return "no function is entered there";
	*out = (struct call_arg){.gives = GIVES_RETURN};
	if (t->link_reg >= 0)
		*out = (struct call_arg){.gives = GIVES_REGISTER, .reg = (uint8_t)t->link_reg};
	return NULL;
}

static struct call_arg convert_place(const ldx_arg *a)
{
	const struct cfg *g = asking->g;
	bool exact = a->kind == ARG_INSN;
	const struct insn *in = exact ? insn_of(a->data) : NULL;
	const struct func *f = exact ? func_with(in) : a->data;
	return (struct call_arg){.gives = GIVES_PLACE,
		.sym = g->text.v[f->text].sec->index,
		.number = exact ? in->off : (int64_t)f->start,
		.exact = exact};
}

/*
 * A register as it is when control has left by the instruction behind the site.
 *
 * What a call passes, and what a function returns, may be made in a delay slot, behind the site.
 */
static const char *convert_passed(const struct tool_site *s, unsigned reg, struct call_arg *out)
{
	const struct cfg *g = asking->g;
	const struct target *t = g->target;
	const struct section *sec = g->text.v[s->at.text].sec;
	const struct insn *in = insn_behind(s);
	struct insn slot = {0};
	struct operation op;
	*out = (struct call_arg){.gives = GIVES_REGISTER, .reg = (uint8_t)reg};
	if (!in || !t->insn_size || in->len == t->insn_size)
		return NULL;
	uint32_t off = in->off + t->insn_size;
	if (!t->decode(cfg_decoder(g, 0), sec->data + off, in->len - t->insn_size, &slot))
		return "the delay slot is not understood";
	if (!(insn_effects(&slot)->clobbers & REG_BIT(reg)))
		return NULL;
	t->describe(cfg_decoder(g, 0), sec->data + off, &slot, &op);
	if (op.dst != (int)reg || s->at.off != in->off)
		return "the delay slot makes it";
	struct address *o = arena_new(g->arena, struct address);
	const char *why = operand_delayed(g->obj, sec, in, &op, o);
	*out = (struct call_arg){.gives = GIVES_DELAYED, .reg = (uint8_t)reg, .operand = o};
	if (!why && o->base < 0 && o->index < 0 && !o->type)
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = o->n};
	return why;
}

/* Returns why there is no such argument at this site, or NULL. */
static const char *convert_arg(const struct tool_site *s, const ldx_arg *a, struct call_arg *out)
{
	static const char nothing[] = "no such argument is passed there";
	const struct target *t = asking->g->target;
	switch (a->kind) {
	case ARG_NUMBER:
		*out = (struct call_arg){.gives = GIVES_NUMBER, .number = (int64_t)a->number};
		return NULL;
	case ARG_DATA:
		*out = (struct call_arg){.gives = GIVES_ADDRESS, .number = (int64_t)a->number};
		return NULL;
	case ARG_REGISTER:
		if (s->event)
			return nothing;
		*out = (struct call_arg){.gives = GIVES_REGISTER, .reg = (uint8_t)a->reg};
		return NULL;
	case ARG_STACK:
		*out = (struct call_arg){.gives = GIVES_STACK};
		return s->event ? nothing : NULL;
	case ARG_CALL:
		if (a->reg >= sizeof t->abi.arg || !(s->passes & PASSES_ARGUMENTS))
			return nothing;
		return convert_passed(s, t->abi.arg[a->reg], out);
	case ARG_RESULT:
		return s->passes & PASSES_RESULT ? convert_passed(s, t->abi.result, out) : nothing;
	case ARG_ACCESS:
	case ARG_LENGTH: return convert_access(s, a, out);
	case ARG_VALUE: return convert_value(s, a, out);
	case ARG_COMPARED: return convert_compared(s, a, out);
	case ARG_TAKEN:
	case ARG_TARGET: return convert_branch(s, a, out);
	case ARG_RETURN: return convert_return(s, out);
	case ARG_FUNC:
	case ARG_INSN: *out = convert_place(a); return NULL;
	default: tool_error("an argument that no function of ldx/tool.h made");
	}
}

ldx_arg ldx_words(const ldx_arg *v, size_t n)
{
	ldx_arg a = ldx_bytes("", 0, 16);
	for (size_t k = 0; k < n; k++) {
		uint8_t word[8];
		struct data_word w = {.off = asking->data.n};
		if (v[k].kind != ARG_NUMBER && v[k].kind != ARG_DATA && v[k].kind != ARG_FUNC &&
			v[k].kind != ARG_INSN)
			tool_error("a word of ldx_words() is known in the program only");
		convert_arg(NULL, &v[k], &w.is);
		put_word(word, 8, asking->g->obj->big,
			w.is.gives == GIVES_NUMBER ? (uint64_t)w.is.number : 0);
		buf_put(&asking->data, word, 8);
		if (w.is.gives != GIVES_NUMBER)
			vec_push(&asking->word, w);
	}
	a.data = (const void *)asking->data.n;
	return a;
}

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

/* Is the argument one of an instruction? */
static bool of_insn(const ldx_arg *a)
{
	return a->kind >= ARG_ACCESS && a->kind <= ARG_TARGET;
}

/* A routine with its arguments.  False: refused. */
static bool make_call(const struct tool_site *s, const char *name, unsigned n, const ldx_arg *arg,
	struct tool_call *call)
{
	if (n > CALL_ARGS)
		tool_error("%s is called with %u arguments; %d are possible", name, n, CALL_ARGS);
	const struct routine *r = routine_find(asking, &asking->tool[asking->now], name);
	*call = (struct tool_call){.sym = r->sym,
		.landing = r->landing,
		.nargs = (uint8_t)n,
		.of = s->at.off,
		.body = r->body,
		.changes = r->body ? r->body_changes : routine_changes(asking, r, 0),
		.rest = r->rest};
	for (unsigned k = 0; k < n; k++) {
		const char *why = convert_arg(s, &arg[k], &call->arg[k]);
		if (why)
			return site_refused(why).place;
		if (!of_insn(&arg[k]))
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
		tool_error("%s is no predicate: it is long, has a frame, or calls", predicate);
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
