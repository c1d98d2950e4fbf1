/* Thunks that overwrite their return address: opaque, and they work. */
/* hazard: retpoline thunk. */
//# targets: x86_64; only this CPU has such thunks
//# each: -O2
//# cc: gcc
//# cflags: -mindirect-branch=thunk -mfunction-return=thunk
//# opaque: __x86_return_thunk __x86_indirect_thunk_rax __x86_indirect_thunk_rdx
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
