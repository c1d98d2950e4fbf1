/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.h - relocations after layout: new places, new addends, new symbol values
 */
#ifndef LDX_RELOC_FIX_H
#define LDX_RELOC_FIX_H

#include "reloc/map.h"
#include "reloc/object.h"

/*
 * Right after object_read(): say what the machine's relocation types mean.  fatal()
 * when one is unknown, or has a field that does not lie in its section, or is another's.
 */
void fix_check(struct object *o, reloc_info_fn *info);

/*
 * What r, whose field counts from adj bytes behind itself, refers to: label = S + A + adj.  adj is
 * the distance to the pc, 0 for absolute fields and unwind tables.  Of a GOT entry the label is
 * S; of role BASE there is none.
 */
struct ref fix_ref(const struct object *o, const struct reloc *r, int64_t adj, enum ref_use use);

/*
 * The addend with which a reference by relocation, of section s, names its label's new place.
 * The symbol's own new value is taken into account.  The addend is unchanged when the symbol's
 * section has no map, and where the field holds no place: a GOT entry, a size or the like.  A
 * label behind the end of a section that has a map, or of code, is fatal() in a program's
 * memory, else as far behind it.
 */
int64_t fix_ref_addend(const struct object *o, const struct section *s, const struct ref *ref);
/* The same of r, which counts from itself. */
int64_t fix_addend(const struct object *o, const struct section *s, const struct reloc *r,
	enum ref_use use);

/* Does r's field hold a place S + A, as opposed to a GOT entry, a size or the like? */
bool fix_names_label(const struct object *o, const struct reloc *r);

typedef struct ref data_ref_fn(const void *ctx, const struct section *s, uint32_t rel);

/*
 * Set out_rel of a section that holds no code: every relocation at its new
 * place (the section's own map) with its new addend.  ref, when given, says how
 * relocation number rel of s names its label; else as REF_ADDRESS.  Sets out and out_size too
 * when the section's contents did not change.
 */
void fix_data_section(struct arena *a, const struct object *o, struct section *s, data_ref_fn *ref,
	const void *ctx);

/* Symbol values and sizes follow the maps.  Last: fix_addend() reads the old values. */
void fix_symbols(struct object *o);

#endif
