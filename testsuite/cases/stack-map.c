/* A stack map has a function's address, and where an instruction is in it as a number; so have a
 * fault map, descriptors of restartable sequences, and metadata of LLVM's sanitizers. */
//# cflags: -O0 -no-pie
//# opaque: again more sum twice
//# stdout: 45 45 45 45
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

extern const unsigned char insn_sum[], insn_more[], insn_again[], insn_twice[];
struct record {
	const unsigned char *f;
	uint32_t off;
};
extern const struct record map[], faults[], sequences[], metadata[];
/* hazard: offsets in functions. */
asm(".pushsection .llvm_stackmaps, \"a\"\n.balign 8\n.globl map\nmap:\n.popsection\n"
    ".pushsection .llvm_faultmaps, \"a\"\n.balign 8\n.globl faults\nfaults:\n.popsection\n"
    ".pushsection __rseq_cs, \"a\"\n.balign 8\n.globl sequences\nsequences:\n.popsection\n"
    ".pushsection sanmd_covered2, \"a\"\n.balign 8\n.globl metadata\nmetadata:\n.popsection");

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

__attribute__((noinline)) int again(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i & 32 ? 1 : i;
	MAP("__rseq_cs", again);
	return s;
}

__attribute__((noinline)) int twice(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i & 16 ? 1 : i;
	MAP("sanmd_covered2", twice);
	return s;
}

int main(void)
{
	printf("%d %d %d %d\n", sum(10), more(10), again(10), twice(10));
	return memcmp(map->f + map->off, insn_sum, 4) ||
		memcmp(faults->f + faults->off, insn_more, 4) ||
		memcmp(sequences->f + sequences->off, insn_again, 4) ||
		memcmp(metadata->f + metadata->off, insn_twice, 4);
}
