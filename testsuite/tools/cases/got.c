/* Addresses of accesses in code that finds variables by the GOT, where the linker needs no GOT. */
//# flags: -O2 -fPIC -no-pie -rdynamic
#if defined ASKS
#include <ldx/tool.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	const ldx_func *f = ldx_find_func(o, "work");
	for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
		for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
			for (unsigned n = 0; n < ldx_insn_accesses(i); n++) {
				ldx_arg address = ldx_access_address(i, n);
				ldx_call(ldx_before(i), "access", 1, &address);
			}
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "got", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t found[1];

LDX_ROUTINE void access(unsigned long address)
{
	unsigned long word = address & -sizeof word;
	ldx_add(found, [0], *(unsigned *)word == 0x5eed1e55);
}
#else
#include <stdio.h>

unsigned seed __attribute__((aligned(16))) = 0x5eed1e55;

__attribute__((noipa)) unsigned work(unsigned n)
{
	return *(volatile unsigned *)&seed + n;
}

int main(void)
{
	for (unsigned i = 0; i < 9; i++)
		work(i);
	puts("found 0 9");
	return 0;
}
#endif
