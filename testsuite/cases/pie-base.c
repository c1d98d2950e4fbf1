/* GNU ld calls a position-independent program fixed that a script links at an address of its own. */
/* hazard: PIE that looks fixed. */
//# cflags: -fpie
//# ldflags: -pie -Wl,-Ttext-segment=0x400000 -Wl,-T,@/pie-base.ld
//# stdout: 285 at 0x400000
#include <stdio.h>

extern const char __executable_start[];

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 10 * argc; i++)
		sum += i * i;
	printf("%d at %p\n", sum, (const void *)__executable_start);
	return 0;
}
