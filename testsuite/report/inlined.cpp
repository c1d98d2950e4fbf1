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
#ifdef DEAD
#define AGAIN(k)                                                                                   \
	for (int i = 0; i < n; i++) {                                                              \
		s += a[i] * k;                                                                     \
		a[i] ^= s >> k;                                                                    \
	}
#define AGAINS(k) AGAIN(k) AGAIN(k + 1) AGAIN(k + 2) AGAIN(k + 3) AGAIN(k + 4) AGAIN(k + 5)
/* Longer than what stands in front of the code in the file. */
int dead(int *a, int n)
{
	int s = 0;
	AGAINS(1) AGAINS(2) AGAINS(3) AGAINS(4)
	AGAINS(5) AGAINS(6) AGAINS(7) AGAINS(8)
	AGAINS(1) AGAINS(2) AGAINS(3) AGAINS(4)
	AGAINS(5) AGAINS(6) AGAINS(7) AGAINS(8)
	AGAINS(1) AGAINS(2) AGAINS(3) AGAINS(4)
	AGAINS(5) AGAINS(6) AGAINS(7) AGAINS(8)
	AGAINS(1) AGAINS(2) AGAINS(3) AGAINS(4)
	AGAINS(5) AGAINS(6) AGAINS(7) AGAINS(8)
	return s;
}
#endif
