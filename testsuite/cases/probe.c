/* A probe: a note with the address of a no-op in the middle of a function, which must be that no-op. */
/* hazard: probe in a no-op. */
//# each: -O0 | -O2
//# cflags.emulated: -fno-pie
//# ldflags.emulated: -no-pie
//# stdout: nop 45
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined __x86_64__
static const unsigned char nop[] = {0x90};
#elif defined __aarch64__
static const unsigned char nop[] = {0x1f, 0x20, 0x03, 0xd5};
#elif defined __riscv
static const unsigned char nop[] = {0x01, 0x00};
#else
static const unsigned char nop[4];
#endif

extern const char note_pc[];

__attribute__((noinline)) static int loop(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		if (i == 5)
			__asm__ volatile("1: nop\n"
				"	.pushsection .note.stapsdt, \"a\", @note\n"
				"	.balign 4\n"
				"	.4byte 8, 3f - 2f, 3\n"
				"	.asciz \"stapsdt\"\n"
				"	.globl note_pc\n"
				"	.hidden note_pc\n"
				"note_pc:\n"
				"2:	.8byte 1b, 0, 0\n"
				"	.asciz \"ldx\", \"middle\", \"\"\n"
				"3:	.balign 4\n"
				"	.popsection");
		s += i;
	}
	return s;
}

int main(void)
{
	uint64_t word;

	__builtin_memcpy(&word, note_pc, sizeof word);
	volatile uint64_t pc = word; /* else it would be seen that the function's bytes are read */
	printf("%s %d\n", !memcmp((void *)(uintptr_t)pc, nop, sizeof nop) ? "nop" : "something else", loop(10));
	return 0;
}
