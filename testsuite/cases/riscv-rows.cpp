// Unwinding of code whose distances counters change: rows of a frame are differences of symbols in six or 16 bits,
// ranges of call sites in 32, and those of clang's debug information ULEB128; they grow over what their fields hold.
// hazard: advance of six bits.
//# targets: riscv64; others' distances are numbers
//# each: -O2 | -O2 -fno-omit-frame-pointer
//# report: thrower 40
//# stdout: 820 40
#include <cstdio>

static volatile int v;
extern "C" [[gnu::noinline, gnu::noipa]] void thrower(int n)
{
	v++;
	throw n;
}
extern "C" [[gnu::noinline, gnu::noipa]] void nothing(int) { v++; }
struct at_exit {
	~at_exit() { v++; }
};

#define S if (v & 1) v += n; nothing(n);
#define S10 S S S S S S S S S S

[[gnu::noinline, gnu::noipa]] int between(int n, long a, long b, long c, long d)
{
	int before = n;
	at_exit e;
	if (n < 0)
		return n; /* rows in front of the far ones */
	S10
	try {
		S10 S
		thrower(before);
		S10
	} catch (long) {
		return 1;
	} catch (int i) {
		S10
		if (i != before)
			return 0;
		return before + (a + b + c + d == 10 ? 0 : 1);
	}
	return 2;
}

int main()
{
	int sum = 0, calls = 0;
	for (int i = 1; i <= 40; i++, calls++)
		sum += between(i, 1, 2, 3, 4);
	std::printf("%d %d\n", sum, calls);
}
