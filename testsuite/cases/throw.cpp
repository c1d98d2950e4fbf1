// Exceptions through many frames: cleanups run, rethrow, catch(...), nested, uncaught_exceptions.
// hazard: call sites without relocations.
// hazard: crtend before the rest.
//# each: -O0 | -O1 | -O2 | -O2 -fno-pie -no-pie | -O2 -static
//# oracle: qemu
#include <cstdio>
#include <stdexcept>
#include <string>

static int live;
struct Guard {
	const char *name;
	Guard(const char *n) : name(n) { live++; }
	~Guard() { live--; std::printf("~%s%d ", name, std::uncaught_exceptions()); }
};
struct Own { int v; };

[[gnu::noinline]] static int thrower(int x)
{
	Guard g("t");
	if (x == 1)
		throw 5;
	if (x == 2)
		throw std::runtime_error("two");
	if (x == 3)
		throw Own{ 33 };
	return x;
}

[[gnu::noinline]] static int middle(int x)
{
	Guard a("a");
	try {
		Guard b("b");
		return thrower(x);
	} catch (int i) {
		std::printf("int%d ", i);
		throw;
	} catch (std::runtime_error &e) {
		try {
			throw Own{ 7 };
		} catch (...) {
			std::printf("nested ");
		}
		throw std::logic_error(std::string("from ") + e.what());
	}
}

int main()
{
	for (int i = 0; i < 8; i++) {
		try {
			std::printf("%d ", middle(i % 5));
		} catch (std::exception &e) {
			std::printf("[%s] ", e.what());
		} catch (Own &o) {
			std::printf("own%d ", o.v);
		} catch (...) {
			std::printf("... ");
		}
		std::printf("live %d\n", live);
	}
}
