// SPDX-License-Identifier: Apache-2.0
// Handlers of several types, cleanups, exception specifications, cold parts.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct noisy {
	std::string s;
	~noisy()
	{
		std::puts(s.c_str());
	}
};

int thrower(int x)
{
	if (x > 3)
		throw std::runtime_error("big");
	if (x < 0)
		throw x;
	return x;
}

int handler(int x)
{
	noisy a{"a"};
	try {
		noisy b{"b"};
		return thrower(x);
	} catch (std::runtime_error &e) {
		std::puts(e.what());
		return -1;
	} catch (int i) {
		return i;
	}
}

int nested(int x)
{
	std::vector<noisy> v;
	for (int i = 0; i < x; i++)
		v.push_back({std::to_string(i)});
	try {
		handler(x);
		thrower(x + 3);
	} catch (...) {
		std::puts("all");
		throw;
	}
	return (int)v.size();
}

int last() noexcept
{
	try {
		return nested(3);
	} catch (std::exception &e) {
		return 1;
	}
}

int main()
{
	return last();
}
