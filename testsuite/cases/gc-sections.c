/* --gc-sections removes unused sections, instrumented or not. */
//# cflags: -ffunction-sections -fdata-sections
//# ldflags: -Wl,--gc-sections
//# each: -O2 | -O2 -fno-pie -no-pie | -O0
//# stdout: 6
//# report: used 3
#include <stdio.h>
#include <stdlib.h>

int unused_data[1000] = { 1 };
int unused(int x);
int unused(int x)
{
	printf("never %d\n", x);
	return system("never") + unused_data[x];
}
__attribute__((noinline, noipa)) int used(int x)
{
	__asm__ volatile("" : "+r"(x));
	return 2 * x;
}
__attribute__((section("my_set"), used)) static int (*entry)(int) = used;
extern int (*__start_my_set[])(int), (*__stop_my_set[])(int);

int main(void)
{
	int s = 0;

	for (int (**p)(int) = __start_my_set; p < __stop_my_set; p++)
		for (int i = 0; i < 3; i++)
			s += (*p)(i);
	printf("%d\n", s);
	return 0;
}
