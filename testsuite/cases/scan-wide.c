/* The C library's scanner of wide characters: three tables in one function, whose parts keep labels apart. */
/* hazard: table without a bound. */
//# each: -O2 | -O2 -static
//# stdout: 3 12 abc 7
#include <stdio.h>
#include <wchar.h>

int main(void)
{
	wchar_t word[8];
	unsigned x;
	int n, i;

	n = swscanf(L"12 abc 0x7", L"%d %7l[a-c] %x", &i, word, &x);
	printf("%d %d %ls %u\n", n, i, word, x);
	return 0;
}
