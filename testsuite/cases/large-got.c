/* A GOT of more than 64 kB: what is loaded at its distance from an address is a word of the GOT, no code. */
//# targets: mips mipsel mips64el; others have no such option
//# cc: gcc
//# each: -O2 -fPIC -mxgot
//# stdout: 3 9
#include <stdio.h>

__attribute__((noipa)) int add(int a, int b) { return a + b; }
__attribute__((noipa)) int thrice(int x)
{
	return x > 2 ? add(x, add(x, x)) : x;
}

int main(void)
{
	printf("%d %d\n", add(1, 2), thrice(3));
	return 0;
}
