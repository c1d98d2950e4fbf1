/* Weak definitions, weak undefined symbols, aliases, commons, hidden and protected symbols. */
//# cflags: -fcommon
//# obj: -DPART2
//# each: -O0 | -O2 -fno-pie -no-pie
//# stdout: 2 0 9 5 1 11
#include <stdio.h>

int common_array[10];
int chosen(void);
extern int absent(void) __attribute__((weak));
int alias(void);
__attribute__((visibility("hidden"))) int hidden(void);
#ifdef PART2
int chosen(void) { return 2; }
int aliased(void) { return 5; }
int alias(void) __attribute__((alias("aliased")));
int hidden(void) { return common_array[3]++; }
#else
__attribute__((weak)) int chosen(void) { return 1; }
__attribute__((weak, noinline)) int kept(void) { return 9; }
int main(void)
{
	common_array[3] = 1;
	int h = hidden();

	printf("%d %d %d %d %d %d\n", chosen(), absent ? absent() : 0, kept(), alias(), h, common_array[3] + 9);
	return 0;
}
#endif
