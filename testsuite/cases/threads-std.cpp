/* Threads that a library starts: the program first hears of them in a virtual function. */
//# each: -O0 | -O2
//# libs: -pthread
//# stdout: 400000
//# report: _Z4stepi 400000
//# oracle: no, threads
#include <cstdio>
#include <thread>
#include <vector>

__attribute__((noinline)) int step(int x) { return x ^ 1; }

int main()
{
	std::vector<std::thread> t;
	long sums[4] = {};
	for (int k = 0; k < 4; k++)
		t.emplace_back([&sums, k] {
			for (int i = 0; i < 100000; i++)
				sums[k] += step(i) != i;
		});
	for (auto &x : t)
		x.join();
	printf("%ld\n", sums[0] + sums[1] + sums[2] + sums[3]);
	return 0;
}
