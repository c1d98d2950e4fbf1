/* The length of copied code is the difference of two functions' addresses, in a register of its own or not. */
/* hazard: label difference. */
//# cflags: -fno-toplevel-reorder
//# cc: gcc
//# stdout: 77 77 1 77
//# opaque: work work_end
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((noinline, section(".text.copied"))) int work(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		s = i & 1 ? s + i * 3 : s ^ n;
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}

__attribute__((noinline, section(".text.copied"))) void work_end(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) static int reaches(const char *from, size_t n, const char *to)
{
	return from + n == to;
}

__attribute__((noinline)) static int run(char *p, size_t n)
{
	memcpy(p, (void *)work, n);
	__builtin___clear_cache(p, p + n);
	return ((int (*)(int))p)(10);
}

int main(void)
{
	const char *from = (const char *)work, *to = (const char *)work_end;
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	printf("%d %d", work(10), run(p, to - from));
	printf(" %d", reaches(from, to - from, to));
	printf(" %d\n", run(p + 4096, to - from));
	return 0;
}
