// Static objects of C++: constructors before main, destructors after, function-local ones.
//# stdout: [one][two]main[local]5~local~two~one
#include <cstdio>
struct S {
	const char *n;
	S(const char *s) : n(s) { std::printf("[%s]", n); }
	~S() { std::printf("~%s", n); }
	int value() { return 5; }
};
static S one("one"), two("two");
[[gnu::noinline]] static S &local()
{
	static S s("local");
	return s;
}
int main()
{
	std::printf("main");
	local();
	std::printf("%d", local().value());
}
