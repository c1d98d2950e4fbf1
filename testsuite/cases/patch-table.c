/* The program overwrites the first instruction of a function, which a table of its own lists. */
/* hazard: table of patches. */
//# targets: x86_64; what is written is machine code
//# cc: gcc
//# cflags: -O2
//# stdout: 6 12
//# opaque: work
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

extern struct patch {
	int32_t at, by;
	int64_t size;
} __start_patches[], __stop_patches[];

__attribute__((noipa)) static int work(int n)
{
	int r;

	__asm__("1: lea 1(%1), %0\n"
		"2: .pushsection .text.patch, \"ax\"\n"
		"3: lea 7(%1), %0\n"
		".popsection\n"
		".pushsection patches, \"a\"\n"
		".balign 8\n"
		".long 1b - ., 3b - .\n"
		".quad 2b - 1b\n"
		".popsection"
		: "=r"(r)
		: "r"(n));
	return r;
}

int main(void)
{
	printf("%d", work(5));
	for (struct patch *p = __start_patches; p < __stop_patches; p++) {
		char *at = (char *)&p->at + p->at, *by = (char *)&p->by + p->by;
		char *page = (char *)((uintptr_t)at & ~(uintptr_t)4095);

		mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
		memcpy(at, by, (size_t)p->size);
	}
	printf(" %d\n", work(5));
	return 0;
}
