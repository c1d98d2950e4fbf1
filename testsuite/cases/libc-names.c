/* A shared library's function has the name of a C library function, and does not return. */
/* hazard: C name of another library. */
//# lib: liblog.so -DLIB -fno-builtin
//# libs: -l:liblog.so
//# cflags: -fno-builtin
//# each: | -fPIE -pie -fno-plt
//# stdout: 0.1.!!6
//# status: 4
//# report: outer 4
//# report: step 4
//# report: times 2
//# oracle: qemu
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
void log(const char *text, int level);
int index(int (*f)(int), int x);
extern jmp_buf *where;
#ifdef LIB
jmp_buf *where;
void log(const char *text, int level)
{
	if (level >= 2)
		longjmp(*where, *text);
}

int index(int (*f)(int), int x)
{
	if (x == 7)
		exit(4);
	return f(x);
}
#else
static jmp_buf back;
__attribute__((noinline)) static void step(int i)
{
	log("step", i);
	printf("%d", i);
}

__attribute__((noinline)) static void outer(int i)
{
	if (setjmp(back) == 0) {
		step(i);
		putchar('.');
	} else {
		putchar('!');
	}
}

__attribute__((noinline)) static int same(int x) { return x; }
__attribute__((noinline)) static void times(int x)
{
	int y = index(same, x);
	printf("%d\n", y);
}

int main(void)
{
	where = &back;
	for (int i = 0; i < 4; i++)
		outer(i);
	times(6);
	times(7);
	return 0;
}
#endif
