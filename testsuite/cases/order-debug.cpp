// Functions of one section are laid out in another order: the line table follows them in sequences of their own, and
// the ranges of the unit, which have one entry for all functions, are still true.
// hazard: line table of functions in another order.
// hazard: ranges of several functions.
//# each: -g | -gdwarf-4 | -gdwarf-2 | -g -O2
//# cflags: -fno-inline
//# order: yes
//# stdout: 55 caught 3 7 1 12 1512
#include <cstdio>

static int twice(int n)
{
	return n + n;
}

static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int half(int n)
{
	return n / 2;
}

static int square(int n)
{
	return n * n;
}

static void thrower(int n)
{
	if (n > 2)
		throw n;
	std::printf("not reached\n");
}

static int catcher(int n)
{
	try {
		thrower(n);
	} catch (int x) {
		return x;
	}
	return -1;
}

static int pick(int n)
{
	switch (n) {
	case 0: return 3;
	case 1: return fib(5);
	case 2: return 7;
	case 3: return 9 * fib(4);
	case 4: return fib(3) - 1;
	default: return -n;
	}
}

int main()
{
	int n = fib(10);
	std::printf("%d caught %d ", n, catcher(3));
	std::printf("%d %d %d %d\n", pick(2), pick(4), twice(6), half(square(n)));
	return 0;
}
