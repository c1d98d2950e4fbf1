// Functions of one section are laid out in another order: calls, tail calls, exceptions, switch tables and
// pointers to functions lead to them where they are.  What a label ends is still in front of it.
// hazard: label behind a function.
//# targets: x86_64; it is about assembly between functions
//# cflags: -g0 -fno-inline
//# order: yes
//# stdout: 144 7 caught 2 done 27 10
#include <cstdio>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int pick(int n)
{
	switch (n) {
	case 0: return 3;
	case 1: return fib(5);
	case 2: return 7;
	case 3: return 9 * fib(4);
	case 4: return fib(3) - 1;
	case 5: return 4;
	default: return -n;
	}
}

struct guard {
	int *n;
	~guard() { ++*n; }
};

static void thrower(int n)
{
	if (n > 1)
		throw n;
}

static int catcher(int n)
{
	int left = 0;
	try {
		guard a = {&left}, b = {&left};
		thrower(n);
	} catch (int) {
		return left;
	}
	return -left;
}

static int (*volatile by_address[])(int) = {pick, catcher, fib};

__asm__(".text; .globl measured, measured_end, next; .type measured, @function; measured: leal 1(%rdi), %eax; ret; .size measured, .-measured;"
	"measured_end: .type next, @function; next: leal 2(%rdi), %eax; ret; .size next, .-next");
extern "C" int measured(int), next(int), measured_end(int);
static int (*const volatile bounds[])(int) = {measured, measured_end};

static bool is_measured(int (*f)(int))
{
	auto p = reinterpret_cast<unsigned long>(f), from = reinterpret_cast<unsigned long>(bounds[0]);
	return p >= from && p < reinterpret_cast<unsigned long>(bounds[1]);
}

int main()
{
	int n = fib(12), m = pick(2);
	std::printf("%d %d caught %d ", n, m, by_address[1](2));
	std::printf("done %d", by_address[0](3));
	std::printf(" %d%d\n", is_measured(measured), is_measured(next));
	return 0;
}
