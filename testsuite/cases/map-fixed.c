/* An emulator's memory is at the address where counters of a PIE would be mapped. */
//# targets: x86_64 aarch64 riscv64; on MIPS the emulator has the program there
//# each.x86_64: -O2 -fPIE -static-pie -DRAW
//# each: -O2 -fPIE -pie | -O2 -fPIE -pie -DBY_NUMBER
//# stdout: 0 0
//# report: work 1010
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FROM = 0x10000000, SIZE = 0x6fff0000, LIKELY = 0x75a40000 };
enum { HOW = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED };

__attribute__((noinline, noipa)) static int work(int i) { return i % 3 ? i : 0; }

static char *map(void)
{
	char *r = (char *)FROM;
#if defined RAW
	register long flags __asm__("r10") = HOW, fd __asm__("r8") = -1, off __asm__("r9") = 0;
	__asm__ volatile("syscall" : "=a"(r) : "0"(SYS_mmap), "D"(r), "S"((long)SIZE), "d"(3L),
		"r"(flags), "r"(fd), "r"(off) : "rcx", "r11", "memory");
	return r;
#elif defined BY_NUMBER
	return (char *)syscall(SYS_mmap, r, (long)SIZE, 3, HOW, -1, 0);
#else
	return mmap(r, SIZE, PROT_READ | PROT_WRITE, HOW, -1, 0);
#endif
}

int main(void)
{
	char *at = map();
	int bad = 0, sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += work(i) < 0;
	for (uint64_t *p = (uint64_t *)LIKELY; p < (uint64_t *)(LIKELY + 0x10000); p++)
		bad += *p != 0;
	munmap(at, SIZE);
	for (int i = 0; i < 10; i++)
		sum += work(i) < 0;
	printf("%d %d\n", bad, sum);
	return at != (char *)FROM;
}
