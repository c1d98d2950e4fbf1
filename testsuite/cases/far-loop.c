// Counters make a loop longer than branches of 16 bits reach (128 kB): its branches and jumps become longer ones.
//# targets: x86_64 mips mipsel mips64el riscv64; the assembler of others widens no branch over so much assembly
//# each: -O1 | -O2
//# cflags.mips: -fno-pie -no-pie
//# cflags.mipsel: -fno-pie -no-pie
//# cflags.mips64el: -fno-pie -no-pie
//# ldflags.mips64el: -Wl,-Ttext-segment=0x400000
//# stdout: 0 40
#include <stdio.h>

#ifdef __mips__
#define FILL(n) asm volatile(".rept " #n "\n\taddiu $8, $8, 1\n\t.endr" ::: "$8");
#else
#define FILL(n) asm volatile(".rept " #n "\n\tnop\n\t.endr");
#endif
#define S if (v & 1) v += 3;
#define S10 S S S S S S S S S S
#define S100 S10 S10 S10 S10 S10 S10 S10 S10 S10 S10

static volatile unsigned v;

int main(void)
{
	int rounds = 0;
	for (unsigned i = 1; i < 40; i++) {
		v = i;
		if (i % 7 == 3)
			continue;
		S100 FILL(14000) S100 FILL(13500) S100
		rounds += v & 1;
		if (i > 36)
			goto out;
	}
out:
	printf("%d %u\n", rounds, v);
	return 0;
}
