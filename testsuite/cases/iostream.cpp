// The C++ library at work, shared and static: streams, strings, maps, sort, regex, exceptions.
//# each: -O2 | -O2 -static | -O0
//# stdout: 3.50 abc 3 ff one=1 two=2 [1 2 3 5 8] stoi
//# oracle: qemu
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

int main()
{
	std::map<std::string, int> m{ { "two", 2 }, { "one", 1 } };
	std::vector<int> v{ 5, 3, 8, 1, 2 };
	std::ostringstream s;

	std::sort(v.begin(), v.end(), [](int a, int b) { return a < b; });
	s << std::fixed << std::setprecision(2) << 3.5 << ' ' << std::string("abc") << ' ' << m.size() + 1 << ' '
	  << std::hex << 255 << std::dec;
	for (auto &[k, n] : m)
		s << ' ' << k << '=' << n;
	s << " [";
	for (auto i : v)
		s << i << (i == 8 ? "]" : " ");
	std::cout << s.str();
	try {
		std::stoi("x");
	} catch (std::invalid_argument &e) {
		std::cout << ' ' << e.what() << std::endl;
	}
}
