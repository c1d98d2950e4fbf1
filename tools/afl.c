/* SPDX-License-Identifier: Apache-2.0 */
/*
 * afl.c - coverage for AFL++: afl-fuzz fuzzes a program whose libraries were not compiled for it
 *
 * Each block has a byte of the map, and each edge from a branch to a block that has several
 * predecessors, as such an edge is not known by its blocks.
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
	ldx_arg id = ldx_number(1 + places % (limit - 1));
	return ldx_call(site, "executed", 1, &id) && ++places;
}

static void mark_edges(const ldx_func *f, uint32_t first, uint32_t n)
{
	unsigned *out = calloc(2 * n + 1, sizeof *out), *in = out + n;
	for (const ldx_edge *e = NULL; out && (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		if (from)
			out[ldx_block_id(from) - first]++;
		if (to)
			in[ldx_block_id(to) - first]++;
	}
	for (const ldx_edge *e = NULL; out && (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		if (from && to && ldx_edge_kind(e) != LDX_EDGE_TABLE &&
			out[ldx_block_id(from) - first] > 1 && in[ldx_block_id(to) - first] > 1)
			place(ldx_at_edge(e));
	}
	free(out);
}

static void instrument(const ldx_object *o)
{
	limit = ldx_option_number("size");
	if (limit < 64 || limit > 1 << 20)
		ldx_fail("the size is from 64 to 1M");
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		uint32_t first = 0, n = 0;
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b)); n++) {
			first = n ? first : ldx_block_id(b);
			place(ldx_at_block(b));
		}
		if (n)
			mark_edges(f, first, n);
	}
	ldx_arg size = ldx_number(places < limit ? places + 1 : limit);
	if (!ldx_call(ldx_at_event(LDX_EVENT_BEGIN), "begin", 1, &size))
		ldx_fail("%s", ldx_refused());
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "afl", "coverage and a fork server for AFL++",
	options, instrument};
