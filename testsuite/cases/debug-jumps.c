/*
 * Debug information about jumps: places one byte before the end of a tail call that
 * becomes longer, and rows of lines behind the no-ops of empty statements.
 */
//# cc: gcc
//# each: -O2 -g | -O2 -gdwarf-4 | -O0 -g | -O0 -gdwarf-4
//# stdout: 7 20
#include <stdio.h>

__attribute__((noipa)) static int leave(int *depth, int n) { return *depth * n; }
__attribute__((noipa)) static int stay(int *depth, int n) { return *depth + n; }
__attribute__((noipa)) static int either(int *depth, int n)
{
	if (depth[0] != depth[1])
		return leave(depth, n);
	else
		return stay(depth, n);
}

#define NOTHING ((void)0)
__attribute__((noipa)) static int choose(int m, int n)
{
	if (m) {
		int k = n;

		switch (k) {
		case 1: n = 10; break;
		case 2: n = 20; break;
		case 3: n = 30; break;
		case 4: n = 40; break;
		case 5: n = 50; break;
		default: NOTHING; break;
		}
	}
	else if (n)
		puts("none");
	return n;
}

int main(void)
{
	int depth[] = { 5, 5 };

	printf("%d %d\n", either(depth, 2), choose(1, 2));
	return 0;
}
