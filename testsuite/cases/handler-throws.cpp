/* A handler calls a function of C++'s library that throws an exception, but no function that only does so. */
//# cc: gcc
//# cflags: -fnon-call-exceptions
//# each: -O2 -DNULL_OBJECT
//# each.x86_64: -O2 -DRECURSION
//# stdout: caught
//# report: sum 3
//# stats: counters are .*one for each block$
//# stats: one counter for each block: \S+ calls __cxa_
//# oracle: step skip=sum
#include <csignal>
#include <cstdio>
#include <typeinfo>

#ifdef NULL_OBJECT
struct Shape {
	virtual ~Shape() {}
};
static Shape *volatile shape;
static const char *volatile name;
static void handler(int) { name = typeid(*shape).name(); }
#else
struct Self {
	Self();
	int x;
};
static Self &self()
{
	static Self s;
	return s;
}
Self::Self() { x = self().x; }
static volatile int seen;
static void handler(int) { seen = self().x; }
#endif

static long list[100];

extern "C" [[gnu::noipa]] long sum(volatile long *s, long n)
{
	long k = 0;
	for (long i = 0; i != n; i++)
		k += s[i];
	return k;
}

int main()
{
	std::signal(SIGSEGV, handler);
	try {
		return sum(list, 10) + sum(list, 20) + sum((long *)8, 30) == 0;
	} catch (...) {
		std::puts("caught");
	}
}
