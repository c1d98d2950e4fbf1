// A function of n64 that calls none keeps the GOT's address in another register than $gp, also for its jump table.
//# each: -O2
//# stdout: 8751
//# report: step 12
#include <stdio.h>

static const char *const word = "leaf";
static int last;

__attribute__((noinline, noipa)) static const char *step(unsigned k)
{
	switch (k) {
	case 0: return "zero";
	case 1: last = 3; return "eins";
	case 2: return word;
	case 3: last += 2; return "three";
	case 4: return "";
	case 5: last *= 7; return "five";
	case 6: return "sechs";
	case 7: return &word[2];
	}
	return "other";
}

int main(void)
{
	int sum = 0;
	for (unsigned k = 0; k < 12; k++)
		sum = sum * 2 + step(k)[0] % 3 + last % 2;
	return printf("%d\n", sum) < 0;
}
