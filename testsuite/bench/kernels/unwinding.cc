/* SPDX-License-Identifier: Apache-2.0 */
/* unwinding.cc - threads that throw through frames with destructors, and pass on what was thrown */
#include <algorithm>
#include <atomic>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
std::atomic<int> alive, unwound;

struct Held {
	Held() { alive++; }
	~Held()
	{
		alive--;
		if (std::uncaught_exceptions())
			unwound++;
	}
};

struct Refused : std::runtime_error {
	int depth;
	Refused(const std::string &what, int depth) : std::runtime_error(what), depth(depth) {}
};

struct Part {
	virtual ~Part() = default;
	virtual long value() const = 0;
};
using Parts = std::unique_ptr<Part>;

struct Number : Part {
	long n;
	explicit Number(long n) : n(n) {}
	long value() const override { return n; }
};

struct Pair : Part {
	Parts a, b;
	char op;
	Pair(Parts a, Parts b, char op) : a(std::move(a)), b(std::move(b)), op(op) {}
	long value() const override
	{
		long x = a->value(), y = b->value();
		switch (op) {
		case '+': return x + y;
		case '-': return x - y;
		case '*': return x * y % 1000003;
		case '/':
			if (!y)
				throw std::domain_error("division by 0");
			return x / y;
		}
		throw std::logic_error(std::string("operator ") + op);
	}
};

/* Expressions in parentheses, such as ((1+2)*3). */
Parts parse(std::istream &in, int depth)
{
	Held held;

	if (depth > 40)
		throw Refused("too deep", depth);
	if (in.peek() != '(') {
		long n;

		if (!(in >> n))
			throw Refused("no number", depth);
		return std::make_unique<Number>(n);
	}
	in.get();
	Parts a = parse(in, depth + 1);
	char op = in.get();
	Parts b = parse(in, depth + 1);
	if (in.get() != ')')
		throw Refused("no )", depth);
	return std::make_unique<Pair>(std::move(a), std::move(b), op);
}

std::string expression(unsigned &seed, int depth)
{
	seed = seed * 1103515245 + 12345;
	unsigned r = seed >> 16;

	if (r % 61 == 0)
		return "x";
	if (depth > 6 || r % 5 == 0)
		return std::to_string(r % 7);
	std::string a = expression(seed, depth + 1), b = expression(seed, depth + 1);
	return "(" + a + "+-*/^"[r % 16 % 5] + b + ")";
}

std::string judged(const std::string &text)
{
	std::istringstream in(text);

	try {
		try {
			return std::to_string(parse(in, 0)->value());
		} catch (const Refused &e) {
			if (e.depth % 2)
				throw;
			return std::string(e.what()) + " at " + std::to_string(e.depth);
		}
	} catch (const std::logic_error &e) {
		return e.what();
	}
}

std::map<std::string, int> work(int k, int n)
{
	std::map<std::string, int> seen;
	unsigned seed = k * 7919 + 1;

	for (int i = 0; i < n; i++) {
		try {
			seen[judged(expression(seed, 0))]++;
		} catch (const std::runtime_error &e) {
			seen[std::string("odd: ") + e.what()]++;
		}
	}
	if (k % 3 == 2)
		throw Refused("worker " + std::to_string(k) + " with " + std::to_string(seen.size()), k);
	return seen;
}

int caught(std::exception_ptr p)
{
	try {
		std::rethrow_exception(p);
	} catch (const Refused &e) {
		std::cout << e.what() << '\n';
		return e.depth;
	}
}
}

int main(int argc, char **)
{
	std::vector<std::future<std::map<std::string, int>>> futures;
	std::vector<std::thread> threads;
	std::map<std::string, int> all;
	std::exception_ptr last;

	for (int k = 0; k < 6; k++) {
		std::packaged_task<std::map<std::string, int>(int, int)> task(work);
		futures.push_back(task.get_future());
		threads.emplace_back(std::move(task), k, argc > 1 ? 40 : 2000);
	}
	for (auto &f : futures) {
		try {
			for (auto &[text, n] : f.get())
				all[text] += n;
		} catch (...) {
			last = std::current_exception();
			caught(last);
		}
	}
	for (auto &t : threads)
		t.join();
	std::regex number("-?[0-9]+");
	std::cout << std::count_if(all.begin(), all.end(), [&](auto &p) { return std::regex_match(p.first, number); });
	for (auto &[text, n] : all)
		if (!std::regex_match(text, number))
			std::cout << ' ' << text << ": " << n << ';';
	std::cout << '\n' << alive << ' ' << unwound << ' ' << caught(last) << '\n';
}
