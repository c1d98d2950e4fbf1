/*
 * hazard: register loaded in two parts.  MIPS loads a word that is not aligned by lwl and lwr: the
 * first of the two overwrites the register, also across a branch and from a delay slot.
 */
//# each: -O1 | -O2 -fno-pie -no-pie | -Os
//# stdout: 67305985 67305986 1 12 34
//# insn.mips: lwl
//# insn.mipsel: lwl
//# insn.mips64el: l[wd]l
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N __attribute__((noinline, noipa))

struct odd {
	char c;
	uint32_t w;
	uint64_t d;
} __attribute__((packed));

N static uint32_t word(const struct odd *o, int n) { return n > 2 ? o->w : o->w + 1; }

N static uint64_t far(const struct odd *o, int n)
{
	uint64_t sum = 0;
	for (int i = 0; i < n; i++)
		sum += o[i].c ? o[i].d : o[i].w;
	return sum;
}

N static void copy(char *to, const char *from, size_t n) { memcpy(to, from, n); }

int main(void)
{
	struct odd o[3] = {{0, 0x04030201, 5}, {1, 9, 12}, {0, 22, 1}};
	char a[200], b[200];
	for (int i = 0; i < 200; i++)
		a[i] = (char)i;
	copy(b, a + 3, 150);
	copy(b + 1, a + 2, 9);
	printf("%u %u %d", word(o, 3), word(o, 1), b[3] == 4 && b[100] == 103);
	printf(" %u %u\n", (unsigned)far(o + 1, 1), (unsigned)far(o + 1, 2));
	return 0;
}
