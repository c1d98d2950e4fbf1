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

static bool has_all(const struct strmap *a, const struct strmap *b)
{
	for (size_t i = 0; i < b->cap; i++)
		if (b->v[i].key && !strmap_find(a, b->v[i].key))
			return false;
	return true;
}

static bool same_names(const struct strmap *a, const struct strmap *b)
{
	return has_all(a, b) && has_all(b, a);
}

/* But for the names that scripts of GNU ld give to places. */
static bool same_exports(const struct strmap *a, const struct strmap *b)
{
	static const char *const places[] = {"_end", "_edata", "__bss_start"};
	for (size_t i = 0; i < a->cap; i++) {
		const char *name = a->v[i].key;
		bool place = false;
		for (size_t k = 0; name && k < sizeof places / sizeof *places; k++)
			place |= !strcmp(name, places[k]);
		if (name && !place && !strmap_find(b, name))
			return false;
	}
	return has_all(a, b);
}

bool outside_same(const struct outside *a, const struct outside *b)
{
	return a->complete == b->complete && a->needs_libc == b->needs_libc &&
		a->kinds == b->kinds && a->breaks_off == b->breaks_off &&
		a->sets_base == b->sets_base && same_names(&a->imported, &b->imported) &&
		same_names(&a->foreign, &b->foreign) && same_exports(&a->exported, &b->exported);
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
