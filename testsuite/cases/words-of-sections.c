/* Words that count from themselves, to static functions that have sections of their own. */
//# targets: x86_64 aarch64; elsewhere such words name symbols, or the call is of a computed place
//# cflags: -ffunction-sections
//# opaque: a b c
#include <stdio.h>
#define ENTRY(f) ".long " #f "-.\n"
static int a(int n) { return n > 3 ? n : 1; }
static int b(int n) { return n > 4 ? n : 2; }
static int c(int n) { return n > 5 ? n : 4; }
asm(".section mylist,\"a\"\n.balign 4\nlist: " ENTRY(a) ENTRY(b) ENTRY(c) ".previous");
extern const int list[3] __attribute__((visibility("hidden")));
int main(void)
{
	int (*volatile used[])(int) = {a, b, c}, sum = 0;
	for (int i = 0; i < 3; i++)
		sum += used[i](i + 3) * 10 + ((int (*)(int))((const char *)(list + i) + list[i]))(i);
	printf("%d\n", sum);
	return 0;
}
