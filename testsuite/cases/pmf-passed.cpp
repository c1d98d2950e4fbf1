// Pointers to members that are no virtual functions are passed on: where the callee would read a table of virtual
// functions, it does not read these.
// hazard: pointer to a member function.
//# each: -O2 | -Os -falign-functions=1 | -O0
//# stdout: 57 6
#include <cstdio>

struct A {
	int x;
	virtual int a();
	int b();
	int c(int n);
};
int A::a() { return 2 * x; }
int A::b() { return x > 3 ? x : 3; }
int A::c(int n) { return x & 1 ? b() : n; }

typedef int (A::*P)();
[[gnu::noinline]] static int call(A *a, P p, int n)
{
	int s = 0;

	while (n--)
		s += (a++->*p)();
	return s;
}
[[gnu::noinline]] static int pass(int n, int (A::*p)(int), A *a) { return (a->*p)(n); }

int main()
{
	A all[4];

	for (int i = 0; i < 4; i++)
		all[i].x = 3 * i;
	std::printf("%d", call(all, &A::a, 4) + call(all, &A::b, 4));
	std::printf(" %d\n", pass(6, &A::c, all));
}
