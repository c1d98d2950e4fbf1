/* GNU ld marks a PIE as ET_EXEC when a script sets its base address. */
/* hazard: PIE that looks fixed. */
//# targets: x86_64 aarch64 mips; GNU ld, which makes the program, must be 2.41 or later for RISC-V
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
