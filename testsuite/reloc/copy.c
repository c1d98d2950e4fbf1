/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy IN [OUT [NAME...]]: read an object and write it again without the
 * sections whose names start with a NAME, and without what refers to them.
 */
#include "reloc/object.h"

#include <stdlib.h>

static bool named(const struct section *s, char **name)
{
	for (; *name; name++)
		if (!strncmp(s->name, *name, strlen(*name)))
			return true;
	return false;
}

/* Relocations of kept sections against dropped ones become R_*_NONE. */
static void drop(struct object *o, char **name)
{
	for (size_t i = 1; i < o->sec.n; i++)
		o->sec.v[i].dropped = named(&o->sec.v[i], name);
	for (size_t i = 1; i < o->sec.n; i++) {
		struct section *s = &o->sec.v[i];
		if ((s->flags & SHF_LINK_ORDER) && o->sec.v[s->link].dropped)
			s->dropped = true;
		for (uint32_t k = 0; k < s->nrel; k++) {
			uint64_t value;
			struct section *t = reloc_target(o, &s->rel[k], &value);
			if (t && t->dropped)
				s->rel[k].type = 0;
		}
	}
}

int main(int argc, char **argv)
{
	struct arena a = {0};
	if (argc < 2)
		fatal("usage: copy IN [OUT [NAME...]]");
	struct object *o = object_read(&a, argv[1]);
	if (argc > 3)
		drop(o, argv + 3);
	if (argc > 2)
		object_write(o, argv[2]);
	vec_free(&o->part);
	vec_free(&o->sec);
	vec_free(&o->sym);
	arena_free(&a);
	return 0;
}
