/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.h - relocations after layout: new places, new addends, new symbol values
 */
#ifndef LDX_RELOC_FIX_H
#define LDX_RELOC_FIX_H

#include "reloc/map.h"
#include "reloc/object.h"

/*
 * The addend with which r, whose field names label = S + A + adj (adj: distance
 * from the field to the pc it counts from, 0 for absolute fields and unwind
 * tables), names the label's new place.  The symbol's own new value is taken
 * into account.  r->addend unchanged when the symbol's section has no map.
 */
int64_t fix_addend(const struct object *o, const struct reloc *r, int64_t adj, enum map_bind bind);

/*
 * Set out_rel of a section that holds no code: every relocation at its new
 * place (the section's own map) with its new addend.  Labels in code bind to
 * MAP_ENTRY unless bind, when given, says otherwise for a relocation.
 * Sets out and out_size too when the section's contents did not change.
 */
void fix_data_section(struct object *o, struct section *s,
	enum map_bind (*bind)(const struct object *o, const struct section *s,
		const struct reloc *r));

/* Symbol values and sizes follow the maps.  Last: fix_addend() reads the old values. */
void fix_symbols(struct object *o);

#endif
