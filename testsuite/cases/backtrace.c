/* A backtrace through instrumented frames: the same number of frames and the same names. */
//# each: -O0 | -O1 -fno-optimize-sibling-calls
//# cflags: -funwind-tables
//# ldflags: -rdynamic
//# stdout: leaf middle outer main
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>

void leaf(void);
int middle(int x);
int outer(int x);

__attribute__((noinline, noipa)) void leaf(void)
{
	void *frames[20];
	int n = backtrace(frames, 20);

	for (int i = 0; i < n && i < 4; i++) {
		Dl_info d;

		if (dladdr((char *)frames[i] - 1, &d) && d.dli_sname)
			printf("%s%s", i ? " " : "", d.dli_sname);
	}
	printf("\n");
}
__attribute__((noinline, noipa)) int middle(int x)
{
	if (x)
		leaf();
	return x + 1;
}
__attribute__((noinline, noipa)) int outer(int x) { return middle(x) + 1; }

int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc) - 3;
}
