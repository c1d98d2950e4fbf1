/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static_map.h - the static map of an instrumented program, read into tables
 *
 * See runtime/abi.h and ldx-map(5) for the format.
 */
#ifndef LDX_REPORT_STATIC_MAP_H
#define LDX_REPORT_STATIC_MAP_H

#include "base/base.h"
#include "report/common/util.h"
#include "runtime/abi.h"

#include <stdbool.h>
#include <stddef.h>

enum { NO_COUNTER = -1 };

struct map_block {
	uint64_t offset; /* from the function's start, in the original code */
	uint64_t length; /* bytes of original code */
	uint64_t insns;
	uint64_t address;   /* of its first original instruction, in this program */
	uint64_t flags;	    /* LDX_BLOCK_* */
	int64_t counter;    /* or NO_COUNTER */
	uint64_t nruns;	    /* see map_runs() */
	struct reader runs; /* LDX_BLOCK_APART: the encoded runs; else empty */
};

struct map_edge {
	uint64_t from, to; /* 1 + the number of the block in its function; 0: outside */
	uint64_t flags;	   /* LDX_EDGE_* */
	int64_t counter;   /* or NO_COUNTER */
};

struct map_func {
	uint64_t address; /* in this program; 0: not in it */
	const char *name, *section, *file;
	const char *input;  /* the object, or archive(member), that it is from; "": not known */
	const char *reason; /* why it is opaque; "" if it is not */
	uint64_t offset;    /* in its input section */
	uint64_t size;
	uint64_t flags;	       /* LDX_FUNC_* */
	int64_t entry;	       /* its counter of entries, or NO_COUNTER */
	size_t block, nblocks; /* its first block, and how many */
	size_t edge, nedges;   /* the same; 0: not in the map */
	bool read;	       /* its blocks and edges have been read */
	const uint8_t *flow;   /* their records */
	uint64_t flow_size;
	int64_t before;		   /* the last counter before them */
	int64_t lowest, ncounters; /* they have counters from lowest to lowest + ncounters - 1 */
	const uint8_t *callers;	   /* numbers (uleb) of counters whose sum is that of entries */
	uint64_t ncallers;	   /* how many; 0: another count tells it */
};

/* A variable of a tool: at and size in bytes, from the first cell on. */
struct map_variable {
	const char *tool, *name;
	uint64_t at, size;
};

struct static_map {
	uint64_t build, ncounters;
	uint32_t mode, machine;
	struct map_func *func;
	size_t nfuncs;
	struct map_block *block;
	size_t nblocks;
	struct map_edge *edge;
	size_t nedges;
	struct map_variable *variable;
	size_t nvariables;
	const char *path;
	bool big, relaxed;
};

/*
 * Read the n bytes at data, from the file path, but for the functions' blocks and edges; die() if
 * they are damaged.  Names point into data.
 */
void static_map_read(struct static_map *m, const char *path, const uint8_t *data, size_t n);

/* Read the blocks and edges of a function, once; die() if they are damaged. */
void static_map_flow(const struct static_map *m, struct map_func *f);

/*
 * The runs of a block's instructions, the first at the block's address: insns adjacent
 * instructions, then skip bytes up to the next run.  Instructions in no run are padding at the
 * block's end, which was laid out anew.
 */
struct map_runs {
	struct reader rest;
	uint64_t left; /* runs that follow */
	uint64_t insns, skip;
};
struct map_runs map_runs(const struct map_block *b);
bool map_next_run(struct map_runs *r); /* false: there are no more */

/* Is any of its instructions in this program?  If not, address is where they would be. */
bool map_is_placed(const struct map_block *b);

/* Does the program have marks instead of counters (mode cover)? */
bool map_has_marks(const struct static_map *m);

const char *mode_name(uint32_t mode);

#endif
