/* SPDX-License-Identifier: Apache-2.0 */
/* libc.c - see libc.h */
#include "cfg/libc.h"

#include "reloc/outside.h"

#include <stdio.h>
#include <stdlib.h>

/* Is it a member of an archive that is a part of the C library, or of the compiler's for C? */
static bool is_of_libc(const char *input)
{
	static const char *const part[] = {"libBrokenLocale.a", "libanl.a", "libc.a",
		"libc_nonshared.a", "libdl.a", "libgcc.a", "libgcc_eh.a", "libm.a", "libmvec.a",
		"libpthread.a", "libpthread_nonshared.a", "libresolv.a", "librt.a", "libutil.a"};
	const char *open = input ? strrchr(input, '(') : NULL, *base = open;
	char name[32];
	while (base && base > input && base[-1] != '/')
		base--;
	if (!open || (size_t)(open - base) >= sizeof name)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)(open - base), base);
	/* libm.a is a script that names libm-2.36.a */
	return IS_ONE_OF(name, part) || !strncmp(name, "libm-", 5);
}

void find_libc(struct cfg *g)
{
	const struct object *o = g->obj;
	g->of_libc = arena_array(g->arena, bool, o->sec.n + 1);
	for (size_t i = 1; i < o->sec.n && o->input; i++)
		g->of_libc[i] = i > 1 && o->input[i] == o->input[i - 1] ? g->of_libc[i - 1]
									: is_of_libc(o->input[i]);
}

bool is_libcs(const struct cfg *g, const struct symbol *s)
{
	if (s->sec == SEC_UNDEF)
		return outside_is_libc(g->outside, s->name);
	return s->sec < g->obj->sec.n && g->of_libc[s->sec];
}

bool is_helper(const struct cfg *g, const struct symbol *s)
{
	static const char lib[] = "libgcc.a(";
	const char *input = s->sec == SEC_UNDEF || s->sec >= g->obj->sec.n || !g->obj->input
		? NULL
		: g->obj->input[s->sec];
	const char *base = input ? strrchr(input, '/') : NULL;
	return input && !strncmp(base ? base + 1 : input, lib, sizeof lib - 1) &&
		strncmp(s->name, "__morestack", 11) && strncmp(s->name, "__splitstack", 12) &&
		strncmp(s->name, "__wrap_", 7);
}

bool in_libc(const struct cfg *g, uint32_t func)
{
	return g->of_libc[g->text.v[g->func.v[func].text].sec->index];
}

bool may_refer(const struct cfg *g, const struct section *s)
{
	return (s->flags & SHF_ALLOC) && !g->of_libc[s->index] && strcmp(s->name, ".eh_frame");
}

unsigned referred_bits(const struct cfg *g, const uint8_t *bits)
{
	const struct object *o = g->obj;
	unsigned all = 0;
	for (size_t i = 1; i < o->sec.n; i++)
		for (uint32_t r = 0; may_refer(g, &o->sec.v[i]) && r < o->sec.v[i].nrel; r++)
			all |= bits[o->sec.v[i].rel[r].sym];
	return all;
}

/* The C library's IFUNCs, too, behave as the standards say; those of others may choose any code. */
enum callee callee_by_symbol(const struct cfg *g, const struct symbol *s)
{
	return is_libcs(g, s) ? callee_by_name(s->name) : CALLEE_ANY;
}

unsigned libc_does(const struct cfg *g, const struct symbol *s)
{
	return s && is_libcs(g, s) ? name_does(s->name) : 0;
}
