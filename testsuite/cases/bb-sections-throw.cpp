/*
 * Each block in a section of its own, with its own call sites; all share actions and types.
 * Not with -O1: there clang leaves out call sites, and what the program does, whoever links
 * it, depends on how the bytes behind a table read.
 * hazard: call sites without relocations.
 * hazard: blocks in sections.
 * hazard: landing pad in another section.
 */
//# targets: x86_64; clang makes such sections for no other of the CPUs
//# cc: clang-19
//# each: -O2 -fbasic-block-sections=all -ffunction-sections | -O2 -fPIC -fbasic-block-sections=all | -O0 -fbasic-block-sections=all | -O2 -fbasic-block-sections=all -gdwarf-4
//# stdout: 3 1 13 4 4 19 left 65
//# opaque:
#include <cstdio>
#include <string>

static int left;

struct guard {
	int n;
	explicit guard(int n) : n(n) {}
	~guard() { left += n; }
};

__attribute__((noinline)) static int thrower(int x)
{
	if (x % 3 == 0)
		throw x + 3;
	if (x % 3 == 1)
		throw std::string("s");
	return x;
}

__attribute__((noinline)) static int catcher(int x)
{
	guard outer(x);
	try {
		guard inner(x * 2);
		return thrower(x) + thrower(x) + 9;
	} catch (int e) {
		return e > 3 ? e - 2 : e;
	} catch (const std::string &s) {
		try {
			guard again(x * 4);
			thrower(x - 1);
		} catch (int e) {
			return x > 1 ? e - 2 : (int)s.size();
		}
	}
	return -1;
}

int main()
{
	for (int i = 0; i < 6; i++)
		std::printf("%d ", catcher(i));
	std::printf("left %d\n", left);
	return 0;
}
