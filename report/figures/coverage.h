/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.h - which lines, branches and functions of the source were executed, by file
 *
 * The count of a line has the meaning that it has in gcov: see visits.h.  If a line has code in
 * several places (copies of inlined functions, instances of a template, several objects), their
 * counts are added.  Lines excluded by comments are left out: see excluded.h.
 */
#ifndef LDX_REPORT_COVERAGE_H
#define LDX_REPORT_COVERAGE_H

#include "base/base.h"
#include "report/figures/filter.h"
#include "report/read/program.h"

struct cover_line {
	uint32_t number; /* from 1 */
	bool known;	 /* is the count known? */
	uint64_t count;	 /* 0 or 1 in mode cover */
};

/* An edge out of a jump. */
struct cover_branch {
	uint32_t line;
	uint32_t jump; /* number among the jumps of the line, from 0 */
	uint32_t way;  /* number of the edge, from 0; the fall-through edge comes first */
	bool reached;  /* was the jump executed? */
	uint64_t count;
};

struct cover_func {
	const char *name; /* as in the symbol table */
	uint32_t line;	  /* 0: not known */
	bool known;	  /* is the number of calls known? */
	bool run;	  /* was it called? */
	uint64_t calls;	  /* 0 or 1 in mode cover */
};

/* How many there are, and how many of them were executed. */
struct cover_sum {
	struct cover_part {
		size_t found, hit;
	} lines, branches, funcs;
};

struct cover_file {
	const char *group;		 /* see enum cover_by; "": there are no groups */
	const char *path;		 /* as shown: mapped, relative to the root of the sources */
	const char *place;		 /* path of the readable file; NULL: there is none */
	VEC(struct cover_line) line;	 /* by number, each once */
	VEC(struct cover_branch) branch; /* by line, jump, way */
	VEC(struct cover_func) func;	 /* by line, name */
	struct cover_sum sum;
};

enum cover_by { COVER_BY_FILE, COVER_BY_DIRECTORY, COVER_BY_OBJECT, COVER_BY_MEMBER };

struct cover_options {
	const struct filter *filter, *exclude; /* for functions, files as shown, objects */
	enum cover_by by;      /* a file has a group for each object, or each input of the map */
	char *const *prefixes; /* OLD=NEW: the last one that matches replaces OLD by NEW */
	size_t nprefixes;
	const char *root; /* files in it are shown relative to it; NULL: none */
};

struct coverage {
	struct cover_file *file; /* by group and path */
	size_t nfiles;
	struct cover_sum sum;
	bool marks;		  /* counts are 0 or 1 */
	bool lines;		  /* are there lines with counts? */
	bool branches;		  /* does any map have edges? */
	size_t opaque, no_source; /* functions without blocks, and without debug information */
};

struct coverage coverage_make(const struct run *run, const struct cover_options *opt);

/* Is the function's line known? */
bool cover_func_has_line(const struct cover_func *f);

/* Does the file have lines with counts, or such a function? */
bool cover_file_has_lines(const struct cover_file *f);

/* Add b, which is the sum of other lines, to a. */
void cover_sum_add(struct cover_sum *a, const struct cover_sum *b);

/* hit/found in tenths of a per cent, rounded down; 1000 if found is 0. */
unsigned cover_permille(struct cover_part p);

/*
 * Writers for other tools, which know only lines, so files without lines are left out.  Names of
 * functions are mangled or not.
 */
void coverage_lcov(const struct coverage *c, bool mangled, FILE *out);
void coverage_cobertura(const struct coverage *c, const char *root, bool mangled, FILE *out);
void coverage_gcovr(const struct coverage *c, bool mangled, FILE *out);

#endif
