// A function of no bytes has an unwind entry at the place of the one behind it, which throws.
// hazard: FDE inside a function.
// clang's program for RISC-V is linked by lld, whose table of entries leads to the empty one.
//# cc.riscv64: gcc
//# each: -O1 | -O2 -ffunction-sections | -O2 -static
//# stdout: caught 7
#include <cstdio>
void empty()
{
	__builtin_unreachable();
}
__attribute__((noinline)) int thrower(int n)
{
	try {
		throw n;
	} catch (int k) {
		return k - 1;
	}
}
int main()
{
	printf("caught %d\n", thrower(8));
	return 0;
}
