/* clang's retpoline thunks, in COMDAT groups. */
/* hazard: retpoline thunk. */
//# targets: x86_64; only this CPU has such thunks
//# cc: clang-19
//# cflags: -mretpoline
//# opaque: __llvm_retpoline_r11
//# stdout: 5050
#include <stdio.h>

static int id(int x) { return x; }
static int (*volatile pointer)(int) = id;

int main(void)
{
	int s = 0;

	for (int i = 0; i <= 100; i++)
		s += pointer(i);
	printf("%d\n", s);
	return 0;
}
