/* SPDX-License-Identifier: Apache-2.0 */
/* regions.h - where functions and other regions may start, and decoding (regions.c) */
#ifndef LDX_CFG_REGIONS_H
#define LDX_CFG_REGIONS_H

#include "cfg/refs.h"

/* An offset where a function or another region may start. */
struct mark {
	uint64_t off, end; /* end: of a sized function; else off */
	uint32_t sym;
	uint8_t rank; /* of several marks at one offset the highest gives the name */
};

enum { RANK_END, RANK_CALL, RANK_OBJECT, RANK_NOTYPE, RANK_FUNC };

typedef VEC(struct mark) mark_vec;

/* Marks by text section, in CSR form: those of section c are v[first[c]..first[c + 1]). */
struct marks {
	mark_vec v;
	uint32_t *first;
};

/*
 * Symbols cut a section into regions.  A region is code when a function symbol or an
 * unwind entry says so, or when code branches, calls or falls into it.  Any other
 * region may be data, and its branches are not followed.
 */
struct region {
	uint64_t off;
	bool code;
	bool data; /* certainly not code: an object, read as data, undecodable */
};

typedef VEC(uint32_t) region_vec;

struct regions {
	VEC(struct region) v;
	uint32_t *first; /* by text, CSR */
	region_vec work; /* code that regions_spread() is to scan */
};

void marks_collect(struct cfg *g, struct marks *m);
void cfg_foreign(struct cfg *g, const struct marks *m);
int mark_cmp(const void *a, const void *b); /* by offset, highest rank first; for sort() */
offset_set hard_starts(struct cfg *g, const struct code_section *c, const struct mark *m, size_t n);

/*
 * Decode all sections.  hard, by section: offsets where decoding starts afresh; bad: where it
 * found no instruction.
 */
void decode_sections(struct cfg *g, const offset_set *hard, mark_vec *bad);

uint32_t region_at(const struct regions *rs, uint32_t text, uint64_t off);
void regions_cut(struct cfg *g, struct regions *rs, uint32_t text, const struct mark *m, size_t n,
	const uint64_t *hard);

/* From unwind tables: landing pads are labels, functions are code. */
void regions_unwind(struct cfg *g, struct regions *rs);

/* Scan all code: its targets are labels, and the regions that hold them are code too. */
void regions_spread(struct cfg *g, struct regions *rs);

void regions_unproved(struct cfg *g, const struct regions *rs, uint32_t text);
unsigned symbol_rank(const struct target *t, const struct symbol *s);

#endif
