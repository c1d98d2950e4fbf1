/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.h - the instructions executed, by line and by function of the source
 *
 * The instructions of an inlined function are its own, not those of the function into which it was
 * inlined.
 */
#ifndef LDX_REPORT_LINES_H
#define LDX_REPORT_LINES_H

#include "base/base.h"
#include "report/figures/filter.h"
#include "report/figures/insns.h"
#include "report/figures/source.h"

/* A line in a function. */
struct line {
	const struct program *p;
	const struct source_func *func; /* NULL: not known */
	const struct map_func *symbol;	/* function that contains the code; NULL: all was inlined */
	const char *file;		/* NULL: not known */
	uint32_t number;		/* 0: the compiler's own code, or not known */
	uint64_t place;			/* see source.h; 0 when folded */
	uint64_t insns;			/* executed */
	uint64_t copied;		/* of these, in inlined copies of the function */
	uint64_t inlined;		/* executed in functions that were inlined at this line */
	/*
	 * The count of the line's most often executed instruction, summed over the copies of the
	 * function.
	 */
	uint64_t count;
	bool known; /* is any of these counts known? */
};

typedef VEC(struct line) lines;

/*
 * Add the instruction, whose frames are v, to its line, and to `inlined' of the lines of the n - 1
 * outer frames.  all: these are all its frames, so the code of the last one is not inlined.
 */
void lines_add(lines *l, const struct insn_at *in, const struct source_frame *v, size_t n,
	bool all);

/* Join entries of the same line, or with functions those of the same function. */
void lines_fold(lines *l, bool functions);

/*
 * The lines that the filter takes, by the function that contains the code or the file of the line;
 * without_zero: only those of functions that were executed.
 */
lines lines_find(const struct run *run, const struct filter *filter, bool without_zero);

/* The name of the line's function, as it is in the symbol table. */
const char *line_function(const struct line *l);

#endif
