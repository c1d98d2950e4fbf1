/* SPDX-License-Identifier: Apache-2.0 */
/* outside.c - questions about the shared libraries that the output needs; see outside.h */
#include "reloc/outside.h"

void outside_add(struct arena *a, struct strmap *names, const char *name)
{
	if (!strmap_find(names, name))
		*strmap_slot(names, arena_printf(a, "%s", name)) = 1;
}

bool outside_imports(const struct outside *o, const char *name)
{
	return o && (!o->complete || strmap_find(&o->imported, name));
}

/* A symbol's name may end in a version. */
bool outside_exports(const struct outside *o, const struct symbol *s)
{
	unsigned seen = ELF64_ST_VISIBILITY(s->other);
	if (symbol_bind(s) == STB_LOCAL || seen == STV_HIDDEN || seen == STV_INTERNAL)
		return false;
	if (!o || !strchr(s->name, '@'))
		return !o || strmap_find(&o->exported, s->name);
	struct arena a = {0};
	const char *name = arena_printf(&a, "%.*s", (int)strcspn(s->name, "@"), s->name);
	bool found = strmap_find(&o->exported, name);
	arena_free(&a);
	return found;
}

bool outside_is_libc(const struct outside *o, const char *name)
{
	return !o || (o->complete && !strmap_find(&o->foreign, name));
}
