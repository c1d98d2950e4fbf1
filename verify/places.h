/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places.h - where something is: instructions, relocations, and places of the old and the new code
 * (places.c)
 */
#ifndef LDX_VERIFY_PLACES_H
#define LDX_VERIFY_PLACES_H

#include "verify/state.h"

int vbase_cmp(const void *a, const void *b); /* for sort() */
/* Number of the instruction that covers x; first + n at the section's end. */
uint32_t insn_at(const struct verify *v, const struct vtext *t, uint64_t x);

/* Section and offset of S + A + adj; false: not in the object. */
bool place_of(const struct object *o, const struct reloc *r, int64_t adj, uint32_t *sec,
	uint64_t *off);

/* The symbol behind s (NULL: the first one) of those that name old offset x of t; NULL: no more. */
const struct symbol *next_name(const struct verify *v, const struct vtext *t, uint64_t x,
	const struct symbol *s);

/* Does an old instruction begin at x, or the section end there? */
bool is_boundary(const struct verify *v, uint32_t sec, uint64_t x);

/* The place in data that relocation r of code refers to. */
bool data_named(const struct verify *v, const struct reloc *r, struct vbase *base);

/* The same, if the data may hold tables of relocated words. */
bool refers_to(const struct verify *v, const struct reloc *r, struct vbase *base);

/* The last place in data section s at or before off that code refers to: a table's base. */
bool table_base(const struct verify *v, const struct section *s, uint64_t off, uint64_t *base);

/* Does a run, other than the first, begin with insn k?  *before: its predecessor in old order. */
bool follows_run(const struct vtext *t, uint32_t k, const struct vrun **before);

/* The old start of the first run that begins behind old offset x; false: none does. */
bool run_behind(const struct verify *v, const struct vtext *t, uint64_t x, uint64_t *start);

/* Do the runs that begin inside of old [x, end) begin inside of new [y, nend), and no others? */
bool same_runs(const struct verify *v, uint32_t sec, uint64_t x, uint64_t end, uint64_t y,
	uint64_t nend);

/* New end of old instruction k, which is no no-op. */
uint32_t new_end(const struct vtext *t, uint32_t k);

/* The target of an instruction's pc-relative field; rel: its relocation or NULL. */
bool insn_target(const struct verify *v, const struct vtext *t, const struct insn *in,
	const struct reloc *rel, uint32_t *sec, uint64_t *x);

/* The same of instruction k in the new code, where it is not longer. */
bool new_target(const struct verify *v, const struct vtext *t, uint32_t k, uint32_t *sec,
	uint64_t *y);

/* Is relocation r pc-relative? */
bool is_pc_relative(const struct verify *v, const struct reloc *r);

/* Is r, of an old section s, the first term of a difference from a place in s? */
bool is_difference(const struct verify *v, const struct section *s, const struct reloc *r);

/* Of an old relocation that names the instruction with the rest of an address: the one there. */
const struct reloc *whole_reloc(const struct verify *v, const struct reloc *r);

/* The parts of instruction in: see insn_parts(). */
static inline unsigned vparts(const struct verify *v, const struct vtext *t, const struct insn *in,
	struct insn part[INSN_PARTS])
{
	return insn_parts(v->target, v->decoder, t->a->data + in->off, in, part);
}

/* What instruction in does by the last of its parts that may change a register of set. */
void describe_change(const struct verify *v, const struct vtext *t, const struct insn *in,
	regset set, struct operation *op);

/* The relocation off bytes into in, or NULL. */
const struct reloc *insn_reloc(const struct vtext *t, const struct insn *in, unsigned off);

/* Relocation r of data (or of data in text) against its successor q. */
/* Is the symbol of relocation q of the new object a label that the rewriter added? */
bool is_new_label(const struct verify *v, const struct reloc *q);

bool same_bytes(const struct section *a, const struct section *b);
/* Are n bytes equal, but for the addends in fields, which are compared with relocations? */
bool same_range(const struct verify *v, const struct section *a, uint64_t from, uint64_t n,
	const struct section *b, uint64_t nfrom);

/* Are the relocations of [from, to) in a the same as those from nfrom on in b? */
bool same_relocs(const struct section *a, uint64_t from, uint64_t to, const struct section *b,
	uint64_t nfrom);

/* A table of addresses of instructions that are patched, or trap: each names that very one. */
bool lists_places(const struct section *s);

/*
 * How far behind relocation r a pc-relative field counts from, whose instruction ends at end: see
 * insn_field_origin().
 */
int64_t field_end(const struct verify *v, const struct reloc *r, uint64_t end);

#endif
