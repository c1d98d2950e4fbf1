/* The dynamic linker and a library's initialiser call into the program before its entry point. */
/* hazard: code before start-up. */
//# each: | -fno-pie -no-pie
//# each.x86_64: -DTAKEN
//# lib: libearly.so -DLIB
//# libs: -l:libearly.so
//# stdout: 42 1
//# report: add 2
#include <stdio.h>
#include <string.h>
int add(int), before, seen(void);
#ifdef LIB
__attribute__((constructor)) static void init(void) { before = add(20); }
static int one(void) { return 1; }
/* Libraries are relocated before the program: something is where its counters were to be. */
static int (*resolve(void))(void)
{
#ifdef TAKEN
	register long flags __asm__("r10") = 0x100022, fd __asm__("r8") = -1, off __asm__("r9") = 0;
	long r = 9;
	__asm__ volatile("syscall" : "+a"(r) : "D"(0x75a40000L), "S"(4096L), "d"(1L), "r"(flags),
			 "r"(fd), "r"(off) : "rcx", "r11", "memory");
#endif
	return one;
}
#ifdef __mips__ /* has no IFUNC */
int seen(void) { return resolve()(); }
#else
int seen(void) __attribute__((ifunc("resolve")));
#endif
#else
static struct { size_t size; char bytes[48]; } heap[4096];
static size_t used;
int before;
__attribute__((noinline)) int add(int x) { return x + 1; }
void free(void *p) { (void)p; }
void *malloc(size_t n)
{
	size_t at = used;
	used += 1 + n / sizeof heap[0] + 1;
	heap[at].size = n;
	return heap + at + 1;
}
void *calloc(size_t n, size_t size) { return malloc(n * size); }
void *realloc(void *p, size_t n)
{
	void *q = malloc(n);
	size_t old = p ? ((size_t *)p)[-(int)(sizeof heap[0] / sizeof(size_t))] : 0;
	return memcpy(q, p ? p : "", old < n ? old : n);
}
int main(void) { return !printf("%d %d\n", before + add(20), seen()); }
#endif
