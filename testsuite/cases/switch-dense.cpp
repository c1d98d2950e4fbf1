// A switch of 1000 cases, each with code of its own.  Not optimised and with counters, clang's is longer than branches
// of MIPS reach.
//# each: -O2 | -O2 -fno-pie -no-pie
//# each.x86_64: -O0
//# each.aarch64: -O0
//# each.riscv64: -O0
//# stdout: 1498500
//# report: _Z5densei 3000
#include <cstdio>
static volatile int side;
#define C1(n) case n: side = n; return n;
#define C10(n) C1(n) C1(n+1) C1(n+2) C1(n+3) C1(n+4) C1(n+5) C1(n+6) C1(n+7) C1(n+8) C1(n+9)
#define C100(n) C10(n) C10(n+10) C10(n+20) C10(n+30) C10(n+40) C10(n+50) C10(n+60) C10(n+70) C10(n+80) C10(n+90)
__attribute__((noinline, noipa)) int dense(int x)
{
	switch (x) {
		C100(0) C100(100) C100(200) C100(300) C100(400)
		C100(500) C100(600) C100(700) C100(800) C100(900)
	}
	return -1;
}
int main()
{
	long s = 0;
	for (int i = 0; i < 3000; i++)
		s += dense(i % 1000);
	std::printf("%ld\n", s);
}
