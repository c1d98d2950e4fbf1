/* A call at each block and before each instruction: as often as the program's counters say. */
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void ask(const ldx_func *f)
{
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));) {
		ldx_arg ends = ldx_number(ldx_block_end(b) == LDX_END_RETURN);
		if (!ldx_call(ldx_at_block(b), "block", 1, &ends))
			ldx_fail("%s: %s", ldx_func_name(f), ldx_refused());
		unsigned last = 0;
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
			ldx_call(ldx_before(i), "insn", 0, NULL);
			last = ldx_insn_class(i);
		}
		if (!(last & LDX_CLASS_RETURN) != (ldx_block_end(b) != LDX_END_RETURN))
			ldx_fail("classes 0x%x at the end %d", last, ldx_block_end(b));
	}
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		if (!strcmp(ldx_func_name(f), "work"))
			ask(f);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "blocks", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t blocks[2], insns[1];

LDX_ROUTINE void block(unsigned long ends)
{
	ldx_add(blocks, [0], 1);
	ldx_add(blocks, [1], ends);
}
LDX_ROUTINE void insn(void)
{
	ldx_add(insns, [0], 1);
}
#else
#include <stdio.h>

/* One that returns at the end of one block only. */
__attribute__((noinline)) unsigned work(const unsigned char *p, unsigned n)
{
	unsigned long long sum = n;
	while (n--) {
		sum = sum * 31 + p[n];
		if (sum & 1)
			sum ^= sum >> 7;
	}
	return (unsigned)sum;
}

int main(void)
{
	unsigned char bytes[100];
	unsigned x = 1, all = 0;
	for (unsigned i = 0; i < 100; i++)
		bytes[i] = (unsigned char)(x = x * 69069 + 1) ^ i;
	for (unsigned i = 0; i < 100; i++)
		all += work(bytes, i);
	fprintf(stderr, "%u\n", all);
	puts("blocks 1 100");
	return 0;
}
#endif
