/* Several tables in one function, one inside a loop, and a cold part that shares one. */
/* hazard: table without a bound. */
/* hazard: hoisted table base. */
//# each: -O2 | -O3 -fno-pie -no-pie -static | -O2 -fPIC
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, cold)) static void rare(int x) { printf("rare %d\n", x); }

__attribute__((noinline)) int run(const char *p)
{
	int acc = 0;

	for (; *p; p++) {
		switch (*p) {
		case 'a': acc += 3; break;
		case 'b': acc *= 5; break;
		case 'c': acc ^= 77; break;
		case 'd':
			switch (acc & 7) {
			case 0: acc += 1; break;
			case 1: acc -= 2; break;
			case 2: acc <<= 1; break;
			case 3: rare(acc); break;
			case 4: acc |= 16; break;
			case 5: acc = -acc; break;
			}
			break;
		case 'e': acc %= 1000; break;
		case 'f': rare(acc); break;
		case 'g': return acc;
		}
	}
	return acc;
}

int main(void)
{
	for (int i = 0; i < 50; i++)
		printf("%d\n", run("abcdaebdcadfbbeadcdaddabcdee" + i % 20));
	return 0;
}
