/* With control-flow protection, endbr64 stays the first instruction of what is called indirectly. */
/* hazard: endbr first. */
//# targets: x86_64 aarch64; other CPUs have no such instructions
//# cflags.x86_64: -fcf-protection=full
//# cflags.aarch64: -mbranch-protection=standard
//# each: -O0 | -O2
//# stdout: 30
//# insn.aarch64: <callee>:\n[^\n]*(bti|paciasp)
//# insn.x86_64: <callee>:\n[^\n]*endbr64
#include <stdio.h>

__attribute__((noinline)) int callee(int x) { return x * 3; }
static int (*volatile pointer)(int) = callee;

int main(void)
{
	printf("%d\n", pointer(10));
	return 0;
}
