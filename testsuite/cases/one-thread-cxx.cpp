/*
 * A C++ program that forks but starts no thread has plain counters, and its virtual functions do not look for new threads:
 * of what it needs of libstdc++ only std::thread makes one.
 */
//# cflags: -O2 -fno-pie
//# ldflags: -no-pie
//# stdout: 160 two
//# report: _ZNK5Twice5valueEl 200
//# stats: counters are plain
//# oracle: children
#include <cstdio>
#include <map>
#include <mutex>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

struct Value {
	virtual long value(long n) const = 0;
	virtual ~Value() = default;
};
struct Twice : Value {
	__attribute__((noinline, noipa)) long value(long n) const override
	{
		return n > 9 ? throw std::out_of_range("two") : 2 * n;
	}
};

__attribute__((noinline, noipa)) static const Value *make() { return new Twice; }

int main()
{
	const Value *v = make();
	std::map<long, long> seen;
	std::mutex m;
	for (int k = 0; k < 10; k++)
		if (!fork()) {
			for (int i = 0; i < 10; i++)
				seen[i] += v->value(i);
			_exit(0);
		}
	while (wait(nullptr) > 0)
		;
	try {
		for (long i = 0; i < 100; i++) {
			std::lock_guard<std::mutex> held(m);
			seen[i % 6] += v->value(i % 6 + (i == 99) * 9);
		}
	} catch (const std::out_of_range &e) {
		printf("%ld %s\n", seen[5], e.what());
	}
	delete v;
	return 0;
}
