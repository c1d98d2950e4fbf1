/* Relocations without a field, at a branch and behind the last byte of a section: they keep another section alive. */
//# cflags: -O1 -ffunction-sections
//# ldflags: -Wl,--gc-sections
//# stdout: 6 kept
#include <stdio.h>

__attribute__((section(".rodata.kept"))) const char kept[] = "kept";

#if defined(__x86_64__)
#define NONE "R_X86_64_NONE"
#elif defined(__aarch64__)
#define NONE "R_AARCH64_NONE"
#elif defined(__riscv)
#define NONE "R_RISCV_NONE"
#else
#define NONE "R_MIPS_NONE"
#endif

__attribute__((noinline)) int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i;
	return s;
}
asm(".section .text.sum, \"ax\", @progbits\n.reloc ., " NONE ", kept\n"
    ".subsection 1\n.reloc ., " NONE ", kept\n.text");

int main(void)
{
	printf("%d %s\n", sum(4), kept);
	return 0;
}
