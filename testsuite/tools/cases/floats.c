/*
 * Routines with floating point: mean and variance of an argument, in a program whose loops hold doubles in registers,
 * divide inexactly, round upwards and look at what exceptions were raised.
 */
//# flags: -O2 -lm -frounding-math
#ifdef ASKS
#include <ldx/tool.h>
#include <stdio.h>
#include <string.h>

static void instrument(const ldx_object *o)
{
	unsigned n = 0;
	for (const ldx_func *f = NULL; (f = ldx_next_func(o, f));) {
		bool own = !strcmp(ldx_func_name(f), "value") || !strcmp(ldx_func_name(f), "longer");
		ldx_arg first[] = {ldx_call_arg(0), ldx_stack()};
		if (!strcmp(ldx_func_name(f), "scale") && !ldx_replace(f, "scale"))
			printf("not replaced: %s\n", ldx_refused());
		if (own && !ldx_call(ldx_at_entry(f), "measure", 1, first))
			printf("refused: %s\n", ldx_refused());
		for (const ldx_block *b = NULL; (b = ldx_next_block(f, b));)
			for (const ldx_insn *i = NULL; (i = ldx_next_insn(b, i));) {
				ldx_arg number[] = {ldx_number(n++ % 100)};
				if (n % 3)
					ldx_call(ldx_before(i), "disturb", 1, number);
				else
					ldx_call_if(ldx_before(i), "is_odd", 1, first + 1, "disturb", 1, number);
			}
	}
}

const struct ldx_tool ldx_tool = {LDX_TOOL_VERSION, "case", "floats", 0, instrument};

#elif defined ROUTINES
#include <ldx/analysis.h>

LDX_THREAD uint64_t count;
LDX_THREAD_BY(tool) double sum, squares, variance, below;

LDX_VECTORS static double variance_of(double n, double s, double q)
{
	return (q - s * s / n) / n;
}

LDX_VECTORS LDX_ROUTINE void measure(unsigned long x)
{
	double y = (double)x / 4;
	ldx_data(count, )++;
	ldx_data(sum, ) += y;
	ldx_data(squares, ) += y * y;
	ldx_data(variance, ) = variance_of((double)(unsigned long)ldx_data(count, ), ldx_data(sum, ), ldx_data(squares, ));
	ldx_data(below, ) += 1 / (y + 3);
}

LDX_ROUTINE unsigned long is_odd(unsigned long x)
{
	return x & 16;
}

double original_scale(double x, int n) LDX_ORIGINAL("scale");
LDX_THREAD_BY(tool) double scaled;

LDX_VECTORS LDX_ROUTINE double scale(double x, int n)
{
	ldx_data(scaled, ) += x;
	return original_scale(x, n);
}

/* Leaves nothing as it was that it may change, and raises what there is. */
LDX_VECTORS LDX_ROUTINE void disturb(unsigned long x)
{
	volatile double zero = 0, huge = 1e308, third = 3;
	double a = huge * (double)(x + 10), b = zero / zero, c = 1 / third, d = 1 / zero;
	ldx_data(below, ) += a > 1 && d > 1 ? 0 : b + c;
}
#else
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static double sum, squares, below;

__attribute__((noinline)) double value(unsigned long x, double by)
{
	return (double)x * by;
}

/* A routine would change what SVE has of z1 beyond v1. */
__attribute__((noinline)) void longer(unsigned long x)
{
#ifdef __aarch64__
	__asm__ volatile(".arch_extension sve; mov z1.b, #1" : : "r"(x) : "v1");
#else
	__asm__ volatile("" : : "r"(x));
#endif
}

__attribute__((noinline)) double scale(double x, int n)
{
	return n > 1 ? x * n : -x;
}

/* More doubles than callers keep for it live across its loop. */
__attribute__((noinline)) double mix(const double *p, int n)
{
	double a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, k = 9, l = 10;
	for (int i = 0; i < n; i++) {
		a += p[i] * 0.5, b -= p[i] / 3, c += a * 1e-3, d -= b * 1e-4, e += c / 7;
		f += d * 0.1, g -= e / 9, h += f * 0.3, k -= g * 1e-5, l += h / 11;
		if (l > 1e6)
			a = b, l = -k;
	}
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + k * 9 + l * 10;
}

static uint64_t bits(double x)
{
	uint64_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

/* Each as it is without the tool: what they must be was computed by rounding to nearest. */
static int is_right(const double *p, int n)
{
	volatile double zero = 0, one = 1, three = 3, third;
	double plain = mix(p, n);
	feclearexcept(FE_ALL_EXCEPT);
	double exact = value(12, 0.5) + zero;
	int raised = fetestexcept(FE_ALL_EXCEPT);
	fesetround(FE_UPWARD);
	third = one / three;
	int rounding = fegetround(), up = third * 3 >= 1;
	fesetround(FE_TONEAREST);
	third = one / three;
	if (rounding != FE_UPWARD) /* QEMU's 5KEf cannot change it */
		return exact == 6 && bits(mix(p, n)) == bits(plain);
	return exact == 6 && !raised && up && fetestexcept(FE_ALL_EXCEPT) == FE_INEXACT && bits(mix(p, n)) == bits(plain);
}

int main(void)
{
	double p[50];
	uint64_t count = 0;
	int right = 1;
	for (int i = 0; i < 50; i++)
		p[i] = i * 0.37 - 5;
	for (int round = 0; round < 3; round++)
		right &= is_right(p, 50);
	longer(0);
	count = 4;
#ifdef __aarch64__
	count--; /* it is refused */
#endif
	sum = 9, squares = 27, below = 3 / 6.0;
	for (unsigned long i = 1; i < 40; i++, count++) {
		volatile double got = value(i * i, 0.25);
		sum += got, squares += got * got, below += 1 / (got + 3);
		right &= got == (double)(i * i) / 4 && scale(got, 2) == got * 2;
	}
	double n = (double)count;
	printf("count 0 %d\n", (int)count * right);
	printf("sum 0 %llu\n", (unsigned long long)bits(sum));
	printf("squares 0 %llu\n", (unsigned long long)bits(squares));
#if !defined __mips__ || __mips == 64 /* there the result is two registers, of which not both are known to be one */
	printf("scaled 0 %llu\n", (unsigned long long)bits(sum - 9));
#endif
	printf("variance 0 %llu\n", (unsigned long long)bits((squares - sum * sum / n) / n));
	return !right;
}
#endif
