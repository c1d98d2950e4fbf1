/* SPDX-License-Identifier: Apache-2.0 */
/* Inlined functions in inlined functions, of templates too. */
#include <stdio.h>
#include <vector>
#include <algorithm>
namespace n {
template <class T> struct box {
	T v;
	T get(int k) const { return k ? v * k : v; }
	T put(T x);
};
template <class T> T box<T>::put(T x) { T old = v; v = x; return old; }
}
static inline int twice(int x)
{
	return x > 3 ? 2 * x : x;
}
__attribute__((noinline)) static int f(int x)
{
	n::box<int> b{x};
	return b.get(x) + twice(b.put(7)) + b.get(3);
}
int main(int argc, char **)
{
	std::vector<int> v;
	for (int i = 0; i < argc + 10; i++)
		v.push_back(f(i));
	std::sort(v.begin(), v.end());
	printf("%d\n", v[0]);
	return 0;
}
