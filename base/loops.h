/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loops.h - the loops of a graph
 *
 * One depth-first search finds them: an edge to a node of the current path is a back edge,
 * wherever the code stands.  Membership is propagated when the search returns (Wei, Mao, Zou and
 * Chen, "A new algorithm for identifying loops in decompilation", 2007).  The head of an
 * irreducible loop is the entry that the search meets first.
 */
#ifndef LDX_BASE_LOOPS_H
#define LDX_BASE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_NODE = UINT32_MAX };

struct loop_node {
	uint32_t head; /* of the innermost loop that has the node, and is not its own; or NO_NODE */
	uint32_t next; /* the successor to be visited next */
	uint32_t path; /* 1 + its place on the path of the search; 0: it is not on it */
	bool seen, is_head;
};

struct loop_search {
	/* Successor k, or NO_NODE where that is no node of the graph.  False: there are no more. */
	bool (*successor)(const void *ctx, uint32_t node, uint32_t k, uint32_t *to);
	const void *ctx;
	struct loop_node *node; /* of the caller, cleared by loops_clear() */
	uint32_t *path, *order; /* of the caller; order: nodes that were reached, in postorder */
	uint32_t depth, norder;
};

void loops_clear(struct loop_search *s, size_t n);

/* Search from a root, if it was not reached before. */
void loops_from(struct loop_search *s, uint32_t root);

#endif
