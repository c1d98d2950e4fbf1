// A throw out of a noexcept function: terminate, through the handler that was set.
//# status: 3
//# stdout: terminated
#include <cstdio>
#include <cstdlib>
#include <exception>

[[gnu::noinline]] static void inner(int x)
{
	if (x)
		throw x;
}
[[gnu::noinline]] static void outer(int x) noexcept { inner(x); }

int main(int argc, char **)
{
	std::set_terminate([] {
		std::puts("terminated");
		std::exit(3);
	});
	outer(argc);
}
