/* hazard: table without a bound.  What is known of the index makes compilers leave the compare out. */
//# each: -O1 | -O2 | -Os | -Oz | -O2 -ffunction-sections -fdata-sections | -O3 -fPIC
//# stdout: e0cd4 45
#include <stdio.h>

__attribute__((noinline)) static unsigned g(unsigned x)
{
	return x * 3 & 0xfffff;
}

#define C(n) case n: r = g(r + n * n % 13) ^ n * 2654435761u >> 25; break;
#define C4(n) C(n) C(n + 1) C(n + 2) C(n + 3)
#define C16(n) C4(n) C4(n + 4) C4(n + 8) C4(n + 12)
#define C32 C16(0) C16(16)
#define FUNC(name, index, cases)                                                        \
	__attribute__((noinline)) static unsigned name(unsigned n, unsigned r, unsigned x) \
	{                                                                                  \
		for (unsigned i = 0; i < n; i++, x = x * 1103515245 + 12345)                  \
			switch (index) { cases }                                                \
		return r;                                                                      \
	}
#define NONE default: __builtin_unreachable();

static const unsigned char small[64] = {[3] = 7, 31, 12, [40] = 11, [63] = 30};
static union {
	unsigned x;
	struct {
		unsigned low : 7, field : 5, high : 20;
	} f;
} bits;
static const unsigned short behind[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

FUNC(mask, x & 31, C32)
FUNC(shift, x >> 27, C32)
FUNC(modulo, x % 32, C32)
FUNC(odd, x / 7 % 20, C16(0) C4(16))
FUNC(field, (bits.x = x, bits.f.field), C32)
FUNC(byte, small[x >> 16 & 63], C32 NONE)
FUNC(some, (x >> 5) % 30, C16(0) C4(16) NONE C4(21) C4(26))
FUNC(again, x >> 20 & 15, C16(0))

/* two jumps by one index, one of them compared */
__attribute__((noinline)) static unsigned twice(unsigned n, unsigned r, unsigned x)
{
	for (unsigned i = 0; i < n; i++, x += 7) {
		unsigned k = x % 37;
		switch (k & 15) { C16(0) }
		switch (k) { C16(0) C4(17) default: r += 5; }
	}
	return r;
}

int main(void)
{
	unsigned r = 1, sum = 0;
	for (int i = 1; i < 10; i++)
		sum += behind[i - 1]; /* from behind - 2 on */
	r = mask(100, r, 3), r = shift(90, r, 5), r = modulo(80, r, 7), r = odd(100, r, 9);
	r = field(70, r, 11), r = byte(60, r, 13), r = again(70, r, 17), r = twice(100, r, 19);
	for (unsigned x = 0; x < 20; x++)
		r = some(1, r, x << 5);
	printf("%x %u\n", r, sum);
	return 0;
}
