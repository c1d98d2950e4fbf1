/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.h - what of a source was executed: its lines, branches and functions, by file
 *
 * The count of a line is what gcov calls so: see visits.h.  A line whose code is in several places,
 * in copies of an inlined function, in instances of a template or in several objects, has their
 * sum. What a comment excludes is not there: see excluded.h.
 */
#ifndef LDX_REPORT_COVERAGE_H
#define LDX_REPORT_COVERAGE_H

#include "base/base.h"
#include "report/filter.h"
#include "report/program.h"

struct cover_line {
	uint32_t number; /* from 1 */
	bool known;	 /* is the count? */
	uint64_t count;	 /* 0 or 1 where there are marks */
};

/* One of the ways out of a jump. */
struct cover_branch {
	uint32_t line;
	uint32_t jump; /* of the jumps of the line, from 0 */
	uint32_t way;  /* from 0; that of a conditional jump which falls through first */
	bool reached;  /* was the jump executed? */
	uint64_t count;
};

struct cover_func {
	const char *name; /* as in the symbol table */
	uint32_t line;	  /* 0: not known */
	bool known;	  /* is the number of calls? */
	bool run;	  /* was it called? */
	uint64_t calls;	  /* 0 or 1 where there are marks */
};

/* All there is to execute, and what of it was. */
struct cover_sum {
	struct cover_part {
		size_t found, hit;
	} lines, branches, funcs;
};

struct cover_file {
	const char *group; /* see enum cover_by; "": there are no groups */
	const char *path;  /* as it is shown: mapped, relative to the root of the sources */
	const char *place; /* where it can be read; NULL: nowhere */
	VEC(struct cover_line) line;	 /* by number, each once */
	VEC(struct cover_branch) branch; /* by line, jump, way */
	VEC(struct cover_func) func;	 /* by line, name */
	struct cover_sum sum;
};

enum cover_by { COVER_BY_FILE, COVER_BY_DIRECTORY, COVER_BY_OBJECT, COVER_BY_MEMBER };

struct cover_options {
	const struct filter *filter, *exclude; /* of functions, files as they are shown, objects */
	enum cover_by by;      /* a file has a group for each object, or each source of the map */
	char *const *prefixes; /* OLD=NEW: of the last that matches OLD becomes NEW */
	size_t nprefixes;
	const char *root; /* files in it are shown relative to it; NULL: none */
};

struct coverage {
	struct cover_file *file; /* by group and path */
	size_t nfiles;
	struct cover_sum sum;
	bool marks;		  /* counts tell what was executed, not how often */
	bool lines;		  /* are there any with counts? */
	bool branches;		  /* does any map have edges? */
	size_t opaque, no_source; /* functions without blocks, and without debug information */
};

struct coverage coverage_make(const struct run *run, const struct cover_options *opt);

/* Can it be told by its line? */
bool cover_func_has_line(const struct cover_func *f);

/* Is there anything in the file that can be? */
bool cover_file_has_lines(const struct cover_file *f);

/* Add what b says of other lines. */
void cover_sum_add(struct cover_sum *a, const struct cover_sum *b);

/* Of a part in tenths of a per cent, rounded down: 1000 is all of it, as is nothing of nothing. */
unsigned cover_permille(struct cover_part p);

/*
 * Writers for other tools, which know nothing but lines: files without are left out.  Names of
 * functions are mangled or not.
 */
void coverage_lcov(const struct coverage *c, bool mangled, FILE *out);
void coverage_cobertura(const struct coverage *c, const char *root, bool mangled, FILE *out);
void coverage_gcovr(const struct coverage *c, bool mangled, FILE *out);

#endif
