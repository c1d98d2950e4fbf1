// SPDX-License-Identifier: Apache-2.0
// objects.cc - C++ as it is written: virtual functions, containers, strings, exceptions
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include "kernel.h"

namespace {

struct Node {
	virtual ~Node() = default;
	virtual long value(std::map<std::string, long> &vars) const = 0;
};
using Ptr = std::unique_ptr<Node>;

struct Number : Node {
	long n;
	explicit Number(long k) : n(k) {}
	long value(std::map<std::string, long> &) const override { return n; }
};

struct Variable : Node {
	std::string name;
	explicit Variable(std::string s) : name(std::move(s)) {}
	long value(std::map<std::string, long> &vars) const override
	{
		auto it = vars.find(name);
		if (it == vars.end())
			throw std::out_of_range(name);
		return it->second;
	}
};

struct Operation : Node {
	char op;
	Ptr left, right;
	Operation(char c, Ptr l, Ptr r) : op(c), left(std::move(l)), right(std::move(r)) {}
	long value(std::map<std::string, long> &vars) const override
	{
		long a = left->value(vars), b = right->value(vars);
		switch (op) {
		case '+': return a + b;
		case '-': return a - b;
		case '*': return a * b % 1000003;
		default:
			if (b == 0)
				throw std::domain_error("division");
			return a / b;
		}
	}
};

class Parser {
	const std::string &text;
	size_t at = 0;

	Ptr atom()
	{
		char c = at < text.size() ? text[at] : 0;
		if (c == '(') {
			at++;
			Ptr e = sum();
			if (at >= text.size() || text[at++] != ')')
				throw std::invalid_argument("no )");
			return e;
		}
		if (c >= '0' && c <= '9') {
			long n = 0;
			while (at < text.size() && text[at] >= '0' && text[at] <= '9')
				n = n * 10 + text[at++] - '0';
			return std::make_unique<Number>(n);
		}
		if (c < 'a' || c > 'z')
			throw std::invalid_argument("no operand");
		return std::make_unique<Variable>(std::string(1, text[at++]));
	}

	Ptr product()
	{
		Ptr e = atom();
		while (at < text.size() && (text[at] == '*' || text[at] == '/')) {
			char op = text[at++];
			e = std::make_unique<Operation>(op, std::move(e), atom());
		}
		return e;
	}

	Ptr sum()
	{
		Ptr e = product();
		while (at < text.size() && (text[at] == '+' || text[at] == '-')) {
			char op = text[at++];
			e = std::make_unique<Operation>(op, std::move(e), product());
		}
		return e;
	}

public:
	explicit Parser(const std::string &s) : text(s) {}
	Ptr parse() { return sum(); }
};

void write_expression(std::string &out, uint32_t &seed, int depth)
{
	if (depth == 0 || next_number(&seed) % 8 == 0) {
		if (next_number(&seed) % 3)
			out += static_cast<char>(next_number(&seed) % 200 ? 'a' + next_number(&seed) % 8 : 'z');
		else
			out += std::to_string(next_number(&seed) % 50);
		return;
	}
	out += '(';
	write_expression(out, seed, depth - 1);
	out += next_number(&seed) % 100 ? "+-*"[next_number(&seed) % 3] : '/';
	write_expression(out, seed, depth - 1);
	out += ')';
}

}

int main(int argc, char **)
{
	std::map<std::string, long> vars;
	uint32_t seed = 99;
	long total = 0, thrown = 0;

	for (int i = 0; i < 8; i++)
		vars[std::string(1, static_cast<char>('a' + i))] = i * 37 % 11;
	for (int i = rounds(argc, 24000); i > 0; i--) {
		std::string s;
		write_expression(s, seed, 6);
		try {
			Ptr e = Parser(s).parse();
			for (int k = 0; k < 4; k++) {
				vars["a"] = k;
				total += e->value(vars);
			}
		} catch (const std::exception &) {
			thrown++;
		}
	}
	std::printf("%ld %ld\n", total, thrown);
	return 0;
}
