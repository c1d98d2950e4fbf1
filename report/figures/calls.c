/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - the calls of a run; see calls.h
 */
#include "report/figures/calls.h"

#include "base/base.h"
#include "report/figures/arcs.h"
#include "report/figures/derived.h"
#include "report/figures/insns.h"
#include "report/read/linkage.h"
#include "targets/target.h"

#include <stdlib.h>
#include <string.h>

/* An object, and the possible callees in it. */
struct place_of_calls {
	const struct program *p;
	struct linkage linkage;
	const struct map_func **by_address;
	size_t nfuncs;
	struct arcs arcs;
};

struct call_finder {
	const struct run *run;
	struct place_of_calls *object, *in; /* in: the current one */
};

struct finder {
	struct call_finder *at;
	bool all; /* also what was not executed */
	VEC(struct call) call;
};

static int compare_funcs(const void *a, const void *b)
{
	const struct map_func *x = *(const struct map_func *const *)a;
	const struct map_func *y = *(const struct map_func *const *)b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x > y) - (x < y);
}

static void index_funcs(struct place_of_calls *o, const struct program *p)
{
	o->p = p;
	o->linkage = linkage_read(p);
	o->arcs = arcs_of(p);
	o->by_address = NEW_ARRAY(const struct map_func *, p->map.nfuncs);
	for (size_t i = 0; i < p->map.nfuncs; i++)
		if (func_linked(p, &p->map.func[i]))
			o->by_address[o->nfuncs++] = &p->map.func[i];
	qsort(o->by_address, o->nfuncs, sizeof *o->by_address, compare_funcs);
}

static const struct map_func *func_at(const struct place_of_calls *o, uint64_t address)
{
	size_t i;
	BISECT(i, 0, o->nfuncs, o->by_address[i]->address < address);
	return i < o->nfuncs && o->by_address[i]->address == address ? o->by_address[i] : NULL;
}

static void call_function(const struct call_finder *f, struct call *c, const struct map_func *to)
{
	c->kind = CALL_DIRECT;
	c->to_in = f->in->p;
	c->to = to;
	c->name = to->name;
}

static void call_name(const struct call_finder *f, struct call *c, const char *name)
{
	c->kind = CALL_NAMED;
	c->name = name;
	for (size_t i = 0; i < f->run->n; i++) {
		uint64_t address = linkage_export(&f->object[i].linkage, name);
		const struct map_func *to = address ? func_at(&f->object[i], address) : NULL;
		if (!address)
			continue;
		c->to_in = f->object[i].p;
		c->to = to;
		return;
	}
}

/* A call through the word at address, if the dynamic linker fills it in; others may change. */
static void call_through(const struct call_finder *f, struct call *c, uint64_t address)
{
	const struct slot *slot = linkage_slot(&f->in->linkage, address);
	const struct map_func *to = slot && slot->value ? func_at(f->in, slot->value) : NULL;
	if (slot && slot->name)
		call_name(f, c, slot->name);
	else if (to)
		call_function(f, c, to);
}

/* The word through which the code at address leads; 0: there is none. */
static uint64_t word_of(const struct call_finder *f, uint64_t address)
{
	uint64_t size = 0;
	const struct target *t = f->in->p->target;
	const uint8_t *code = program_code(f->in->p, address, &size);
	if (!t->leads_through || !size)
		return 0;
	return t->leads_through(insn_decoder(f->in->p), code, size, address);
}

/* Is the address in code that the map has? */
static bool is_in_map(const struct place_of_calls *o, uint64_t address)
{
	size_t i;
	BISECT(i, 0, o->nfuncs, o->by_address[i]->address <= address);
	for (; i; i--) {
		const struct map_func *f = o->by_address[i - 1];
		program_flow(o->p, f);
		const struct map_block *last = o->p->map.block + f->block + f->nblocks - 1;
		if (f->nblocks)
			return address <= last->address || address - f->address < f->size;
	}
	return false;
}

/* How often jumps at the end of the block left its function; only: all its edges do. */
static bool jumps_out(const struct insn_at *in, uint64_t *count, bool *only)
{
	const struct map_func *f = in->f;
	uint64_t number = (uint64_t)(in->b - in->p->map.block) - f->block + 1, n;
	bool known = true;
	*count = 0;
	*only = true;
	for (size_t e = f->edge; e < f->edge + f->nedges; e++) {
		const struct map_edge *ed = &in->p->map.edge[e];
		if (ed->from != number)
			continue;
		*only &= !ed->to;
		if (ed->to || ed->flags & LDX_EDGE_FALL)
			continue;
		known &= edge_count(in->p, ed, &n);
		*count = add_sat(*count, n);
	}
	return known;
}

/*
 * A jump to another function is a call.  The number of calls by an indirect jump is known only if
 * all its targets are outside the function; by a conditional one, if there are edges.
 */
static bool is_tail_call(const struct insn_at *in, struct call *c)
{
	bool only, edges = in->f->nedges && !map_has_marks(&in->p->map); /* no proofs */
	uint64_t count;
	bool known = jumps_out(in, &count, &only);
	c->tail = true;
	if (c->kind == CALL_INDIRECT)
		return only && edges;
	if (c->to == in->f || (c->kind == CALL_NAMED && !c->name))
		return false;
	if (edges ? only : in->insn->kind != INSN_BRANCH)
		return true;
	c->known = c->known && known && edges;
	c->count = c->known ? count : 0;
	return true;
}

static bool is_direct(const struct insn *insn)
{
	return insn->kind == INSN_CALL || insn->kind == INSN_JUMP || insn->kind == INSN_BRANCH ||
		insn->kind == INSN_XBEGIN;
}

/* A call of code outside the map is one of a linkage stub, or its callee is not known. */
static void find_target(const struct call_finder *f, const struct insn_at *in, struct call *c)
{
	bool direct = is_direct(in->insn) && in->insn->pc_size;
	uint64_t to = direct ? insn_leads_to(in->p->target, in->insn, in->bytes, in->address)
			     : in->address;
	const struct map_func *func = direct ? func_at(f->in, to) : NULL;
	uint64_t word = func || (direct && is_in_map(f->in, to)) ? 0 : word_of(f, to);
	c->kind = direct ? CALL_NAMED : CALL_INDIRECT;
	if (func)
		call_function(f, c, func);
	else if (word)
		call_through(f, c, word);
}

/* Was the block executed, as far as that is known? */
static bool is_wanted(const struct finder *f, const struct program *p, const struct map_block *b)
{
	uint64_t count;
	return f->all || !block_count(p, b, &count) || count;
}

static bool has_wanted(const struct finder *f, const struct program *p, const struct map_func *func)
{
	if (!f->all && !program_has_flow(p, func))
		return false;
	program_flow(p, func);
	for (size_t i = func->block; i < func->block + func->nblocks; i++)
		if (is_wanted(f, p, &p->map.block[i]))
			return func_linked(p, func);
	return false;
}

static bool may_call(enum insn_kind kind)
{
	return kind == INSN_CALL || kind == INSN_CALL_IND || kind == INSN_JUMP_IND;
}

bool call_at(struct call_finder *f, const struct insn_at *in, struct call *c)
{
	if (!in->insn || !(may_call((enum insn_kind)in->insn->kind) || is_direct(in->insn)))
		return false;
	*c = (struct call){.p = in->p,
		.from = in->f,
		.block = in->b,
		.address = in->address,
		.offset = in->offset,
		.count = in->known ? in->count : 0,
		.known = in->known};
	f->in = &f->object[in->p - f->run->v];
	find_target(f, in, c);
	return in->insn->kind == INSN_CALL || in->insn->kind == INSN_CALL_IND ||
		is_tail_call(in, c);
}

/* The calls of one instruction by address, a callee each; what is left has no known one. */
static bool push_arcs(struct finder *f, const struct insn_at *in, struct call c)
{
	const struct place_of_calls *o = f->at->in;
	size_t n;
	uint64_t address, told = 0;
	const uint64_t *arc = arcs_from(&o->arcs, (uint64_t)(in->b - in->p->map.block), &n);
	for (size_t i = 0; i < n; i++, arc += ARC_WORDS) {
		struct call to = c;
		to.kind = CALL_INDIRECT;
		to.to = arc_address(in->p, in->f, arc, &address) ? func_at(o, address) : NULL;
		to.to_in = to.to ? in->p : NULL;
		to.name = to.to ? to.to->name : NULL;
		to.count = arc[ARC_CALLS];
		to.known = true;
		to.measured = o->arcs.inclusive != NULL;
		to.insns = arc[ARC_INCLUSIVE];
		told = add_sat(told, to.count);
		vec_push(&f->call, to);
	}
	c.count = c.count > told ? c.count - told : 0;
	if (n && !c.tail && c.known && c.count)
		vec_push(&f->call, c);
	return n || (c.tail && o->arcs.v);
}

static bool is_indirect(const struct insn_at *in)
{
	return in->insn && (in->insn->kind == INSN_CALL_IND || in->insn->kind == INSN_JUMP_IND);
}

static void look_at(void *ctx, const struct insn_at *in)
{
	struct finder *f = ctx;
	struct call c;
	if (!is_wanted(f, in->p, in->b))
		return;
	bool is = call_at(f->at, in, &c);
	if (is_indirect(in) && push_arcs(f, in, c))
		return;
	if (!is)
		return;
	c.measured =
		arcs_inclusive(&f->at->in->arcs, (uint64_t)(in->b - in->p->map.block), &c.insns);
	vec_push(&f->call, c);
}

struct call_finder *call_finder_new(const struct run *run)
{
	struct call_finder *f = new_array(1, sizeof *f);
	*f = (struct call_finder){.run = run, .object = NEW_ARRAY(struct place_of_calls, run->n)};
	for (size_t i = 0; i < run->n; i++)
		index_funcs(&f->object[i], &run->v[i]);
	return f;
}

static void find_in(struct finder *f, const struct program *p)
{
	for (size_t i = 0; i < p->map.nfuncs; i++)
		if (has_wanted(f, p, &p->map.func[i]))
			each_insn(p, &p->map.func[i], look_at, f);
}

struct calls calls_find(const struct run *run, bool all)
{
	struct finder f = {.at = call_finder_new(run), .all = all};
	for (size_t i = 0; i < run->n; i++)
		find_in(&f, &run->v[i]);
	struct calls c = {f.call.v, f.call.n};
	for (size_t i = 0; i < run->n; i++)
		calls_derive(&run->v[i], &f.at->object[i].arcs, &c);
	return c;
}
