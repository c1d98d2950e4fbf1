/* The base of %gs is the program's: set by a system call of its own, of libc's or of a library's. */
/* hazard: program sets %gs. */
//# targets: x86_64; only there a register finds the counters of a thread
//# lib: libset.so -DLIB
//# libs: -l:libset.so -pthread
//# each: -DHOW=0 | -DHOW=1 | -DHOW=2 -fPIE -pie | -DHOW=3 | -DHOW=3 -fno-plt -O0 | -DHOW=4 -fno-pie -no-pie
//# stdout: 201 1
//# report: work 101
//# report: start 1
//# oracle: qemu
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void set_base(void *p);
int arch_prctl(int, unsigned long);
#ifdef LIB
void set_base(void *p)
{
#if HOW == 0
	arch_prctl(ARCH_SET_GS, (unsigned long)p);
#endif
}
#else
static char area[64];

__attribute__((noinline, noipa)) static int work(int i) { return i % 3 ? i : i + 1; }
static void *start(void *p)
{
	*(int *)p += work(5);
	return NULL;
}

__attribute__((noinline)) static void set(void *p)
{
#if HOW == 0
	set_base(p);
#elif HOW == 1
	arch_prctl(ARCH_SET_GS, (unsigned long)p);
#elif HOW == 2
	int (*f)(int, unsigned long) = dlsym(RTLD_DEFAULT, "arch_prctl");
	f(ARCH_SET_GS, (unsigned long)p);
#elif HOW == 3
	syscall(SYS_arch_prctl, ARCH_SET_GS, p);
#else
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "0"(SYS_arch_prctl), "D"(ARCH_SET_GS), "S"(p)
		: "rcx", "r11", "memory");
#endif
}

int main(void)
{
	unsigned long base = 0;
	pthread_t t;
	int sum = 0;
	set(area);
	for (int i = 0; i < 100; i++)
		sum += work(i) == i;
	pthread_create(&t, NULL, start, &sum);
	pthread_join(t, NULL);
	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	printf("%d %d\n", 3 * sum - 12, base == (unsigned long)area);
	return 0;
}
#endif
