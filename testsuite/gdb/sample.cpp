/* SPDX-License-Identifier: Apache-2.0 */
/* sample.cpp - what C++ adds for a debugger: inlined members, templates, exceptions, threads */
#include <cstdio>
#include <stdexcept>
#include <thread>

static volatile int closed;

struct Scope {
	const char *name;
	explicit Scope(const char *n) : name(n)
	{
	}
	~Scope()
	{
		closed = closed + 1;	/* LINE closing */
	}
};

template <typename T> class Stack {
	T item[8] = {};	// else what the stack held before is shown
	int used = 0;

public:
	void push(T value)
	{
		if (used == 8)
			throw std::length_error("full");	/* LINE throwing */
		item[used++] = value;	/* LINE push */
	}
	T sum() const
	{
		T total = 0;
		for (int i = 0; i < used; i++)
			total += item[i];	/* LINE adding */
		return total;
	}
};

[[gnu::noinline]] static int fill(Stack<int> &s, int n)
{
	Scope inside("fill");
	for (int i = 0; i < n; i++)
		s.push(i * i);
	return s.sum();		/* LINE full */
}

[[gnu::noinline]] static int guarded(Stack<int> &s, int n)
{
	try {
		return fill(s, n);
	} catch (const std::exception &e) {
		int length = 0;
		while (e.what()[length])
			length++;
		return -length;		/* LINE caught */
	}
}

static void work(int *result)
{
	Stack<int> own;
	*result = fill(own, 3);		/* LINE thread */
}

int main()
{
	Stack<int> s;
	int first = guarded(s, 4), second = guarded(s, 20), third = 0;
	std::thread t(work, &third);
	t.join();
	auto twice = [&](int n) { return n * 2 + closed; };	/* LINE lambda */
	std::printf("%d %d %d %d\n", first, second, third, twice(second));
	return 0;
}
