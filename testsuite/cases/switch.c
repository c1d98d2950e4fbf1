/* Jump tables in every form compilers have for them (the flags make the forms). */
/* hazard: biased table entry.  The relocations of pc-relative entries name label + 4 * i. */
//# each: -O0 | -O1 | -O2 | -O3 | -Os | -O2 -fPIC | -O0 -fPIC | -O2 -fno-pie -no-pie | -O0 -fno-pie -no-pie
//# each: -O2 -fno-jump-tables
//# each.x86_64: -O2 -fcf-protection=full | -O2 -fno-pie -no-pie -fcf-protection=full
//# each.aarch64: -O2 -mbranch-protection=standard
//# each: -O2 -fPIC -ffunction-sections | -Oz
//# each.x86_64: -O2 -fno-pie -no-pie -mcmodel=large
//# each.aarch64: -O2 -fno-pie -no-pie -mcmodel=large
//# each.mips: -O2 -fno-pie -no-pie -mno-abicalls -static
//# each.mipsel: -O2 -fno-pie -no-pie -mno-abicalls -static
//# stdout: 960
//# report: sw 1000
#include <stdio.h>

static volatile int v;
#define F(n) __attribute__((noinline, noipa)) static int f##n(void) { return v + n; }
F(1) F(2) F(3) F(4) F(5) F(6) F(7)

__attribute__((noinline, noipa)) int sw(int x)
{
	switch (x) {
	case 3: return f1() + 1;
	case 4: return f2() * 3;
	case 5: return f3() - 7;
	case 6: return f4() ^ 5;
	case 7: return f5() | 9;
	case 8: return f6() & 3;
	case 9: return f7() << 2;
	}
	return 0;
}

int main(void)
{
	int s = 0;

	for (int i = 0; i < 1000; i++)
		s += sw(i % 50);
	printf("%d\n", s);
	return 0;
}
