// Virtual calls, pointers to members (bit 0 means virtual: functions must be even), thunks.
//# each: -O0 | -O2 | -Os
//# stdout: 32 11 7 43 2
#include <cstdio>

struct A {
	int x = 7;
	virtual ~A() {}
	virtual int f(int a) { return a + 1; }
	int g() { return x; }
	int h() { return x + 1; }
};
struct B {
	virtual int k() { return 1; }
	virtual ~B() {}
};
struct C : A, B {
	int f(int a) override { return a * 3 + 2; }
	int k() override { return x + 36; }
};
typedef int (A::*P)();
typedef int (A::*Q)(int);

[[gnu::noinline]] static int call(A *a, P p) { return (a->*p)(); }
[[gnu::noinline]] static int call1(A *a, Q q, int v) { return (a->*q)(v); }
[[gnu::noinline]] static P get(int k) { return k & 1 ? &A::g : &A::h; }

int main(int argc, char **)
{
	C c;
	B *b = &c;
	A a;
	std::printf("%d %d %d %d %d\n", call1(&c, &A::f, 10), call1(&a, &A::f, 10), call(&c, get(argc)), b->k(),
		call(&a, get(argc + 1)) - 6);
}
