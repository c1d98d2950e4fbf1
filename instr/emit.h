/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - the new contents of code sections
 */
#ifndef LDX_INSTR_EMIT_H
#define LDX_INSTR_EMIT_H

#include "reloc/object.h"

struct layout;
struct plan;
struct words;

/* Encode all code sections into out, with all relocations. */
void emit_code(const struct plan *p, const struct layout *lay, const struct words *words);

/* By section: its own symbol; 0: there is none. */
const uint32_t *section_symbols(struct arena *a, const struct object *o);

/*
 * After layout: r, against PLACE_SYM, as it is written; symbol: of the sections.  adj is the
 * distance from the field to the place that its value is relative to.
 */
struct reloc emit_place(const struct object *o, const uint32_t *symbol, struct reloc r,
	int64_t adj);

#endif
