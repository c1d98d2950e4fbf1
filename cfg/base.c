/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.c - does the program itself use what threads find their counters by?
 *
 * An instruction of its own may, a system call, a call of the C library's function for it, or one
 * of the libraries that the program needs.  What none of them shows is not seen: a number that
 * is computed, a library that is loaded by dlopen(3).
 */
#include "cfg/cfg_priv.h"
#include "reloc/outside.h"

#include <stdlib.h>

/* By number: what a symbol is to this question. */
enum meaning { PLAIN, SETTER, SYSCALL, LOOKUP };

static bool names(const struct cfg *g, const uint8_t *meaning, const struct text *t,
	const struct insn *in, enum meaning what)
{
	const struct section *s = t->sec;
	for (uint32_t r = in->rel; r && r <= s->nrel && s->rel[r - 1].off < insn_end(in); r++)
		if (s->rel[r - 1].sym < g->obj->sym.n && meaning[s->rel[r - 1].sym] == what)
			return true;
	return false;
}

/* A system call whose number says so, or a call of syscall(2) with it. */
static bool calls_setter(const struct cfg *g, const uint8_t *meaning)
{
	for (size_t b = 0; b < g->block.n; b++) {
		const struct block *bl = &g->block.v[b];
		const struct text *t = &g->text.v[g->func.v[bl->func].text];
		const struct insn *in = &g->insn.v[bl->insn];
		bool may = bl->end == END_SYSCALL ||
			   ((bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_LEAVE) &&
				   names(g, meaning, t, &in[bl->ninsn - 1], SYSCALL));
		if (may && !bl->gap &&
			g->target->sets_base(cfg_decoder(g, 0), t->sec->data, in, bl->ninsn))
			return true;
	}
	return false;
}

/* Is the function's name in its data, to be looked up by dlsym(3)? */
static bool holds_name(const struct cfg *g)
{
	const char *name = g->target->base_setter;
	for (size_t i = 1; i < g->obj->sec.n; i++) {
		const struct section *s = &g->obj->sec.v[i];
		if ((s->flags & SHF_ALLOC) && s->type != SHT_NOBITS && s->data &&
			memmem(s->data, s->size, name, strlen(name) + 1))
			return true;
	}
	return false;
}

bool cfg_uses_base(const struct cfg *g)
{
	const struct object *o = g->obj;
	uint8_t *meaning = arena_array(g->arena, uint8_t, o->sym.n + 1);
	unsigned seen = 0;
	if (g->outside && g->outside->sets_base)
		return true;
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].thread_base)
			return true;
	for (size_t i = 1; i < o->sym.n; i++) {
		const char *name = o->sym.v[i].name;
		meaning[i] = !strcmp(name, g->target->base_setter) ? SETTER
			: !strcmp(name, "syscall") ? SYSCALL
			: !strcmp(name, "dlsym") || !strcmp(name, "dlvsym") ? LOOKUP : PLAIN;
	}
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t r = 0; (o->sec.v[i].flags & SHF_ALLOC) && r < o->sec.v[i].nrel; r++)
			seen |= 1u << meaning[o->sec.v[i].rel[r].sym];
	return (seen & 1u << SETTER) || ((seen & 1u << LOOKUP) && holds_name(g)) ||
	       calls_setter(g, meaning);
}
