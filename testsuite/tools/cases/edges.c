/*
 * Calls on edges: what enters each block by edges, and what leaves it by them, is its count, except
 * for what comes from outside and goes there; a loop's rounds by its edges back.
 */
//# flags: -O2
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static uint32_t first;

/* Entries of some tables cannot be told apart: then the block of the jump is left out. */
static bool is_whole(const ldx_func *f, const ldx_block *b)
{
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));)
		if (ldx_edge_from(e) == b && ldx_edge_kind(e) == LDX_EDGE_TABLE &&
			!ldx_at_edge(e).place)
			return false;
	return true;
}

static void ask(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		ldx_arg id = ldx_number(ldx_block_id(b) - first);
		if (is_whole(f, b) && !ldx_call(ldx_at_block(b), "block", 1, &id))
			ldx_fail("a block: %s", ldx_refused());
	}
	for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));) {
		const ldx_block *from = ldx_edge_from(e), *to = ldx_edge_to(e);
		ldx_arg ends[] = {ldx_number(from ? ldx_block_id(from) - first : 63),
			ldx_number(to ? ldx_block_id(to) - first : 63)};
		if (from && is_whole(f, from) && !ldx_call(ldx_at_edge(e), "edge", 2, ends))
			ldx_fail("an edge of kind %d: %s", ldx_edge_kind(e), ldx_refused());
	}
	for (const ldx_loop *l = NULL; (l = ldx_next_loop(f, l));) {
		ldx_arg id = ldx_number(ldx_block_id(ldx_loop_head(l)) - first);
		ldx_call(ldx_at_block(ldx_loop_head(l)), "loop", 1, &id);
		if (!ldx_loop_has(l, ldx_loop_head(l)) || ldx_block_depth(ldx_loop_head(l)) < 1)
			ldx_fail("a loop without its header");
	}
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		if (!strcmp(ldx_func_name(f), "work")) {
			first = ldx_block_id(ldx_next_block(f, NULL));
			ask(f);
		}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "edges", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

/* wrong: by how much, over all blocks, the sum of a block's edges out differs from its count */
LDX_THREAD uint64_t blocks[64], out[64], in[64], loops[1], wrong[1];

LDX_ROUTINE void block(unsigned long b)
{
	ldx_add(blocks, [b], 1);
	ldx_add(wrong, [0], 1);
}
LDX_ROUTINE void edge(unsigned long from, unsigned long to)
{
	ldx_add(out, [from], 1);
	ldx_add(in, [to], 1);
	ldx_add(wrong, [0], -1);
}
LDX_ROUTINE void loop(unsigned long head)
{
	(void)head;
	ldx_add(loops, [0], 1);
}
#else
#include <stdio.h>

/* Every block leaves by one edge: as many edges as blocks. */
__attribute__((noipa)) unsigned work(unsigned n, unsigned how)
{
	unsigned sum = 1;
	while (n--)
		switch (how++ % 8) {
		case 0: sum += 17; break;
		case 1: sum ^= n; break;
		case 2: sum *= 5; break;
		case 3: sum -= how; break;
		case 4: sum = sum << 3 | sum >> 29; break;
		case 5: sum = ~sum; break;
		case 6:
			if (sum & 1)
				sum += n * 3;
			break;
		default: sum |= 4;
		}
	return sum;
}

int main(void)
{
	unsigned all = 0;
	for (unsigned i = 0; i < 50; i++)
		all += work(i, i / 2);
	fprintf(stderr, "%u\n", all);
	puts("wrong 0 0\nin 63 50");
	return 0;
}
#endif
