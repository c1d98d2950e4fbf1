/* Forward edges checked by type (clang -fsanitize=kcfi): a hash precedes each function. */
/* hazard: bytes in front of an entry. */
//# cc: clang-19
//# cflags: -fsanitize=kcfi
//# each: -O2 | -O0
//# stdout: 12 7
//# each.x86_64: -O2 -fpatchable-function-entry=3,3 | -O2 -fcf-protection=full -Wl,-z,ibt
//# each.aarch64: -O2 -fpatchable-function-entry=3,3
//# each.riscv64: -O2 -fpatchable-function-entry=3,3
//# opaque: __cfi_main __cfi_add __cfi_mul __cfi_apply
/* The hash in front of these is no instruction of n64. */
//# either.mips64el: mul apply
#include <stdio.h>

typedef int op(int, int);
static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }
static op *volatile const ops[] = { mul, add };

static int apply(op *f, int a, int b) { return f(a, b); }

int main(void)
{
	printf("%d %d\n", apply(ops[0], 3, 4), apply(ops[1], 3, 4));
	return 0;
}
