// Hot and cold halves of a function in two sections, with an exception thrown from the cold one.
// hazard: branch into another function.
// hazard: call sites without relocations.
//# each: -O2 | -O2 -fno-pie -no-pie | -O3 -ffunction-sections
//# stdout: 10 caught 41 990
#include <cstdio>
#include <stdexcept>

[[gnu::cold, gnu::noinline]] static void fail(int x) { throw std::runtime_error(x > 40 ? "big" : "?"); }

[[gnu::noinline]] static int work(int x)
{
	if (__builtin_expect(x % 100 == 41, 0)) {
		std::printf("caught %d ", x % 100);
		try {
			fail(x);
		} catch (std::exception &e) {
			return *e.what() == 'b';
		}
	}
	return 1;
}

int main()
{
	int s = 0;

	std::printf("10 ");
	for (int i = 0; i < 100; i++)
		s += work(i);
	std::printf("%d\n", s * 10 - 10);
}
