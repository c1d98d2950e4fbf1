/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - distances in code that the last link makes shorter
 *
 * Where a CPU's linker relaxes code, it deletes bytes, and a distance over them is no number: it is
 * a difference of symbols, of which relocations at one place are the terms.  When an object is
 * read, the differences in metadata are put into their fields, so that no codec knows of them. What
 * codecs write is again a difference if the last link may delete bytes in between.
 */
#ifndef LDX_RELOC_DIFF_H
#define LDX_RELOC_DIFF_H

#include "reloc/object.h"

/* Bits of the number: 6 (low ones of a byte), 8, 16, 32, 64; 0: ULEB128. */

/* Find the types of the terms of differences. */
void diff_find_types(struct object *o);

/* Put the differences in section s of metadata into copies of its data and relocations. */
void diff_fold(const struct object *o, struct section *s, struct arena *a);

/* May the last link delete bytes of code in [from, to), new offsets?  After emission. */
bool diff_shrinks(const struct object *o, const struct section *code, uint64_t from, uint64_t to);

/*
 * The two relocations, at off, of the number of bytes of code from `from' to `to', new offsets.  If
 * the number is added to the field, that must be 0: *zero.  False: it is a plain number, as the
 * last link deletes nothing in between.
 */
bool diff_relocs(const struct object *o, const struct section *code, uint64_t from, uint64_t to,
	unsigned bits, uint64_t off, struct reloc out[2], bool *zero);

#endif
