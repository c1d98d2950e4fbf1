/* No-ops for patching in front of and behind the entry, and the table of their addresses. */
/* hazard: bytes in front of an entry. */
/* hazard: probe in a no-op. */
//# cflags: -fpatchable-function-entry=4,2
//# each: -O2 | -O2 -ffunction-sections
//# stdout: 3 nops
#include <stdio.h>

__attribute__((noinline)) static int one(void) { return 1; }
__attribute__((noinline)) static int two(void) { return 2; }
extern unsigned char *__start___patchable_function_entries[], *__stop___patchable_function_entries[];

int main(void)
{
	int bad = 0;

	for (unsigned char **p = __start___patchable_function_entries; p < __stop___patchable_function_entries; p++)
		bad += (*p)[0] != 0x90 || (*p)[1] != 0x90;
	printf("%d %s\n", one() + two(), bad ? "other" : "nops");
	return 0;
}
