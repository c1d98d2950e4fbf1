/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dwarf.h - debug information after layout: what its codecs share
 *
 * Private to reloc/debug*.c, and to the two formats like it, .sframe and
 * .llvm_bb_addr_map.  Section numbers in comments are of DWARF 5.  The
 * units are walked once, before anything is written: only they have the base addresses of
 * lists and the meaning of each address.  .debug_info keeps its size, except for units of gas;
 * line programs and DWARF 5's lists do not, so .debug_info's references to them are
 * corrected last, through their maps.  All of this runs in an attempt(): the message of
 * fatal_at() says why a section is dropped.
 */
#ifndef LDX_RELOC_META_DWARF_H
#define LDX_RELOC_META_DWARF_H

#include "reloc/map.h"
#include "reloc/meta/recode.h"
#include "reloc/object.h"

/* A label that a relocation names; sec NULL: none. */
struct place {
	struct section *sec;
	uint64_t off;
};

/* A range or location list, the base address its unit gives it, and the unit's .debug_addr. */
struct dw_list {
	struct section *sec;
	uint64_t off;
	struct place base, addr;
};

/* A distance in code, in new offsets; code NULL: a number that is none. */
struct dw_span {
	const struct section *code;
	uint64_t from, to;
};
static inline uint64_t dw_length_of(const struct dw_span *s)
{
	return s->to - s->from;
}

/* A field with a new value. */
struct dw_patch {
	uint32_t sec;
	uint64_t off, value;
	struct dw_span span; /* the value is its length */
	uint8_t size, more;  /* new size in bytes; the part of it that is added */
	bool leb;
};

/* A unit with lengths of variable size, which may grow. */
struct dw_unit {
	uint32_t sec;
	uint64_t off, end;
	size_t field; /* its first field; they end at the next unit's */
	bool wide;
	bool grows; /* a length does not fit */
	bool fixed; /* it must not grow: expressions or the like may refer to entries */
};
/* A field of such a unit: a length that does not fit, or a reference within the unit. */
struct dw_field {
	uint64_t off;
	uint64_t x;	     /* the new length, or the entry's old offset in the unit */
	struct dw_span span; /* of a length */
	uint64_t before;     /* by how much the unit has grown in front of it */
	uint8_t size, more;  /* old size in bytes; bytes to be added */
	bool leb, ref;
};

/* A field that names an address by its index in a table, not used as REF_ADDRESS. */
struct dw_use {
	uint32_t sec;
	uint64_t off;
	uint8_t size;
	bool leb;
	struct place table;
	uint64_t index;
	enum ref_use use;
};

struct dwarf {
	struct object *o;
	VEC(struct dw_list) list; /* sorted, no two at one place */
	VEC(struct field_ref) ref;
	VEC(struct dw_patch) patch;
	VEC(struct dw_unit) unit; /* and their fields */
	VEC(struct dw_field) field;
	VEC(struct dw_use) use;
	VEC(struct field_ref) extra; /* entries to append to tables: copies of those at off */
};

/* A unit header's length: 4 bytes, or an escape and 8. */
struct dw_length {
	uint64_t field; /* its offset */
	uint64_t end;	/* of the unit */
	bool wide;
};
struct dw_length dw_read_length(const struct section *s, struct reader *r);
/* Correct the length of the unit that starts at out and ends where rc's output does. */
void dw_put_length(struct recode *rc, const struct dw_length *l, uint64_t out);

/* A reader of the bytes [from, end) of a section; its offsets are the section's. */
struct reader dw_reader(const struct object *o, const struct section *s, uint64_t from,
	uint64_t end);

static inline uint64_t dw_address(const struct object *o, struct reader *r)
{
	return o->word == 8 ? read_u64(r) : read_u32(r);
}
static inline void dw_put_address(struct recode *rc, uint64_t x)
{
	if (rc->o->word == 8)
		buf_u64(&rc->out, x);
	else
		buf_u32(&rc->out, (uint32_t)x);
}
/* Has the unit at at addresses of this size?  fatal_at() if not. */
void dw_check_address(const struct object *o, unsigned size, unsigned segment,
	const struct section *s, uint64_t at);

static inline uint64_t dw_offset(struct reader *r, bool wide)
{
	return wide ? read_u64(r) : read_u32(r);
}

/* Instructions of line programs (section 6.2.5). */
enum {
	LNS_COPY = 1,
	LNS_ADVANCE_PC = 2,
	LNS_ADVANCE_LINE = 3,
	LNS_SET_FILE = 4,
	LNS_SET_COLUMN = 5,
	LNS_NEGATE_STMT = 6,
	LNS_SET_BASIC_BLOCK = 7,
	LNS_CONST_ADD_PC = 8,
	LNS_FIXED_ADVANCE_PC = 9,
	LNS_SET_PROLOGUE_END = 10,
	LNS_SET_EPILOGUE_BEGIN = 11,
	LNS_SET_ISA = 12,
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,
	LNE_SET_DISCRIMINATOR = 4,
};

/* The header of a line program. */
struct dw_lines {
	unsigned version;
	uint8_t min_insn, opcode_base, line_range;
	int8_t line_base;
	bool stmt;	       /* initially */
	uint8_t operands[256]; /* of standard opcodes */
	uint64_t names;	       /* its tables of folders and files */
	uint64_t program;      /* its first instruction */
};
/* Behind the length; r is then at the names. */
struct dw_lines dw_read_lines(const struct object *o, const struct section *s, struct reader *r,
	const struct dw_length *len);

/* The label that the relocation at field names; sec is NULL when there is none. */
struct place dw_place(const struct object *o, const struct section *s, uint64_t field);
static inline bool dw_moves(const struct place *p)
{
	return p->sec && p->sec->map;
}
/* The new offset of p + off.  fatal_at(s, at) when that is outside p's section. */
uint64_t dw_new(const struct place *p, uint64_t off, enum ref_use use, const struct section *s,
	uint64_t at);
/* The range of len bytes from p, which moves. */
struct dw_span dw_new_span(const struct place *p, uint64_t len, enum ref_use end,
	const struct section *s, uint64_t at);
/* Note that debug information describes these bytes, from p's offset, by two places in p. */
void dw_note(const struct place *p, uint64_t from, uint64_t to, bool base);
/* Append its length to the output in so many bits; 0: ULEB128. */
void dw_put_span(struct recode *rc, const struct dw_span *s, unsigned bits);
/* Entry index of the address table at base. */
struct place dw_addrx(const struct object *o, const struct place *base, uint64_t index);

/* Of struct field_ref, by section and offset; for sort(). */
int dw_cmp_ref(const void *a, const void *b);

bool section_named(const struct section *s, const char *name);

/* Walk the units of a .debug_info section (debug_info.c). */
void debug_info_walk(struct dwarf *d, struct section *s);
/*
 * Once all units and lists have been seen: turn the uses of address tables into refs, or into new
 * entries, which debug_addr_append() adds to rc's input.
 */
void debug_addr_resolve(struct dwarf *d);
void debug_addr_append(const struct dwarf *d, struct recode *rc);
/*
 * Once the units have been seen: the fields of units that grow become patches; once all
 * patches are sorted, the sections they are in get maps (debug_grow.c).
 */
void debug_units_grow(struct dwarf *d);
void debug_grow_maps(struct dwarf *d);
/* Rewrite one section each. */
void debug_line_rewrite(struct object *o, struct section *s);
void debug_aranges_rewrite(struct object *o, struct section *s);
void debug_frame_rewrite(struct object *o, struct section *s);
void sframe_rewrite(struct object *o, struct section *s);
void bb_addr_map_rewrite(struct object *o, struct section *s);
/* .debug_ranges, .debug_loc, .debug_rnglists, .debug_loclists: lists [i, end) are in s. */
void debug_lists_rewrite(struct dwarf *d, struct section *s, size_t i, size_t end);

#endif
