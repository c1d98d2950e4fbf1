// A prefetch with an index: gcc makes it in loops.
//# targets: mips mipsel mips64el; it is an instruction of theirs
//# cc: gcc
//# stdout: 5050
#include <stdio.h>
int main(void)
{
	int v[101], sum = 0;
	for (int i = 0; i <= 100; i++) {
		__asm__ volatile("prefx 0, %1(%0)" : : "r"(v), "r"(i * 4));
		v[i] = i;
		sum += v[i];
	}
	printf("%d\n", sum);
}
