// A memory barrier that writes the return address as it is: lock orq $0,(%rsp)
//# targets: x86_64; others have instructions for it
//# each: -O2 | -O2 -fno-omit-frame-pointer
//# stdout: 10
#include <stdio.h>

__attribute__((noinline)) void barrier(void)
{
	asm volatile("lock orq $0, (%%rsp)" : : : "memory", "cc");
}

int main(void)
{
	int n = 0;
	for (int i = 0; i < 10; i++) {
		barrier();
		n++;
	}
	printf("%d\n", n);
}
