/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.h - what the verifier's files about debug information share
 *
 *	debug.c	the sections, and which file checks them
 *	image.c	sections as a linker joins them
 *	line.c	.debug_line
 *	info.c	.debug_info
 *	lists.c	range and location lists, .debug_aranges
 *	units.c	places, units and expressions in both objects
 *	table.c	.sframe, .llvm_bb_addr_map
 *
 * Sections before (a) and after (b) are read side by side.  A library reads DWARF (dwarf.h); these
 * files only compare what it has read.
 */
#ifndef LDX_VERIFY_DEBUG_H
#define LDX_VERIFY_DEBUG_H

#include "verify/image.h"
#include "verify/landing.h"

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

/* Old and new offset of a line table, a unit or an entry. */
struct moved {
	uint64_t old, new;
};
typedef VEC(struct moved) moved_vec; /* in ascending order of old */

/* The last one at or in front of off; NULL: none. */
const struct moved *moved_find(const moved_vec *all, uint64_t off);

/* Sections whose images a file of the reader has: those that .debug_info refers to, and others. */
enum section_kind {
	INFO,
	ABBREV,
	ADDR,
	STR_OFFSETS,
	RANGES,
	RNGLISTS,
	LOC,
	LOCLISTS,
	LINE,
	ARANGES,
	KINDS
};

/* What is at off in .debug_info, or refers to it from there, refers to its old x and new y. */
struct reference {
	uint64_t off, x, y;
};
typedef VEC(struct reference) reference_vec;

/* Debug information of both objects. */
struct debug {
	struct verify *v;
	const struct dwarf_reader *reader;
	struct addresses where;
	struct image m[AGES][KINDS];
	struct dwarf_file *file[AGES]; /* of some of these */
	moved_vec line, unit;	       /* line tables, and units */
	uint64_t entry;		       /* the old one that is checked */
	/* To entries in units that were not read yet, or that have grown, and in expressions. */
	reference_vec ref;
};

/* The place in code that is at this address of the old object; false: not in code. */
bool old_code(const struct debug *d, uint64_t address, struct vbase *p);
/* Old address x and new address y, of which x is no place in code: are they the same? */
bool same_other(const struct debug *d, uint64_t x, uint64_t y);

/*
 * Are two expressions the same, with addresses of the same places?  *unproved: they are, but it is
 * not known of an address in code.
 */
bool same_expr(struct debug *d, const uint8_t *p, size_t np, const uint8_t *q, size_t nq,
	bool *unproved);

/* What is wrong at offset off of the old image of sections of a kind. */
void debug_fail(const struct debug *d, enum section_kind k, uint64_t off, const char *what);

/* Check all sections of a name. */
void verify_lines(struct debug *d);
void verify_info(struct debug *d);
void verify_aranges(struct debug *d);
/* Check the headers of tables in .debug_rnglists or .debug_loclists. */
void verify_tables(struct debug *d, enum dwarf_class kind);

/* Check that the lists at x and y have the same ranges, each with the same location. */
void verify_list(struct debug *d, enum section_kind k, enum dwarf_class kind, uint64_t x,
	uint64_t y);

/* Each checks one section. */
void verify_sframe(struct verify *v, const struct section *a, const struct section *b);
void verify_bb_addr_map(struct verify *v, const struct section *a, const struct section *b);
void verify_debug_frame(struct verify *v);
/* Is the section of a format that verify_debug() checks? */
bool is_debug_format(const struct section *s);

#endif
