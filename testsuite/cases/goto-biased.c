/*
 * Computed goto by an index that does not begin with 0.
 * hazard: table from another number on.
 */
//# each: -O2 | -Os
//# stdout: 12
#include <stdio.h>

__attribute__((noipa, noinline)) static int go(const char *p)
{
	static void *const t[] = {&&inc, &&dec, &&dbl, &&end};
	int r = 1;
	goto *t[*p++ - '0'];
inc: r++; goto *t[*p++ - '0'];
dec: r--; goto *t[*p++ - '0'];
dbl: r *= 2; goto *t[*p++ - '0'];
end: return r;
}

int main(int argc, char **argv)
{
	printf("%d\n", go(argc > 3 ? argv[1] : "021223"));
	return 0;
}
