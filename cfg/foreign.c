/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign.c - tables of distances between functions that no relocation shows
 *
 * The Go linker leaves in .gopclntab the offset of every function from
 * runtime.text, and in .moduledata no more than the table's address: its garbage
 * collector unwinds with them.  There is one object with such a table in a link,
 * and all its functions are in one section, which therefore moves as one piece.
 *
 * LuaJIT's tables are numbers in a C file that its assembler wrote: offsets of the
 * interpreter's parts from a label, which is a data object where a function begins.
 * Who calls code an object computes with it.
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

static void freeze_objects(struct cfg *g, const struct marks *m)
{
	for (size_t t = 0; t < g->text.n; t++) {
		const struct mark *func = NULL;
		for (uint32_t i = m->first[t]; i < m->first[t + 1]; i++) {
			const struct mark *mk = &m->v.v[i];
			if (mk->rank >= RANK_FUNC && mk->end > mk->off)
				func = mk;
			else if (mk->rank == RANK_OBJECT && func && func->off == mk->off)
				cfg_freeze(&g->text.v[t], OPAQUE_DISTANCE, mk->off);
		}
	}
}

void cfg_foreign(struct cfg *g, const struct marks *m)
{
	const struct object *o = g->obj;
	bool found = false;
	freeze_objects(g, m);
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
