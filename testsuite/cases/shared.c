/* An instrumented program with an instrumented shared library: two maps, one profile. */
//# lib: liba.so -DLIB
//# libs: -l:liba.so
//# stdout: 42 1
//# report: call 10
//# report: answer 10
//# report: inner 10
#include <stdio.h>
int answer(int x);
extern int variable;
#ifdef LIB
int variable = 1;
__attribute__((noinline, noipa)) static int inner(int x) { return x + variable - 1; }
int answer(int x) { return inner(x); }
#else
__attribute__((noinline, noipa)) static int call(int i) { return answer(i) - i + 4; }
int main(void)
{
	int s = 2;
	for (int i = 0; i < 10; i++)
		s += call(i);
	printf("%d %d\n", s, variable);
	return 0;
}
#endif
