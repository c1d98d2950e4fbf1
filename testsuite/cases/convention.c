/* Values passed and returned in registers that the psABI does not use: clang's other conventions. */
/* hazard: foreign calling convention. */
//# cc: clang-19
//# each: -DCC=swiftcall | -DCC=swiftasynccall -Os | -DCC=regcall -O1 | -DCC=preserve_none | -DCC=preserve_most | -DCC=vectorcall
#include <stdio.h>

struct four { long a, b, c, d; };
typedef struct four returning(volatile long *v, const char *p, long n) __attribute__((CC));

__attribute__((CC, noinline)) static struct four four(volatile long *v, const char *p, long n)
{
	struct four s = { v[0], v[1], v[2], v[3] };
	for (long i = 0; i < n; i++) {
		s.a += p[i];
		if (p[i] & 1)
			s.a ^= 5;
	}
	return s;
}

__attribute__((CC, noinline)) static struct four alike(volatile long *v, const char *p, long n)
{
	struct four s = { v[3], v[2], v[1], v[0] };
	for (long i = 0; i < n; i += 2) {
		s.d += p[i];
		if (p[i] & 2)
			s.d ^= 9;
	}
	return s;
}

__attribute__((CC, noinline)) static long many(long a, long b, long c, long d, long e, long f,
	long g, long h, long i, long j, long k, long l)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l;
}

__attribute__((noinline)) static long passing(volatile long *v, const char *p, long n)
{
	long a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7], i = v[8],
	     j = v[9], k = v[10], l = 0;
	for (long x = 0; x < n; x++)
		if (p[x] & 1)
			l++;
	return many(a, b, c, d, e, f, g, h, i, j, k, l);
}

static returning *volatile chosen = alike;

int main(void)
{
	static char b[64];
	long v[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	for (int i = 0; i < 64; i++)
		b[i] = (char)(i * 5);
	struct four s = four(v, b, 50);
	printf("%ld %ld %ld %ld\n", s.a, s.b, s.c, s.d);
	s = chosen(v, b, 50);
	printf("%ld %ld %ld %ld\n", s.a, s.b, s.c, s.d);
	printf("%ld\n", passing(v, b, 50));
	return 0;
}
