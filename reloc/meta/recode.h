/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recode.h - rewriting a section from its old bytes, for all codecs
 *
 * A codec walks the old section and calls recode_copy() for unchanged bytes and the buf_*()
 * functions on out for changes.  Relocations are copied with the bytes; for a rewritten
 * field the codec calls recode_reloc().  The map of the section itself has the labels that
 * the codec sets, one at each offset that other sections may refer to.  Several input
 * sections may be opened one after another, and become one.
 */
#ifndef LDX_RELOC_META_RECODE_H
#define LDX_RELOC_META_RECODE_H

#include "reloc/map.h"
#include "reloc/object.h"

/* How the relocation at off of section sec binds, if not REF_ADDRESS. */
struct field_ref {
	uint32_t sec;
	uint64_t off;
	enum ref_use use;
};

struct recode {
	const struct object *o;
	struct buf out;
	VEC(struct reloc) rel; /* final offsets and addends; recode_finish() sorts them */

	/* the open input */
	struct section *in;
	uint32_t next; /* cursor into in->rel */
	VEC(struct frag) label;

	/* uses of the input's relocations, sorted; only for copies in ascending order */
	const struct field_ref *ref;
	size_t nref;
};

/* Open an input: rc is zeroed, except for o, or the previous input has been closed. */
void recode_open(struct recode *rc, struct section *in);

/* Copy the bytes [from, to) of the input with their relocations; none may reach out of them. */
void recode_copy(struct recode *rc, uint64_t from, uint64_t to);

/* Map old offset off to the current end of the output.  Ignored unless off is ascending. */
void recode_label(struct recode *rc, uint64_t off);

/* The input's relocation at exactly off, not R_*_NONE; NULL: none. */
const struct reloc *recode_find(struct recode *rc, uint64_t off);

/* Add relocation r at the end of the output, whatever its offset. */
void recode_reloc(struct recode *rc, struct reloc r);

/*
 * Append the number of bytes of code from `from' to `to', new offsets in section code, in so many
 * bits (as in reloc/diff.h), with high above the 6: it is a difference if the last link may delete
 * bytes in between.  The caller knows that it fits.
 */
void recode_distance(struct recode *rc, const struct section *code, uint64_t from, uint64_t to,
	unsigned bits, uint8_t high);
/* The same at offset at of the output, in place of the leb bytes or the field that is there. */
void recode_patch_distance(struct recode *rc, const struct section *code, uint64_t from,
	uint64_t to, unsigned bits, uint64_t at);

/* Ends the input: sets its map.  Its relocations are marked as done. */
void recode_close(struct recode *rc);

/* Make the result the new contents of s, relocations included. */
void recode_finish(struct recode *rc, struct section *s);

/* True when the map of any code section of the object moves anything. */
bool code_changes(const struct object *o);

#endif
