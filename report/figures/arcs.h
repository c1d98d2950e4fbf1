/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arcs.h - what a tool has measured of calls: the variables ldx_inclusive and ldx_arcs of a tool,
 * see ldxprof(5)
 */
#ifndef LDX_REPORT_ARCS_H
#define LDX_REPORT_ARCS_H

#include "report/read/program.h"

struct arcs {
	const uint64_t *inclusive; /* by block; NULL: not measured */
	size_t blocks;
	const uint64_t *pending; /* by block: calls that have not ended; NULL: none */
	const uint64_t *known;	 /* two bits by block; NULL: all calls were measured */
	bool stopped;	   /* calls may have been open when their thread or process was stopped */
	const uint64_t *v; /* entries of ARC_WORDS words, sorted; NULL: not measured */
	size_t n;
};
enum { ARC_BLOCK, ARC_TO, ARC_CALLS, ARC_INCLUSIVE, ARC_WORDS };

struct arcs arcs_of(const struct program *p);

/* Instructions executed from the call at the block's end until its return; false: not known. */
bool arcs_inclusive(const struct arcs *a, uint64_t block, uint64_t *insns);

/* Are all ways into and out of the function with this first block calls that the tool knows? */
bool arcs_enclosed(const struct arcs *a, uint64_t block);

/* The entries of indirect calls at the end of block number block; NULL: there are none. */
const uint64_t *arcs_from(const struct arcs *a, uint64_t block, size_t *n);

/* The callee of an entry, of a call in function f; false: it is not in the object. */
bool arc_address(const struct program *p, const struct map_func *f, const uint64_t *arc,
	uint64_t *address);

#endif
