/* A stack map has a function's address, and where an instruction is in it as a number; so have a
 * fault map, descriptors of restartable sequences, metadata of LLVM's sanitizers, and others' that belong to
 * a section of code. */
//# cflags: -O0 -no-pie
//# opaque: again last more sum twice
//# stdout: 45 45 45 45 45
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

/* a function with a loop, its place in a section, and the instruction to which that leads */
#define FUNC(f, section)                                                                           \
	extern const unsigned char insn_##f[];                                                     \
	extern const struct record record_##f;                                                     \
	__attribute__((noinline)) int f(int n)                                                     \
	{                                                                                          \
		int s = 0;                                                                         \
		for (int i = 0; i < n; i++)                                                        \
			s += i & 64 ? 1 : i;                                                       \
		asm volatile("1: " INSN "\n.pushsection " section "\n.balign 8\n"                  \
			     ".globl record_" #f "\nrecord_" #f ":\n" ADDRESS #f                   \
			     "\n.long 1b - " #f "\n.popsection\n"                                  \
			     ".pushsection .rodata\n.globl insn_" #f "\ninsn_" #f ": " INSN        \
			     "\n.popsection" ::                                                    \
				     : CLOBBER);                                                   \
		return s;                                                                          \
	}

struct record {
	const unsigned char *start;
	uint32_t off;
};

/* hazard: offsets in functions. */
FUNC(sum, ".llvm_stackmaps, \"a\"")
FUNC(more, ".llvm_faultmaps, \"a\"")
FUNC(again, "__rseq_cs, \"a\"")
FUNC(twice, "sanmd_covered2, \"a\"")
FUNC(last, "lengths, \"ao\", @progbits, .text")

#define WRONG(f) (memcmp(record_##f.start + record_##f.off, insn_##f, 4) != 0)

int main(void)
{
	printf("%d %d %d %d %d\n", sum(10), more(10), again(10), twice(10), last(10));
	return WRONG(sum) + WRONG(more) + WRONG(again) + WRONG(twice) + WRONG(last);
}
