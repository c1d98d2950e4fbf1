/* Computed goto through a table of addresses, and one shared dispatch at -O0. */
/* hazard: relocated label address. */
/* hazard: shared goto dispatch. */
//# each: -O0 | -O1 | -O2 | -O3 | -O2 -fPIC | -O2 -fno-pie -no-pie | -O0 -fno-pie -no-pie
//# stdout: 13 100
//# report: interp 100
#include <stdio.h>

__attribute__((noinline, noipa)) static int interp(const unsigned char *p, int acc)
{
	static const void *const tab[] = { &&op0, &&op1, &&op2, &&op3 };

	goto *tab[*p++];
op0:
	acc++;
	goto *tab[*p++];
op1:
	acc *= 3;
	goto *tab[*p++];
op2:
	acc ^= p[0];
	p++;
	goto *tab[*p++];
op3:
	return acc;
}

int main(void)
{
	static const unsigned char code[] = { 0, 1, 0, 1, 0, 2, 9, 1, 0, 3 };
	int r = 0, n = 0;

	for (int i = 0; i < 100; i++, n++)
		r = interp(code, i % 3);
	printf("%d %d\n", r, n);
	return 0;
}
