// Counters make a function longer than its branches reach, and a program that is loaded anywhere has no
// longer ones: they lead through others, which stand behind jumps.
//# targets: mips mipsel mips64el; branches of others reach farther
//# cflags: -O1 -fPIE
//# ldflags: -pie
//# stdout: 751 127 478014
#include <stdio.h>
#define S if (v % 3 == 1) v += 3; else { v ^= 4; __asm__ volatile(""); }
#define B __asm__ volatile(".rept 1800\n\taddiu $8, $8, 1\n\t.endr" ::: "$8"); S S S S S S S S S S
static volatile unsigned v;
__attribute__((noinline)) static unsigned steps(unsigned n)
{
	unsigned odd = 0;
	for (unsigned i = 0; i < n; i++) {
		v = i;
		B B B B B
		if (i % 7 == 2)
			continue;
		B B B B B
		if (v > 10000)
			break;
		B B B B B
		odd += v & 1;
		if (i > 300)
			break;
	}
	return odd;
}
int main(void)
{
	unsigned odd = steps(302);
	printf("%u %u", v, odd);
	odd = steps(29);
	printf(" %u\n", v * 1000 + odd);
}
