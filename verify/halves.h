/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.h - which halves make an address of code (halves.c)
 */
#ifndef LDX_VERIFY_HALVES_H
#define LDX_VERIFY_HALVES_H

#include "verify/state.h"

void note_half(struct verify *v, const struct vtext *t, const struct reloc *r,
	const struct reloc *q);

/* A high or low half of an address, that does not say which other one belongs to it. */
static inline bool is_half(const struct verify *v, const struct reloc *r)
{
	const struct reloc_info *info = v->target->reloc_info(r->type);
	return info->reg_bit;
}

/* Is r the high half of an address, or of a page that the GOT has for a local symbol? */
bool is_high(const struct verify *v, const struct reloc *r);

#endif
