/* A program with one thread, and something where its counters were to be: some are there only. */
//# targets: x86_64; its library maps memory by system calls of this CPU
//# each: -fno-pie -no-pie | -fPIE -pie
//# lib: libtaken.so -DLIB
//# env: LD_PRELOAD=./libtaken.so
//# stdout: 3 5 8
//# report: less 3
#include <stdio.h>
#include <stdlib.h>
#ifdef LIB
static int one(void) { return 1; }
/* The program is relocated behind all libraries, and only then are its counters mapped. */
static int (*resolve(void))(void)
{
	register long flags __asm__("r10") = 0x100022, fd __asm__("r8") = -1, off __asm__("r9") = 0;
	long r = 9;
	__asm__ volatile("syscall" : "+a"(r) : "D"(0x75a40000L), "S"(4096L), "d"(1L), "r"(flags),
			 "r"(fd), "r"(off) : "rcx", "r11", "memory");
	return one;
}
int seen(void) __attribute__((ifunc("resolve")));
int (*const use)(void) = seen;
#else
__attribute__((noinline, noipa)) static int less(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	int v[] = {8, 3, 5};
	qsort(v, 3, sizeof v[0], less);
	printf("%d %d %d\n", v[0], v[1], v[2]);
	return ferror(stdout);
}
#endif
