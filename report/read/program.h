/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.h - an instrumented program or shared object: its map, its counts, its code
 */
#ifndef LDX_REPORT_PROGRAM_H
#define LDX_REPORT_PROGRAM_H

#include "report/read/profile.h"
#include "report/read/solve.h"
#include "report/read/static_map.h"
#include "report/common/util.h"

/* Bytes of the program that are loaded at address. */
struct segment {
	uint64_t address, size;
	const uint8_t *data;
	bool executable;
};

/* What reads its code and its debug information, made when first needed; or NULL. */
struct program_readers {
	struct decoder *decoder; /* see insn_decoder() */
	struct source *source;	 /* see source_open() */
};

struct program {
	const char *path;
	bool library;		     /* a shared object, not a program */
	bool big;		     /* its numbers have the most significant byte first */
	uint8_t word;		     /* bytes of an address */
	const struct platform *on;   /* NULL: not known */
	const struct target *target; /* the same */
	const char *pattern;	     /* --ldx-profile of its link; NULL: none */
	struct input file;
	struct segment *segment;
	size_t nsegments;
	uint64_t dynamic; /* the address of the dynamic section; 0: it has none */
	struct static_map map;
	struct profile profile;
	struct counts counts; /* of functions that were executed, and others: see program_flow() */
	struct program_readers *readers; /* never NULL */
};

/*
 * Read the map and the code of the file at path.  False: it does not exist, or is not
 * instrumented; die() if it is damaged.
 */
bool program_open(struct program *p, const char *path);

/* The build of the program or shared object at path; false: it does not exist, or has none. */
bool program_build(const char *path, uint64_t *build);

/* A program, followed by the shared objects that it ran with. */
struct run {
	struct program *v;
	size_t n;
};

/*
 * Read the program at path and the profiles in files, or its own profile if nfiles is 0.  die() if
 * something is missing or does not match; a shared object that has changed since it ran is left out
 * with a warning.
 */
void run_open(struct run *r, const char *path, char *const *files, int nfiles);

/* Forked processes and threads whose counts are in no profile. */
struct lost {
	uint64_t processes, threads;
};
struct lost run_lost(const struct run *r);

/* die() unless the mode records which blocks were executed; unless it records how often. */
void run_need_blocks(const struct run *r);
void run_need_counts(const struct run *r);

/*
 * Read the blocks and edges of a function, and derive their counts, unless that has been done.  It
 * has for each function that was executed; for others, func_sum() needs no more than the counters.
 */
void program_flow(const struct program *p, const struct map_func *f);
bool program_has_flow(const struct program *p, const struct map_func *f);
/* The same for all functions. */
void run_flows(const struct run *r);

/* The code at address, and the number of bytes from there on; NULL: no code there. */
const uint8_t *program_code(const struct program *p, uint64_t address, uint64_t *n);

/*
 * Counts; false: the count is unknown.  In mode cover the count of a block is 1 if it was executed,
 * else 0, and the count of calls is known only if it is 0.
 */
bool block_count(const struct program *p, const struct map_block *b, uint64_t *count);
bool edge_count(const struct program *p, const struct map_edge *e, uint64_t *count);
bool func_calls(const struct program *p, const struct map_func *f, uint64_t *calls);
/* Is the function in the program?  Functions removed by --gc-sections are in the map only. */
bool func_linked(const struct program *p, const struct map_func *f);

/* The origin of the function in the map: the linker's input, else the source file; or "". */
const char *func_origin(const struct map_func *f);

/* Sums over a function's blocks. */
struct func_sum {
	uint64_t insns; /* instructions executed */
	size_t counted; /* blocks whose counts are known */
	size_t covered; /* of those, executed */
	uint64_t calls;
	bool calls_known, insns_known;
	bool run; /* executed at all */
};
struct func_sum func_sum(const struct program *p, const struct map_func *f);

#endif
