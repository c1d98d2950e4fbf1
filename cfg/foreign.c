/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - tables of distances between functions that no relocation shows
 *
 * The Go linker leaves in .gopclntab the offset of every function from
 * runtime.text, and in .moduledata no more than the table's address: its garbage
 * collector unwinds with them.  There is one object with such a table in a link,
 * and all its functions are in one section, which therefore moves as one piece.
 */
#include "cfg/cfg_priv.h"

#include <string.h>

static bool has_table(const struct object *o)
{
	static const char name[] = ".gopclntab"; /* or .data.rel.ro.gopclntab */
	for (size_t i = 1; i < o->sec.n; i++) {
		size_t len = strlen(o->sec.v[i].name);
		if (len >= sizeof name - 1 &&
			!strcmp(o->sec.v[i].name + len - (sizeof name - 1), name))
			return true;
	}
	return false;
}

void cfg_foreign(struct cfg *g, const struct object *o)
{
	bool found = false;
	if (!has_table(o))
		return;
	for (size_t i = 1; i < o->sym.n; i++) {
		const struct symbol *s = &o->sym.v[i];
		struct text *t = cfg_text(g, s->sec);
		if (t && (!strcmp(s->name, "runtime.text") || !strcmp(s->name, "runtime.etext"))) {
			cfg_freeze(t, OPAQUE_DISTANCE, s->value);
			found = true;
		}
	}
	for (size_t i = 0; i < g->text.n && !found; i++)
		cfg_freeze(&g->text.v[i], OPAQUE_DISTANCE, 0);
}
