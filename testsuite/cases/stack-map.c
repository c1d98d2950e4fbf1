/* A stack map has a function's address, and where an instruction is in it as a number; so has a
 * fault map. */
//# cflags: -O0 -no-pie
//# opaque: more sum
//# prints: 45 45
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#define INSN "movl $0x12345678, %%eax"
#define CLOBBER "eax"
#elif defined(__aarch64__)
#define INSN "mov x9, #0x4d2d"
#define CLOBBER "x9"
#elif defined(__riscv)
#define INSN ".option push\n.option norvc\naddi t0, zero, 0x4d2\n.option pop\n"
#define CLOBBER "t0"
#else
#define INSN "li $8, 0x4d2d"
#define CLOBBER "$8"
#endif
#if __SIZEOF_POINTER__ == 8
#define ADDRESS ".quad "
#else
#define ADDRESS ".long "
#endif

/* the map, and the instruction that it leads to */
#define MAP(name, f)                                                                               \
	asm volatile("1: " INSN "\n.pushsection " name ", \"a\"\n.balign 8\n" ADDRESS #f          \
		     "\n.long 1b - " #f "\n.popsection\n"                                          \
		     ".pushsection .rodata\n.globl insn_" #f "\ninsn_" #f ": " INSN                \
		     "\n.popsection" ::                                                            \
			     : CLOBBER)

extern const unsigned char insn_sum[], insn_more[];
struct record {
	const unsigned char *f;
	uint32_t off;
};
extern const struct record map[], faults[];
/* hazard: offsets in functions. */
asm(".pushsection .llvm_stackmaps, \"a\"\n.balign 8\n.globl map\nmap:\n.popsection\n"
    ".pushsection .llvm_faultmaps, \"a\"\n.balign 8\n.globl faults\nfaults:\n.popsection");

__attribute__((noinline)) int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i & 64 ? 1 : i;
	MAP(".llvm_stackmaps", sum);
	return s;
}

__attribute__((noinline)) int more(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i & 128 ? 1 : i;
	MAP(".llvm_faultmaps", more);
	return s;
}

int main(void)
{
	printf("%d %d\n", sum(10), more(10));
	return memcmp(map->f + map->off, insn_sum, 4) ||
		memcmp(faults->f + faults->off, insn_more, 4);
}
