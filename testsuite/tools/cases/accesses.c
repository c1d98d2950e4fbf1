/*
 * Addresses and lengths of accesses, in front of them: of words with the complements of their addresses, in all
 * kinds of memory and by all kinds of operands.
 */
//# flags: -O2 -fno-inline -fno-optimize-sibling-calls
#if defined ASKS
#include <ldx/tool.h>
#include <stdio.h>
#include <string.h>

static void ask(const ldx_insn *i)
{
	for (unsigned n = 0; n < ldx_insn_accesses(i); n++) {
		unsigned kind = ldx_access_kind(i, n);
		ldx_arg arg[] = {ldx_access_length(i, n), ldx_access_address(i, n),
			ldx_number(!!(kind & LDX_ACCESS_WRITE))};
		if (!ldx_call(ldx_before(i), "access", 3, arg))
			fprintf(stderr, "%s: %s: %s\n", ldx_func_name(ldx_block_func(ldx_insn_block(i))),
				ldx_insn_text(i), ldx_refused());
	}
}

static void instrument(const ldx_object *o)
{
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));)
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));)
				if (!strncmp(ldx_func_name(f), "work", 4))
					ask(i);
}
const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "accesses", "a test", NULL, instrument};
#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t reads[1], writes[1], bytes[2];

LDX_ROUTINE void access(unsigned long length, unsigned long address, unsigned long writing)
{
	unsigned long word = address & -sizeof word;
	if (*(unsigned long *)word != ~word)
		return;
	if (writing)
		ldx_add(writes, [0], 1);
	else
		ldx_add(reads, [0], 1);
	ldx_add(bytes, [writing], length);
}
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef volatile unsigned long word;
word global[64];
static word local[64];
extern word elsewhere[64] __attribute__((weak, alias("global")));
static _Thread_local word own[8];
_Thread_local word other[8];
static struct {
	char pad[8];
	word w[4];
} big[300];

__attribute__((noipa)) unsigned long work1(unsigned long i)
{
	return global[3] + local[i] + elsewhere[i + 1] + own[1] + other[i % 8] + big[i].w[2];
}
__attribute__((noipa)) void work2(word *p, unsigned i, long k)
{
	p[i] = ~(unsigned long)&p[i];
	p[k] = ~(unsigned long)&p[k];
	local[5] = ~(unsigned long)&local[5];
	own[i % 8] = ~(unsigned long)&own[i % 8];
	big[290].w[1] = ~(unsigned long)&big[290].w[1];
}
__attribute__((noipa)) unsigned work3(word *p, unsigned i)
{
	return ((volatile unsigned char *)p)[i] + ((volatile signed char *)&global[7])[i % 4] +
		((volatile unsigned short *)p)[i] + *(volatile int *)&local[9];
}
__attribute__((noipa)) void work4(char *to, const char *from, size_t n)
{
#ifdef __x86_64__
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
	for (; n; n--)
		*(volatile char *)to++ = *(volatile char *)from++;
#endif
}
/* Many registers are live, and are those of arguments, in any order. */
__attribute__((noipa)) unsigned long work5(unsigned long a, word *b, unsigned long c, word *d)
{
	unsigned long sum = b[a] + d[c];
	sum ^= b[c] + d[a];
	return sum + b[a + c] * a + d[0] * c;
}

static void fill(word *w, int n)
{
	while (n--)
		w[n] = ~(unsigned long)&w[n];
}

int main(void)
{
	enum { W = sizeof(long) };
	word *heap = (word *)malloc(64 * W);
	unsigned long reads = 0, writes = 0, in = 0, out = 0, sum = 0;
	fill(global, 64), fill(local, 64), fill(own, 8), fill(other, 8), fill(heap, 64);
	for (int i = 0; i < 300; i++)
		fill(big[i].w, 4);
	for (unsigned i = 0; i < 40; i++) {
		sum += work1(i), reads += 6, in += 6 * W;
		work2(i % 2 ? heap : global, i, 40 + i % 3), writes += 5, out += 5 * W;
		sum += work3(heap, i), reads += 4, in += 1 + 1 + 2 + 4;
		sum += work5(i % 5, heap, i % 7, local), reads += 6, in += 6 * W;
	}
	for (unsigned n = 0; n < 3 * W; n++) {
		work4((char *)heap, (char *)heap, n);
		in += n, out += n;
#ifdef __x86_64__
		reads++, writes++;
#else
		reads += n, writes += n;
#endif
	}
	fprintf(stderr, "%lx\n", sum);
	printf("reads 0 %lu\nwrites 0 %lu\nbytes 0 %lu\nbytes 1 %lu\n", reads, writes, in, out);
	return 0;
}
#endif
