/* Loops without a free integer register: vector registers hold counters or initial values. */
//# targets: aarch64
//# each: -O2 | -O2 -fPIC | -O3
//# insn: sub\s+d(2[4-9]|30), d\1, d31
//# insn: fmov\s+d(2[4-9]|30), x
//# insn: fmov\s+x\d+, d(2[4-9]|30)
#include <stdio.h>

#define N __attribute__((noinline))
#define SIX(to) to(0) to(1) to(2) to(3) to(4) to(5)
#define VALUES(i) long a##i = p[i], b##i = p[i + 6], c##i = p[i + 12], d##i = p[i + 18];
#define SUM(i) + a##i + b##i + c##i + d##i
/* All are in registers at once, of which few are left. */
#define KEEP asm volatile("" : "+r"(a0), "+r"(b0), "+r"(c0), "+r"(d0), "+r"(a1), "+r"(b1), "+r"(c1), "+r"(d1), \
	"+r"(a2), "+r"(b2), "+r"(c2), "+r"(d2), "+r"(a3), "+r"(b3)); \
	asm volatile("" : "+r"(c3), "+r"(d3), "+r"(a4), "+r"(b4), "+r"(c4), "+r"(d4), "+r"(a5), "+r"(b5), "+r"(c5), \
	"+r"(d5), "+r"(p), "+r"(end))
#define ARMS if (*p & 1) asm("add %0, %0, #1" : "+r"(a0)); else asm("add %0, %0, #3" : "+r"(b0))
#define STOP if (*p == 77) break
#define BODY(p, n, by, arms) \
	SIX(VALUES) \
	for (const int *end = p + n; p < end; p += by) { \
		KEEP; \
		arms; \
	} \
	return 0 SIX(SUM)

N static long one(const int *p, long n) { BODY(p, n, 3, ARMS); }
N static long two(const int *p, long n) { BODY(p, n, 2, STOP); }

#ifdef __clang__
#define OTHER __attribute__((preserve_all))
#else
#define OTHER
#endif
/* A function of another convention: its callers count on v24 to v31. */
N OTHER static long other(const int *p, long n) { BODY(p, n, 1, ARMS; STOP); }
static long (OTHER *volatile pointer)(const int *p, long n) = other;

N static double use(const int *p, long n, double x)
{
	register double a asm("v24") = x, b asm("v25") = x + 1, c asm("v31") = x + 2;
	asm volatile("" : "+w"(a), "+w"(b), "+w"(c));
	long s = pointer(p, n);
	asm volatile("" : "+w"(a), "+w"(b), "+w"(c));
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
