/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fix.h - relocations after layout: new places, new addends, new symbol values
 */
#ifndef LDX_RELOC_FIX_H
#define LDX_RELOC_FIX_H

#include "reloc/map.h"
#include "reloc/object.h"

/*
 * Right after object_read(): set the machine's table of relocation types, and
 * take the addends that are in fields.  fatal() if a type is unknown, or a field is outside of its
 * section or overlaps another one.
 */
void fix_check(struct object *o, reloc_info_fn *info);

/* The register that half r, of an instruction at p with these facts, is put in or added to. */
static inline unsigned reloc_half_reg(const struct object *o, const struct reloc_info *info,
	const uint8_t *p)
{
	return get_word(p, info->size, o->big) >> info->reg_bit & 31;
}
/* The part of the addend of half r that is in the high half. */
static inline int64_t reloc_page(const struct reloc *r)
{
	return (int64_t)((uint64_t)(r->addend + 0x8000) & ~UINT64_C(0xffff));
}

/* The other way round: p is the field.  False: it does not hold that addend. */
bool fix_put_addend(const struct object *o, const struct reloc *r, uint8_t *p);

/*
 * The reference of relocation r: label = S + A + adj.  adj is the distance from the field to the
 * pc, 0 for absolute fields and unwind tables.  The label of a GOT entry is S; ROLE_BASE has none.
 */
struct ref fix_ref(const struct object *o, const struct reloc *r, int64_t adj, enum ref_use use);

/*
 * The relocation of a reference in section s, at its old offset, with the symbol and addend for the
 * new places of its symbol and its label.  It is unchanged if the symbol's section has no map, and
 * if the field holds no place: a GOT entry, a size or the like.  A label past the end of a
 * section that changes is fatal() if s is loaded, else keeps its distance from the end.
 */
struct reloc fix_ref_reloc(const struct object *o, const struct section *s, const struct ref *ref);
/* The same of relocation r with adj 0. */
struct reloc fix_reloc(const struct object *o, const struct section *s, const struct reloc *r,
	enum ref_use use);
/* Make out, as it was read, name the label at new offset label of section sec; adj: as above. */
void fix_bind(const struct object *o, uint32_t sec, uint64_t label, int64_t adj, struct reloc *out);

/* Does r's field hold a place S + A, as opposed to a GOT entry, a size, a difference or the like?
 */
bool fix_names_label(const struct object *o, const struct reloc *r);

typedef struct ref data_ref_fn(const void *ctx, const struct section *s, uint32_t rel);

/*
 * Set out_rel of a section that holds no code: each relocation at its new offset (by the section's
 * own map) with its new addend.  ref returns the reference of relocation number rel; without it,
 * the use is REF_ADDRESS.  Sets out and out_size, too, if the contents did not change.
 */
void fix_data_section(struct arena *a, const struct object *o, struct section *s, data_ref_fn *ref,
	const void *ctx);

/* Symbol values and sizes follow the maps.  Last: fix_addend() reads the old values. */
void fix_symbols(struct object *o);

#endif
