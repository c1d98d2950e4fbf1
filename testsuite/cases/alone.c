/* No function of the C library used here can make a thread: counters need no %gs. */
//# cflags: -O2
//# each: -fno-pie -no-pie | -fPIE -pie
//# stdout: 3 5 8
//# report: less 3
//# insn.x86_64: <main>:\n(?:[^\n]*\n){0,30}[^\n]*(incq +0x|addq +\$0x1,0x)
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline, noipa)) static int less(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int v[] = {8, 3, 5};
	qsort(v, 3, sizeof v[0], less);
	printf("%d %d %d\n", v[0], v[1], v[2]);
	return ferror(stdout);
}
