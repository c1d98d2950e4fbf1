/* A switch in a loop, and handlers of exceptions that go on with it. */
/* hazard: switch with a cold part. */
//# each: -O2 | -O1 -fPIC | -O2 -fno-pie -no-pie -static
#include <stdio.h>

__attribute__((noinline)) static int may(int x)
{
	__asm__ volatile("");
	if (x % 5 == 2)
		throw x;
	return x * 3 + 1;
}

struct guard {
	int *p;
	~guard() { *p ^= 5; }
};

__attribute__((noinline)) static int run(const char *p)
{
	int s = 0;
	for (; *p; p++) {
		try {
			guard g{&s};
			switch (*p) {
			case 'a': s += may(s + 1); break;
			case 'b': s ^= may(s); break;
			case 'c': s *= may(3); break;
			case 'd': s -= may(*p); break;
			case 'e': s += may(s) * 5; break;
			case 'f': s -= may(8) + s; break;
			case 'g': s = may(s + 3); break;
			default: may(s + 2);
			}
		} catch (int x) {
			s += x;
		}
	}
	return s;
}

int main()
{
	printf("%d %d\n", run("abcdefghgfedcba"), run("zzggaabbccddeeffgg"));
	return 0;
}
