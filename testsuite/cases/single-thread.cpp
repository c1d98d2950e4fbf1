/*
 * A static C++ program with one thread and no signal handler has plain counters: what libstdc++ uses of the C library
 * makes no thread, its weak references to a transactional memory runtime are null, its calls of syscall(2) are futex(2).
 */
//# each: -O2 -static
//# stdout: 55 caught 3 a,b 1099511627779
//# report: total 1
//# stats: counters are plain
//# oracle: qemu
#include <csignal>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

extern "C" __attribute__((noinline)) long total(int n)
{
	static const std::map<int, long> squares = {{1, 1}, {2, 4}, {3, 9}};
	long sum = 0;
	for (int i = 1; i <= n; i++)
		sum += i > 3 ? i : squares.at(i) / i;
	return sum;
}

int main(int argc, char **)
{
	std::signal(SIGPIPE, SIG_IGN);
	std::ostringstream s;
	s << "a," << 'b';
	try {
		std::cout << total(10) << ' ';
		throw std::runtime_error("caught");
	} catch (const std::exception &e) {
		long long big = 1LL << 40;
		std::cout << e.what() << ' ' << 3 << ' ' << s.str() << ' ' << big / argc + 3 % (big + argc) << '\n';
	}
	return 0;
}
