// Pointers to members of functions in one section, aligned to 2 only: bit 0 means virtual.
// hazard: odd function address.
//# each: -Os | -O1 -falign-functions=1 | -O2
//# stdout: 894
#include <cstdio>

struct A {
	int x;
	int a();
	int b();
	int c();
	int d();
};
int A::a() { return x; }
int A::b() { return x > 3 ? x : 3; }
int A::c() { return x & 1 ? b() : a(); }
int A::d() { return 3 * x; }

typedef int (A::*P)();
static P all[] = { &A::a, &A::b, &A::c, &A::d };
[[gnu::noinline]] static int call(A *a, P p) { return (a->*p)(); }

int main()
{
	int s = 0;

	for (int i = 0; i < 100; i++) {
		A v{ i % 12 };
		s += call(&v, all[i % 4]);
	}
	std::printf("%d\n", s);
}
