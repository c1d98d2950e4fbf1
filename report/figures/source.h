/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - the debug information of an object, by address
 *
 * Read by elfutils' libdw: DWARF 2 to 5, compressed, split, or in a separate file.
 */
#ifndef LDX_REPORT_SOURCE_H
#define LDX_REPORT_SOURCE_H

#include "report/read/program.h"

/* A function of the source: an out-of-line one, or one that was inlined. */
struct source_func {
	const char *name; /* mangled; the plain name if the compiler gives no other, as for local
			     functions */
	const char *file; /* where it is declared; NULL: not known */
	uint32_t line;	  /* of its declaration; 0: not known */
};

/* A place in the source, and the function that it is in. */
struct source_frame {
	const struct source_func *func; /* NULL: not known */
	const char *file;		/* absolute if the compiler's directory is known */
	uint32_t line;			/* 0: the compiler's own code */
	uint32_t discriminator;
	uint64_t place; /* the same for all code of one copy of the function; 0: not known */
};

struct source;

/*
 * p must outlive it.  Never NULL: without debug information no address has frames.  A program has
 * one only, which is read once.
 */
struct source *source_open(const struct program *p);

bool source_has_lines(const struct source *s);

/* Does the debug information cover a block of the function?  This reads no unit. */
bool source_covers(struct source *s, const struct map_func *f);

/*
 * The frames of the instruction at address, the innermost inlined function first, the function that
 * contains the code last.  0: not known.  *v is valid until the next call; strings and functions
 * remain valid, and equal functions or files have equal pointers.
 */
size_t source_frames(struct source *s, uint64_t address, const struct source_frame **v);

/* A row of the line table: code of that line. */
struct source_row {
	const char *file;
	uint32_t line;
	bool statement; /* code of a statement from its beginning on (is_stmt) */
};

/*
 * The rows for the instruction at address, and for the code inserted before it, which begins at
 * from: see insns.h.  The last row is that of the instruction; if it has no row of its own, the row
 * before it that applies.  The others have no code.  *v is valid until the next call.
 */
size_t source_rows(struct source *s, uint64_t from, uint64_t address, const struct source_row **v);

/*
 * Does a statement of the source (is_stmt of the line table) begin at the instruction at address,
 * or at the code inserted before it, which begins at from: see insns.h?
 */
bool source_begins_statement(struct source *s, uint64_t from, uint64_t address);

#endif
