/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asks.c - does the program use system resources that its counters depend on?
 *
 * One is the base register of the threads' counters: an instruction may use it, a system call or
 * the C library's function for that call may set it, in the program or in a library that it needs.
 * The other is memory at the addresses of the counters, which emulators map for their guest.
 *
 * Not detected: numbers and addresses that the program computes, and libraries that it loads by
 * dlopen(3).
 *
 * hazard: program sets %gs.  The base of %gs may be the program's own: by wrgsbase, by
 * arch_prctl called by name or by number, or in a library.
 */
#include "cfg/libc.h"
#include "program/program.h"
#include "cfg/refs.h"
#include "reloc/outside.h"

#include <stdlib.h>

/* What a symbol may be, as bits. */
enum meaning { SETTER = 1, SYSCALL = 2, LOOKUP = 4, MMAP = 8 };

static bool names(const struct cfg *g, const uint8_t *meaning, const struct code_section *t,
	const struct insn *in, enum meaning what)
{
	uint32_t n;
	for (const struct reloc *r = insn_relocs(t, in, &n); n; n--, r++)
		if (r->sym < g->obj->sym.n && (meaning[r->sym] & what))
			return true;
	return false;
}

/*
 * Does block bl end in system call what, or in a call of syscall(2) or a function that makes it?
 */
static bool block_asks(const struct cfg *g, const uint8_t *meaning, const struct block *bl,
	enum meaning what)
{
	const struct code_section *t = &g->text.v[g->func.v[bl->func].text];
	const struct insn *in = &g->insn.v[bl->insn], *last = in + bl->ninsn - 1;
	bool calls = bl->end == END_CALL || bl->end == END_JUMP || bl->end == END_LEAVE;
	bool named = calls && what == MMAP && names(g, meaning, t, last, MMAP);
	if (bl->gap ||
		(bl->end != END_SYSCALL && !named &&
			!(calls && names(g, meaning, t, last, SYSCALL))))
		return false;
	struct decoder *d = cfg_decoder(g, 0);
	return what == MMAP ? g->target->syscall.maps_low(d, t->sec->data, in, bl->ninsn, named)
			    : g->target->thread_base->sets(d, t->sec->data, in, bl->ninsn);
}

static bool asks(const struct cfg *g, const uint8_t *meaning, enum meaning what)
{
	const struct target *t = g->target;
	bool never = what == MMAP ? !t->syscall.maps_low : !t->thread_base;
	for (size_t b = 0; b < g->block.n && !never; b++)
		if (block_asks(g, meaning, &g->block.v[b], what))
			return true;
	return false;
}

/* Is the name of the function in data, so that dlsym(3) may look it up? */
static bool holds_name(const struct cfg *g)
{
	const char *name = g->target->thread_base->setter;
	for (size_t i = 1; i < g->obj->sec.n; i++) {
		const struct section *s = &g->obj->sec.v[i];
		if ((s->flags & SHF_ALLOC) && s->type != SHT_NOBITS && s->data &&
			memmem(s->data, s->size, name, strlen(name) + 1))
			return true;
	}
	return false;
}

static uint8_t *read_names(const struct cfg *g)
{
	const struct object *o = g->obj;
	const struct thread_base *base = g->target->thread_base;
	uint8_t *meaning = arena_array(g->arena, uint8_t, o->sym.n + 1);
	for (size_t i = 1; i < o->sym.n; i++) {
		const char *name = o->sym.v[i].name;
		unsigned does = name_does(name);
		meaning[i] = base && !strcmp(name, base->setter) ? SETTER
			: does & NAME_SYSCALL			 ? SYSCALL
			: does & NAME_LOOKS_UP			 ? LOOKUP
			: does & NAME_MAPS			 ? MMAP
								 : 0;
	}
	return meaning;
}

bool cfg_uses_base(const struct cfg *g)
{
	const uint8_t *meaning = read_names(g);
	if (g->outside && g->outside->sets_base)
		return true;
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].thread_base)
			return true;
	unsigned seen = referred_bits(g, meaning);
	return (seen & SETTER) || ((seen & LOOKUP) && holds_name(g)) || asks(g, meaning, SETTER);
}

bool cfg_sets_thread(const struct cfg *g)
{
	for (size_t f = 0; f < g->func.n; f++)
		if (g->func.v[f].is_code && g->func.v[f].thread_base)
			return true;
	return false;
}

bool cfg_maps_low(const struct cfg *g)
{
	return asks(g, read_names(g), MMAP);
}
