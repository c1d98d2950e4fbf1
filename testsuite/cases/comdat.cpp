// COMDAT groups: templates, inline functions and statics in two objects, one copy of each kept.
//# obj: -DPART2
//# each: -O0 | -O2 -ffunction-sections
//# stdout: 17 6 same 4
#include <cstdio>

template <class T> struct Box {
	T v;
	virtual T get() { return v; }
	virtual ~Box() {}
};
inline int counter(int x)
{
	static int n;
	return n += x;
}
template <class T> [[gnu::noinline]] T largest(T a, T b) { return a > b ? a : b; }
int other(int);
typedef int (*fn)(int);
fn address();
#ifdef PART2
int other(int x)
{
	Box<int> b;
	b.v = x;
	return b.get() + counter(1) + largest(x, 3);
}
fn address() { return counter; }
#else
int main()
{
	Box<int> b;
	b.v = 2;
	int r = other(7) + b.get();
	std::printf("%d %d %s %d\n", r, counter(5), address() == &counter ? "same" : "two", largest(4, b.get()));
}
#endif
