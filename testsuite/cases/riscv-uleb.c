// Distances between labels as ULEB128 that the linker computes: a table of the lengths of code, from which a jump's
// target is summed up.
//# targets: riscv64; others' assemblers compute them
//# cc: clang-19
//# each: -O2 | -O2 -static
//# stdout: 10 20 30
//# opaque: pick
//# report: main 1
#include <stdio.h>

__asm__(".section .rodata.lengths, \"a\"\nlengths: .uleb128 1f - 0f\n.uleb128 2f - 0f\n.uleb128 3f - 0f\n"
	".section .text.pick, \"ax\"\n.globl pick\n.type pick, @function\npick: lla t0, lengths\nadd t0, t0, a0\nlbu t0, 0(t0)\n"
	"lla t1, 0f\nadd t1, t1, t0\nmv a1, a0\njr t1\n"
	"0: li a0, 0\nret\n1: li a0, 10\nbeqz a1, 4f\n2: li a0, 20\nbnez a1, 4f\n3: li a0, 30\n4: ret\n"
	".size pick, . - pick\n.text\n");
int pick(int n);

int main(void)
{
	printf("%d %d %d\n", pick(0), pick(1), pick(2));
	return 0;
}
