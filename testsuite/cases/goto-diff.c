/* Tables of label differences are constants without a relocation: the section is left as it is. */
/* hazard: label difference. */
//# each: -O0 | -O2 | -O2 -fPIC | -O2 -fno-pie -no-pie
//# stdout: 13
//# opaque: interp
#include <stdio.h>

__attribute__((noinline)) int interp(const unsigned char *p, int acc)
{
	static const int tab[] = { &&op0 - &&op0, &&op1 - &&op0, &&op2 - &&op0, &&op3 - &&op0 };

#define NEXT goto *(&&op0 + tab[*p++])
	NEXT;
op0:
	acc++;
	NEXT;
op1:
	acc *= 3;
	NEXT;
op2:
	acc ^= p[0];
	p++;
	NEXT;
op3:
	return acc;
}

__attribute__((section(".text.main"))) int main(void)
{
	static const unsigned char code[] = { 0, 1, 0, 1, 0, 2, 9, 1, 0, 3 };
	int r = 0;

	for (int i = 0; i < 100; i++)
		r = interp(code, i % 3);
	printf("%d\n", r);
	return 0;
}
