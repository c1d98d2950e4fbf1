// Counters make a function longer than its branches reach, and a program that is loaded anywhere has no
// longer ones: the function is opaque, as there is no place for others in between (far-relay.c).
//# targets: mips mipsel mips64el; branches of others reach farther
//# cflags: -O1 -fPIE
//# ldflags: -pie
//# stdout: 60 124
//# either: steps
//# oracle: no, the function is opaque in some of the links only
//# stats.mips: opaque: steps: .*with counters, a branch would not reach its target
//# stats.mipsel: opaque: steps: .*with counters, a branch would not reach its target
#include <stdio.h>
#define S if (v & 1) v += 3;
#define S10 S S S S S S S S S S
#define S100 S10 S10 S10 S10 S10 S10 S10 S10 S10 S10
static volatile unsigned v;
__attribute__((noinline, noipa)) static unsigned steps(unsigned i)
{
	unsigned odd = 0;
	for (; i; i--) {
		v = i;
		S100 __asm__ volatile(".rept 31000\n\taddiu $8, $8, 1\n\t.endr" ::: "$8");
		S100
		odd += !(v & 1);
	}
	return odd;
}
int main(void)
{
	unsigned odd = steps(60);
	printf("%u %u\n", odd, v + 120);
}
