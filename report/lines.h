/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - the instructions executed by line of the source and by function of the source
 *
 * An inlined function's instructions are its own, not those of the function that it was inlined
 * into, as they would be if it had been called.
 */
#ifndef LDX_REPORT_LINES_H
#define LDX_REPORT_LINES_H

#include "base/base.h"
#include "report/filter.h"
#include "report/insns.h"
#include "report/source.h"

/* A line in a function. */
struct line {
	const struct program *p;
	const struct source_func *func; /* NULL: not known */
	const struct map_func *symbol;	/* that has its code; NULL: all of it was inlined */
	const char *file;		/* NULL: not known */
	uint32_t number;		/* 0: the compiler's own code, or not known */
	uint64_t place;			/* see source.h; 0 when folded */
	uint64_t insns;			/* executed */
	uint64_t copied;		/* of these, where the function was inlined */
	uint64_t inlined;		/* executed in functions that were inlined at this line */
	/*
	 * Of the line's instruction that was executed most often; the sum of these where the
	 * function is in several places.
	 */
	uint64_t count;
	bool known; /* is any of these counts? */
};

typedef VEC(struct line) lines;

/*
 * Add the instruction, whose frames are v, to its line, and to the `inlined' of the lines of the
 * n - 1 further frames.  all: these are all its frames, so that the last one's code is not inlined.
 */
void lines_add(lines *l, const struct insn_at *in, const struct source_frame *v, size_t n,
	bool all);

/* Join what is one line, or with functions what is one function: of the first one's line. */
void lines_fold(lines *l, bool functions);

/*
 * The lines that the filter takes, by the name of the function that has the code or by the file of
 * the line; without_zero: of functions that were executed.
 */
lines lines_find(const struct run *run, const struct filter *filter, bool without_zero);

/* The name to show, as it is in the symbol table. */
const char *line_function(const struct line *l);

#endif
