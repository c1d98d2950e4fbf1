// SPDX-License-Identifier: Apache-2.0
// Something of everything: groups, TLS, exceptions, a jump table, strings.
#include <stdexcept>
#include <string>

thread_local int t1 = 5;
struct A {
	virtual ~A() {}
	virtual int f(int x) { return x + 1; }
};
struct B : A {
	int f(int x) override { return x * 2; }
};
template <class T> T larger(T a, T b) { return a > b ? a : b; }
inline int counted(int x) { static int n; return n += x; }
const char *strings[] = {"one", "two", "three"};
int table(int x)
{
	switch (x) {
	case 0: return 3;
	case 1: return 17;
	case 2: return 1;
	case 3: return 99;
	case 4: return 6;
	case 5: return 8;
	default: return 0;
	}
}
int all(int x)
{
	B b;
	A *a = &b;
	try {
		if (x > 3)
			throw std::runtime_error(strings[x & 1]);
	} catch (std::exception &e) {
		x += (int)std::string(e.what()).size();
	}
	return a->f(4) + larger(x, 3) + counted(2) + t1 + table(x);
}
