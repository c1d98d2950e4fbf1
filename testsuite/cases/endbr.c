/* With control-flow protection, endbr64 stays the first instruction of what is called indirectly. */
/* hazard: endbr first. */
//# cflags: -fcf-protection=full
//# each: -O0 | -O2
//# stdout: 30
//# insn: <callee>:\n[^\n]*endbr64
#include <stdio.h>

__attribute__((noinline)) int callee(int x) { return x * 3; }
static int (*volatile pointer)(int) = callee;

int main(void)
{
	printf("%d\n", pointer(10));
	return 0;
}
