/*
 * A call at each block of the program and its libraries, of a routine that changes all registers that
 * it may: each block is executed as often as its counter says, and the program does the same.  A call
 * on each edge of a jump by a table: the block that was executed last is the one with the jump.
 */
//# counts: blocks
#if defined ASKS
#include <ldx/tool.h>
#include <stdio.h>

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
			ldx_arg arg[] = {ldx_number(ldx_block_id(b)), ldx_stack(),
				ldx_number(~(uint64_t)ldx_block_id(b))};
			if (!ldx_call(ldx_at_block(b), "block", 3, arg))
				fprintf(stderr, "refused %u\n", ldx_block_id(b));
		}
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_edge *e = NULL; (e = ldx_next_edge(f, e));)
			if (ldx_edge_kind(e) == LDX_EDGE_TABLE) {
				ldx_arg from = ldx_number(ldx_block_id(ldx_edge_from(e)));
				ldx_call(ldx_at_edge(e), "entry", 1, &from);
			}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "everywhere", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t blocks[65536], wrong[1], last[1];

/* More values than registers that it must keep. */
static __attribute__((noinline)) unsigned long mix(unsigned long a, unsigned long b)
{
	unsigned long v[12], sum = 0;
	for (unsigned i = 0; i < 12; i++)
		v[i] = a = a * 5 + b;
	for (unsigned i = 0; i < 12; i++)
		sum += v[i] ^ v[11 - i] << 1 ^ v[(i + 5) % 12];
	return sum;
}

LDX_ROUTINE void block(unsigned long id, unsigned long sp, unsigned long not)
{
	ldx_add(blocks, [id & 65535], 1);
	ldx_data(last, [0]) = id;
	ldx_add(wrong, [0], ~id != not || sp % sizeof id || mix(id, sp) == 1);
}

LDX_ROUTINE void entry(unsigned long from)
{
	ldx_add(wrong, [0], ldx_data(last, [0]) != from);
}
#else
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

int main(void)
{
	char text[64][32];
	double sum = 0;
	for (int i = 0; i < 64; i++) {
		snprintf(text[i], sizeof text[i], "%d %.3f %s", i * 7919 % 64, i / 3.0, i % 2 ? "a" : "b");
		sum += strtod(text[i], NULL) + atof(text[i] + 2);
	}
	qsort(text, 64, sizeof *text, compare);
	fprintf(stderr, "%s %s %g\n", text[0], text[63], sum);
	char *copy = strdup(text[5]);
	puts(strcmp(copy, text[5]) ? "wrong 0 1" : "wrong 0 0");
	free(copy);
	return 0;
}
#endif
