/* The C library alone makes threads as well, by ISO C's names: each counts on its own. */
//# cflags: -O2 -fno-pie
//# ldflags: -no-pie
//# stdout: 40000
//# report: work 40000
//# insn.x86_64: <run>:\n(?:[^\n]*\n){0,30}[^\n]*(incq +|addq +\$0x1,)%gs:0x
//# oracle: atomic
#include <stdio.h>
#include <threads.h>

__attribute__((noinline, noipa)) static int work(int n) { return n & 1; }

static int run(void *total)
{
	for (int i = 0; i < 20000; i++)
		*(int *)total += work(i);
	return 0;
}

int main(void)
{
	int total[2] = {0};
	thrd_t t[2];
	for (int i = 0; i < 2; i++)
		thrd_create(&t[i], run, &total[i]);
	for (int i = 0; i < 2; i++)
		thrd_join(t[i], NULL);
	printf("%d\n", 2 * (total[0] + total[1]));
	return 0;
}
