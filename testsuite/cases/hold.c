/* Short loops whose counters are held in registers: one block, arms, two exits, a jump in. */
//# each: -O1 | -O2 | -O3 | -O2 -fPIC | -O2 -fno-pie -no-pie | -Os
//# insn.x86_64: (inc +%r..|lea +0x1\(%(r..)\),%\2)
#include <stdio.h>

#ifdef __x86_64__
#define ADD(n, x) asm("add %1,%0" : "+r"(n) : "i"(x))
#define ADD1(n) asm("incq %0" : "+r"(n))
#else
#define ADD(n, x) asm("" : "=r"(n) : "0"(n + (x)))
#define ADD1(n) ADD(n, 1)
#endif

#define N __attribute__((noinline, noipa))

N static long sum(const int *v, long n)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		s += v[i];
	return s;
}

N static long arms(const int *v, long n, long *odd, long *big)
{
	long o = 0, b = 0, s = 0;
	for (long i = 0; i < n; i++) {
		if (v[i] & 1)
			ADD1(o);
		else
			ADD(s, 3);
		if (v[i] > 700)
			ADD1(b);
	}
	*odd = o;
	*big = b;
	return s;
}

N static long find(const int *v, long n, int x, int y)
{
	long i = 0;
	while (i < n && v[i] != x) {
		if (v[i] == y)
			return -i;
		i++;
	}
	return i;
}

N static long bits(unsigned long x)
{
	long n = 0;
#ifdef __x86_64__
	asm volatile("jmp 2f\n1: lea -1(%1),%%rdx\n and %%rdx,%1\n inc %0\n2: test %1,%1\n jne 1b"
		: "+r"(n), "+r"(x) : : "rdx", "rcx", "cc");
#else
	for (; x; x &= x - 1)
		ADD1(n);
#endif
	return n;
}

int main(void)
{
	static int v[1000];
	long odd, big, t = 0;
	for (int i = 0; i < 1000; i++)
		v[i] = i * 37 % 1000;
	for (int i = 0; i < 50; i++)
		t += sum(v, i) + arms(v, 10 * i, &odd, &big) + find(v, 20 * i, i, 3 * i) + bits(i * 77777L);
	printf("%ld %ld %ld\n", t, odd, big);
	return 0;
}
