/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afl.c - coverage for AFL++: afl-fuzz fuzzes a program whose libraries were not compiled for it
 *
 * Its map has a byte for each place, which counts how often control came there.
 */
#include <ldx/tool.h>
#include <stdlib.h>

static const struct ldx_option options[] = {
	{"size", "N", "1M", "bytes of the map that are used at most, up to 1M"},
	{0},
};

static uint64_t places, limit;

static bool place(ldx_site site)
{
	return ldx_count_byte(site, "map", 1 + places % (limit - 1)) && ++places;
}

/* A function's blocks: how many edges lead to each, and away from it. */
struct block {
	const ldx_block *b;
	unsigned in, out;
	bool entered;	/* from outside */
	bool continues; /* the one in front of it, which leads nowhere else */
	bool ends;	/* control does not go on, or to where others lead, too */
};

/* Behind a call that may not return, control comes from outside. */
static void count_edges(const ldx_func *f, struct block *block, uint32_t first)
{
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		if (from)
			block[ldx_block_id(from) - first].out++;
		if (to)
			block[ldx_block_id(to) - first].in++;
		if (to && !from)
			block[ldx_block_id(to) - first].entered = true;
	}
}

/* Blocks that nothing but one other leads to, and that follow it or its call, are one with it. */
static void find_chains(const ldx_func *f, struct block *block, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		block[i].ends = !block[i].out;
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		struct block *b = from ? &block[ldx_block_id(from) - first] : NULL;
		struct block *next = to ? &block[ldx_block_id(to) - first] : NULL;
		if (!b || b->out > 1)
			continue;
		if (!next && ldx_calls(from) && b + 1 < block + n)
			next = b + 1;
		if (next && next->in == 1 && (to || next->entered))
			next->continues = true;
		else
			b->ends = true;
	}
}

/*
 * As compilers place them: what is executed shows in where control goes next.  So places are at
 * functions' entries, on edges from a block with several to a block with several, and in blocks
 * that only one edge leads to and from which control goes nowhere, or to where others lead.  Where
 * code cannot stand on an edge, it stands in the block behind it.
 */
static void mark(const ldx_func *f, struct block *block, uint32_t n)
{
	uint32_t first = ldx_block_id(block[0].b);
	count_edges(f, block, first);
	find_chains(f, block, first, n);
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		struct block *next = to ? &block[ldx_block_id(to) - first] : NULL;
		if (from && block[ldx_block_id(from) - first].out > 1 && (!next || next->in > 1) &&
			!place(ldx_at_edge(e)) && next)
			next->entered = true;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t last = i;
		while (last + 1 < n && block[last + 1].continues)
			last++;
		if (!block[i].continues &&
			(!i || block[i].entered || (block[i].in == 1 && block[last].ends)))
			place(ldx_at_block(block[i].b));
	}
}

static void instrument(const ldx_object *o)
{
	limit = ldx_option_number("size");
	if (limit < 64 || limit > 1 << 20)
		ldx_fail("the size is from 64 to 1M");
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		uint32_t n = 0;
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			n++;
		struct block *block = calloc(n + 1, sizeof *block);
		n = 0;
		for (const ldx_block *b = NULL; block && (b = ldx_next_block(f, b));)
			block[n++].b = b;
		if (n)
			mark(f, block, n);
		free(block);
	}
	ldx_arg size = ldx_number(places < limit ? places + 1 : limit);
	if (!ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "begin", 1, &size))
		ldx_fail("%s", ldx_refused());
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "afl", "coverage and a fork server for AFL++",
	options, instrument};
