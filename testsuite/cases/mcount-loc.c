/* gcc's list of the calls of __fentry__, which tracers patch, names these calls and not what is inserted before them. */
//# only: x86_64
//# cc: gcc
//# each: -fno-pie -no-pie -O2 | -fPIE -pie -O1
//# cflags: -pg -mfentry -mrecord-mcount
//# stdout: 3 calls
#include <stdio.h>

extern const unsigned char *const __start___mcount_loc[], *const __stop___mcount_loc[];

__attribute__((naked, no_instrument_function)) void __fentry__(void) { asm("ret"); }

__attribute__((noinline)) static int sum(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i;
	return s;
}

int main(void)
{
	int calls = 0;

	for (const unsigned char *const *p = __start___mcount_loc; p < __stop___mcount_loc; p++)
		calls += **p == 0xe8 || (**p == 0x67 && (*p)[1] == 0xe8) || (**p == 0xff && (*p)[1] == 0x15);
	printf("%d calls\n", sum(3) * (calls == __stop___mcount_loc - __start___mcount_loc));
	return 0;
}
