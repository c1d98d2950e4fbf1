/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frames.cpp - frames of every kind: exceptions, signals, longjmp, alloca, realigned
 * stacks, arguments on the stack; and what is inserted that moves the stack pointer: counters
 * where the flags are live, checks for a new thread where all registers are, for a new process
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <alloca.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <immintrin.h>
#define NI __attribute__((noinline))
static volatile int sink;
static jmp_buf jb;
struct G {
	int k;
	G(int x) : k(x)
	{
		sink += k;
	}
	NI ~G()
	{
		sink -= k;
	}
};
NI static int thrower(int x)
{
	G g(x);
	if (x % 3 == 0)
		throw x;
	return x;
}
NI static int nest(int n)
{
	G g(n);
	return n ? nest(n - 1) + thrower(n + 1) : 1;
}
NI static int dyn(int n)
{
	char *p = (char *)alloca(n * 16 + 1);
	memset(p, n, n * 16 + 1);
	return p[n * 8] + thrower(1);
}
NI static int aligned(int n)
{
	alignas(64) char b[128];
	memset(b, n, sizeof b);
	char *q = (char *)alloca(n);
	q[0] = b[5];
	return q[0] + b[n] + thrower(2);
}
NI static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	return a + b * c - d + e * f + g - h * i + thrower(1);
}
NI static int sw(int x)
{
	switch (x) {
	case 0: return thrower(1);
	case 1: return dyn(3);
	case 2: return aligned(4);
	case 3: return many(1, 2, 3, 4, 5, 6, 7, 8, 9);
	case 4: return 7;
	case 5: return thrower(2) + 1;
	}
	return 0;
}
NI static unsigned long bits(unsigned long a, unsigned long b)
{
	unsigned long r = 0;
	for (int i = 0; i < 20; i++) {
		unsigned long s = a + b;
		r += s < a ? 3 : 1;
		if (s > r)
			r ^= s;
		a = a * 7 + 1;
		b ^= a >> 3;
	}
	return r;
}
NI static void jump(int n)
{
	if (n) {
		G g(n);
		jump(n - 1);
		sink++;
	} else
		longjmp(jb, 3);
}
extern "C" int tight(long *);
asm(".text\n .type tight, @function\n tight: .cfi_startproc\n pushq (%rdi)\n .cfi_def_cfa_offset 16\n"
	"cmpq $0, (%rdi)\n jg 1f\n je 2f\n incq (%rdi)\n 1: decq (%rdi)\n 2: popq (%rdi)\n"
	".cfi_def_cfa_offset 8\n ret\n .cfi_endproc\n .size tight, .-tight\n"
	// who relies on it that this leaves %r11 alone: it is not free there
	" .type keeps, @function\n keeps: .cfi_startproc\n call tight\n movq %r11, %rax\n ret\n"
	" .cfi_endproc\n .size keeps, .-keeps");
static void nothing()
{
}
static void (*volatile by_address)() = nothing;
static void handler(int s)
{
	sink += s;
	if (bits(s, s) == 1)
		puts("!");
}
static int cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int main()
{
	int s = 0;
	for (long i = -1; i < 2; i++)
		tight(&i);
	signal(SIGUSR1, handler);
	for (int i = 0; i < 6; i++)
		s += sw(i);
	for (int i = 1; i < 4; i++) {
		try {
			s += nest(i);
		} catch (int e) {
			s += e * 10;
			raise(SIGUSR1);
		}
	}
	if (int r = setjmp(jb))
		s += r;
	else
		jump(3);
	by_address();
	sink += syscall(SYS_getpid) > 0;
	int v[] = {3, 1, 2, 9, 4};
	qsort(v, 5, sizeof *v, cmp);
	printf("%d %d %lu\n", s, v[4], bits(s, 77));
	return 0;
}
