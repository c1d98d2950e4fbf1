/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.h - what the verifier's files about debug information share
 *
 *	debug.c	which section is whose; .debug_aranges
 *	info.c	.debug_info
 *	lists.c	range and location lists
 *	line.c	.debug_line
 *	table.c	.sframe, .llvm_bb_addr_map
 *
 * Sections before (a) and after (b) are read side by side.  What these files read is
 * what a debugger would; nothing in them knows how the rewriter writes it.
 */
#ifndef LDX_VERIFY_DEBUG_H
#define LDX_VERIFY_DEBUG_H

#include "verify/landing.h"

struct addresses;

/* A section of one object that is being read. */
struct side {
	const struct object *o;
	const struct section *s;
	struct reader r;
};

static inline struct side side_make(const struct object *o, const struct section *s)
{
	return (struct side){o, s, section_reader(o, s, s->size)};
}

/* The place that the relocation at off refers to; false: none. */
bool side_place(const struct side *s, uint64_t off, struct vbase *p);

/*
 * As same_place(), for references that only a debugger uses.  These may also lead into an
 * instruction that grew, to the instruction itself behind no-ops, or equally far past the section.
 */
bool same_spot(const struct verify *v, uint32_t a, uint64_t x, uint32_t b, uint64_t y,
	enum use use);

/*
 * Do the addresses in bytes [from, to) of a, an expression, name the same places as those from
 * nfrom of b on?
 */
bool same_addresses(const struct verify *v, const struct section *a, uint64_t from, uint64_t to,
	const struct section *b, uint64_t nfrom);

/* Read a unit's length; set *end.  False: not within the section. */
bool read_unit_length(struct reader *r, uint64_t *end, bool *wide);

/* Is the unit or line table at old x now at y?  Only once their sections have been read. */
bool same_unit(const struct verify *v, const struct vbase *x, const struct vbase *y);
int cmp_vunit(const void *pa, const void *pb);

/* The bases of a unit's lists and addresses, in one object; sec 0: none. */
struct bases {
	struct vbase low, addr;
};
/* Entry index of the unit's table of addresses; false: none. */
bool indexed_place(const struct object *o, const struct bases *b, uint64_t index, struct vbase *p);

/* Check that the lists at pa and pb have the same ranges, each with the same location. */
void verify_list(struct verify *v, const struct vbase *pa, const struct bases *ba,
	const struct vbase *pb, const struct bases *bb);
bool is_list_section(const struct section *s);
/* Check the headers of units in a section of lists or addresses of DWARF 5. */
void verify_headers(struct verify *v, const struct section *a, const struct section *b);

/* Each checks one section, but for verify_lines(). */
void verify_info(struct verify *v, const struct section *a, const struct section *b);
/* All line tables. */
void verify_lines(struct verify *v, const struct addresses *l);
void verify_sframe(struct verify *v, const struct section *a, const struct section *b);
void verify_bb_addr_map(struct verify *v, const struct section *a, const struct section *b);
void verify_debug_frame(struct verify *v);
/* Is the section of a format that verify_debug() checks? */
bool is_debug_format(const struct section *s);

#endif
