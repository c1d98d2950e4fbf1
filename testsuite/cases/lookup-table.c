/* clang makes tables of 32-bit offsets to strings: they look like jump tables and are none. */
/* hazard: lookup table. */
//# each: -O2 -fPIC | -O2 -fno-pie -no-pie | -Os
//# stdout: zero many five three three
#include <stdio.h>

__attribute__((noinline)) static const char *lut(int x)
{
	switch (x) {
	case 0: return "zero";
	case 1: return "one";
	case 2: return "two";
	case 3: return "three";
	case 4: return "four";
	case 5: return "five";
	}
	return "many";
}

static int a(void) { return 1; }
static int b(void) { return 2; }
static int c(void) { return 3; }
static int d(void) { return 4; }
typedef int (*fn)(void);

__attribute__((noinline)) static fn pick(int x)
{
	switch (x) {
	case 0: return a;
	case 1: return b;
	case 2: return c;
	case 3: return d;
	}
	return 0;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%s %s %s %s %s\n", lut(argc - 1), lut(99), lut(argc + 4), lut(pick(2)()), lut(pick(argc + 1)()));
	return 0;
}
