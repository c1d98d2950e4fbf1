/* Loops without a free integer register: vector registers hold counters or initial values. */
//# targets: x86_64; hold-vector-aarch64.c is the same there
//# each: -O2 | -O2 -fPIC | -O2 -fno-pie -no-pie | -O3
//# insn: psubq +%xmm15,%xmm[89]
//# insn: movq +%xmm[89],%r
//# insn: movq +%(r..),%(xmm[89])\n(?:[^\n]*\n){0,50}[^\n]*movq +%\2,%(r..)\n[^\n]*sub +%\1,%\3
#include <stdio.h>

#define N __attribute__((noinline, noipa))
#define KEEP asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h), \
	"+r"(i), "+r"(j), "+r"(k), "+r"(p))

#define ARMS if (*p & 1) asm("incq %0" : "+r"(a)); else asm("addq $3,%0" : "+r"(b))
#define STOP if (*p == 77) break
#define BODY(p, n, by, arms) \
	long a = n, b = n + 1, c = n + 2, d = n + 3, e = n + 4, f = n + 5, g = n + 6, h = n + 7; \
	long i = n + 8, j = n + 9, k = n + 10; \
	for (const int *end = p + n; p < end; p += by) { \
		KEEP; \
		arms; \
	} \
	KEEP; \
	return a + b + c + d + e + f + g + h + i + j + k

N static long one(const int *p, long n) { BODY(p, n, 3, ARMS); }
N static long two(const int *p, long n) { BODY(p, n, 2, STOP); }

/* A function of another convention: its callers count on xmm8. */
N __attribute__((ms_abi)) static long other(const int *p, long n) { BODY(p, n, 1, ARMS; STOP); }
static long (__attribute__((ms_abi)) *volatile pointer)(const int *p, long n) = other;

N static double use(const int *p, long n, double x)
{
	register double a asm("xmm8") = x, b asm("xmm9") = x + 1, c asm("xmm15") = x + 2;
	asm volatile("" : "+x"(a), "+x"(b), "+x"(c));
	long s = pointer(p, n);
	asm volatile("" : "+x"(a), "+x"(b), "+x"(c));
	return a + b + c + s;
}

int main(void)
{
	static int v[1000];
	double d = 0;
	long t = 0;
	for (int i = 0; i < 1000; i++)
		v[i] = i * 37 % 1000;
	for (int i = 0; i < 50; i++) {
		t += one(v, 18 * i) + two(v, 20 * i);
		d += use(v, i, i);
	}
	printf("%ld %g\n", t, d);
	return 0;
}
