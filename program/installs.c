/* SPDX-License-Identifier: Apache-2.0 */
/*
 * installs.c - which functions does a program install as signal handlers?
 *
 * The handler passed to signal(3), or stored in the structure for sigaction(2), is most often an
 * address made in the same function, or an argument that its callers make: see values.h.  An old
 * handler that is installed again is known already.
 */
#include "cfg/calls.h"
#include "cfg/libc.h"
#include "cfg/opaque.h"
#include "cfg/refs.h"
#include "cfg/values.h"
#include "program/handlers.h"

#include <stdlib.h>

enum { DEPTH = 3 };

struct installs {
	const struct cfg *g;
	struct values v;
	uint8_t *handler; /* by function: set */
	struct reason unknown;
};

static void not_known(struct installs *w, uint32_t fi, const char *why)
{
	if (!w->unknown.text)
		w->unknown = (struct reason){why, fi};
}

/* Then its calls may return again when the frame has changed. */
static bool calls_setjmp(const struct cfg *g, const struct func *f)
{
	for (uint32_t b = f->block; b < f->block + f->nblock; b++) {
		const struct block *bl = &g->block.v[b];
		const struct symbol *s = bl->end == END_CALL ? named_at_end(g, bl) : NULL;
		if (s && strstr(s->name, "setjmp"))
			return true;
	}
	return false;
}

/* The state before the last instruction of block b, which may leave the function. */
static bool state_before(struct installs *w, uint32_t b, struct state *s)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[g->block.v[b].func];
	bool known = f->why == OPAQUE_NOT && f->nblock && !calls_setjmp(g, f);
	if (known) {
		values_walk(&w->v, g->block.v[b].func);
		known = values_at(&w->v, b, s);
	}
	if (known)
		values_run(&w->v, b, s, NULL, NULL);
	else
		not_known(w, g->block.v[b].func, "installs a handler, and is not followed");
	return known;
}

static void add_callers(struct installs *w, uint32_t fi, unsigned reg, unsigned depth);

/* All functions whose address function fi takes. */
static void add_taken(struct installs *w, uint32_t fi)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	const struct code_section *t = &g->text.v[f->text];
	w->v.t = t;
	for (uint32_t i = cfg_insn_at(g, t, f->start);
		i < t->insn + t->ninsn && g->insn.v[i].off < f->end; i++) {
		const struct insn *in = &g->insn.v[i];
		struct value v = step_taken(&(struct step_at){.v = &w->v, .in = in, .i = i});
		if (v.what == CODE)
			w->handler[v.n] = 1;
	}
}

/* A value that becomes a handler in function fi. */
static void add_value(struct installs *w, uint32_t fi, struct value v, unsigned depth)
{
	switch ((enum what)v.what) {
	case NUMBER: break;
	case CODE: w->handler[v.n] = 1; break;
	case SOME: add_taken(w, fi); break;
	case ARGUMENT:
		if (v.n)
			not_known(w, fi, "computes a handler from an argument");
		else
			add_callers(w, fi, v.reg, depth);
		break;
	default: not_known(w, fi, "installs a handler that is computed or in memory");
	}
}

/* All values that callers pass to function fi in a register; all its callers must be known. */
static void add_callers(struct installs *w, uint32_t fi, unsigned reg, unsigned depth)
{
	const struct cfg *g = w->g;
	const struct func *f = &g->func.v[fi];
	if (depth == DEPTH || called_from_anywhere(g, f)) {
		not_known(w, fi, "installs a handler that callers pass, which are not all known");
		return;
	}
	for (uint32_t b = 0; b < g->block.n && !w->unknown.text; b++) {
		const struct block *bl = &g->block.v[b];
		if (bl->target != f->block && bl->fall != f->block)
			continue;
		if (bl->gap || (bl->func == fi && bl->end != END_CALL))
			continue;
		struct state s;
		if (state_before(w, b, &s))
			add_value(w, bl->func, s.reg[reg], depth + 1);
	}
}

/* Block b calls a function that installs a handler. */
static void add_call(struct installs *w, uint32_t b, bool in_struct)
{
	const struct cfg *g = w->g;
	uint32_t fi = g->block.v[b].func;
	struct state s;
	if (!state_before(w, b, &s))
		return;
	struct value v = s.reg[g->target->abi.arg[1]];
	if (in_struct && v.what != NUMBER)
		v = v.what == FRAME ? slot_value(&s, v, w->g->target->abi.handler_off)
				    : (struct value){.what = ANYTHING};
	add_value(w, fi, v, 0);
}

/* The constant that the instruction, which changes a register, sets it to; false: not known. */
static bool sets_number(const struct cfg *g, const struct code_section *t, const struct insn *in,
	unsigned reg, int64_t *nr)
{
	struct insn part[INSN_PARTS];
	struct operation op;
	unsigned k = cfg_parts(g, cfg_decoder(g, 0), t, in, part) - 1;
	while (!(insn_effects(&part[k])->clobbers & REG_BIT(reg)))
		k--;
	g->target->describe(cfg_decoder(g, 0), insn_bytes(t, &part[k]), &part[k], &op);
	*nr = op.imm;
	return op.op == OP_IMM && op.dst == (int)reg && !part[k].has_rel;
}

bool call_number(const struct cfg *g, const struct block *bl, int64_t *nr)
{
	const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
	unsigned arg = g->target->abi.arg[0];
	for (uint32_t i = bl->insn + bl->ninsn; i-- > bl->insn;)
		if (insn_effects(&g->insn.v[i])->clobbers & REG_BIT(arg))
			return sets_number(g, t, &g->insn.v[i], arg, nr);
	return false;
}

/* Does a block that ends in a call of syscall(2) make no process, thread or handler by that? */
static bool is_quiet(const struct cfg *g, const struct block *bl)
{
	int64_t nr;
	return call_number(g, bl, &nr) && !syscall_listed(g->target->syscall.forks, nr) &&
		!syscall_listed(g->target->syscall.installs, nr);
}

bool cfg_syscalls_install(const struct cfg *g)
{
	for (uint32_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
		if (bl->end == END_SYSCALL && !bl->gap && !in_libc(g, bl->func) &&
			syscall_may_install(g->target, cfg_decoder(g, 0), t->sec->data,
				&g->insn.v[bl->insn], bl->ninsn))
			return true;
	}
	return false;
}

/* The function with a name of these kinds that block b calls, but in the C library; or NULL. */
static const struct symbol *called_by(const struct cfg *g, uint32_t b, const uint8_t *kind,
	unsigned which)
{
	const struct block *bl = &g->block.v[b];
	bool calls = bl->end == END_CALL || bl->end == END_JUMP;
	const struct symbol *s = calls && !bl->gap ? named_at_end(g, bl) : NULL;
	return s && !in_libc(g, bl->func) && (kind[s - g->obj->sym.v] & which) ? s : NULL;
}

/* The kinds of the names that function fi refers to as strings. */
static unsigned string_kinds(const struct cfg *g, uint32_t fi)
{
	const struct func *f = &g->func.v[fi];
	const struct code_section *t = &g->text.v[f->text];
	uint32_t k = section_first_reloc(t->sec, f->start), at = g->block.v[f->block].insn;
	unsigned all = 0;
	for (; k < t->sec->nrel && t->sec->rel[k].off < f->end; k++) {
		const struct reloc *rel = &t->sec->rel[k];
		struct ref r = cfg_reloc_ref(g, t, cfg_reloc_insn(g, t, rel, &at), rel);
		const struct section *s = &g->obj->sec.v[r.sec];
		if (r.sec && !cfg_section(g, r.sec) && s->data && r.off < s->size &&
			memchr(s->data + r.off, 0, s->size - r.off))
			all |= name_kinds((const char *)s->data + r.off);
	}
	return all;
}

unsigned looked_up_kinds(const struct cfg *g, const uint8_t *kind)
{
	unsigned all = 0;
	for (uint32_t b = 0; b < g->block.n; b++)
		if (called_by(g, b, kind, NAME_LOOKS_UP))
			all |= string_kinds(g, g->block.v[b].func);
	return all;
}

bool names_only_called(const struct cfg *g, const uint8_t *kind, unsigned which)
{
	const struct object *o = g->obj;
	size_t refs = 0, calls = 0;
	if (looked_up_kinds(g, kind) & which)
		return false;
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t r = 0; may_refer(g, &o->sec.v[i]) && r < o->sec.v[i].nrel; r++)
			refs += (kind[o->sec.v[i].rel[r].sym] & which) != 0 &&
				!g->target->reloc_info(o->sec.v[i].rel[r].type)->calls;
	for (uint32_t b = 0; b < g->block.n; b++)
		calls += called_by(g, b, kind, which) != NULL;
	return calls == refs;
}

bool syscalls_are_quiet(const struct cfg *g, const uint8_t *kind)
{
	bool quiet = names_only_called(g, kind, NAME_SYSCALL);
	for (uint32_t b = 0; b < g->block.n && quiet; b++)
		quiet = !called_by(g, b, kind, NAME_SYSCALL) || is_quiet(g, &g->block.v[b]);
	return quiet;
}

struct reason cfg_handlers(const struct cfg *g, const uint8_t *kind, uint8_t *handler)
{
	struct installs w = {.g = g,
		.v = {.g = g,
			.decoder = cfg_decoder(g, 0),
			.kinds = KINDS_PASSED,
			.words = WORDS_ALL,
			.enter = enter_with_arguments},
		.handler = handler};
	if (!names_only_called(g, kind, NAME_HANDLES))
		not_known(&w, NO_FUNC, "the address of a function that installs handlers is taken");
	if (cfg_syscalls_install(g))
		not_known(&w, NO_FUNC, "a system call instruction may install handlers");
	for (uint32_t b = 0; b < g->block.n && !w.unknown.text; b++) {
		const struct symbol *s = called_by(g, b, kind, NAME_HANDLES);
		if (!s)
			continue;
		unsigned does = libc_does(g, s);
		if ((does & NAME_SYSCALL) && is_quiet(g, &g->block.v[b]))
			continue;
		if (does & (NAME_HANDLER | NAME_HANDLER_STRUCT))
			add_call(&w, b, (does & NAME_HANDLER_STRUCT) != 0);
		else
			not_known(&w, g->block.v[b].func,
				arena_printf(g->arena, "installs handlers by %s", s->name));
	}
	values_free(&w.v);
	return w.unknown;
}
